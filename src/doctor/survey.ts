import type { Client, Page, Query, Row } from '../upstream/client.js'
import type { LmsError } from '../upstream/errors.js'
import { fieldsQuery, idOf, type ListRoute, type Params, type Route } from '../upstream/routes.js'
import type { Session } from '../upstream/session.js'
import { type Names, PRESETS, type Preset } from '../upstream/site/presets.js'
import { defineSite, type Site } from '../upstream/site/site.js'
import { errorOf, got, type Outcome, type Prober } from './prober.js'
import { RESOURCES, type Resource } from './resources.js'
import { NamespaceIndex, segmentsOf } from './segments.js'

/** Rows as they came, by where they came from. */
export interface Samples {
  readonly list: Row[]
  /** Single records, in `view` or, where the caller may, in `edit`. */
  readonly one: Row[]
  /** Whether the single records were read in `edit`. */
  edit: boolean
}

export type Listed = Resource & { readonly list: ListRoute }

/** A page of a list as it was asked for and came. */
export interface Listing {
  readonly resource: Resource
  readonly query: Query
  readonly page: Page
}

/** A page of a list without the filters that are tried on it. */
export interface Baseline {
  readonly params: Params
  readonly query: Query
  readonly rows: readonly Row[]
}

/** Ids of records to look at, where the site does not tell any. */
export interface Hints {
  readonly user?: number | undefined
  readonly question?: number | undefined
}

/** An id no record has. */
export const NOBODY = 2_147_483_646

/** True for an answer that says that there is no such route: of the REST interface, or of a web server that does not know it. */
export const saysNoRoute = ({ upstream }: LmsError): boolean =>
  upstream?.status === 404 && (upstream.code === null || upstream.code === 'rest_no_route')

/** What is known of a site so far: what checks have learned of it, and all it has shown. */
export class Survey {
  site: Site
  preset: Preset = 'lms'
  /** What the REST root answers, which lists the namespaces of many sites. */
  index: unknown
  /** Why nothing more can be asked. */
  stopped: string | undefined
  /** Id of the caller, and whether they may edit, where that is known. */
  viewer: number | undefined
  mayEdit: boolean | undefined
  /** What the first read in `edit` came to. */
  edit: Outcome<Row> | undefined
  /** In-flight limit that seems right, where the default does not. */
  maxInFlight: number | undefined
  /** A group with courses, and a user with progress. */
  group: number | undefined
  user: number | undefined
  /** Roles of the caller, where the site tells them. */
  roles: readonly string[] = []
  /** Pages of lists without filters, by the kind of their records. */
  readonly baselines = new Map<Resource, readonly Baseline[]>()
  /** Ids of courses beyond the first few, once they were needed. */
  courses: readonly number[] | undefined
  /** Questions as version 2 of the interface lists them, on sites that do. */
  listedQuestions: readonly Row[] = []
  /** Records of a course, by their kind. */
  readonly steps = new Map<Resource, { readonly course: number; readonly rows: readonly Row[] }>()
  readonly samples = new Map<Resource, Samples>(RESOURCES.map((resource) => [resource, { list: [], one: [], edit: false }]))
  /** Pages of lists that came. */
  readonly pages: Listing[] = []
  /** Answers by `Route.path`. */
  readonly outcomes = new Map<string, Outcome<unknown>[]>()
  private readonly routes: NamespaceIndex

  constructor(
    readonly prober: Prober,
    url: string,
    readonly hints: Hints = {},
  ) {
    this.site = defineSite(url)
    this.routes = new NamespaceIndex(prober)
  }

  get anonymous(): boolean {
    return this.prober.session.credentials.anonymous
  }

  /** What the preset says of the site. */
  get known(): Names {
    return PRESETS[this.preset]
  }

  at(url: string): void {
    this.site = defineSite(url, this.site)
  }

  /** Takes a preset for the start, and what of it is different here. */
  take(preset: Preset, names: Names = {}): void {
    this.preset = preset
    this.outcomes.clear()
    this.site = defineSite(this.site.url, { ...PRESETS[preset], ...names })
  }

  learn(names: Names): void {
    this.site = defineSite(this.site.url, { ...this.site, ...names })
  }

  rowsOf(resource: Resource): readonly Row[] {
    const { list, one } = this.samples.get(resource) as Samples
    return [...list, ...one]
  }

  /** Ids of the sampled records, each once. */
  idsOf(resource: Resource): number[] {
    return [...new Set(this.rowsOf(resource).flatMap((row) => idOf(row) ?? []))]
  }

  /** A page of a list. */
  async list(resource: Listed, params: Params, query: Query, { what = resource.plural, sample = false } = {}): Promise<Outcome<Page>> {
    const { list: route } = resource
    const outcome = await this.ask(what, route, (client, session) => client.list(route, params, { context: 'view', ...query }, session))
    const page = got(outcome)
    if (page) this.pages.push({ resource, query, page })
    if (page && sample) for (const row of page.rows) this.samples.get(resource)?.list.push(row)
    return outcome
  }

  /** A single record, kept as a sample. */
  async one(resource: Resource & { readonly one: Route }, params: Params, query: Query = {}): Promise<Outcome<Row>> {
    const { one: route } = resource
    const context = route.contexts === false ? {} : { context: 'view' }
    const outcome = await this.ask(`one of the ${resource.plural}`, route, (client, session) =>
      client.get(route, params, { ...context, ...query }, session),
    )
    const row = got(outcome)
    const samples = this.samples.get(resource) as Samples
    if (row) samples.one.push(row)
    if (row && query.context === 'edit') samples.edit = true
    return outcome
  }

  /** The query that asks for some columns only, where the site takes one. */
  only(route: Route, ...fields: string[]): Query {
    return fieldsQuery(this.site, route, fields)
  }

  /** Makes a call; where the route has another name on this site, that is found out once and the call made again. */
  async ask<T>(what: string, route: Route, call: (client: Client, session: Session) => Promise<T>): Promise<Outcome<T>> {
    let outcome = await this.prober.ask(what, this.site, call)
    const error = errorOf(outcome)
    if (error && saysNoRoute(error) && (await this.findSegments(route))) outcome = await this.prober.ask(what, this.site, call)
    const outcomes = this.outcomes.get(route.path) ?? []
    this.outcomes.set(route.path, [...outcomes, outcome])
    return outcome
  }

  private async findSegments(route: Route): Promise<boolean> {
    const before = this.site.segments
    const renamed = await segmentsOf(route, this.site, this.routes)
    // Meanwhile others may have been found, for other routes.
    const { segments } = this.site
    this.learn({ segments: { ...segments, ...renamed } })
    return Object.entries(renamed).some(([segment, name]) => before[segment] !== name)
  }
}
