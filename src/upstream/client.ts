import { EventEmitter } from 'node:events'
import { LRUCache } from 'lru-cache'
import { getOrMake, isObject } from '../maps.js'
import { type ReadCache, validityOf } from './cache/read-cache.js'
import { changeOf, tagsOfRead } from './cache/record-tags.js'
import { EVERYTHING, type SiteChange, type Tag, type Tagging } from './cache/tags.js'
import type { CallObserver, CallScope } from './call-scope.js'
import {
  BadInputError,
  ForbiddenError,
  InvalidResponseError,
  type LmsError,
  NotAvailableError,
  NotFoundError,
  UnauthenticatedError,
} from './errors.js'
import type { Emitter } from './events.js'
import { type QueryValue, queryOf } from './query.js'
import { checkRead, publishedRecord, publishedRows, refusesWrite, ruleOf, strangerIn, withheld } from './roles.js'
import { isLacking, isOfWordPress, type ListRoute, type Params, pathTemplate, type Route } from './routes.js'
import { type Site, wireName } from './site/site.js'
import { type Answer, inDoubt, wasPerhapsMade } from './transport/responses.js'
import type { Transport } from './transport/transport.js'

export type Row = Readonly<Record<string, unknown>>
export type Query = Readonly<Record<string, QueryValue>>

/** Rows of one page, and the totals, null when the site did not send them. */
export interface Page {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly pages: number | null
}

/** Query and body of a write. */
export interface Sent {
  readonly query?: Query
  readonly body?: Readonly<Record<string, unknown>>
}

/** The site's answer to a write. */
export interface Written {
  readonly body: unknown
  /** The `Location` header. Only the id at its end can be trusted. */
  readonly location: string | null
}

export interface ChangeEvents {
  /** A write was made, or may have been made. */
  readonly changed: [change: SiteChange]
}

/** Reads from and writes to one site: builds paths and queries, checks the shape of answers. Knows no resource. */
export class Client {
  private readonly prefix: string
  /** Whether the route is sent as the query parameter `rest_route`, so that the query starts with `&`. */
  private readonly routeIsQuery: boolean
  /** Paths, without ids, that the site was found not to have. */
  private readonly lacking = new LRUCache<string, true>({ max: 100, ttl: LACKING_FOR })
  private readonly paths = new WeakMap<Route, (params: Params) => string>()
  /** Encoded names of query parameters, in the spelling of the site. */
  private readonly names = new Map<string, string>()

  constructor(
    readonly site: Site,
    private readonly transport: Transport,
    /** Answers reads in place of the site, and is told of writes. */
    private readonly cache?: ReadCache | undefined,
    private readonly tagging?: Tagging | undefined,
    private readonly events: Emitter<ChangeEvents> = new EventEmitter<ChangeEvents>(),
  ) {
    const { pathname, searchParams } = new URL(site.url)
    this.routeIsQuery = searchParams.has('rest_route')
    this.prefix = this.routeIsQuery ? `${pathname}?rest_route=` : pathname.replace(/\/$/, '')
  }

  /** Reads one record. Rejects with a `NotFoundError` when it does not exist. */
  get(route: Route, params: Params, query: Query, call: CallScope): Promise<Row> {
    return this.read(route, params, query, call, ruleOf(call.caller).records === 'published' ? publishedIn : recordIn)
  }

  /** Reads one page of a list. */
  list(route: ListRoute, params: Params, query: Query, call: CallScope): Promise<Page> {
    const find =
      ruleOf(call.caller).records === 'published' ? (_: ListRoute, answer: Answer) => publishedRows(route, pageIn(route, answer)) : pageIn
    return this.read(route, params, query, call, find)
  }

  /** Creates, changes or deletes a record. Returns the JSON of the answer and the location of a new record. Never retried. */
  async write(method: 'POST' | 'DELETE', route: Route, params: Params, sent: Sent, call: CallScope): Promise<Written> {
    if (isLacking(this.site, route)) throw new NotAvailableError(`The site does not have the route ${route.path}.`)
    if (refusesWrite(call.caller, route)) throw withheld(call.caller)
    const path = this.address(route, params, sent.query ?? {})
    const observer = call.budget.calls?.take(method, route.path, params, {})
    const text = sent.body && JSON.stringify(sent.body)
    call.budget.memory?.beforeCall()
    if (call.budget.memory) call.budget.memory.hasWritten = true
    const send = (): Promise<Answer> => this.transport.write(method, route.path, path, text, call, observer)
    const { cache, tagging, events } = this
    const change = (answer?: Answer): SiteChange => changeOf(route, method, params, sent.body, answer && newIdIn(answer))
    const raised = (answer?: Answer): readonly Tag[] => tagging?.ofChange(change(answer)) ?? [EVERYTHING]
    const writing = watched(cache ? cache.write(raised, send) : send(), observer)
    if (events.listenerCount('changed') > 0)
      writing.then(
        (answer) => events.emit('changed', change(answer)),
        (error) => wasPerhapsMade(error) && events.emit('changed', change()),
      )
    const { body, headers, status } = await writing
    if (isObject(body) && isErrorBody(body)) {
      const message = `The answer to ${route.path} is an error with a success status.`
      throw inDoubt({ method }, new InvalidResponseError(message, { status, code: null }))
    }
    return { body, location: typeof headers.location === 'string' ? headers.location : null }
  }

