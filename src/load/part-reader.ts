import type { Entity } from '../model/entity.js'
import { projectionOf, type ReadContext } from '../model/reads.js'
import type { RecordState, Store } from '../model/records.js'
import type { Query, Row } from '../upstream/client.js'
import { type ColumnSet, contextFor, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { InvalidResponseError, isRefusal, type LmsError, NotAvailableError, NotFoundError } from '../upstream/errors.js'
import { ruleOf } from '../upstream/roles.js'
import { type BatchRead, type ByKey, fieldsQuery, type ListRoute, type Params, type Route } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'

/** Records of one store, and the columns that are needed of each. */
export interface Want {
  readonly states: readonly RecordState[]
  readonly columns: ColumnSet
}

/** Resolves when all reads have ended. A single one, as most operations have, needs no promise of its own. */
export const allOf = (reads: readonly Promise<unknown>[]): Promise<unknown> =>
  reads.length === 1 ? (reads[0] as Promise<unknown>) : Promise.all(reads)

/** Divides what is read together into the chunks that one call reads each. */
export const chunksOf = <T>(items: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Records of one store that are read with the same columns. */
export interface Part extends Want {
  readonly edit: boolean
}

/** Whether an error means that the record does not exist, rather than the route. */
// Stryker disable next-line OptionalChaining: An error of this class always has a response.
export const saysMissing = (error: unknown): boolean => error instanceof NotFoundError && error.upstream?.code !== 'rest_no_route'

/** Whether the site does not show a record to the caller. */
const isHidden = (error: unknown): boolean => isRefusal(error) || error instanceof NotFoundError || error instanceof NotAvailableError

/** Status of a response that held a record. */
const ANSWERED = { status: 200, code: null }

/** Whether the site refused a request because of the request, not because of its load. */
export const isClientError = ({ upstream }: LmsError): boolean =>
  upstream !== undefined && upstream.status >= 400 && upstream.status < 500 && upstream.status !== 429

/** Whether a list is asked for unpublished records too, which only editors get. */
export const asksAnyStatus = ({ capabilities, call }: Pick<ReadContext, 'capabilities' | 'call'>, route: ListRoute): boolean =>
  route.anyStatus === true &&
  !call.caller.credentials.anonymous &&
  ruleOf(call.caller).records === 'all' &&
  capabilities.allows(call.caller.credentials, CAPABILITIES.anyStatus(route))

/** Whether a list may be asked twice, since the caller may not be an editor. */
export const mayAskTwice = (context: Pick<ReadContext, 'capabilities' | 'call'>, route: ListRoute): boolean =>
  asksAnyStatus(context, route) && !context.capabilities.grants(context.call.caller.credentials, CAPABILITIES.anyStatus(route))

/** Returns how records of an entity are read in batches, or nothing if the interface, the site or the capabilities do not allow it. */
export function batchOf(
  { site, capabilities, call }: Pick<ReadContext, 'site' | 'capabilities' | 'call'>,
  { byKey, name }: Entity,
): BatchRead | undefined {
  const many = byKey?.many
  if (!many || site.unbatched.includes(name)) return undefined
  return capabilities.allows(call.caller.credentials, CAPABILITIES.include(many.route)) ? many : undefined
}

/** Separates columns that a password guards from edit-only ones. They are always read with `view`, so that they do not depend on other columns. */
export const splitGuarded = (columns: ColumnSet, { editOnly, guarded }: Shape): ColumnSet[] =>
  (columns & editOnly) !== NO_COLUMNS && (columns & guarded) !== NO_COLUMNS ? [columns & ~guarded, columns & guarded] : [columns]

/** Up to this many records are always read one by one. */
export const ALWAYS_SINGLE = 2

/** Capability to list records by ids and owner. */
const NARROWED = ({ path }: Route): string => `include by owner on ${path}`

/** Number of single reads that may fail to reveal an owner before the rest is read one by one. */
const PROBES = 3

/** Reads the records of a part one by one. Each record state ends present, missing or failed. */
export class PartReader {
  constructor(
    protected readonly context: ReadContext,
    protected readonly store: Store,
    protected readonly part: Part,
    /** Reads records of the store with other columns. */
    private readonly reload: (want: Want) => Promise<void>,
  ) {}

  protected get byKey(): ByKey {
    return this.store.entity.byKey as ByKey
  }

  load(): Promise<unknown> {
    return this.readSingly(this.part.states)
  }

  /**
   * Reads records for which a batch by ids alone is not possible. When a single read reveals the owner by which the list can be narrowed,
   * the records of that owner are read by the list. This ends with the first list that saves no call.
   */
  protected async readSingly(states: readonly RecordState[]): Promise<void> {
    const batch = this.byKey.many
    const { credentials } = this.context.call.caller
    let left = states
    if (
      batch?.narrowedBy !== undefined &&
      !this.part.edit &&
      !this.store.query &&
      this.context.capabilities.allows(credentials, NARROWED(batch.route))
    ) {
      const columns = this.part.columns | this.store.entity.shape.bit(batch.narrowedBy)
      for (let probes = PROBES; probes > 0 && left.length > ALWAYS_SINGLE; ) {
        const [first, ...others] = left as [RecordState, ...RecordState[]]
        await this.singly({ columns }).single(first)
        left = others
        const owner = first.status === 'present' ? first.record[batch.narrowedBy] : undefined
        if (typeof owner !== 'number') {
          probes--
          continue
        }
        const size = left.length
        left = await this.readNarrowed(batch, owner, left)
        if (size - left.length < Math.ceil(size / this.context.site.pageCap)) break
      }
    }
    // A list shows whether the record of the query, such as a course, holds them.
    const { [batch?.route.narrowedBy ?? '']: owner, password } = this.store.query ?? {}
    const asksOwner = (this.part.columns & this.store.entity.shape.bit(batch?.narrowedBy ?? '')) !== NO_COLUMNS
    if (batch && asksOwner && typeof owner === 'number' && password === undefined && this.context.records.isNoting)
      left = await this.readNarrowed(batch, owner, left)
    await Promise.all(left.map((state) => this.single(state)))
  }

  /** Reads records by the list of their owner. Returns the records that the list did not show. */
  private async readNarrowed({ route, id }: BatchRead, owner: number, states: readonly RecordState[]): Promise<RecordState[]> {
    const { client, call, site, capabilities } = this.context
    const { param } = route.filters[route.narrowedBy as string] as { readonly param: string }
    const read = async (chunk: readonly RecordState[]): Promise<RecordState[]> => {
      const include = chunk.map(({ key }) => id(key))
      try {
        const { rows } = await client.list(route, {}, { per_page: site.pageCap, ...this.selection(route), [param]: owner, include }, call)
        // Some sites drop both filters when nothing passes both. Other records show that.
        const isNarrowed = rows.every((row) => chunk.some(({ key }) => key === this.byKey.keyOf(row, {})))
        this.accept(rows, {}, isNarrowed ? { [param]: owner } : {})
      } catch (error) {
        if (isClientError(error as LmsError)) capabilities.refuse(call.caller.credentials, NARROWED(route))
        else for (const state of chunk) this.fail(state, error as LmsError)
      }
      return chunk.filter((state) => !state.settles(this.part.columns))
    }
    return (await Promise.all(chunksOf(states, site.pageCap).map(read))).flat()
  }

  /** Reads records one by one, or with other columns. */
  protected singly(part: Partial<Part>): PartReader {
    return new PartReader(this.context, this.store, { ...this.part, ...part }, this.reload)
  }

  protected async single(state: RecordState): Promise<void> {
    const { client, call, capabilities } = this.context
    const params = this.byKey.params(state.key)
    try {
      const row = await client.get(this.byKey.one, params, { ...this.selection(this.byKey.one), ...this.store.query }, call)
      const { keyColumns, keyOf, one } = this.byKey
      const key = keyOf(row, params)
      if (keyColumns.some((column) => row[column] === 0 || row[column] === '0')) state.miss(this.part.columns)
      else if (key === null || keyColumns.some((column) => row[column] === undefined))
        this.fail(state, new InvalidResponseError(`The response to ${one.path} is not a record.`, ANSWERED))
      else if (key !== state.key)
        this.fail(state, new InvalidResponseError(`The response to ${one.path} is a different record from the one requested.`, ANSWERED))
      else {
        state.fill(row, projectionOf(this.context, this.store.entity, this.part.columns), this.part.columns)
        if (this.part.edit) capabilities.confirm(call.caller.credentials, CAPABILITIES.edit(this.store.entity))
      }
    } catch (error) {
      if (this.part.edit && isRefusal(error)) return this.withoutEdit([state], error as LmsError)
      if (this.byKey.orBlank && isHidden(error))
        state.fill({}, projectionOf(this.context, this.store.entity, this.part.columns), this.part.columns)
      else if (saysMissing(error)) state.miss(this.part.columns)
      else this.fail(state, error as LmsError)
    }
  }

  /** Fills the records of these rows that the operation has mentioned, and ignores other rows. */
  protected accept(rows: readonly Row[], params: Params, query: Query = {}): void {
    const { store, byKey } = this
    const { columns } = this.part
    const projection = projectionOf(this.context, store.entity, columns)
    for (const row of rows) {
      const key = byKey.keyOf(row, params)
      const state = key === null ? undefined : store.known(key)
      state?.fill(row, projection, columns)
      if (state) this.context.records.note(state, query)
    }
  }

  /** Whether a record has been received with the columns of this part. */
  protected isRead(state: RecordState): boolean {
    return state.status === 'present' && state.settles(this.part.columns)
  }

  /** Reads records with `context=view` after `edit` was refused. The edit-only columns carry the refusal. */
  protected async withoutEdit(states: readonly RecordState[], refusal: LmsError): Promise<void> {
    const { editOnly } = this.store.entity.shape
    const columns = this.part.columns & ~editOnly
    await this.reload({ states, columns })
    await this.failEditOnly(
      states.filter(({ status }) => status === 'present'),
      refusal,
    )
  }

  /** Handles the edit-only columns of records that could be read with `context=view`. */
  protected async failEditOnly(states: readonly RecordState[], refusal: LmsError): Promise<void> {
    const { capabilities, call } = this.context
    // A refusal of a read with a password may be about the password.
    if (!this.store.query) capabilities.refuse(call.caller.credentials, CAPABILITIES.edit(this.store.entity))
    for (const state of states) this.fail(state, refusal)
  }

  protected fail(state: RecordState, error: LmsError): void {
    state.fail(this.part.columns, error)
  }

  /** The query parameters for the context, which most routes require, and for the field filter. */
  protected selection(route: Route): Query {
    const { entity } = this.store
    const { columns, edit } = this.part
    const { filter } = projectionOf(this.context, entity, columns)
    const context = edit ? 'edit' : this.byKey.one.contexts === false ? undefined : contextFor(this.context.site, entity.shape, columns)
    return { ...route.query, context, ...fieldsQuery(this.context.site, route, filter) }
  }
}
