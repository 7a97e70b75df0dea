import { asksInEdit, editOnList, notInList, takenFromRecord } from '../model/columns.js'
import { Connection, type ListState, scopeName } from '../model/connection.js'
import { joinWants, type ListArgs, type ListEdge, type ListWants } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { ListRead, ReadContext } from '../model/reads.js'
import type { RecordState } from '../model/records.js'
import type { Query, Row } from '../upstream/client.js'
import { type ColumnSet, contextFor, NO_COLUMNS, type Projection, type Shape } from '../upstream/codec/records.js'
import { BadInputError, isRefusal, LmsError, NotFoundError, RejectedError } from '../upstream/errors.js'
import { searchedRows } from '../upstream/floor.js'
import { getOrMake } from '../upstream/maps.js'
import { fieldsQuery, type Key, type Params } from '../upstream/routes.js'
import { readWindow, refuseIgnored } from './id-filters.js'
import { confirmedIn } from './list-filters.js'
import { loadersOf } from './loaders.js'
import { readRecords } from './loading.js'
import { allOf } from './part-reader.js'
import type { ListRequest, Window } from './windows.js'

/** Reads windows of lists: those of one edge with equal arguments are read alike. A list that two reads ask for is read once. */
export function readLists(reads: readonly ListRead[], context: ReadContext): readonly Promise<unknown>[] {
  const readers = new Map<string, ListReader>()
  const ends = new Map<ListState, Promise<void>>()
  for (const { edge, args, wants } of reads) {
    const reader = readers.get(args.name)
    if (reader) reader.wants = joinWants(reader.wants, wants)
    else readers.set(args.name, new ListReader(context, edge, args.value as ListArgs, wants))
  }
  return reads.map(({ args, lists }) => {
    const reader = readers.get(args.name) as ListReader
    return allOf(lists.map((list) => getOrMake(ends, list, () => reader.read(list))))
  })
}

/** Whether a list of all records of a scope was read completely. */
export const showsAll = (lists: ReadonlyMap<string, ListState>, { query }: ListArgs, params: Params): boolean => {
  const list = lists.get(scopeName({ params }))?.list
  return list instanceof Connection && list.isWhole && query !== null && Object.values(query).every((value) => value === undefined)
}

/** Reads windows of one list edge with the same arguments, one per scope. */
class ListReader {
  private projection: ListProjection | undefined
  /** Whether the records that filters name exist, where the site does not say so itself. */
  private confirmed: Promise<void> | undefined

  constructor(
    private readonly context: ReadContext,
    private readonly edge: ListEdge,
    private readonly args: ListArgs,
    /** Complete before the first list is read. */
    public wants: ListWants,
  ) {}

  private get rows(): ListProjection {
    this.projection ??= projectionOfRows(this.context, this.edge, this.wants)
    return this.projection
  }

  /** Reads a list, and puts its window or the error into its state. */
  async read(list: ListState): Promise<void> {
    const { args, edge, rows } = this
    const field = edge.rowData?.field ?? ''
    if (args.query === null) {
      list.list = new Connection([], null, { start: 0, total: 0, hasNext: false, hasPrevious: false }, field)
      return
    }
    const { params, query } = list.scope
    const { byKey } = edge.entity
    // Stryker disable next-line OptionalChaining: Entities of lists have keys.
    const keyOf = (row: Row): Key | null => byKey?.keyOf(row, params) ?? null
    const isInEdit = rows.selection.context === 'edit'
    const request = { route: edge.route, params, query: { ...rows.selection, ...args.query, ...query }, keyOf }
    list.isInEdit = isInEdit
    try {
      const window = await this.window(request)
      list.list = this.listOf(window, keyOf)
    } catch (error) {
      if (!isInEdit || !isRefusal(error)) list.list = explained(edge, request.query, error)
      else await this.withoutEdit(list)
    }
  }

  private window(request: ListRequest): Promise<Window> {
    const { context, edge, args } = this
    refuseIgnored(context.site, edge, request.query)
    const read = (): Promise<Window> => readWindow(context, edge, request, args.window, this.wants)
    if (context.site.dropped.length === 0) return read()
    this.confirmed ??= confirmNamed(context, edge, args.query as Query)
    return this.confirmed.then(read)
  }

  private listOf(read: Window, keyOf: (row: Row) => Key | null): Connection {
    const { context, edge, args, rows: projection } = this
    const window = searchedRows(context.call.caller, edge.route, args.query, read)
    if (projection.selection.context === 'edit') context.capabilities.grant(context.call.caller.credentials, editOnList(edge.route))
    const { rows } = window
    const store = context.records.store(edge)
    // The rows of a list have different keys; those without one were left out.
    const areNew = store.isEmpty
    const states = rows.map((row) => {
      const key = keyOf(row) as Key
      const state = areNew ? store.add(key) : store.stateOf(key)
      projection.fill(state, row)
      return state
    })
    return new Connection(states, edge.rowData ? projection.rowData(rows, states) : null, window, edge.rowData?.field ?? '')
  }

