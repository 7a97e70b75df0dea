import type { Page, Query, Row } from '../../upstream/client.js'
import { type ColumnSet, covers, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'
import { isRefusal, LmsError, RejectedError, UnresolvedError } from '../../upstream/errors.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Batch, ByKey, ListRoute, Params } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import { editOnList } from '../columns.js'
import { isClientError, type Part, PartReader, type ReadContext, saysMissing, type Wants } from './part-reader.js'
import { type RecordState, type Store, WHOLE } from './records.js'

/**
 * Reads records in batches by `include`, as many at a time as the site gives on one page. Rows are matched by key, never by position,
 * and rows nobody asked for are ignored.
 */
class BatchReader extends PartReader {
  constructor(
    context: ReadContext,
    store: Store,
    byKey: ByKey,
    part: Part,
    private readonly batch: Batch,
  ) {
    super(context, store, byKey, part)
  }

  override load(): Promise<unknown> {
    return Promise.all(this.scopes().map(([params, members]) => this.chunks(params, members)))
  }

  private scopes(): [Params, RecordState[]][] {
    const scopes = new Map<string, [Params, RecordState[]]>()
    let last: [Params, RecordState[]] | undefined
    for (const entry of this.part.entries) {
      const params = this.batch.scope(entry.key)
      if (last?.[0] !== params) last = getOrMake(scopes, JSON.stringify(params), (): [Params, RecordState[]] => [params, []])
      last[1].push(entry)
    }
    return [...scopes.values()]
  }

  private chunks(params: Params, entries: readonly RecordState[]): Promise<unknown> {
    if (entries.length === 1) return this.single(entries[0] as RecordState)
    const cap = this.context.site.pageCap
    const chunks: Promise<void>[] = []
    for (let start = 0; start < entries.length; start += cap) chunks.push(this.chunk(params, entries.slice(start, start + cap)))
    return Promise.all(chunks)
  }

  /** One batch, its further pages where the site cut it, and single reads for what is still left out. */
  private async chunk(params: Params, entries: readonly RecordState[]): Promise<void> {
    const asked = new Map(entries.map((entry) => [entry.key, entry]))
    const query = {
      per_page: this.context.site.pageCap,
      ...this.selection(this.batch.route),
      include: entries.map((entry) => this.batch.id(entry.key)),
    }
    let seen: Seen
    try {
      seen = await this.pages(params, query, entries, asked)
    } catch (error) {
      return this.refused([...asked.values()], error as LmsError)
    }
    if (seen.strangers > Math.max(entries.length, FEW)) return this.oneByOne([...asked.values()])
    const { capabilities, session } = this.context
    capabilities.grant(session.credentials, CAPABILITIES.include(this.batch.route))
    if (this.part.edit) capabilities.grant(session.credentials, editOnList(this.batch.route))
    this.context.sizes?.learnStrays(this.store.entity.name, entries.length, asked.size)
    await Promise.all([...asked.values()].map((entry) => this.leftOut(entry, this.batch.complete === true && seen.whole)))
  }

  /** The site drops or ignores `include`, or refuses it: that is kept in mind, and the records are read alone. */
  private async oneByOne(entries: readonly RecordState[]): Promise<void> {
    const { capabilities, session } = this.context
    capabilities.refuse(session.credentials, CAPABILITIES.include(this.batch.route))
    await this.readAlone(entries)
  }

  /** Reads on as long as pages bring what was asked for. */
  private async pages(params: Params, query: Query, entries: readonly RecordState[], asked: Map<unknown, RecordState>): Promise<Seen> {
    const size = asked.size
    let page = await this.listAnyStatus(this.batch.route, params, query)
    let found = this.accept(page.rows, params, asked)
    const strangers = found === page.rows.length ? 0 : this.strangers(page.rows, params, entries)
    const goesOn = (number: number): boolean =>
      asked.size > 0 && found > 0 && (page.pages === null ? page.rows.length < size : number <= page.pages)
    for (let number = 2; goesOn(number); number++) {
      const { pages } = page
      page = await this.listAnyStatus(this.batch.route, params, { ...query, page: number }).catch(pastTheEnd)
      page = { ...page, pages: page.pages ?? pages }
      found = this.accept(page.rows, params, asked)
    }
    const nothing = this.context.site.emptyUntold && page.total === null && asked.size === size && page.rows.length === 0
    return { whole: nothing || (page.total !== null && size - asked.size >= page.total), strangers }
  }

  /** Rows that nobody asked for. */
  private strangers(rows: readonly Row[], params: Params, entries: readonly RecordState[]): number {
    const keys = new Set<unknown>(entries.map(({ key }) => key))
    return rows.filter((row) => !keys.has(this.byKey.keyOf(row, params))).length
  }

  private leftOut(entry: RecordState, missing: boolean): Promise<void> | void {
    if (missing) return entry.miss(this.part.columns)
    if (this.context.takeSingleRead()) return this.single(entry)
    this.fail(entry, new UnresolvedError('The site left this record out of a batch, and too many others to look for each.'))
  }

  private async refused(entries: readonly RecordState[], error: LmsError): Promise<void> {
    const { route, complete } = this.batch
    if (this.part.edit && isRefusal(error)) return this.withoutEdit(entries, error)
    if (isRefusal(error) && error.upstream) return route.owner === undefined ? this.oneByOne(entries) : this.refusedOwner(entries, error)
    if (route.narrowedBy !== undefined && isClientError(error)) return this.oneByOne(entries)
    // Whose list it is does not exist, and so none of its rows do.
    const missing = complete === true && saysMissing(error)
    for (const entry of entries) missing ? entry.miss(this.part.columns) : this.fail(entry, error)
  }

  /** Records of one user: who may not list them most often may not read any. The first one tells. */
  private async refusedOwner([first, ...others]: readonly RecordState[], error: LmsError): Promise<void> {
    await this.single(first as RecordState)
    if (isRefusal((first as RecordState).error)) for (const entry of others) this.fail(entry, error)
    else await Promise.all(others.map((entry) => this.single(entry)))
  }

  /** A batch in `edit` may have been refused because it is a batch, as the one in `view` has shown: then single records may be open. */
  protected override failEditOnly(entries: readonly RecordState[], refusal: LmsError): Promise<void> {
    const { capabilities, session } = this.context
    if (capabilities.allows(session.credentials, CAPABILITIES.include(this.batch.route))) return super.failEditOnly(entries, refusal)
    return new PartReader(this.context, this.store, this.byKey, { ...this.part, entries }).load() as Promise<void>
  }

  /** Lists hide what is not published unless told otherwise, which only editors may. */
  private async listAnyStatus(route: ListRoute, params: Params, query: Query) {
    const { client, session, capabilities } = this.context
    const liberty = CAPABILITIES.anyStatus(route)
    if (!route.anyStatus || session.credentials.anonymous || !capabilities.allows(session.credentials, liberty)) {
      return client.list(route, params, query, session)
    }
    try {
      const page = await client.list(route, params, { ...query, status: 'any' }, session)
      capabilities.grant(session.credentials, liberty)
      return page
    } catch (error) {
      if (!(error instanceof LmsError) || error.upstream?.status !== 400) throw error
      const page = await client.list(route, params, query, session)
      capabilities.refuse(session.credentials, liberty)
      return page
    }
  }
}

/** So many rows nobody asked for may come of a site that honours `include` all the same: sticky posts, a plugin's doing. */
const FEW = 3

/** What the pages of a batch were like. */
interface Seen {
  /** Whether they brought as many rows as the site counts. */
  readonly whole: boolean
  /** Rows of the first page that nobody had asked for. */
  readonly strangers: number
}

/** A page further than the list goes is refused by some sites. */
function pastTheEnd(error: unknown): Page {
  if (error instanceof RejectedError) return { rows: [], total: null, pages: 0 }
  throw error
}

/** Reads records from a table that is read whole. What it does not show does not exist, and need not be asked for again. */
class TableReader extends PartReader {
  override async load(): Promise<unknown> {
    const { table } = this.byKey
    const { columns } = this.part
    const before = this.store.tableRead
    if (before && covers(before.columns, columns)) await before.done
    const whole = this.store.entry(WHOLE)
    const entries = this.part.entries.filter((entry) => !entry.settles(columns))
    if (whole.state === 'present' && whole.settles(columns)) return entries.map((entry) => entry.miss(columns))
    // One row alone is the smaller answer.
    if (!table || (entries.length < 2 && entries[0] !== whole)) return Promise.all(entries.map((entry) => this.single(entry)))
    const done = this.table(table, whole)
    this.store.tableRead = { columns, done }
    return done
  }

  private async table(route: ListRoute, whole: RecordState): Promise<void> {
    const { client, session } = this.context
    const { columns, entries } = this.part
    try {
      const { rows } = await client.list(route, {}, this.selection(route), session)
      const all = new Map<unknown, RecordState>()
      for (const row of rows) {
        const key = this.byKey.keyOf(row, {})
        if (key !== null) all.set(key, this.store.entry(key))
      }
      whole.fillWhole([...all.values()], columns)
      this.accept(rows, {}, all)
      for (const entry of entries) if (!entry.settles(columns)) entry.miss(columns)
    } catch (error) {
      for (const entry of entries) this.fail(entry, error as LmsError)
    }
  }
}

/**
 * Reads records by key with the fewest calls: whole tables once, in batches where the interface has them, else one by one. Never
 * rejects: each entry ends present, missing or failed.
 */
export async function loadByKey(context: ReadContext, store: Store, wants: Wants): Promise<void> {
  await Promise.all(partition(store, wants).map((part) => load(context, store, part)))
}

function load(context: ReadContext, store: Store, part: Part): Promise<unknown> | undefined {
  const { byKey } = store.entity
  if (!byKey) return undefined
  const batch = batchOf(context, store)
  if (byKey.table) return new TableReader(context, store, byKey, part).load()
  return (batch ? new BatchReader(context, store, byKey, part, batch) : new PartReader(context, store, byKey, part)).load()
}

/** How records of a store can be asked for together; nothing where the interface, the site or the caller's rights have no batch. */
function batchOf({ site, capabilities, session }: ReadContext, { entity, query }: Store): Batch | undefined {
  const many = entity.byKey?.many
  if (!many || query || site.unbatched.includes(entity.name)) return undefined
  return capabilities.allows(session.credentials, CAPABILITIES.include(many.route)) ? many : undefined
}

/** Heavy and edit-only columns are asked for only where they are wanted; all light columns of a part are asked for together. */
function partition(store: Store, wants: Wants): Part[] {
  const { shape } = store.entity
  const parts = new Map<ColumnSet, OpenPart>()
  let alike: { has: ColumnSet; want: ColumnSet; parts: OpenPart[] } | undefined
  for (const [entry, want] of wants) {
    if (entry.settles(want)) continue
    // Most entries of a wave are like the one before.
    if (!alike || alike.has !== entry.has || alike.want !== want)
      alike = { has: entry.has, want, parts: partsFor(parts, shape, want & ~entry.has) }
    for (const part of alike.parts) part.entries.push(entry)
  }
  return [...parts.values()]
}

interface OpenPart extends Part {
  readonly entries: RecordState[]
  columns: ColumnSet
}

function partsFor(parts: Map<ColumnSet, OpenPart>, shape: Shape, wanted: ColumnSet): OpenPart[] {
  const { heavy, editOnly } = shape
  return apart(wanted, shape).map((columns) => {
    const special = columns & (heavy | editOnly)
    const part = getOrMake(parts, special, () => ({ entries: [], columns: NO_COLUMNS, edit: (special & editOnly) !== NO_COLUMNS }))
    part.columns |= columns
    return part
  })
}

/** What a password guards is read in `view` always: it must not depend on whether edit-only columns are wanted as well. */
const apart = (columns: ColumnSet, { editOnly, guarded }: Shape): ColumnSet[] =>
  (columns & editOnly) !== NO_COLUMNS && (columns & guarded) !== NO_COLUMNS ? [columns & ~guarded, columns & guarded] : [columns]
