import type { Client, Query, Row } from '../../upstream/client.js'
import { type ColumnSet, contextFor, type Projection } from '../../upstream/codec/records.js'
import { InvalidResponseError, isRefusal, type LmsError, NotFoundError } from '../../upstream/errors.js'
import { type Batch, type ByKey, fieldsQuery, type Params, type Route } from '../../upstream/routes.js'
import type { Session } from '../../upstream/session.js'
import { CAPABILITIES, type CapabilityCache } from '../../upstream/site/capabilities.js'
import type { Site } from '../../upstream/site/site.js'
import type { Sizes } from '../cost/index.js'
import type { Entity } from '../edges.js'
import type { RecordState, Store } from './records.js'

/** Which columns are wanted of which records. */
export type Wants = ReadonlyMap<RecordState, ColumnSet>

/** Ids that an operation looks for one by one when batches leave them out. */
export const SINGLE_READS = 10

/** What reading records needs of the operation it is for. */
export interface ReadContext {
  readonly site: Site
  readonly client: Client
  readonly session: Session
  readonly capabilities: CapabilityCache
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
  readonly entries: readonly RecordState[]
  readonly columns: ColumnSet
  readonly edit: boolean
}

/** Whether a site says that there is no such record, rather than no such route. */
export const saysMissing = (error: unknown): boolean => error instanceof NotFoundError && error.upstream?.code !== 'rest_no_route'

/** What an answer with a record in it comes with. */
const ANSWERED = { status: 200, code: null }

/** Whether the site has refused a request for what it asks, not for the load it is under. */
export const isClientError = ({ upstream }: LmsError): boolean =>
  upstream !== undefined && upstream.status >= 400 && upstream.status < 500 && upstream.status !== 429

/** As many records as are read by single reads in any case. */
export const FEW = 2

/** Capability to list records by their ids and their owner. */
const NARROWED = ({ path }: Route): string => `include by owner on ${path}`

/** Single reads that may fail to tell how the other records can be listed. */
const PROBES = 3

/** Reads the records of a part one by one. Each entry ends present, missing or failed. */
export class PartReader {
  constructor(
    protected readonly context: ReadContext,
    protected readonly store: Store,
    protected readonly byKey: ByKey,
    protected readonly part: Part,
  ) {}

  load(): Promise<unknown> {
    return this.readAlone(this.part.entries)
  }

  /**
   * Reads records without a batch by ids alone. Where a single read tells what the list can be narrowed by, the records that belong to
   * the same are read by that list. This ends with the first list that saves nothing.
   */
  protected async readAlone(entries: readonly RecordState[]): Promise<void> {
    const batch = this.byKey.many
    const { credentials } = this.context.session
    let left = entries
    if (
      batch?.narrowedBy !== undefined &&
      !this.part.edit &&
      !this.store.query &&
      this.context.capabilities.allows(credentials, NARROWED(batch.route))
    ) {
      const columns = this.part.columns | this.store.entity.shape.bit(batch.narrowedBy)
      for (let probes = PROBES; probes > 0 && left.length > FEW; ) {
        const [first, ...others] = left as [RecordState, ...RecordState[]]
        await new PartReader(this.context, this.store, this.byKey, { ...this.part, columns }).single(first)
        left = others
        const owner = first.state === 'present' ? first.record[batch.narrowedBy] : undefined
        if (typeof owner !== 'number') {
          probes--
          continue
        }
        const size = left.length
        left = await this.readNarrowed(batch, owner, left)
        if (size - left.length < Math.ceil(size / this.context.site.pageCap)) break
      }
      this.context.sizes?.learnSingles(this.store.entity.name, entries.length, left.length)
    }
    await Promise.all(left.map((entry) => this.single(entry)))
  }

  /** Reads what is there of these records by the list of their owner; answers which of them are left. */
  private async readNarrowed({ route, id }: Batch, owner: number, entries: readonly RecordState[]): Promise<RecordState[]> {
    const { client, session, site, capabilities } = this.context
    const { param } = route.filters[route.narrowedBy as string] as { readonly param: string }
    const read = async (chunk: readonly RecordState[]): Promise<RecordState[]> => {
      const asked = new Map<unknown, RecordState>(chunk.map((entry) => [entry.key, entry]))
      const include = chunk.map(({ key }) => id(key))
      try {
        const { rows } = await client.list(
          route,
          {},
          { per_page: site.pageCap, ...this.selection(route), [param]: owner, include },
          session,
        )
        this.accept(rows, {}, asked)
      } catch (error) {
        if (isClientError(error as LmsError)) capabilities.refuse(session.credentials, NARROWED(route))
        else for (const entry of asked.values()) this.fail(entry, error as LmsError)
      }
      return [...asked.values()].filter((entry) => !entry.settles(this.part.columns))
    }
    const chunks: Promise<RecordState[]>[] = []
    for (let start = 0; start < entries.length; start += site.pageCap) chunks.push(read(entries.slice(start, start + site.pageCap)))
    return (await Promise.all(chunks)).flat()
  }

  protected async single(entry: RecordState): Promise<void> {
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
  protected accept(rows: readonly Row[], params: Params, asked: Map<unknown, RecordState>): number {
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
  protected async withoutEdit(entries: readonly RecordState[], refusal: LmsError): Promise<void> {
    const { editOnly } = this.store.entity.shape
    const columns = this.part.columns & ~editOnly
    const view = new Map(entries.map((entry) => [entry, columns]))
    await this.context.load(this.store, view)
    await this.failEditOnly(
      entries.filter(({ state }) => state === 'present'),
      refusal,
    )
  }

  /** What becomes of the edit-only columns of records that could be read in `view`. */
  protected async failEditOnly(entries: readonly RecordState[], refusal: LmsError): Promise<void> {
    const { capabilities, session } = this.context
    // A wrong password is refused as well.
    if (!this.store.query) capabilities.refuse(session.credentials, CAPABILITIES.edit(this.store.entity))
    for (const entry of entries) this.fail(entry, refusal)
  }

  protected fail(entry: RecordState, error: LmsError): void {
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