  /** Reads a list again that was refused with `context=edit`. */
  private withoutEdit(list: ListState): Promise<void> {
    const { context, edge, args, wants } = this
    context.capabilities.refuse(context.call.caller.credentials, editOnList(edge.route))
    return new ListReader(context, edge, args, wants).read(list)
  }
}

/** Checks that a record which a filter names exists. Some sites drop a filter that names an unknown record, and return all rows. */
async function confirmNamed(context: ReadContext, edge: ListEdge, query: Query): Promise<void> {
  for (const { param, of } of confirmedIn(context.site, edge, query)) {
    const entity = of === undefined ? undefined : context.entities.get(of)
    if (!entity) continue
    const state = context.records.stateOf({ entity, key: query[param] as number })
    await loadersOf(context)
      .of(entity, readRecords)
      .load({ states: [state], columns: NO_COLUMNS, ahead: NO_COLUMNS })
    const { value } = state
    // For callers who may not see the record, such sites do not drop the filter.
    if (value instanceof LmsError && !isRefusal(value)) throw value
    if (value === null) throw new NotFoundError(`There is no ${of} with the id ${query[param]}.`)
  }
}

/** Turns the error of a list that only administrators may read without a filter into one that names the argument. */
function explained({ route }: ListEdge, query: Query, error: unknown): LmsError {
  if (!(error instanceof LmsError)) throw error
  const filter = route.narrowedBy
  const refused = error instanceof RejectedError || error instanceof NotFoundError
  if (filter === undefined || !refused || (route.filters[filter]?.param as string) in query) return error
  return new BadInputError(`Only administrators can read this list without \`where.${filter}\`. Add \`where.${filter}\`.`, error.upstream)
}

/** How a list is requested, and how its rows are read. */
interface ListProjection {
  readonly projection: Projection
  readonly selection: Query
  fill(state: RecordState, row: Row): void
  rowData(rows: readonly Row[], states: readonly RecordState[]): LmsRecord[]
}

function projectionOfRows(context: ReadContext, edge: ListEdge, wants: ListWants): ListProjection {
  // Stryker disable next-line OptionalChaining,ArrayDeclaration: Entities of lists have keys.
  const keys = edge.entity.byKey?.keyColumns ?? []
  const isEdit = asksInEdit(context, edge, wants.columns)
  const columns = wants.columns & (isEdit ? edge.shape.carried(context.site) : ~notInList(context, edge, wants.columns))
  const projection = context.projections.of(edge.shape, columns, keys)
  const rowData =
    edge.rowData && wants.rowData !== NO_COLUMNS ? rowDataReader(context, edge, edge.rowData.shape, wants.rowData, keys) : null
  return {
    projection,
    selection: selectionOf(context, edge, columns, [projection, ...(rowData ? [rowData.projection] : [])], isEdit),
    fill(state, row) {
      if (!state.settles(columns) || state.status !== 'present') state.fill(row, projection, columns)
    },
    rowData: (rows, states) => rows.map((row, index) => rowData?.read(row, (states[index] as RecordState).record) ?? {}),
  }
}

/** Reads row data. Columns that the list does not carry are inherited from the record. */
function rowDataReader(
  context: ReadContext,
  edge: ListEdge,
  shape: Shape,
  columns: ColumnSet,
  keys: readonly string[],
): { projection: Projection; read: (row: Row, of: LmsRecord) => LmsRecord } {
  const through = shape.set(edge.shape.list(takenFromRecord(context, edge, columns)))
  const projection = context.projections.of(shape, columns & ~shape.editOnly & ~through, keys)
  return {
    projection,
    read(row, of) {
      const record = Object.create(of) as Record<string, unknown>
      projection.decode(row, record)
      return record
    },
  }
}

function selectionOf(
  { site }: ReadContext,
  edge: ListEdge,
  columns: ColumnSet,
  projections: readonly Projection[],
  isEdit: boolean,
): Query {
  const context = isEdit ? 'edit' : projections.length === 1 ? contextFor(site, edge.shape, columns) : 'view'
  const [first, ...others] = projections.map(({ filter }) => filter) as [readonly string[], ...(readonly string[])[]]
  // The list of one projection is passed as it is: the client has encoded it before.
  const fields = others.length === 0 ? first : [...new Set([first, others].flat(2))].sort()
  return { context, ...fieldsQuery(site, edge.route, fields) }
}
