import type { CallScope } from '../upstream/call-scope.js'
import type { Client, Page, Query, Row } from '../upstream/client.js'
import type { LmsError } from '../upstream/errors.js'
import { fieldsQuery, idOf, type ListRoute, type Params, type Route } from '../upstream/routes.js'
import { PRESETS, type Preset } from '../upstream/site/presets.js'
import type { SiteNames } from '../upstream/site/site.js'
import { defineSite, type Site } from '../upstream/site/site.js'
import { errorOf, type Outcome, type Prober, resultOf } from './prober.js'
import { RESOURCES, type Resource } from './resources.js'
import { NamespaceIndex, segmentsOf } from './segments.js'

/** Sampled rows of lists, and single records. */
export interface Samples {
  readonly list: Row[]
  /** Single records, read in `view` or, if the caller may, in `edit`. */
  readonly one: Row[]
  /** Whether the single records were read in `edit`. */
  edit: boolean
}

export type Listed = Resource & { readonly list: ListRoute }

/** A page of a list with its query. */
export interface Listing {
  readonly resource: Resource
  readonly query: Query
  readonly page: Page
}

/** A page of a list without the filters that are tested on it. */
export interface Baseline {
  readonly params: Params
  readonly query: Query
  readonly rows: readonly Row[]
}

export interface Account {
  readonly user: string
  readonly password: string
}

/** Who calls the site, and who calls the gateway. */
export interface Accounts {
  /** Account for the calls: that of editors and administrators. Anonymous when undefined. */
  readonly account?: Account | undefined
  /** Account of visitors and learners, if it is another one. */
  readonly reader?: Account | undefined
  /** The option `access.roles`. */
  readonly roles?: readonly string[] | undefined
}

/** Ids of records to read, if the site does not list any. */
export interface Hints {
  readonly user?: number | undefined
  readonly question?: number | undefined
}

/** The preset of a site, and the names by which it is overridden. */
export type GivenSite = SiteNames & { readonly preset?: Preset | undefined }

/** An id that no record has. */
export const UNKNOWN_ID = 2_147_483_646

/** Whether an error means that the route does not exist, according to the REST interface or the web server. */
export const isMissingRoute = ({ upstream }: LmsError): boolean =>
  upstream?.status === 404 && (upstream.code === null || upstream.code === 'rest_no_route')

/** Whether an answer shows that its route exists. Errors without a code of the REST interface show nothing. */
export function existsBy(outcome: Outcome<unknown>): boolean | undefined {
  if (resultOf(outcome) !== undefined) return true
  const error = errorOf(outcome)
  if (error && isMissingRoute(error)) return false
  return error?.upstream && error.upstream.status < 500 && error.upstream.code !== null ? true : undefined
}

/** The state of an examination: what the checks have learned about the site, and all rows that were read. */
export class Survey {
  site: Site
  preset: Preset = 'lms'
  /** The answer of the REST root, which lists the namespaces on many sites. */
  index: unknown
  /** Why no more calls can be made. */
  stopped: string | undefined
  /** Id of the caller, and whether they may edit, if known. */
  viewer: number | undefined
  mayEdit: boolean | undefined
  /** Result of the first read in `edit`. */
  edit: Outcome<Row> | undefined
  /** Suggested limit of calls in flight, if it differs from the default. */
  maxInFlight: number | undefined
  /** A group with courses, and a user with progress. */
  group: number | undefined
  user: number | undefined
  /** Roles of the caller, if the site sends them. */
  roles: readonly string[] = []
  /** Pages of lists without filters, by the kind of their records. */
  readonly baselines = new Map<Resource, readonly Baseline[]>()
  /** More ids of courses, when they were needed. */
  courses: readonly number[] | undefined
  /** Questions in the list of version 2, on sites that have it. */
  listedQuestions: readonly Row[] = []
  /** Records of a course, by their kind. */
  readonly steps = new Map<Resource, { readonly course: number; readonly rows: readonly Row[] }>()
  readonly samples = new Map<Resource, Samples>(RESOURCES.map((resource) => [resource, { list: [], one: [], edit: false }]))
  /** All pages of lists that were read. */
  readonly pages: Listing[] = []
  /** Results of calls by `Route.path`. */
  readonly outcomes = new Map<string, Outcome<unknown>[]>()
  private readonly routes: NamespaceIndex