  /** Resolves with what `find` returns for the answer. An operation can make hundreds of calls, so each has one promise here. */
  private read<R extends Route, T>(
    route: R,
    params: Params,
    query: Query,
    call: CallScope,
    find: (route: R, answer: Answer) => T,
  ): Promise<T> {
    try {
      const sent = route.optional === undefined ? this.send(route, params, query, call) : this.sendToOptional(route, params, query, call)
      return sent.then((answer) => {
        call.budget.memory?.takeAnswer(answer.bytes)
        return find(route, answer)
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Sends a read to a route that some sites do not have. Remembers that a site does not have it. */
  private sendToOptional(route: Route, params: Params, query: Query, call: CallScope): Promise<Answer> {
    const name = this.pathOf(route, params).replaceAll(/\/\d+/g, '')
    if (isLacking(this.site, route) || this.lacking.has(name))
      throw new NotAvailableError(`The site does not have the route ${route.path}.`)
    const sent = route.asStranger ? strangerIn(call) : call
    return this.send(route, params, query, sent).catch((error: LmsError) => {
      const { upstream } = error
      if (upstream?.status === 404 && upstream.code === 'rest_no_route') {
        this.lacking.set(name, true)
        throw new NotAvailableError(`The site does not have the route ${route.path}.`, upstream)
      }
      // That a site does not show these records to strangers does not mean that they have to sign in: the rest of a page is for them.
      const isAnonymous = error instanceof UnauthenticatedError && sent.caller.credentials.anonymous && query.context !== 'edit'
      throw isAnonymous && isOfWordPress(route.path) ? new ForbiddenError(error.message, upstream) : error
    })
  }

  /** Throws when the call must not be made. */
  private send(route: Route, params: Params, wanted: Query, call: CallScope): Promise<Answer> {
    const query = call.caller.role === undefined ? wanted : checkRead(this.site, call.caller, route, params, wanted)
    const path = this.address(route, params, query)
    call.budget.memory?.beforeCall()
    const observer = call.budget.calls?.take('GET', route.path, params, query)
    const { cache } = this
    const { dependencies } = call.freshness
    const depends = cache || dependencies ? tagsOfRead(route, params, query, query[this.site.fieldFilter ?? '']) : undefined
    const answer =
      cache && depends
        ? cache.get({ method: 'GET', route: route.path, path }, depends, call, observer)
        : this.transport.get(route.path, path, call, observer, validityOf(route.path))
    return watched(dependencies && depends ? dependencies.follow(depends, answer) : answer, observer)
  }

  private pageSize(size: Query[string]): Query {
    return Object.fromEntries(this.site.pageSizeParams.map((name) => [name, size]))
  }

  private pathOf(route: Route, params: Params): string {
    return getOrMake(this.paths, route, () => pathTemplate(this.site, route))(params)
  }

  private readonly spell = (name: string): string => getOrMake(this.names, name, () => encodeURIComponent(wireName(this.site, name)))

  private address(route: Route, params: Params, query: Query): string {
    const sized = this.site.pageSizeParams.length > 0 && query.per_page !== undefined
    const search = queryOf(sized ? { ...query, ...this.pageSize(query.per_page) } : query, this.spell, this.site.fieldFilter)
    const path = this.prefix + this.pathOf(route, params) + (this.routeIsQuery ? search.replace('?', '&') : search)
    if (path.length <= MAX_PATH) return path
    throw new BadInputError(`The values are too many or too long: the URL of a REST call would have more than ${MAX_PATH} characters.`)
  }
}

const MAX_PATH = 8_000

/** Milliseconds after which a route that the site did not have is tried again. */
const LACKING_FOR = 5 * 60_000

/** Tells the observer of a call, if there is one, when the call fails. */
function watched(answer: Promise<Answer>, observer: CallObserver | undefined): Promise<Answer> {
  if (observer) answer.catch(() => observer.failed())
  return answer
}

/** The record in an answer. Throws a `NotFoundError` when it does not exist. */
function recordIn(route: Route, { body: json, status }: Answer): Row {
  const body = route.listed && Array.isArray(json) && json.length <= 1 ? json[0] : json
  if (body === undefined) throw new NotFoundError('The record does not exist.', { status, code: null })
  if (isObject(body) && !isErrorBody(body)) return body
  throw new InvalidResponseError(`The answer to ${route.path} is not a record.`, { status, code: null })
}

const publishedIn = (route: Route, answer: Answer): Row => publishedRecord(route, recordIn(route, answer))

/** The page in an answer. A list in a list has all rows. */
function pageIn(route: ListRoute, { body: json, headers, status }: Answer): Page {
  const inner = route.nested && Array.isArray(json) && json.length === 1 && Array.isArray(json[0]) ? json[0] : json
  const body = route.keyed && isObject(inner) && Object.values(inner).every(isObject) ? Object.values(inner) : inner
  const rows = Array.isArray(body) ? (body.every(isObject) ? body : body.filter(isObject)) : undefined
  // Rows that are not objects are dropped, unless no other rows are left.
  if (!rows || (rows.length === 0 && (body as unknown[]).length > 0))
    throw new InvalidResponseError(`The answer to ${route.path} is not a list of records.`, { status, code: null })
  return { rows, total: inner === json ? countIn(headers, 'x-wp-total') : rows.length, pages: countIn(headers, 'x-wp-totalpages') }
}

/** The id of the record in the answer to a write. */
const newIdIn = ({ body }: Answer): number | undefined =>
  isObject(body) && typeof body.id === 'number' && Number.isSafeInteger(body.id) ? body.id : undefined

const isErrorBody = (body: Row): boolean => typeof body.code === 'string' && 'message' in body && isObject(body.data)

function countIn(headers: Answer['headers'], name: string): number | null {
  const value = headers[name]
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null
}
