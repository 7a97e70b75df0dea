import type { Page, Query, Row } from '../rest/client.js'
import { InvalidResponseError, isRefusal, type LmsError, NotFoundError, RejectedError, UnresolvedError } from '../rest/errors.js'
import { type ColumnSet, NO_COLUMNS } from '../rest/records.js'
import type { Batch, ByKey, ListRoute, Params } from '../rest/routes.js'
import type { Operation } from './operation.js'
import { type Entry, type Store, WHOLE } from './store.js'

/** Which columns are wanted of which records. */
export type Wants = ReadonlyMap<Entry, ColumnSet>

/** Entries of one store that are read with the same columns. */
interface Part {
  readonly entries: readonly Entry[]
  readonly columns: ColumnSet
  readonly edit: boolean
}

/**
 * Reads records by key with the fewest calls: in batches by `include` where the interface has them, whole tables once, else one
 * by one. Rows are matched by key, never by position, and rows nobody asked for are ignored. Never rejects: each entry ends
 * present, missing or failed.
 */
export async function loadByKey(operation: Operation, store: Store, wants: Wants): Promise<void> {
  const byKey = store.entity.byKey
  if (!byKey) return
  await Promise.all(partition(store, wants).map((part) => new PartLoader(operation, store, byKey, part).load()))
}

/** Heavy and edit-only columns are asked for only where they are wanted; all light columns of a part are asked for together. */
function partition(store: Store, wants: Wants): Part[] {
  const { heavy, editOnly } = store.entity.shape
  const parts = new Map<ColumnSet, { entries: Entry[]; columns: ColumnSet; edit: boolean }>()
  for (const [entry, want] of wants) {
    if (entry.settles(want)) continue
    const missing = want & ~entry.has
    const special = missing & (heavy | editOnly)
    let part = parts.get(special)
    if (!part) parts.set(special, (part = { entries: [], columns: NO_COLUMNS, edit: (special & editOnly) !== NO_COLUMNS }))
    part.entries.push(entry)
    part.columns |= missing
  }
  return [...parts.values()]
}

class PartLoader {
  constructor(
    private readonly operation: Operation,
    private readonly store: Store,
    private readonly byKey: ByKey,
    private readonly part: Part,
  ) {}

  load(): Promise<unknown> {
    const { entries } = this.part
    const { table } = this.byKey
    if (table && this.knowsWhole()) return Promise.resolve(entries.map((entry) => entry.miss(this.part.columns)))
    if (table && (entries.length > 1 || entries[0]?.key === WHOLE)) return this.loadTable(table)
    const batch = this.batchable()
    if (!batch) return Promise.all(entries.map((entry) => this.single(entry)))
    return Promise.all(this.scopes(batch).map(([params, members]) => this.chunks(batch, params, members)))
  }

  private knowsWhole(): boolean {
    const whole = this.store.entry(WHOLE)
    return whole.state === 'present' && whole.settles(this.part.columns)
  }

  private batchable(): Batch | undefined {
    const { many } = this.byKey
    const { site, manners, session } = this.operation
    if (!many || this.store.query || site.unbatched.includes(this.store.entity.name)) return undefined
    return manners.allows(session.authorization, `include on ${many.route.path}`) ? many : undefined
  }

  private scopes(batch: Batch): [Params, Entry[]][] {
    const scopes = new Map<string, [Params, Entry[]]>()
    for (const entry of this.part.entries) {
      const params = batch.scope(entry.key)
      const name = JSON.stringify(params)
      const scope = scopes.get(name)
      if (scope) scope[1].push(entry)
      else scopes.set(name, [params, [entry]])
    }
    return [...scopes.values()]
  }

  private chunks(batch: Batch, params: Params, entries: readonly Entry[]): Promise<unknown> {
    if (entries.length === 1) return this.single(entries[0] as Entry)
    const cap = this.operation.site.pageCap
    const chunks: Promise<void>[] = []
    for (let start = 0; start < entries.length; start += cap) chunks.push(this.chunk(batch, params, entries.slice(start, start + cap)))
    return Promise.all(chunks)
  }

  /** One batch, its further pages where the site cut it, and single reads for what is still left out. */
  private async chunk(batch: Batch, params: Params, entries: readonly Entry[]): Promise<void> {
    const asked = new Map(entries.map((entry) => [entry.key, entry]))
    const query = { per_page: this.operation.site.pageCap, ...this.selection(), include: entries.map((entry) => batch.id(entry.key)) }
    let whole: boolean
    try {
      whole = await this.pages(batch, params, query, asked)
    } catch (error) {
      return this.refused(batch, [...asked.values()], error as LmsError)
    }
    await Promise.all([...asked.values()].map((entry) => this.leftOut(entry, batch.complete === true && whole)))
  }

  /** Reads on as long as pages bring what was asked for; true when they brought as many as the site counts. */
  private async pages(batch: Batch, params: Params, query: Query, asked: Map<unknown, Entry>): Promise<boolean> {
    const size = asked.size
    let page = await this.listAnyStatus(batch.route, params, query)
    let found = this.accept(page.rows, params, asked)
    const goesOn = (number: number): boolean =>
      asked.size > 0 && found > 0 && (page.pages === null ? page.rows.length < size : number <= page.pages)
    for (let number = 2; goesOn(number); number++) {
      const { pages } = page
      page = await this.listAnyStatus(batch.route, params, { ...query, page: number }).catch(pastTheEnd)
      page = { ...page, pages: page.pages ?? pages }
      found = this.accept(page.rows, params, asked)
    }
    return page.total !== null && size - asked.size >= page.total
  }

