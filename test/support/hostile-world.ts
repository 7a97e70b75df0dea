import { EventEmitter } from 'node:events'
import { createTuned } from '../../src/gateway.js'
import type { Gateway } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Operation, type Upstream } from '../../src/prefetch/operation.js'
import { Credentials } from '../../src/upstream/credentials.js'
import { defineSite } from '../../src/upstream/site/site.js'
import type { TransportEvents } from '../../src/upstream/transport/transport.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { type AlteringProxy, startAlteringProxy } from './altering-proxy.js'
import { callScope } from './call-scope.js'
import { Hostility } from './hostile-upstream.js'
import type { Random } from './random.js'
import { upstreamOf } from './upstream.js'
import { authorizationOf, CANDID } from './world.js'

export const PATHS = { Group: 'v1/groups', Course: 'v1/sfwd-courses', Lesson: 'v2/sfwd-lessons', Quiz: 'v1/sfwd-quiz' } as const
export type Type = keyof typeof PATHS
export const TYPES = Object.keys(PATHS) as Type[]

type Row = Readonly<Record<string, any>>

const authorization = authorizationOf('admin')

/** The embedded LMS, a hostile proxy in front of it, and a gateway in front of that; all calls are the administrator's. */
export class HostileWorld {
  /** Rows of the site without faults, by type and id. */
  readonly truth = {} as Record<Type, ReadonlyMap<number, Row>>
  /** Pages have at most 10 rows, whatever is requested. */
  small = false
  /** REST calls since the last operation began. */
  calls = 0
  private lms!: RunningLms
  private proxy!: AlteringProxy
  private gateway!: Gateway
  private transport!: Transport
  private upstream!: Upstream
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
    const call = () => world.calls++
    const { tuning, protection } = CANDID
    world.gateway = createTuned(
      { site: { url: world.proxy.url }, protection: { ...protection, maxInFlight: 8 }, limits: { maxCalls: 10_000 }, on: { call } },
      tuning,
    )
    const limits = { maxInFlight: 8, share: true, timeout: 20_000, connectTimeout: 5_000, maxBytes: 20_000_000 }
    world.transport = new Transport({ origin: world.proxy.url, ...limits, events: new EventEmitter<TransportEvents>().on('call', call) })
    world.upstream = upstreamOf(defineSite(world.proxy.url), world.transport)
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
    return new Operation(this.upstream, callScope({ credentials: new Credentials({ authorization }) }))
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
