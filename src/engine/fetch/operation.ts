import DataLoader from 'dataloader'
import type { Client, Query, Sent, Written } from '../../upstream/client.js'
import { type ColumnSet, NO_COLUMNS, type Projection, type Projections } from '../../upstream/codec/records.js'
import type { LmsError } from '../../upstream/errors.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Key, Params, Route } from '../../upstream/routes.js'
import type { Session } from '../../upstream/session.js'
import type { CapabilityCache } from '../../upstream/site/capabilities.js'
import type { Site } from '../../upstream/site/site.js'
import { type Estimator, Meter, type ObservedSizes, Recorder, type Served } from '../cost/index.js'
import type { ArgumentContext, Entity, Limits, LmsRecord, Target } from '../edges.js'
import { Arguments } from './arguments.js'
import { loadByKey } from './loading.js'
import { joinedLookups, type Lookup, located, lookUp } from './lookups.js'
import { type ReadContext, SINGLE_READS, type Wants } from './part-reader.js'
import { type RecordState, Store } from './records.js'

/** What the operations of a gateway share. */
export interface Upstream {
  readonly client: Client
  readonly projections: Projections
  readonly capabilities: CapabilityCache
  readonly limits: Limits
  readonly estimator: Estimator
  /** REST calls an operation may make. */
  readonly maxCalls: number
}

/** Options of DataLoaders that only batch: records are kept in stores. */
const NO_CACHE = { cache: false }

/** State of one GraphQL operation: its caller, its records, and its budgets of calls and of single reads. */
export class Operation implements ReadContext, ArgumentContext {
  readonly site: Site
  readonly client: Client
  readonly capabilities: CapabilityCache
  readonly limits: Limits
  readonly viewer: number | null
  readonly estimator: Estimator
  readonly maxCalls: number
  session: Session
  /** Records its calls, when they are to be explained. */
  recorder: Recorder | undefined
  /** Where the sizes it meets are observed, if they are. */
  sizes: ObservedSizes | undefined
  private readonly meter: Meter
  private arguments: Arguments | undefined
  private readonly stores = new Map<Entity, Store>()
  private readonly queried = new Map<Entity, Map<string, Store>>()
  /** Slugs that were looked up, by the name of the lookup. */
  readonly slugs = new Map<string, Target | null>()
  private readonly unplanned = new Map<Store, DataLoader<{ state: RecordState; want: ColumnSet }, RecordState>>()
  private readonly loaders = new Map<Entity, DataLoader<Key, LmsRecord | null>>()
  private unplannedLookups: DataLoader<Lookup, Target | null> | undefined
  /** An object, so that the views made by `serving` share it. */
  private readonly remaining = { singleReads: SINGLE_READS }

  constructor(
    private readonly upstream: Upstream,
    session: Session,
  ) {
    this.estimator = upstream.estimator
    this.maxCalls = upstream.maxCalls
    this.meter = new Meter(upstream.maxCalls)
    this.session = { ...session, calls: this.meter }
    if (this.ownSizes.isDue()) this.observe()
    this.client = upstream.client
    this.site = upstream.client.site
    this.capabilities = upstream.capabilities
    this.limits = upstream.limits
    this.viewer = session.viewer ?? null
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

  /** Starts to record its calls. */
  record(): void {
    this.recorder = new Recorder()
    this.session = { ...this.session, calls: this.meter.recording(this.recorder, { fields: [] }) }
  }

  /** A view of this operation whose calls are recorded as made for some fields. */
  serving(served: Served): Operation {
    if (!this.recorder) return this
    const calls = this.meter.recording(this.recorder, served)
    return Object.create(this, { session: { value: { ...this.session, calls } } }) as Operation
  }

  /** The store that holds the record of a target. Reads with query parameters of their own, such as a password, have a store of their own. */
  store({ entity, query }: Target): Store {
    if (query) {
      const stores = getOrMake(this.queried, entity, () => new Map<string, Store>())
      return getOrMake(stores, JSON.stringify(query), () => new Store(entity, query))
    }
    return getOrMake(this.stores, entity, () => new Store(entity, undefined))
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
    for (const store of this.queried.get(entity)?.values() ?? [])
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
    return getOrMake(this.loaders, entity, () => new DataLoader<Key, LmsRecord | null>((keys) => this.loadWhole(entity, keys), NO_CACHE))
  }

  private async loadWhole(entity: Entity, keys: readonly Key[]): Promise<readonly (LmsRecord | null | LmsError)[]> {
    const columns = entity.shape.set(entity.shape.names) & ~entity.shape.editOnly
    const states = keys.map((key) => this.stateOf({ entity, key }))
    await this.load(this.store({ entity, key: 0 }), new Map(states.map((state) => [state, columns])))
    return states.map(({ value }) => value as LmsRecord | null | LmsError)
  }

  /** Writes to the site, and drops all records read so far: they may have changed. */
  async write(method: 'POST' | 'DELETE', route: Route, params: Params, sent: Sent): Promise<Written> {
    try {
      return await this.client.write(method, route, params, sent, this.session)
    } finally {
      this.stores.clear()
      this.queried.clear()
      this.unplanned.clear()
      this.slugs.clear()
    }
  }

  /** Uses one single read from the operation's budget for ids that batches left out. Returns false when the budget is used up. */
  takeSingleRead(): boolean {
    return this.remaining.singleReads-- > 0
  }
}
