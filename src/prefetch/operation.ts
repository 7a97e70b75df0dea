import DataLoader from 'dataloader'
import type { FieldNode } from 'graphql'
import { CallBudget, CallRecorder, type Served } from '../cost/budget.js'
import type { Estimator } from '../cost/estimate.js'
import type { ObservedSizes } from '../cost/observed.js'
import { loadByKey } from '../load/loading.js'
import { joinedLookups, type Lookup, located, lookUp } from '../load/lookups.js'
import { EqualWants, type ReadContext, SINGLE_READS, type Wants } from '../load/part-reader.js'
import { type RecordState, Store } from '../load/records.js'
import { type KnownViewer, PENDING_VIEWER, readViewer } from '../load/viewer.js'
import type { ArgumentContext, Limits, Target } from '../model/edge.js'
import type { Entities, Entity, LmsRecord } from '../model/entity.js'
import { Arguments } from '../plan/arguments.js'
import type { Plan } from '../plan/plan.js'
import type { Client, Query, Sent, Written } from '../upstream/client.js'
import { type ColumnSet, NO_COLUMNS, type Projection, type Projections } from '../upstream/codec/records.js'
import { LmsError } from '../upstream/errors.js'
import { getOrMake } from '../upstream/maps.js'
import type { Key, Params, Route } from '../upstream/routes.js'
import type { Session, Span } from '../upstream/session.js'
import type { CapabilityCache } from '../upstream/site/capabilities.js'
import type { Site } from '../upstream/site/site.js'
import type { Learned, Viewer, ViewerCache } from '../upstream/site/viewers.js'

/** What the operations of a gateway share. */
export interface Upstream {
  readonly client: Client
  readonly projections: Projections
  readonly capabilities: CapabilityCache
  readonly viewers: ViewerCache
  readonly limits: Limits
  readonly entities: Entities
  readonly estimator: Estimator
  /** REST calls an operation may make. */
  readonly maxCalls: number
}

/** Options of DataLoaders that only batch: records are kept in stores. */
const NO_CACHE = { cache: false }

const NO_FIELDS: readonly FieldNode[] = []

/** State of one GraphQL operation: its caller, its records, and its budgets of calls and of single reads. */
export class Operation implements ReadContext, ArgumentContext {
  readonly site: Site
  readonly client: Client
  readonly capabilities: CapabilityCache
  readonly limits: Limits
  readonly entities: Entities
  readonly estimator: Estimator
  readonly maxCalls: number
  session: Session
  /** Records its calls, when they are to be explained. */
  recorder: CallRecorder | undefined
  /** Where the sizes it meets are observed, if they are. */
  sizes: ObservedSizes | undefined
  private readonly budget: CallBudget
  private arguments: Arguments | undefined
  private readonly stores = new Map<Entity, Store>()
  private queried: Map<Entity, Map<string, Store>> | undefined
  /** Slugs that were looked up, by the name of the lookup. */
  readonly slugs = new Map<string, Target | null>()
  private unplanned: Map<Store, DataLoader<{ state: RecordState; want: ColumnSet }, RecordState>> | undefined
  private loaders: Map<Entity, DataLoader<Key, LmsRecord | null>> | undefined
  private unplannedLookups: DataLoader<Lookup, Target | null> | undefined
  /** An object, so that the views made by `serving` share it. */
  private readonly remaining = { singleReads: SINGLE_READS }
  private knownSoFar: KnownViewer | undefined

  constructor(
    private readonly upstream: Upstream,
    session: Session,
  ) {
    this.estimator = upstream.estimator
    this.maxCalls = upstream.maxCalls
    this.budget = new CallBudget(upstream.maxCalls)
    this.session = { ...session, calls: this.budget }
    if (this.ownSizes.isDue()) this.observe()
    this.client = upstream.client
    this.site = upstream.client.site
    this.capabilities = upstream.capabilities
    this.limits = upstream.limits
    this.entities = upstream.entities
  }

  /**
   * The caller's user id in the LMS; `null` when it is not known, `PENDING_VIEWER` when it is to be learned. Throws the `LmsError` that kept the
   * gateway from learning it.
   */
  get viewer(): number | null {
    const learned = this.learnedViewer
    if (learned === undefined) return PENDING_VIEWER
    return viewerIn(learned)?.id ?? null
  }

  /** Whether the caller sent no credentials, and the gateway has none of its own. */
  get isAnonymous(): boolean {
    const { viewer, credentials } = this.session
    return viewer == null && credentials.anonymous
  }

