import { request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { merged } from '../support/merged.js'
import { FakeSite } from '../support/site.js'
import { SOAK } from '../support/world.js'
import { type Attack, type Environment, times } from './attacks/attack.js'
import { post } from './attacks/client.js'
import { DOCUMENTS } from './attacks/documents.js'
import { HEADERS } from './attacks/headers.js'
import { HONEST } from './attacks/honest.js'
import { HTTP } from './attacks/http.js'
import { IDS } from './attacks/ids.js'
import { DEADLINE, judge, judgeCalls } from './attacks/judge.js'
import { PRODUCTION } from './attacks/production.js'
import { SLOW } from './attacks/slow.js'
import { Target } from './attacks/target.js'
import { VARIABLES } from './attacks/variables.js'

// What strangers may send, to four gateways in processes of their own: in both environments, and on both paths.

const TABLES: Readonly<Record<string, readonly Attack[]>> = {
  'document shape': DOCUMENTS,
  variables: VARIABLES,
  HTTP,
  'ids, slugs and cursors': IDS,
  headers: HEADERS,
  'production capabilities': PRODUCTION,
  'honest and odd': HONEST,
  'slow senders': SLOW,
}

const TIMES = { tuning: { sockets: { headersTimeout: 500, idleTimeout: 1_200 } }, http: { requestTimeout: 700 } }
/** Bytes by which a gateway may have grown after all of it. */
const GROWTH = 60_000_000
/** Documents that fill whatever is kept of documents, how many more come then, and bytes by which a gateway may grow through those. */
const FLOOD = 140
const MORE = 60
const GROWTH_OF_CACHES = 10_000_000

interface Count {
  readonly answers: number
  readonly slowest: number
  readonly largest: number
}

/** One of the gateways, with a site of its own that hands everything on, so that it is seen what was sent. */
class Server {
  readonly counts: Record<string, Count> = {}

  private constructor(
    readonly name: string,
    readonly environment: Environment,
    readonly shortPath: boolean,
    readonly target: Target,
    private readonly site: FakeSite,
    /** Bytes in use before any attack. */
    readonly atFirst: number,
  ) {}

  static async start(environment: Environment, shortPath: boolean): Promise<Server> {
    const site = await FakeSite.start((request, response) => {
      const onward = send(`${lms.url}${request.url}`, { method: request.method as string, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode as number, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward)
    })
    const target = await Target.start(
      environment,
      merged({ site: { url: site.url }, limits: { documentCostPerMinute: 0 }, tuning: { shortPath, limits: { maxUnpaged: 1 } } }, TIMES),
    )
    await target.ask(post({ query: '{ courses(first: 100) { nodes { title content } } }' }))
    const name = `${environment}, on ${shortPath ? 'the short path' : 'the path of Yoga'}`
    return new Server(name, environment, shortPath, target, site, (await target.tell()).memory)
  }

  async meet(table: string, attack: Attack): Promise<void> {
    const { target, site, counts } = this
    if (attack.before) await target.ask(attack.before)
    site.requests.length = 0
    const answer = await target.ask(attack.send)
    const { answers, slowest, largest } = counts[table] ?? { answers: 0, slowest: 0, largest: 0 }
    counts[table] = {
      answers: answers + 1,
      slowest: Math.max(slowest, Math.round(answer.took)),
      largest: Math.max(largest, answer.text.length),
    }
    judge(answer, attack, this.environment)
    if (attack.calls !== undefined || table !== 'slow senders') judgeCalls(site.requests, attack)
    expect(target.isAlive).toBe(true)
  }

  async stop(): Promise<void> {
    await this.target.stop()
    await this.site.close()
  }
}

let lms: RunningLms
let servers: readonly Server[]
beforeAll(async () => {
  lms = await startLms()
  servers = await Promise.all(
    (['production', 'development'] as const).flatMap((environment) =>
      [true, false].map((shortPath) => Server.start(environment, shortPath)),
    ),
  )
})
afterAll(async () => {
  for (const server of servers) await server.stop()
  await lms.close()
})

/** Does something with each of them at once; what goes wrong says with which. */
async function withEach(act: (server: Server) => Promise<void>): Promise<void> {
  const acts = servers.map((server) =>
    act(server).catch((error: Error) => {
      error.message = `${server.name}: ${error.message}`
      throw error
    }),
  )
  // One failure leaves the others their time.
  await Promise.allSettled(acts)
  await Promise.all(acts)
}

describe.each(Object.entries(TABLES).filter(([table]) => table !== 'slow senders'))('%s', (table, attacks) => {
  it.each(attacks)('$name', (attack) => withEach((server) => server.meet(table, attack)))
})

// All at once, or they would take as long as they want.
describe('slow senders', () => {
  it.concurrent.each(SLOW)('$name', (attack) => withEach((server) => server.meet('slow senders', attack)))
})

// One server after the other: four hundred clients at once would measure the machine.
it('a hundred silent clients do not delay another client', async () => {
  for (const { name, target } of servers) {
    const silent = Array.from({ length: 100 }, () => target.ask(() => {}))
    const { status, took } = await target.ask(post({ query: '{ __typename }' }))
    expect([status, took < 1_000], name).toEqual([200, true])
    for (const answer of await Promise.all(silent)) expect([answer.status, answer.took < DEADLINE], name).toEqual([408, true])
  }
})

it('a client that does not read is disconnected', () =>
  withEach(async ({ target }) => {
    // Its answer is larger than what fits between the two.
    const query = `{ courses(first: 100) { nodes { ${times(40, (i) => `a${i}: content`)} } } }`
    const { took } = await target.ask((socket) => {
      socket.write(post({ query }))
      socket.pause()
      setTimeout(() => socket.resume(), 1_500)
    })
    expect(took).toBeLessThan(DEADLINE + 1_000)
  }))

it('the gateways have no faults, and use no more memory', () =>
  withEach(async ({ target, atFirst, counts }) => {
    const { memory, faults } = await target.tell()
    expect(faults).toEqual([])
    counts['bytes it has grown by'] = { answers: 0, slowest: 0, largest: memory - atFirst }
    expect(memory - atFirst).toBeLessThan(GROWTH)
    expect(target.isAlive).toBe(true)
  }))

// Each of them is made into a plan and a compiled query, which take far more room than the text.
it.runIf(SOAK)('documents that are always new do not accumulate', () =>
  withEach(async ({ target }) => {
    const flood = async (from: number, count: number): Promise<number> => {
      for (let i = from; i < from + count; i++) {
        const query = `{ courses(where: { id: { in: [] } }) { nodes { ${times(1_200, (field) => `a${i}_${field}: id`)} } } }`
        // Nothing is kept of what comes once, and no plan of what comes twice.
        for (const _ of [1, 2, 3]) expect((await target.ask(post({ query }))).status).toBe(200)
      }
      return (await target.tell()).memory
    }
    const full = await flood(0, FLOOD)
    expect((await flood(FLOOD, MORE)) - full).toBeLessThan(GROWTH_OF_CACHES)
  }),
)

it('there are at least 15 cases of each kind, all of them answered', () => {
  for (const { name, counts } of servers) {
    console.log(name)
    console.table(counts)
    for (const [table, attacks] of Object.entries(TABLES)) {
      expect(attacks.length).toBeGreaterThanOrEqual(15)
      expect(counts[table]?.answers).toBe(attacks.length)
    }
  }
})
