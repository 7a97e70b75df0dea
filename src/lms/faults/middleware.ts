import { setTimeout as sleep } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import type { Fault } from '../profile/fault.js'
import { FAULTS } from '../profile/faults.js'
import type { Switches } from '../profile/switches.js'
import type { Call, Variables } from '../routes/answer.js'
import { ALTERED, alter } from './altered.js'
import { Chance } from './chance.js'
import { BY_PHP, IN_FRONT } from './replaced.js'
import type { Workers } from './workers.js'

type FaultName = keyof typeof FAULTS

const NAMES = Object.keys(FAULTS) as FaultName[]

/** Makes a site as slow and as unsound as its switches say; undefined for one that is fast and sound. */
export function troubles(switches: Switches, workers: Workers): MiddlewareHandler<{ Variables: Variables }> | undefined {
  const { latency, workers: limit } = switches
  const faults = NAMES.flatMap((name) => (switches[name] ? [[name, switches[name]] as const] : []))
  if (!faults.length && !latency && !limit) return undefined
  const chance = new Chance()

  const within = (table: object): readonly (readonly [FaultName, Fault])[] => faults.filter(([name]) => name in table)
  const [inFront, byPhp] = [within(IN_FRONT), within(BY_PHP)]
  const altering = faults.filter(([name]) => ALTERED.includes(name))

  function replaced(call: Call, request: string, some: readonly (readonly [FaultName, Fault])[]): Response | undefined {
    for (const [name, fault] of some) {
      const answer = chance.strikes(fault, request) ? (IN_FRONT[name] ?? BY_PHP[name])!(call, fault) : undefined
      if (answer) return answer
    }
    return undefined
  }

  return (call, next) => {
    const request = `${call.req.method} ${call.req.url.replace(/^\w+:\/\/[^/]*/, '')}`
    const answer = replaced(call, request, inFront)
    if (answer) return Promise.resolve(answer)
    return workers.run(async () => {
      if (latency) await sleep(chance.delay(latency))
      const instead = replaced(call, request, byPhp)
      if (instead) return instead
      await next()
      if (call.req.method === 'HEAD') return
      await alter(
        call,
        altering.filter(([, fault]) => chance.strikes(fault, request)).map(([name]) => name),
      )
    })
  }
}