  constructor(
    readonly prober: Prober,
    url: string,
    readonly hints: Hints = {},
    /** The settings that are checked, if there are any. */
    private readonly given: GivenSite = {},
    /** Whether the settings that are found will be written to a file. */
    readonly isWritten = false,
    readonly accounts: Accounts = {},
  ) {
    this.site = defineSite(url)
    this.routes = new NamespaceIndex(prober)
  }

  get anonymous(): boolean {
    return this.prober.call.caller.credentials.anonymous
  }

  /** The names of the preset, with the given ones when they are for this preset. The addresses of the interface are always looked for. */
  get known(): SiteNames {
    const { preset: _preset, namespaces: _spaces, segments: _segments, ...names } = this.given
    return this.isGiven ? { ...PRESETS[this.preset], ...names } : PRESETS[this.preset]
  }

  /** What `known` comes from, in words. */
  get source(): string {
    return this.isGiven ? 'the given settings' : `the preset \`${this.preset}\``
  }

  private get isGiven(): boolean {
    const { preset = 'lms' } = this.given
    return preset === this.preset && Object.keys(this.given).length > 0
  }

  setUrl(url: string): void {
    this.site = defineSite(url, this.site)
  }

  /** Starts again with a preset and known differences. */
  usePreset(preset: Preset, names: SiteNames = {}): void {
    this.preset = preset
    this.outcomes.clear()
    this.site = defineSite(this.site.url, { ...this.known, ...names })
  }

  learn(names: SiteNames): void {
    this.site = defineSite(this.site.url, { ...this.site, ...names })
  }

  /** Learns whether the site has a route that not all sites have. */
  learnRoute(route: Site['routes'][number], exists: boolean): void {
    const { routes } = this.site
    if (exists !== routes.includes(route)) this.learn({ routes: exists ? [...routes, route] : routes.filter((each) => each !== route) })
  }

  rowsOf(resource: Resource): readonly Row[] {
    const { list, one } = this.samples.get(resource) as Samples
    return [...list, ...one]
  }

  /** Ids of the sampled records, each once. */
  idsOf(resource: Resource): number[] {
    return [...new Set(this.rowsOf(resource).flatMap((row) => idOf(row) ?? []))]
  }

  /** Reads a page of a list. */
  async list(resource: Listed, params: Params, query: Query, { what = resource.plural, sample = false } = {}): Promise<Outcome<Page>> {
    const { list: route } = resource
    const outcome = await this.ask(what, route, (client, call) => client.list(route, params, { context: 'view', ...query }, call))
    const page = resultOf(outcome)
    if (page) this.pages.push({ resource, query, page })
    if (page && sample) for (const row of page.rows) this.samples.get(resource)?.list.push(row)
    return outcome
  }

  /** Reads a single record and stores it as a sample. */
  async one(resource: Resource & { readonly one: Route }, params: Params, query: Query = {}): Promise<Outcome<Row>> {
    const { one: route } = resource
    const context = route.contexts === false ? {} : { context: 'view' }
    const outcome = await this.ask(`single ${resource.plural}`, route, (client, call) =>
      client.get(route, params, { ...context, ...query }, call),
    )
    const row = resultOf(outcome)
    const samples = this.samples.get(resource) as Samples
    if (row) samples.one.push(row)
    if (row && query.context === 'edit') samples.edit = true
    return outcome
  }

  /** The query parameter that limits the columns, if the site has one. */
  limitFields(route: Route, ...fields: string[]): Query {
    return fieldsQuery(this.site, route, fields)
  }

  /** Makes a call. If the route does not exist, looks for renamed segments and tries again. */
  async ask<T>(what: string, route: Route, request: (client: Client, call: CallScope) => Promise<T>): Promise<Outcome<T>> {
    let outcome = await this.prober.ask(what, this.site, request)
    const error = errorOf(outcome)
    if (error && isMissingRoute(error) && (await this.findSegments(route))) outcome = await this.prober.ask(what, this.site, request)
    const outcomes = this.outcomes.get(route.path) ?? []
    this.outcomes.set(route.path, [...outcomes, outcome])
    return outcome
  }

  private async findSegments(route: Route): Promise<boolean> {
    const before = this.site.segments
    const renamed = await segmentsOf(route, this.site, this.routes)
    // Concurrent calls may have found segments of other routes.
    const { segments } = this.site
    this.learn({ segments: { ...segments, ...renamed } })
    return Object.entries(renamed).some(([segment, name]) => before[segment] !== name)
  }
}
