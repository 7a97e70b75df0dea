import { getOrMake } from '../maps.js'
import { askable, editOnList } from '../model/columns.js'
import type { KeyRead, ReadContext } from '../model/reads.js'
import { type RecordState, type Store, WHOLE } from '../model/records.js'
import type { Page, Query, Row } from '../upstream/client.js'
import { type ColumnSet, covers, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { isRefusal, LmsError, RejectedError, UnresolvedError } from '../upstream/errors.js'
import { listsPublished, withheld } from '../upstream/roles.js'
import type { BatchRead, ListRoute, Params } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import {
  allOf,
  asksAnyStatus,
  batchOf,
  chunksOf,
  isClientError,
  type Part,
  PartReader,
  saysMissing,
  splitGuarded,
  type Want,
} from './part-reader.js'

/**
 * Reads records in batches by `include`, in chunks of the page cap of the site. Rows are matched by key, never by position. Rows of
 * records that the operation has not mentioned are ignored.
 */
class BatchReader extends PartReader {
  private get batch(): BatchRead {
    return this.byKey.many as BatchRead
  }

  override load(): Promise<unknown> {
    const { states } = this.part
    // One record needs no scope, whose name costs more than the rest.
    if (states.length === 1 && !this.isFinal) return this.single(states[0] as RecordState)
    return allOf(this.scopes().map(([params, members]) => this.chunks(params, members)))
  }

  /** Whether no record is read alone. */
  private get isFinal(): boolean {
    return this.batch.final === true && !this.part.edit
  }

  private scopes(): [Params, RecordState[]][] {
    const scopes = new Map<string, [Params, RecordState[]]>()
    let last: [Params, RecordState[]] | undefined
    for (const state of this.part.states) {
      const params = this.batch.scope(state.key)
      if (last?.[0] !== params) last = getOrMake(scopes, JSON.stringify(params), (): [Params, RecordState[]] => [params, []])
      last[1].push(state)
    }
    return [...scopes.values()]
  }

  private chunks(params: Params, states: readonly RecordState[]): Promise<unknown> {
    if (states.length === 1 && !this.isFinal) return this.single(states[0] as RecordState)
    return allOf(chunksOf(states, this.context.site.pageCap).map((chunk) => this.chunk(params, chunk)))
  }

  /** Reads one batch, further pages when the site sends fewer rows per page, and then single records that the pages left out. */
  private async chunk(params: Params, states: readonly RecordState[]): Promise<void> {
    const query = {
      per_page: this.context.site.pageCap,
      ...this.selection(this.batch.route),
      include: states.map((state) => this.batch.id(state.key)),
    }
    let seen: Seen
    try {
      seen = await this.pages(params, query, states)
    } catch (error) {
      return this.refused(this.unread(states), error as LmsError)
    }
    if (seen.unrequested > Math.max(states.length, MAX_UNREQUESTED)) return this.oneByOne(this.unread(states))
    const { capabilities, call } = this.context
    capabilities.grant(call.caller.credentials, CAPABILITIES.include(this.batch.route))
    if (this.part.edit) capabilities.grant(call.caller.credentials, editOnList(this.batch.route))
    if (seen.left === 0) return
    // What a list of published records does not hold is missing for callers who are shown no others.
    const isMissing =
      this.batch.final === true || (seen.whole && (this.batch.complete === true || listsPublished(call.caller, this.batch.route)))
    await Promise.all(this.unread(states).map((state) => this.readLeftOut(state, isMissing)))
  }

  private unread(states: readonly RecordState[]): RecordState[] {
    return states.filter((state) => !this.isRead(state))
  }

  /** Remembers that the site ignores, drops or refuses `include`, and reads the records one by one. */
  private async oneByOne(states: readonly RecordState[]): Promise<void> {
    const { capabilities, call } = this.context
    capabilities.refuse(call.caller.credentials, CAPABILITIES.include(this.batch.route))
    await this.readSingly(states)
  }

  /** Reads pages as long as they hold requested records. */
  private async pages(params: Params, query: Query, states: readonly RecordState[]): Promise<Seen> {
    const size = states.length
    let left = size
    /** Returns how many of the records were not read before. */
    const accept = ({ rows }: Page): number => {
      const before = left
      this.accept(rows, params)
      left = 0
      for (const state of states) if (!this.isRead(state)) left++
      return before - left
    }
    let page = await this.listAnyStatus(this.batch.route, params, query)
    let found = accept(page)
    const unrequested = found === page.rows.length ? 0 : this.unrequested(page.rows, params, states)
    const goesOn = (number: number): boolean =>
      left > 0 && found > 0 && (page.pages === null ? page.rows.length < size : number <= page.pages)
    for (let number = 2; goesOn(number); number++) {
      const { pages } = page
      page = await this.listAnyStatus(this.batch.route, params, { ...query, page: number }).catch(pastTheEnd)
      page = { ...page, pages: page.pages ?? pages }
      found = accept(page)
    }
    const isEmpty = this.context.site.emptyUntold && page.total === null && left === size && page.rows.length === 0
    return { left, whole: isEmpty || (page.total !== null && size - left >= page.total), unrequested }
  }

  /** Returns the number of rows that were not requested. */
  private unrequested(rows: readonly Row[], params: Params, states: readonly RecordState[]): number {
    const keys = new Set<unknown>(states.map(({ key }) => key))
    return rows.filter((row) => !keys.has(this.byKey.keyOf(row, params))).length
  }

  private readLeftOut(state: RecordState, missing: boolean): Promise<void> | void {
    if (missing) return state.miss(this.part.columns)
    if (this.context.records.takeSingleRead()) return this.single(state)
    this.fail(state, new UnresolvedError('The site left this record out of a batch, together with too many others to read each one.'))
  }

  private async refused(states: readonly RecordState[], error: LmsError): Promise<void> {
    const { route, complete } = this.batch
    if (this.part.edit && isRefusal(error)) return this.withoutEdit(states, error)
    if (isRefusal(error) && error.upstream && !this.isFinal)
      return route.owner === undefined ? this.oneByOne(states) : this.refusedOwner(states, error)
    if (route.narrowedBy !== undefined && isClientError(error)) return this.oneByOne(states)
    // The owner of the list does not exist, so its rows do not exist either.
    const missing = complete === true && saysMissing(error)
    for (const state of states) missing ? state.miss(this.part.columns) : this.fail(state, error)
  }

  /** Handles a refused list of one user. A caller who may not list these records usually may not read any: the first single read decides. */
  private async refusedOwner([first, ...others]: readonly RecordState[], error: LmsError): Promise<void> {
    await this.single(first as RecordState)
    if (isRefusal((first as RecordState).error)) for (const state of others) this.fail(state, error)
    else await Promise.all(others.map((state) => this.single(state)))
  }

  /** Reads single records with `context=edit` when the batch was refused because it is a batch, which the read with `view` has shown. */
  protected override failEditOnly(states: readonly RecordState[], refusal: LmsError): Promise<void> {
    const { capabilities, call } = this.context
    if (capabilities.allows(call.caller.credentials, CAPABILITIES.include(this.batch.route))) return super.failEditOnly(states, refusal)
    return this.singly({ states }).load() as Promise<void>
  }

  /** Reads a list with `status=any`, because lists show published records only by default. Only editors may use that parameter. */
  private async listAnyStatus(route: ListRoute, params: Params, query: Query) {
    const { client, call, capabilities } = this.context
    const capability = CAPABILITIES.anyStatus(route)
    if (!asksAnyStatus(this.context, route)) return client.list(route, params, query, call)
    try {
      const page = await client.list(route, params, { ...query, status: 'any' }, call)
      capabilities.grant(call.caller.credentials, capability)
      return page
    } catch (error) {
      // Stryker disable next-line OptionalChaining: A rejected request always has a status.
      if (!(error instanceof LmsError) || error.upstream?.status !== 400) throw error
      const page = await client.list(route, params, query, call)
      capabilities.refuse(call.caller.credentials, capability)
      return page
    }
  }
}

/** Up to this many rows that were not requested may come from a site that supports `include`, such as sticky posts. */
const MAX_UNREQUESTED = 3

/** Result of the pages of a batch. */
interface Seen {
  /** Number of requested records that they did not hold. */
  readonly left: number
  /** Whether the pages held as many rows as the total of the site. */
  readonly whole: boolean
  /** Number of rows of the first page that were not requested. */
  readonly unrequested: number
}

/** Some sites refuse a page past the end of the list. */
function pastTheEnd(error: unknown): Page {
  if (error instanceof RejectedError) return { rows: [], total: null, pages: 0 }
  throw error
}

/** Reads records from a table that is read as a whole. A record that it does not hold does not exist. */
class TableReader extends PartReader {
  override async load(): Promise<unknown> {
    const { table } = this.byKey
    const { columns } = this.part
    const before = this.store.tableRead
    if (before && covers(before.columns, columns)) await before.done
    const whole = this.store.stateOf(WHOLE)
    const states = this.part.states.filter((state) => !state.settles(columns))
    if (whole.status === 'present' && whole.settles(columns)) return states.map((state) => state.miss(columns))
    // For one row, the single read is the smaller response.
    if (!table || (states.length < 2 && states[0] !== whole)) return Promise.all(states.map((state) => this.single(state)))
    const done = this.table(table, whole)
    this.store.tableRead = { columns, done }
    return done
  }

  private async table(route: ListRoute, whole: RecordState): Promise<void> {
    const { client, call } = this.context
    const { columns, states } = this.part
    try {
      const { rows } = await client.list(route, {}, this.selection(route), call)
      const all = new Set<RecordState>()
      for (const row of rows) {
        const key = this.byKey.keyOf(row, {})
        if (key !== null) all.add(this.store.stateOf(key))
      }
      whole.fillWhole([...all], columns)
      this.accept(rows, {})
      for (const state of states) if (!state.settles(columns)) state.miss(columns)
    } catch (error) {
      for (const state of states) this.fail(state, error as LmsError)
    }
  }
}

/**
 * Reads records by key: those of a store together, whatever read asks for them. The states of the records end present, missing or failed.
 */
export function readRecords(reads: readonly KeyRead[], context: ReadContext): Promise<unknown> {
  const ahead = reads.reduce((columns, read) => columns | read.ahead, NO_COLUMNS)
  return allOf(
    wantsByStore(reads).map(([store, wants]) =>
      store.isReadAhead ? loadAhead(context, store, wants, ahead) : loadByKey(context, store, wants),
    ),
  )
}

/** What reads want of the records of each store. A record that several reads want is read once, with the columns of all of them. */
function wantsByStore(reads: readonly KeyRead[]): [Store, readonly Want[]][] {
  const [only, ...others] = reads
  const store = only?.states[0]?.store
  if (store && others.length === 0 && only.states.every((state) => state.store === store)) return [[store, [only]]]
  const byStore = new Map<Store, Map<RecordState, ColumnSet>>()
  for (const { states, columns } of reads) {
    for (const state of states) {
      const wanted = getOrMake(byStore, state.store, () => new Map<RecordState, ColumnSet>())
      wanted.set(state, columns | (wanted.get(state) ?? NO_COLUMNS))
    }
  }
  return Array.from(byStore, ([of, wanted]) => [of, alike(wanted)])
}

/** Groups records that follow each other and need the same columns. */
function alike(wanted: ReadonlyMap<RecordState, ColumnSet>): Want[] {
  const wants: Want[] = []
  let last: { readonly states: RecordState[]; readonly columns: ColumnSet } | undefined
  wanted.forEach((columns, state) => {
    if (last?.columns !== columns) {
      last = { states: [], columns }
      wants.push(last)
    }
    last.states.push(state)
  })
  return wants
}

/** Reads records with the columns that edges leading back to them need. Waits for reads of the same records that are running. */
function loadAhead(context: ReadContext, store: Store, wants: readonly Want[], ahead: ColumnSet): Promise<unknown> {
  const now: Want[] = []
  const later: Want[] = []
  const running = new Set<Promise<unknown>>()
  for (const { states, columns } of wants) {
    const unread = states.filter((state) => !state.settles(columns))
    const started = unread.filter(({ reading }) => !reading)
    now.push({ states: started, columns: columns | ahead })
    if (started.length === unread.length) continue
    const waiting = unread.filter(({ reading }) => reading)
    for (const { reading } of waiting) running.add(reading as Promise<unknown>)
    later.push({ states: waiting, columns })
  }
  const setReading = (reading: Promise<unknown> | undefined): void => {
    for (const { states } of now) for (const state of states) state.reading = reading
  }
  const done = loadByKey(context, store, now).finally(() => setReading(undefined))
  setReading(done)
  return later.length === 0 ? done : Promise.all([done, Promise.all(running).then(() => loadAhead(context, store, later, ahead))])
}

/**
 * Reads records by key with the fewest calls: whole tables once, batches where the interface has them, single reads otherwise. Never rejects:
 * each record state ends present, missing or failed.
 */
async function loadByKey(context: ReadContext, store: Store, wants: readonly Want[]): Promise<void> {
  const asked = wants.map(({ states, columns }) => ({ states, columns: askable(context.call.caller, store.entity, columns) }))
  await allOf(partition(store, asked).map((part) => load(context, store, part)))
  // Columns that are not asked for carry an error, in records that exist.
  for (const [index, { states, columns }] of wants.entries()) {
    if ((asked[index] as Want).columns === columns) continue
    const refused = columns & ~(asked[index] as Want).columns
    for (const state of states) if (state.status === 'present') state.fail(refused, withheld(context.call.caller))
  }
}

function load(context: ReadContext, store: Store, part: Part): Promise<unknown> {
  const { entity, query } = store
  if (!entity.byKey) return Promise.resolve()
  const Reader = entity.byKey.table ? TableReader : !query && batchOf(context, entity) ? BatchReader : PartReader
  return new Reader(context, store, part, (want) => loadByKey(context, store, [want])).load()
}

/** Divides reads by their heavy and edit-only columns. Such a column is read only for the records that need it. Light columns are read together. */
function partition(store: Store, wants: readonly Want[]): Part[] {
  const { shape } = store.entity
  const parts = new Map<ColumnSet, OpenPart>()
  for (const { states, columns } of wants) {
    let alike: { has: ColumnSet; parts: OpenPart[] } | undefined
    for (const state of states) {
      if (state.settles(columns)) continue
      // Most records of a wave have the same columns as the one before.
      if (alike?.has !== state.has)
        alike = { has: state.has, parts: partsFor(parts, shape, state.has === NO_COLUMNS ? columns : columns & ~state.has) }
      for (const part of alike.parts) part.states.push(state)
    }
  }
  return [...parts.values()]
}

interface OpenPart extends Part {
  readonly states: RecordState[]
  columns: ColumnSet
}

function partsFor(parts: Map<ColumnSet, OpenPart>, shape: Shape, wanted: ColumnSet): OpenPart[] {
  const { heavy, editOnly } = shape
  return splitGuarded(wanted, shape).map((columns) => {
    const special = columns & (heavy | editOnly)
    const part = getOrMake(parts, special, () => ({ states: [], columns: NO_COLUMNS, edit: (special & editOnly) !== NO_COLUMNS }))
    part.columns |= columns
    return part
  })
}
