import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { Command, UNLIMITED_FLAGS } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { PATIENCE, SOAK } from '../support/world.js'

// A site with four workers, and callers who want more of it than it can give. The gateway runs in a process of its own, as it is started.

const WORKERS = 4
/** Milliseconds a worker takes for a request. */
const SERVICE = 20
const CALLERS = 500
/** Milliseconds for which all of them ask. */
const LASTS = SOAK ? 30_000 : 3_000

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: { data?: any; errors?: { extensions: { code: string } }[] }
  /** Milliseconds it took. */
  readonly took: number
}

/** A site that counts who works, a gateway in front of it, and those who ask. */
class Rush {
  private next = 0

  private constructor(
    readonly site: FakeSite,
    readonly gateway: Command,
    private readonly pool: Pool,
  ) {}

  static async start(...flags: string[]): Promise<Rush> {
    const site = await FakeSite.start((request, response) => {
      const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1])
      setTimeout(() => json(response, { id, title: { rendered: `Title ${id}` } }), SERVICE)
    })
    const gateway = new Command(['--upstream', site.url, '--port', '0', ...UNLIMITED_FLAGS, ...flags])
    const pool = new Pool(await gateway.address(), { connections: CALLERS + 250, pipelining: 1 })
    return new Rush(site, gateway, pool)
  }

  /** Asks for records nobody has asked for, one call each. */
  async ask(caller: string, calls = 1): Promise<Answer> {
    const ids = Array.from({ length: calls }, () => ++this.next)
    const since = performance.now()
    const { statusCode, headers, body } = await this.pool.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${Buffer.from(`${caller}:x`).toString('base64')}` },
      body: JSON.stringify({ query: OPERATIONS[calls], variables: Object.fromEntries(ids.map((id, i) => [`v${i}`, id])) }),
    })
    const answer = { status: statusCode, headers, body: (await body.json()) as Answer['body'], took: performance.now() - since }
    if (calls > 0 && answer.status === 200 && !answer.body.errors)
      expect(answer.body.data).toEqual(Object.fromEntries(ids.map((id, i) => [`f${i}`, { title: `Title ${id}` }])))
    return answer
  }

  /** One operation after the other, as long as `goesOn`; how long each took. */
  async calmly(goesOn: (count: number) => boolean): Promise<number[]> {
    const times: number[] = []
    while (goesOn(times.length)) {
      const { status, took } = await this.ask('calm')
      expect(status).toBe(200)
      times.push(took)
    }
    return times
  }

  /** Memory of the gateway in megabytes: the most it has had, where the system tells. */
  get memory(): number | undefined {
    const path = `/proc/${this.gateway.child.pid}/status`
    const most = existsSync(path) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined
    return most === undefined ? undefined : Number(most) / 1024
  }

  async close(): Promise<void> {
    await this.pool.destroy()
    await this.gateway.stop()
    await this.site.close()
  }
}

/** By number of calls. Records of one type would be read together. */
const OPERATIONS = [[], ['course'], [], [], ['course', 'lesson', 'quiz', 'group']].map((roots) => {
  if (roots.length === 0) return '{ __typename }'
  const fields = roots.map((root, i) => `f${i}: ${root}(id: $v${i}) { title }`)
  return `query (${roots.map((_, i) => `$v${i}: ID!`).join(', ')}) { ${fields.join(' ')} }`
})

const at = (share: number, times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
const half = (times: readonly number[]): number => at(0.5, times)
const ms = (time: number): string => `${time.toFixed(0)} ms`

let rush: Rush
afterEach(() => rush.close())

describe('a site with four workers', () => {
  it('is shared fairly with a caller of many operations', { retry: 2 }, async () => {
    rush = await Rush.start()
    await rush.calmly((count) => count < 20)
    const alone = half(await rush.calmly((count) => count < 30))
    let left = 200
    const greedy = Array.from({ length: left }, () => rush.ask('greedy', 4).finally(() => left--))
    const beside = half(await rush.calmly(() => left > 0))
    const answers = await Promise.all(greedy)
    const refused = answers.filter(({ status }) => status !== 200).length
    console.log(`200 operations of another: ${ms(alone)} alone, ${ms(beside)} beside them; ${refused} of them refused`)
    expect(rush.site.most).toBe(WORKERS)
    expect(beside).toBeLessThan(3 * alone * PATIENCE)
    // There was room for half of them in the queue.
    expect(answers.filter(({ body }) => !body.errors).length).toBeGreaterThan(50)
  })

  it(`never receives a fifth concurrent call from ${CALLERS} callers, who are refused immediately`, {
    retry: 2,
    timeout: 120_000,
  }, async () => {
    rush = await Rush.start('--max-queue', '300')
    await rush.calmly((count) => count < 20)
    const alone = half(await rush.calmly((count) => count < 30))
    const all = (each: (number: number) => Promise<unknown>): Promise<unknown> =>
      Promise.all(Array.from({ length: CALLERS }, (_, number) => each(number)))
    // All have been there before.
    await all((number) => sleep((number / CALLERS) * 3_500).then(() => rush.ask(`caller${number}`)))
    const refusals: number[] = []
    const idle: number[] = []
    let served = 0
    const over = performance.now() + LASTS
    const caller = async (number: number): Promise<void> => {
      await sleep((number / CALLERS) * 2_500)
      while (performance.now() < over) {
        const { status, headers, body, took } = await rush.ask(`caller${number}`)
        if (status === 200 && !body.errors) served++
        else {
          expect([status, body.data, body.errors?.map(({ extensions }) => extensions.code)]).toEqual([503, undefined, ['UPSTREAM_BUSY']])
          refusals.push(took)
          await sleep(Number(headers['retry-after']) * (1_000 + Math.random() * 500))
        }
      }
    }
    // What an answer takes that needs nothing of the site: so busy is the machine.
    const measure = async (): Promise<void> => {
      const asked: Promise<unknown>[] = []
      for (; performance.now() < over; await sleep(10)) asked.push(rush.ask('idle', 0).then(({ took }) => idle.push(took)))
      await Promise.all(asked)
    }
    await Promise.all([all(caller), measure()])
    const ended = performance.now()
    // All have their answers by now; what is still waited for is nobody's.
    let again = half(await rush.calmly((count) => count < 5))
    while (again > 2 * alone && performance.now() < ended + 5_000) again = half(await rush.calmly((count) => count < 5))
    const back = performance.now() - ended
    const { memory } = rush
    console.log(
      `${CALLERS} callers: ${served} operations served, ${refusals.length} refused within ${ms(at(0.99, refusals))} (p99, median ${ms(half(refusals))}; ${ms(at(0.99, idle))} and ${ms(half(idle))} without any call); ` +
        `${ms(alone)} alone, ${ms(again)} again after ${ms(back)}; ${memory?.toFixed(0)} MB`,
    )
    expect(rush.site.most).toBe(WORKERS)
    expect(served).toBeGreaterThan(100)
    expect(refusals.length).toBeGreaterThan(50)
    // On a machine that is busy with other things, anything takes longer.
    expect(at(0.99, refusals)).toBeLessThan(Math.max(50 * PATIENCE, 3 * at(0.99, idle)))
    expect(back).toBeLessThan(2_000 * PATIENCE)
    expect(again).toBeLessThan(2 * alone * PATIENCE)
    if (memory !== undefined) expect(memory).toBeLessThan(300)
  })
})
