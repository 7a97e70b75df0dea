import { BadInputError, ForbiddenError, InvalidResponseError, isObject, NotFoundError } from './errors.js'
import { getOrMake } from './maps.js'
import { type QueryValue, queryOf } from './query.js'
import { type ListRoute, type Params, pathTemplate, type Route } from './routes.js'
import type { Session } from './session.js'
import { type Site, wireName } from './site/site.js'
import { type Answer, inDoubt } from './transport/responses.js'
import type { Transport } from './transport/transport.js'

export type Row = Readonly<Record<string, unknown>>
export type Query = Readonly<Record<string, QueryValue>>

/** Rows of one page, and the totals where the site sent them. */
export interface Page {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly pages: number | null
}

/** What a write sends. */
export interface Sent {
  readonly query?: Query
  readonly body?: Readonly<Record<string, unknown>>
}

/** What a site says of a write. */
export interface Written {
  readonly body: unknown
  /** The `Location` header, of which only the id at its end is to be trusted. */
  readonly location: string | null
}

/** Asks one site: paths, query encoding, totals and the shape of answers. Knows no resource. */
export class Client {
  private readonly prefix: string
  /** Whether the route is a query parameter, so that the query goes on behind it. */
  private readonly routeIsQuery: boolean
  private readonly paths = new WeakMap<Route, (params: Params) => string>()
  /** Encoded names of query parameters, as the site spells them. */
  private readonly names = new Map<string, string>()

  constructor(
    readonly site: Site,
    private readonly transport: Transport,
  ) {
    const { pathname, searchParams } = new URL(site.url)
    this.routeIsQuery = searchParams.has('rest_route')
    this.prefix = this.routeIsQuery ? `${pathname}?rest_route=` : pathname.replace(/\/$/, '')
  }

  /** One record. Rejects with a `NotFoundError` when there is none. */
  async get(route: Route, params: Params, query: Query, session: Session): Promise<Row> {
    const { body: answered, status, bytes } = await this.send(route, params, query, session)
    session.memory?.takeAnswer(bytes)
    const body = route.listed && Array.isArray(answered) && answered.length <= 1 ? answered[0] : answered
    if (body === undefined) throw new NotFoundError('There is none.', { status, code: null })
    if (isObject(body) && !isErrorBody(body)) return body
    throw new InvalidResponseError(`The answer to ${route.path} is not a record.`, { status, code: null })
  }

  /** One page of a list. */
  async list(route: ListRoute, params: Params, query: Query, session: Session): Promise<Page> {
    const { body: answered, headers, status, bytes } = await this.send(route, params, query, session)
    session.memory?.takeAnswer(bytes)
    const body = route.keyed && isObject(answered) && Object.values(answered).every(isObject) ? Object.values(answered) : answered
    const rows = Array.isArray(body) ? (body.every(isObject) ? body : body.filter(isObject)) : undefined
    // A page may have some junk on it, but not be all of it.
    if (!rows || (rows.length === 0 && (body as unknown[]).length > 0))
      throw new InvalidResponseError(`The answer to ${route.path} is not a list of records.`, { status, code: null })
    return { rows, total: countIn(headers, 'x-wp-total'), pages: countIn(headers, 'x-wp-totalpages') }
  }

  /** Creates, changes or deletes, and answers what the site says of it: its JSON, and where it put something new. Never sent twice. */
  async write(method: 'POST' | 'DELETE', route: Route, params: Params, sent: Sent, session: Session): Promise<Written> {
    if (session.readOnly) throw new ForbiddenError('Nothing can be changed with these credentials.')
    const path = this.address(route, params, sent.query ?? {})
    const watcher = session.calls?.take(method, route.path, params, {})
    const text = sent.body && JSON.stringify(sent.body)
    session.memory?.beforeCall()
    if (session.memory) session.memory.hasWritten = true
    const { body, headers, status } = await this.transport.write(method, route.path, path, text, session, watcher)
    if (isObject(body) && isErrorBody(body)) {
      const message = `The answer to ${route.path} is an error under the status of a success.`
      throw inDoubt({ method }, new InvalidResponseError(message, { status, code: null }))
    }
    return { body, location: typeof headers.location === 'string' ? headers.location : null }
  }

  private send(route: Route, params: Params, query: Query, session: Session): Promise<Answer> {
    const path = this.address(route, params, query)
    if (isOthers(route, params, session)) throw new ForbiddenError('Only what is your own can be read here.')
    session.memory?.beforeCall()
    return this.transport.get(route.path, path, session, session.calls?.take('GET', route.path, params, query))
  }

  private pageSize(size: Query[string]): Query {
    return Object.fromEntries(this.site.pageSizeParams.map((name) => [name, size]))
  }

  private readonly spell = (name: string): string => {
    let spelled = this.names.get(name)
    if (spelled === undefined) {
      spelled = encodeURIComponent(wireName(this.site, name))
      this.names.set(name, spelled)
    }
    return spelled
  }

  private address(route: Route, params: Params, query: Query): string {
    const sized = this.site.pageSizeParams.length > 0 && query.per_page !== undefined
    const asked = queryOf(sized ? { ...query, ...this.pageSize(query.per_page) } : query, this.spell)
    const pathFor = getOrMake(this.paths, route, () => pathTemplate(this.site, route))
    const path = this.prefix + pathFor(params) + (this.routeIsQuery ? asked.replace('?', '&') : asked)
    if (path.length <= MAX_PATH) return path
    throw new BadInputError(`Too many or too long values are given: the address of a call would have over ${MAX_PATH} characters.`)
  }
}

const MAX_PATH = 8_000

const isOthers = ({ owner }: Route, params: Params, { ownOnly, viewer }: Session): boolean =>
  owner !== undefined && ownOnly === true && Number(params[owner]) !== viewer

const isErrorBody = (body: Row): boolean => typeof body.code === 'string' && 'message' in body && isObject(body.data)

function countIn(headers: Answer['headers'], name: string): number | null {
  const value = headers[name]
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null
}
