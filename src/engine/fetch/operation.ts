import DataLoader from 'dataloader'
import type { Client, Query, Sent, Written } from '../../upstream/client.js'
import type { ColumnSet, Projection, Projections } from '../../upstream/codec/records.js'
import type { LmsError } from '../../upstream/errors.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Key, Params, Route } from '../../upstream/routes.js'
import type { Session } from '../../upstream/session.js'
import type { CapabilityCache } from '../../upstream/site/capabilities.js'
import type { Site } from '../../upstream/site/site.js'
import { Meter, type Pricer, Recorder, type Served, type Sizes } from '../cost/index.js'
import type { ArgumentContext, Entity, Limits, LmsRecord, Target } from '../edges.js'
import { Arguments } from './arguments.js'
import { loadByKey } from './loading.js'
import { joinedLookups, type Lookup, located, lookUp } from './lookups.js'
import { type ReadContext, SINGLE_READS, type Wants } from './part-reader.js'
import { type RecordState, Store } from './records.js'

/** What all operations of a gateway share. */
export interface Upstream {
  readonly client: Client
  readonly projections: Projections
  readonly capabilities: CapabilityCache
  readonly limits: Limits
  readonly pricer: Pricer
  /** REST calls an operation may make. */
  readonly maxCalls: number
}

/** State of one GraphQL operation: its caller, the records it has seen, and its budget for looking after strays. */
export class Operation implements ReadContext, ArgumentContext {
  readonly site: Site
  readonly client: Client
  readonly capabilities: CapabilityCache
  readonly limits: Limits
  readonly viewer: number | null
  readonly pricer: Pricer
  readonly maxCalls: number
  session: Session
  /** Its calls, where they are to be told. */
  recorder: Recorder | undefined
  readonly sizes: Sizes | undefined
  private readonly meter: Meter
  private arguments: Arguments | undefined
  private readonly stores = new Map<Entity, Store>()
  private readonly queried = new Map<Entity, Map<string, Store>>()
  /** Where slugs lead, as far as they were looked up. */
  readonly slugs = new Map<string, Target | null>()
  private readonly late = new Map<Store, DataLoader<{ entry: RecordState; want: ColumnSet }, RecordState>>()
  private lateLookups: DataLoader<Lookup, Target | null> | undefined
  /** Counts down, also for those who have a view of this operation only. */
  private readonly left = { singleReads: SINGLE_READS }

  constructor(
    private readonly upstream: Upstream,
    session: Session,
  ) {
    this.pricer = upstream.pricer
    this.maxCalls = upstream.maxCalls
    this.meter = new Meter(upstream.maxCalls)
    this.session = { ...session, calls: this.meter }
    this.sizes = upstream.pricer.sizes.due(session.credentials.id)
    this.client = upstream.client
    this.site = upstream.client.site
    this.capabilities = upstream.capabilities
    this.limits = upstream.limits
    this.viewer = session.viewer ?? null
  }

  /** Reads arguments; `variables` are the same in all of the operation. */
  argumentsUnder(variables: Readonly<Record<string, unknown>>): Arguments {
    this.arguments ??= new Arguments(variables, this)
    return this.arguments
  }

  /** From now on notes its calls. */
  record(): void {
    this.recorder = new Recorder()
    this.session = { ...this.session, calls: this.meter.recording(this.recorder, { fields: [] }) }
  }

  /** The same operation, whose calls are noted as being for some fields. */
  serving(served: Served): Operation {
    if (!this.recorder) return this
    const calls = this.meter.recording(this.recorder, served)
    return Object.create(this, { session: { value: { ...this.session, calls } } }) as Operation
  }

  /** The store a target's record lives in; reads with a query of their own (a password) have a store of their own. */
  store({ entity, query }: Target): Store {
    if (query) {
      const stores = getOrMake(this.queried, entity, () => new Map<string, Store>())
      return getOrMake(stores, JSON.stringify(query), () => new Store(entity, query))
    }
    return getOrMake(this.stores, entity, () => new Store(entity, undefined))
  }

  /** What is known of the record a target leads to. */
  entry(target: Target): RecordState {
    const entry = this.store(target).entry(target.key)
    if (target.refused) entry.refuse(target.refused)
    return entry
  }

  /** The target by which a record of this operation was reached. */
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

  /** A record that no plan has fetched: batched with what else is asked for in the same tick. */
  loadLate(target: Target, want: ColumnSet): Promise<RecordState> {
    const store = this.store(target)
    const loader = getOrMake(this.late, store, () => new DataLoader((asked) => this.loadTogether(store, asked), { cache: false }))
    return loader.load({ entry: store.entry(target.key), want })
  }

  /** Looks up a slug that no plan has looked up, together with others that are asked for in the same tick. */
  async locateLate(target: Target, columns: ColumnSet): Promise<Target | null> {
    this.lateLookups ??= new DataLoader((lookups) => this.lookUpTogether(lookups), { cache: false })
    return this.lateLookups.load({ target, columns })
  }

  private async lookUpTogether(lookups: readonly Lookup[]): Promise<(Target | null)[]> {
    await lookUp(this, joinedLookups(lookups))
    return lookups.map(({ target }) => located(this, target) ?? null)
  }

  private async loadTogether(store: Store, asked: readonly { entry: RecordState; want: ColumnSet }[]): Promise<RecordState[]> {
    const wants = new Map<RecordState, ColumnSet>()
    for (const { entry, want } of asked) wants.set(entry, (wants.get(entry) ?? 0n) | want)
    await this.load(store, wants)
    return asked.map(({ entry }) => entry)
  }

  /** Reads all columns that `view` sends of some records: what a DataLoader of a type asks for. */
  async loadWhole(entity: Entity, keys: readonly Key[]): Promise<readonly (LmsRecord | null | LmsError)[]> {
    const columns = entity.shape.set(entity.shape.names) & ~entity.shape.editOnly
    const entries = keys.map((key) => this.entry({ entity, key }))
    await this.load(this.store({ entity, key: 0 }), new Map(entries.map((entry) => [entry, columns])))
    return entries.map(({ value }) => value as LmsRecord | null | LmsError)
  }

  /** Writes to the site; whatever this operation has read before may no longer be so. */
  async write(method: 'POST' | 'DELETE', route: Route, params: Params, sent: Sent): Promise<Written> {
    try {
      return await this.client.write(method, route, params, sent, this.session)
    } finally {
      this.stores.clear()
      this.queried.clear()
      this.late.clear()
      this.slugs.clear()
    }
  }

  /** Spends one of the few single reads an operation has for ids that batches left out. */
  takeSingleRead(): boolean {
    return this.left.singleReads-- > 0
  }
}
