import type { GatewayOptions } from '../../src/gateway/gateway.js'
import { DEMO_USERS, type LmsOptions, type RunningLms, startLms } from '../../src/lms/index.js'
import type { Names } from '../../src/rest/presets.js'
import { defineSite } from '../../src/rest/site.js'
import type { Call } from '../../src/rest/transport.js'
import type { TypedDocumentString } from './documents/graphql.js'
import { type Served, serve } from './served.js'

/** A demo user of the embedded LMS, by login; nobody is anonymous. */
export type Login = (typeof DEMO_USERS)[number]['login']

export interface Answer<Data = any> {
  readonly status: number
  readonly data: Data
  readonly errors: readonly { message: string; path?: (string | number)[]; extensions: Record<string, any> }[]
  /** Paths of the REST calls the operation made, sorted. */
  readonly calls: readonly string[]
}

export interface Asking<Variables = Record<string, unknown>> {
  readonly as?: Login
  readonly variables?: Variables
  readonly headers?: Record<string, string>
}

/** The `Authorization` header of a demo user. */
export function authorizationOf(login: Login): string {
  const user = DEMO_USERS.find((each) => each.login === login)
  if (!user) throw new Error(`There is no demo user ${login}.`)
  return `Basic ${Buffer.from(`${user.login}:${user.password}`).toString('base64')}`
}

/** An embedded LMS and a gateway in front of it, both over HTTP, with every REST call on record. */
export class World {
  readonly calls: Call[] = []
  readonly repairs: string[] = []

  private constructor(
    readonly lms: RunningLms,
    readonly gateway: Served,
  ) {}

  /** `school` is how the LMS behaves, `names` how the gateway is told to take it. */
  static async start(options: Partial<GatewayOptions> = {}, school: LmsOptions = {}, names: Names = {}): Promise<World> {
    const lms = await startLms(school)
    const calls: Call[] = []
    const repairs: string[] = []
    const gateway = await serve({
      upstream: defineSite(lms.url, names),
      onCall: (call) => calls.push(call),
      onRepair: (shape, column) => repairs.push(`${shape}.${column}`),
      ...options,
    })
    const world = new World(lms, gateway)
    return Object.assign(world, { calls, repairs })
  }

  /** Runs one operation; only one at a time, so that its calls can be told. */
  query<Data, Variables>(query: TypedDocumentString<Data, Variables>, asking?: Asking<Variables>): Promise<Answer<Data>>
  query<Data = any>(query: string, asking?: Asking): Promise<Answer<Data>>
  async query(query: string | TypedDocumentString<unknown, unknown>, { as, variables, headers }: Asking<unknown> = {}): Promise<Answer> {
    this.calls.length = 0
    const sent = { ...(as && { authorization: authorizationOf(as) }), ...headers }
    const response = await this.gateway.post({ query: String(query), variables }, sent)
    const body = (await response.json()) as { data?: unknown; errors?: Answer['errors'] }
    return { status: response.status, data: body.data, errors: body.errors ?? [], calls: this.calls.map(({ path }) => path).sort() }
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await this.lms.close()
  }
}

/** True when the long runs are wanted: `npm run soak`. */
export const SOAK = process.env.SOAK === '1'
