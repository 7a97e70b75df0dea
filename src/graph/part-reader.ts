import type { Client, Query, Row } from '../rest/client.js'
import { InvalidResponseError, isRefusal, type LmsError, NotFoundError } from '../rest/errors.js'
import { type ColumnSet, contextFor, type Projection } from '../rest/records.js'
import { type ByKey, fieldsQuery, type Params, type Route } from '../rest/routes.js'
import type { Session } from '../rest/session.js'
import type { Site } from '../rest/site.js'
import { type CapabilityCache, LIBERTIES } from './capabilities.js'
import type { Sizes } from './cost/sizes.js'
import type { Entity } from './edges.js'
import type { Entry, Store } from './store.js'

/** Which columns are wanted of which records. */
export type Wants = ReadonlyMap<Entry, ColumnSet>

/** Ids that an operation looks for one by one when batches leave them out. */
export const SINGLE_READS = 10

/** What reading records needs of the operation it is for. */
export interface ReadContext {
  readonly site: Site
  readonly client: Client
  readonly session: Session
  readonly manners: CapabilityCache
  /** Where it is to be learned from. */
  readonly sizes?: Sizes | undefined
  projection(entity: Entity, columns: ColumnSet): Projection
  /** Reads what is wanted and not there yet. */
  load(store: Store, wants: Wants): Promise<void>
  /** Spends one of the few single reads an operation has for ids that batches left out. */
  takeSingleRead(): boolean
}

/** Entries of one store that are read with the same columns. */
export interface Part {
  readonly entries: readonly Entry[]
  readonly columns: ColumnSet
  readonly edit: boolean
}

/** Whether a site says that there is no such record, rather than no such route. */
export const saysMissing = (error: unknown): boolean => error instanceof NotFoundError && error.upstream?.code !== 'rest_no_route'

/** What an answer with a record in it comes with. */
const ANSWERED = { status: 200, code: null }

/** Reads the records of a part one by one. Each entry ends present, missing or failed. */
export class PartReader {
  constructor(
    protected readonly context: ReadContext,
    protected readonly store: Store,
    protected readonly byKey: ByKey,
    protected readonly part: Part,
  ) {}

  load(): Promise<unknown> {
    return Promise.all(this.part.entries.map((entry) => this.single(entry)))
  }

  protected async single(entry: Entry): Promise<void> {
    const { client, session } = this.context
    const params = this.byKey.params(entry.key)
    try {
      const row = await client.get(this.byKey.one, params, { ...this.selection(this.byKey.one), ...this.store.query }, session)
      const { keyColumns, keyOf, one } = this.byKey
      const key = keyOf(row, params)
      if (keyColumns.some((column) => row[column] === 0 || row[column] === '0')) entry.miss(this.part.columns)
      else if (key === null || keyColumns.some((column) => row[column] === undefined))
        this.fail(entry, new InvalidResponseError(`The answer to ${one.path} is not a record.`, ANSWERED))
      else if (key !== entry.key)
        this.fail(entry, new InvalidResponseError(`The answer to ${one.path} is another record than the one asked for.`, ANSWERED))
      else entry.fill(row, this.context.projection(this.store.entity, this.part.columns), this.part.columns)
    } catch (error) {
      if (this.part.edit && isRefusal(error)) return this.withoutEdit([entry], error as LmsError)
      if (saysMissing(error)) entry.miss(this.part.columns)
      else this.fail(entry, error as LmsError)
    }
  }

  /** Fills what was asked for and strikes it off; returns how many that were. */
  protected accept(rows: readonly Row[], params: Params, asked: Map<unknown, Entry>): number {
    const { columns } = this.part
    const projection = this.context.projection(this.store.entity, columns)
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

  /** The caller may not edit: the same in `view`, with the refusal in place of the edit-only columns. */
  protected async withoutEdit(entries: readonly Entry[], refusal: LmsError): Promise<void> {
    const { manners, session } = this.context
    // A wrong password is refused as well.
    if (!this.store.query) manners.refuse(session.credentials, LIBERTIES.edit(this.store.entity))
    const { editOnly } = this.store.entity.shape
    const columns = this.part.columns & ~editOnly
    const view = new Map(entries.map((entry) => [entry, columns]))
    await this.context.load(this.store, view)
    for (const entry of entries) if (entry.state === 'present') this.fail(entry, refusal)
  }

  protected fail(entry: Entry, error: LmsError): void {
    entry.fail(this.part.columns, error)
  }

  /** Context, which the interface has no default for on most routes, and field filter. */
  protected selection(route: Route): Query {
    const { entity } = this.store
    const { columns, edit } = this.part
    const { filter } = this.context.projection(entity, columns)
    const context = edit ? 'edit' : this.byKey.one.contexts === false ? undefined : contextFor(this.context.site, entity.shape, columns)
    return { context, ...fieldsQuery(this.context.site, route, filter) }
  }
}