  /** Whether the caller is shown published records only. */
  get isPublishedOnly(): boolean {
    return this.session.credentials.publishedOnly
  }

  /** Whether the site is read with credentials of the caller, not with those of the gateway. */
  get readsAsViewer(): boolean {
    const { viewer, credentials } = this.session
    return viewer === undefined && !credentials.anonymous
  }

  /** The caller, when that is known. Throws the `LmsError` that kept the gateway from learning it. */
  get knownViewer(): Viewer | null {
    return viewerIn(this.learnedViewer ?? null)
  }

  /** Most operations need no viewer, so this is made when it is needed. */
  private get known(): KnownViewer {
    this.knownSoFar ??= { learned: undefined, learning: undefined }
    return this.knownSoFar
  }

  private get learnedViewer(): Learned | undefined {
    const { known, session, site, upstream } = this
    if (known.learned !== undefined) return known.learned
    const { viewer, credentials } = session
    if (viewer !== undefined) known.learned = viewer === null ? null : { id: viewer, name: null }
    else known.learned = site.viewerRoute && !credentials.anonymous ? upstream.viewers.of(credentials) : null
    return known.learned
  }

  /** The fields of a plan for which the viewer has to be learned first. */
  fieldsForViewer({ perCaller }: Plan, variables: Readonly<Record<string, unknown>>): readonly FieldNode[] {
    if (perCaller.length === 0 || this.learnedViewer !== undefined) return NO_FIELDS
    const given = this.argumentsUnder(variables)
    return perCaller.filter(({ planned }) => !planned || given.of(planned)?.isPerCaller).map(({ node }) => node)
  }

  /** Learns the viewer before a plan is fetched, if it needs the viewer. All its other calls follow in later waves. */
  learnViewerFor(plan: Plan, variables: Readonly<Record<string, unknown>>): Promise<void> | undefined {
    if (plan.perCaller.length === 0) return undefined
    const fields = this.fieldsForViewer(plan, variables)
    if (fields.length === 0) return undefined
    if (this.recorder) this.recorder.unbatched++
    return this.learnViewer(fields, this.nextWave)
  }

  /** Learns the viewer for some fields, once. Returns nothing when there is nothing to learn. `wave` is that of a planned call. */
  learnViewer(fields: readonly FieldNode[], wave?: number): Promise<void> | undefined {
    if (this.learnedViewer !== undefined) return undefined
    this.known.learning ??= this.serving({ fields, wave })
      .askForViewer()
      .then(() => {
        // They hold `PENDING_VIEWER`.
        this.arguments = undefined
      })
    return this.known.learning
  }

  private async askForViewer(): Promise<void> {
    const { known, session, upstream } = this
    try {
      known.learned = await readViewer(this)
      upstream.viewers.keep(session.credentials, known.learned)
    } catch (error) {
      if (!(error instanceof LmsError)) {
        // An exception of the gateway itself: the next field that needs the viewer asks again.
        known.learning = undefined
        throw error
      }
      known.learned = upstream.viewers.refuse(session.credentials, error)
    }
  }

  /** Observes the sizes it meets. */
  observe(): void {
    this.sizes = this.ownSizes
  }

  private get ownSizes(): ObservedSizes {
    return this.estimator.sizesOf(this.session.credentials.id)
  }

  /** The arguments of its fields. `variables` are the same throughout the operation. */
  argumentsUnder(variables: Readonly<Record<string, unknown>>): Arguments {
    this.arguments ??= new Arguments(variables, this)
    return this.arguments
  }

  /** The wave after all waves in which calls were made; undefined unless its calls are recorded. */
  get nextWave(): number | undefined {
    return this.recorder && this.recorder.lastWave + 1
  }

  /** Starts to record its calls, for the fields of a plan. */
  record(plan: Plan | undefined): void {
    this.recorder = new CallRecorder()
    if (plan) this.recorder.follow(plan)
    this.session = { ...this.session, calls: this.budget.recording(this.recorder, { fields: [] }) }
  }

  /** A view of this operation whose calls are recorded as made for some fields. */
  serving(served: Served): Operation {
    return this.recorder ? this.viewWith({ calls: this.budget.recording(this.recorder, served) }) : this
  }

  /** A view of this operation whose calls are traced below a span. */
  under(span: Span): Operation {
    return this.viewWith({ span })
  }

  /**
   * A copy with its own session, for the calls of batches. It shares the records and the budgets. An object with this one as its prototype would
   * make all operations slower, because V8 gives each prototype a hidden class of its own.
   */
  private viewWith(changed: Partial<Session>): Operation {
    // Made when it is needed, and shared from then on.
    this.knownSoFar = this.known
    return Object.assign(Object.create(Operation.prototype), this, { session: { ...this.session, ...changed } }) as Operation
  }