  private leftOut(entry: Entry, missing: boolean): Promise<void> | void {
    if (missing) return entry.miss(this.part.columns)
    if (this.operation.takeSingleRead()) return this.single(entry)
    this.fail(entry, new UnresolvedError('The site left this record out of a batch, and too many others to look for each.'))
  }

  /** Fills what was asked for and strikes it off; returns how many that were. */
  private accept(rows: readonly Row[], params: Params, asked: Map<unknown, Entry>): number {
    const { columns } = this.part
    const projection = this.operation.projection(this.store.entity, columns)
    const before = asked.size
    for (const row of rows) {
      const key = this.byKey.keyOf(row, params)
      const entry = asked.get(key)
      if (!entry) continue
      asked.delete(key)
      entry.fill(row, projection, columns)
    }
    return before - asked.size
  }

  private async refused(batch: Batch, entries: readonly Entry[], error: LmsError): Promise<void> {
    const { manners, session } = this.operation
    if (this.part.edit && isRefusal(error)) return this.withoutEdit(entries, error)
    if (batch.route.narrowedBy !== undefined && error.upstream && error.upstream.status < 500 && error.upstream.status !== 429) {
      manners.refuse(session.authorization, `include on ${batch.route.path}`)
      await Promise.all(entries.map((entry) => this.single(entry)))
      return
    }
    for (const entry of entries) this.fail(entry, error)
  }

  /** Lists hide what is not published unless told otherwise, which only editors may. */
  private async listAnyStatus(route: ListRoute, params: Params, query: Query) {
    const { client, session, manners } = this.operation
    const liberty = `status=any on ${route.path}`
    if (!route.anyStatus || session.authorization === null || !manners.allows(session.authorization, liberty)) {
      return client.list(route, params, query, session)
    }
    try {
      return await client.list(route, params, { ...query, status: 'any' }, session)
    } catch (error) {
      if (!(error instanceof RejectedError)) throw error
      const page = await client.list(route, params, query, session)
      manners.refuse(session.authorization, liberty)
      return page
    }
  }

  /** Reads a table, all of it: what it does not show does not exist, and need not be asked for again. */
  private async loadTable(route: ListRoute): Promise<void> {
    const { client, session } = this.operation
    const { columns, entries } = this.part
    try {
      const { rows } = await client.list(route, {}, this.selection(), session)
      const all = new Map<unknown, Entry>()
      for (const row of rows) {
        const key = this.byKey.keyOf(row, {})
        if (key !== null) all.set(key, this.store.entry(key))
      }
      this.store.entry(WHOLE).fillWhole([...all.values()], columns)
      this.accept(rows, {}, all)
      for (const entry of entries) if (!entry.settles(columns)) entry.miss(columns)
    } catch (error) {
      for (const entry of entries) this.fail(entry, error as LmsError)
    }
  }

  private async single(entry: Entry): Promise<void> {
    const { client, session } = this.operation
    const params = this.byKey.params(entry.key)
    try {
      const row = await client.get(this.byKey.one, params, { ...this.selection(), ...this.store.query }, session)
      const key = this.byKey.keyOf(row, params)
      if (key === entry.key) entry.fill(row, this.operation.projection(this.store.entity, this.part.columns), this.part.columns)
      else if (key === null) entry.miss(this.part.columns)
      else this.fail(entry, new InvalidResponseError(`The answer to ${this.byKey.one.path} is another record than the one asked for.`))
    } catch (error) {
      if (this.part.edit && isRefusal(error)) return this.withoutEdit([entry], error as LmsError)
      if (error instanceof NotFoundError && error.upstream?.code !== 'rest_no_route') entry.miss(this.part.columns)
      else this.fail(entry, error as LmsError)
    }
  }

  /** The caller may not edit: the same in `view`, with the refusal in place of the edit-only columns. */
  private async withoutEdit(entries: readonly Entry[], refusal: LmsError): Promise<void> {
    const { editOnly } = this.store.entity.shape
    const columns = this.part.columns & ~editOnly
    const view = new Map(entries.map((entry) => [entry, columns]))
    await loadByKey(this.operation, this.store, view)
    for (const entry of entries) if (entry.state === 'present') this.fail(entry, refusal)
  }

  private fail(entry: Entry, error: LmsError): void {
    entry.fail(this.part.columns, error)
  }

  private selection(): Query {
    const { fieldFilter } = this.operation.site
    const { filter } = this.operation.projection(this.store.entity, this.part.columns)
    return { ...(fieldFilter === null ? {} : { [fieldFilter]: filter }), ...(this.part.edit ? { context: 'edit' } : {}) }
  }
}

/** A page further than the list goes is refused by some sites. */
function pastTheEnd(error: unknown): Page {
  if (error instanceof RejectedError) return { rows: [], total: null, pages: 0 }
  throw error
}
