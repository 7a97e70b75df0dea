import { setTimeout as sleep } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import { FAULTS, type Fault } from '../profile/faults.js'
import type { Switches } from '../profile/switches.js'
import type { Call, Variables } from '../routes/answer.js'
import { Chance } from './chance.js'
import { ALTERING, alter, BEFORE_PHP, BY_PHP } from './responses.js'

/** Limits how many requests run at a time, like the worker pool of PHP. Others wait in the order of arrival. */
export class Workers {
  /** 0: no limit. */
  #limit = 0
  #busy = 0
  readonly #waiting: (() => void)[] = []

  set limit(limit: number) {
    this.#limit = limit
    this.#wake()
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isFree) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#busy++
    try {
      return await work()
    } finally {
      this.#busy--
      this.#wake()
    }
  }

  get #isFree(): boolean {
    return this.#limit === 0 || this.#busy < this.#limit
  }

  /** Counts a waiting request as busy before it resumes, so that a new request cannot overtake it. */
  #wake(): void {
    while (this.#waiting.length && this.#isFree) {
      this.#busy++
      this.#waiting.shift()!()
    }
  }
}

type FaultName = keyof typeof FAULTS

const NAMES = Object.keys(FAULTS) as FaultName[]

/** Middleware for the latency, worker limit and faults of the switches; undefined when all of them are off. */
export function faultMiddleware(switches: Switches, workers: Workers): MiddlewareHandler<{ Variables: Variables }> | undefined {
  const { latency, workers: limit } = switches
  const faults = NAMES.flatMap((name) => (switches[name] ? [[name, switches[name]] as const] : []))
  if (!faults.length && !latency && !limit) return undefined
  const chance = new Chance()

  const within = (table: object): readonly (readonly [FaultName, Fault])[] => faults.filter(([name]) => name in table)
  const [inFront, byPhp] = [within(BEFORE_PHP), within(BY_PHP)]
  const altering = faults.filter(([name]) => ALTERING.includes(name))

  function replaced(call: Call, request: string, some: readonly (readonly [FaultName, Fault])[]): Response | undefined {
    for (const [name, fault] of some) {
      const answer = chance.applies(fault, request) ? (BEFORE_PHP[name] ?? BY_PHP[name])!(call, fault) : undefined
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
        altering.filter(([, fault]) => chance.applies(fault, request)).map(([name]) => name),
      )
    })
  }
}
