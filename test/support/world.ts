import type { Call } from '../../src/index.js'
import { DEMO_USERS, type LmsOptions, type RunningLms, startLms } from '../../src/lms/index.js'
import { defineSite, type SiteNames } from '../../src/upstream/site/site.js'
import type { TypedDocumentString } from './documents/graphql.js'
import { merged, type TunedOptions } from './merged.js'
import { AS_SPECIFIED, PROFILE, SITE_NAMES, SPELLING, type Spelling } from './profile.js'
import { type Served, serve } from './served.js'

/** Login of a demo user of the embedded LMS; callers without one are anonymous. */
export type Login = (typeof DEMO_USERS)[number]['login']

export interface Answer<Data = any> {
  readonly status: number
  readonly data: Data
  readonly errors: readonly { message: string; path?: (string | number)[]; extensions: Record<string, any> }[]
  /** Paths of the REST calls the operation made, as the specification spells them, sorted. */
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
    private readonly spelling: Spelling,
  ) {}

  /**
   * `school` is how the LMS behaves, `names` how the gateway is told to take it: by default as the profile of this run, whose paths are
   * then shown as the specification spells them.
   */
  static async start(options: TunedOptions = {}, school: LmsOptions = {}, names: SiteNames = SITE_NAMES): Promise<World> {
    const lms = await startLms({ profile: PROFILE, ...school })
    const spelling = school.profile === undefined ? SPELLING : AS_SPECIFIED
    const calls: Call[] = []
    const repairs: string[] = []
    const gateway = await serve(
      merged(
        { site: { url: lms.url }, ...(options.site?.url === undefined && { tuning: { site: defineSite(lms.url, names) } }) },
        options,
        {
          on: {
            call: (call) => calls.push({ ...call, path: spelling.specified(call.path) }),
            repair: (shape, column) => repairs.push(`${shape}.${column}`),
            ...options.on,
          },
        },
      ),
    )
    const world = new World(lms, gateway, spelling)
    return Object.assign(world, { calls, repairs })
  }

  /** Runs one operation at a time, so that its calls are known. */
  query<Data, Variables>(query: TypedDocumentString<Data, Variables>, asking?: Asking<Variables>): Promise<Answer<Data>>
  query<Data = any>(query: string, asking?: Asking): Promise<Answer<Data>>
  async query(query: string | TypedDocumentString<unknown, unknown>, { as, variables, headers }: Asking<unknown> = {}): Promise<Answer> {
    this.calls.length = 0
    const sent = { ...(as && { authorization: authorizationOf(as) }), ...headers }
    const response = await this.gateway.post({ query: String(query), variables }, sent)
    const body = (await response.json()) as { data?: unknown; errors?: Answer['errors'] }
    return { status: response.status, data: body.data, errors: body.errors ?? [], calls: this.calls.map(({ path }) => path).sort() }
  }

  /** Requests the site directly as an administrator; path and response are spelled as specified, and errors throw. */
  async ask(path: string, method = 'GET', body?: object): Promise<{ text: string; headers: Headers }> {
    const headers = { authorization: authorizationOf('admin'), ...(body ? { 'content-type': 'application/json' } : {}) }
    const url = `${this.lms.url}${this.spelling.spelled(`/lms/${path}`)}`
    const response = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return { text: this.spelling.specified(text), headers: response.headers }
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await this.lms.close()
  }
}

/** Shows each response of a site as it is: no retries, no circuit breaker, and a long queue timeout for a busy machine. */
export const CANDID = {
  protection: { retries: 0, breakerThreshold: 100 },
  tuning: { protection: { queueTimeout: 120_000 } },
} as const satisfies TunedOptions

/** Whether this is a long run: `npm run soak`. */
export const SOAK = process.env.SOAK === '1'

/** Factor for time limits while other suites run at the same time; the long run has the documented limits. */
export const PATIENCE = SOAK ? 1 : 5
