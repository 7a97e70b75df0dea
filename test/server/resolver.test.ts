import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { CLI, Command } from '../support/command.js'
import { canResolve, Resolver } from '../support/resolver.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { ask } from './asking.js'

// A name that moves to another server, as in a blue-green deployment: the old server goes on answering.

const TUNED = fileURLToPath(new URL('../deploy/tuned-gateway.mjs', import.meta.url))
const isWhole = process.env.SYSTEM === '1' || process.env.SOAK === '1'

/** Keeps connections for longer than they are used. */
const school: Handler = ({ method, url = '' }, response) => {
  const id = Number(/\/(\d+)(?:\?|$)/.exec(url)?.[1] ?? 7)
  const status = method === 'POST' ? 201 : 200
  setTimeout(() => json(response, { id, status: 'draft' }, { status, headers: { 'keep-alive': 'timeout=300' } }), 20)
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(script: string, argv: (url: string) => readonly string[]) {
  const network = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`
  const blue = await FakeSite.start(school, `${network}.2`)
  const green = await FakeSite.start(school, `${network}.3`, Number(new URL(blue.url).port))
  const resolver = await Resolver.start(`${network}.53`, `${network}.2`)
  const [program, ...before] = resolver.command
  const url = `http://school.test:${new URL(blue.url).port}`
  const command = new Command(argv(url), {}, [...before, process.execPath], { program, script })
  closing.push(
    () => resolver.close(),
    () => blue.close(),
    () => green.close(),
    () => command.stop(),
  )
  return { address: await command.address(), blue, green, resolver, move: () => (resolver.address = `${network}.3`) }
}

/** Reads and writes without a pause until they are stopped. */
function load(address: string): { failures: unknown[]; stop(): Promise<unknown> } {
  let isRunning = true
  const failures: unknown[] = []
  const client = async (query: (at: number) => string): Promise<void> => {
    for (let at = 0; isRunning; at++) {
      const { errors } = await ask(address, { authorization: 'Basic YTpi' }, query(at))
      failures.push(...errors)
    }
  }
  const reads = Array.from({ length: 4 }, (_, lane) => client((at) => `{ course(id: "${1 + (at % 900) * 4 + lane}") { title } }`))
  const writes = Array.from({ length: 2 }, () => client(() => 'mutation { createCourse(input: {}) { __typename } }'))
  return {
    failures,
    stop: () => {
      isRunning = false
      return Promise.all([...reads, ...writes])
    },
  }
}

/** Milliseconds after the move of the name at which the last call began that went to the old server. */
async function movesWithin(script: string, argv: (url: string) => readonly string[], before: number, most: number): Promise<number> {
  const { address, blue, green, move, resolver } = await start(script, argv)
  const { failures, stop } = load(address)
  await new Promise((resolve) => setTimeout(resolve, before))
  expect([blue.requests.length > 20, green.requests.length]).toEqual([true, 0])
  const movedAt = Date.now()
  move()
  let [last, count] = [movedAt, blue.requests.length]
  while (Date.now() - movedAt < most) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (blue.requests.length > count) [last, count] = [Date.now(), blue.requests.length]
  }
  const oldOnes = blue.requests.length
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await stop()
  expect(blue.requests.length).toBe(oldOnes)
  expect(new Set(green.requests.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']))
  expect(failures).toEqual([])
  // Connections are opened now and then, not for each call.
  expect(resolver.asked).toBeLessThan(60)
  return last - movedAt
}

describe.skipIf(!canResolve)(
  'when the name of the site leads to another server, while calls never pause and the old one goes on answering',
  () => {
    it('all reads and writes go to the new server when the connections have reached their age', async () => {
      const options = (url: string) => [
        JSON.stringify({
          site: { url },
          http: { port: 0 },
          protection: { maxInFlight: 4 },
          tuning: { protection: { maxConnectionAge: 1_500 } },
        }),
      ]
      expect(await movesWithin(TUNED, options, 2_000, 2_500)).toBeLessThan(1_800)
    })

    it.runIf(isWhole)('all of the command do so within a minute', { timeout: 180_000 }, async () => {
      const argv = (url: string) => ['--upstream', url, '--port', '0', '--max-in-flight', '4']
      expect(await movesWithin(CLI, argv, 5_000, 80_000)).toBeLessThan(62_000)
    })
  },
)
