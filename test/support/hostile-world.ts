import { Pricer } from '../../src/engine/cost/price.js'
import { Operation } from '../../src/engine/fetch/operation.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { createGateway, type Gateway } from '../../src/server/gateway.js'
import { Client } from '../../src/upstream/client.js'
import { Projections } from '../../src/upstream/codec/records.js'
import { Credentials } from '../../src/upstream/session.js'
import { CapabilityCache } from '../../src/upstream/site/capabilities.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { type AlteringProxy, startAlteringProxy } from './altering-proxy.js'
import { Hostility } from './hostile-upstream.js'
import type { Random } from './random.js'
import { authorizationOf, CANDID } from './world.js'

export const PATHS = { Group: 'v1/groups', Course: 'v1/sfwd-courses', Lesson: 'v2/sfwd-lessons', Quiz: 'v1/sfwd-quiz' } as const
export type Type = keyof typeof PATHS
export const TYPES = Object.keys(PATHS) as Type[]

type Row = Readonly<Record<string, any>>

const authorization = authorizationOf('admin')

/** The embedded LMS, a hostile proxy in front of it, and a gateway in front of that; all calls are the administrator's. */
export class HostileWorld {
  /** Rows an honest site holds, by type and id. */
  readonly truth = {} as Record<Type, ReadonlyMap<number, Row>>
  /** Pages have 10 rows at most, whatever is asked for. */
  small = false
  /** REST calls since the last operation began. */
  calls = 0
  private lms!: RunningLms
  private proxy!: AlteringProxy
  private gateway!: Gateway
  private transport!: Transport
  private readonly capabilities = new CapabilityCache()
  private projections!: Projections
  private client!: Client
  hostility!: Hostility

  static async start(random: Random): Promise<HostileWorld> {
    const world = new HostileWorld()
    world.lms = await startLms()
    for (const type of TYPES)
      world.truth[type] = new Map((await world.honest(`${PATHS[type]}?status=any,trash&`)).map((row) => [row.id, row]))
    world.hostility = new Hostility(
      random,
      Object.values(world.truth).flatMap((records) => [...records.keys()]),
    )
    world.proxy = await startAlteringProxy(world.lms.url, {
      ask: (path) => (world.small ? path.replace(/per_page=\d{2,}/, 'per_page=10') : path),
      answer: (path, reply) => world.hostility.spoil(path, reply),
    })
    const onCall = () => world.calls++
    world.gateway = createGateway({ upstream: world.proxy.url, maxInFlight: 8, maxCalls: 10_000, onCall, ...CANDID })
    const limits = { maxInFlight: 8, share: true, timeout: 20_000, connectTimeout: 5_000, maxBytes: 20_000_000 }
    world.transport = new Transport({ origin: world.proxy.url, ...limits, onCall })
    world.client = new Client(defineSite(world.proxy.url), world.transport)
    world.projections = new Projections(world.client.site)
    return world
  }

  /** All rows of a list as the LMS itself sends them; `path` ends with `?` or `&`. */
  async honest(path: string): Promise<Row[]> {
    const rows: Row[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const response = await fetch(`${this.lms.url}/lms/${path}per_page=100&page=${page}`, { headers: { authorization } })
      pages = Number(response.headers.get('x-wp-totalpages'))
      rows.push(...((await response.json()) as Row[]))
    }
    return rows
  }

  /** An operation without GraphQL, to load records directly. */
  operation(): Operation {
    this.calls = 0
    const { client, projections, capabilities } = this
    return new Operation(
      { client, projections, capabilities, limits: { rows: 1_000 }, pricer: new Pricer(client.site, 10), maxCalls: 10_000 },
      { credentials: new Credentials({ authorization }), caller: 'admin', operation: {} },
    )
  }

  /** Runs a whole GraphQL operation. */
  async query(query: string, variables: Record<string, unknown> = {}): Promise<{ data: any; errors: any[] }> {
    this.calls = 0
    const headers = { 'content-type': 'application/json', authorization }
    const response = await this.gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors = [] } = (await response.json()) as { data: any; errors?: any[] }
    return { data, errors }
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await this.transport.close()
    await this.proxy.close()
    await this.lms.close()
  }
}