  /** The store that holds the record of a target. Reads with query parameters of their own, such as a password, have a store of their own. */
  store({ entity, query }: Target): Store {
    if (query) {
      this.queried ??= new Map()
      const stores = getOrMake(this.queried, entity, () => new Map<string, Store>())
      return getOrMake(stores, JSON.stringify(query), () => new Store(entity, query))
    }
    let store = this.stores.get(entity)
    if (!store) {
      store = new Store(entity, undefined)
      this.stores.set(entity, store)
    }
    return store
  }

  /** The state of the record that a target leads to. */
  stateOf(target: Target): RecordState {
    const state = this.store(target).stateOf(target.key)
    if (target.refused) state.refuse(target.refused)
    return state
  }

  /** Returns the target by which a record of this operation was reached. */
  targetOf(entity: Entity, record: LmsRecord): Target {
    const key = record[entity.key] as Key
    for (const store of this.queried?.get(entity)?.values() ?? [])
      if (store.holds(key, record)) return { entity, key, query: store.query as Query }
    return { entity, key }
  }

  projection(entity: Entity, columns: ColumnSet): Projection {
    return this.upstream.projections.of(entity.shape, columns, entity.byKey?.keyColumns ?? [])
  }

  get projections(): Projections {
    return this.upstream.projections
  }

  load(store: Store, wants: Wants): Promise<void> {
    return loadByKey(this, store, wants)
  }

  /** Reads a record that the plan has not fetched, batched with others that are requested in the same tick. */
  loadUnplanned(target: Target, want: ColumnSet): Promise<RecordState> {
    const store = this.store(target)
    this.unplanned ??= new Map()
    const loader = getOrMake(this.unplanned, store, () => new DataLoader((reads) => this.loadTogether(store, reads), NO_CACHE))
    return loader.load({ state: store.stateOf(target.key), want })
  }

  /** Looks up a slug that the plan has not looked up, batched with others that are requested in the same tick. */
  async lookUpUnplanned(target: Target, columns: ColumnSet): Promise<Target | null> {
    this.unplannedLookups ??= new DataLoader((lookups) => this.lookUpTogether(lookups), NO_CACHE)
    return this.unplannedLookups.load({ target, columns })
  }

  private async lookUpTogether(lookups: readonly Lookup[]): Promise<(Target | null)[]> {
    await lookUp(this, joinedLookups(lookups))
    return lookups.map(({ target }) => located(this, target) ?? null)
  }

  private async loadTogether(store: Store, reads: readonly { state: RecordState; want: ColumnSet }[]): Promise<RecordState[]> {
    const wants = new Map<RecordState, ColumnSet>()
    for (const { state, want } of reads) wants.set(state, (wants.get(state) ?? NO_COLUMNS) | want)
    await this.load(store, wants)
    return reads.map(({ state }) => state)
  }

  /** The DataLoader of a type. It reads all columns that `context=view` sends. */
  loaderOf(entity: Entity): DataLoader<Key, LmsRecord | null> {
    this.loaders ??= new Map()
    return getOrMake(this.loaders, entity, () => new DataLoader<Key, LmsRecord | null>((keys) => this.loadWhole(entity, keys), NO_CACHE))
  }

  private async loadWhole(entity: Entity, keys: readonly Key[]): Promise<readonly (LmsRecord | null | LmsError)[]> {
    const columns = entity.shape.set(entity.shape.names) & ~entity.shape.editOnly
    const states = keys.map((key) => this.stateOf({ entity, key }))
    await this.load(this.store({ entity, key: 0 }), new EqualWants(states, columns))
    return states.map(({ value }) => value as LmsRecord | null | LmsError)
  }

  /** Writes to the site, and drops all records read so far: they may have changed. */
  async write(method: 'POST' | 'DELETE', route: Route, params: Params, sent: Sent): Promise<Written> {
    try {
      return await this.client.write(method, route, params, sent, this.session)
    } finally {
      this.stores.clear()
      this.queried?.clear()
      this.unplanned?.clear()
      this.slugs.clear()
    }
  }

  /** Uses one single read from the operation's budget for ids that batches left out. Returns false when the budget is used up. */
  takeSingleRead(): boolean {
    return this.remaining.singleReads-- > 0
  }
}

function viewerIn(learned: Learned): Viewer | null {
  if (learned instanceof LmsError) throw learned
  return learned
}
