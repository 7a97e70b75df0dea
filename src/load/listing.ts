import { getOrMake } from '../maps.js'
import { asksInEdit, editOnList, notInList, takenFromRecord } from '../model/columns.js'
import { Connection, type ConnectionWindow, type ListState, scopeName } from '../model/connection.js'
import { joinWants, type ListArgs, type ListEdge, type ListWants } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { ListRead, ReadContext } from '../model/reads.js'
import type { RecordState } from '../model/records.js'
import type { Query, Row } from '../upstream/client.js'
import { type ColumnSet, contextFor, NO_COLUMNS, type Projection } from '../upstream/codec/records.js'
import { BadInputError, isRefusal, LmsError, NotFoundError } from '../upstream/errors.js'
import { fieldsQuery, type Key, type Params } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import { readWindow } from './id-filters.js'
import { confirmedIn, ignoredIn, narrowed } from './list-filters.js'
import { loadersOf } from './loaders.js'
import { readRecords } from './loading.js'
import { allOf } from './part-reader.js'
import type { ListRequest, Window } from './windows.js'

/** Reads windows of lists of one edge with equal arguments. A list that two reads ask for is read once. */
export function readLists(reads: readonly ListRead[], context: ReadContext): readonly Promise<unknown>[] {
  const { edge, args } = reads[0] as ListRead
  const reader = new ListReader(context, edge, args.value as ListArgs, reads.map(({ wants }) => wants).reduce(joinWants))
  const ends = new Map<ListState, Promise<void>>()
  return reads.map(({ lists }) => allOf(lists.map((list) => getOrMake(ends, list, () => reader.read(list)))))
}

/** Whether a list of all records of a scope was read completely. */
export const showsAll = (lists: ReadonlyMap<string, ListState>, { query }: ListArgs, params: Params): boolean => {
  const list = lists.get(scopeName({ params }))?.list
  return list instanceof Connection && list.isWhole && query !== null && Object.values(query).every((value) => value === undefined)
}

/** Reads windows of one list edge with the same arguments, one per scope. */
class ListReader {
  private readonly rows: RowsWanted
  /** Whether the records that filters name exist, where the site does not say so itself. */
  private confirmed: Promise<void> | undefined

  constructor(
    private readonly context: ReadContext,
    private readonly edge: ListEdge,
    private readonly args: ListArgs,
    private readonly wants: ListWants,
  ) {
    this.rows = rowsWanted(context, edge, wants)
  }

  /** Reads a list, and puts its window or the error into its state. */
  async read(list: ListState): Promise<void> {
    const { args, edge, rows } = this
    if (args.query === null) {
      list.list = this.connection([], null, { start: 0, total: 0, hasNext: false, hasPrevious: false })
      return
    }
    const { params, query } = list.scope
    const { byKey } = edge.entity
    // Stryker disable next-line OptionalChaining: Entities of lists have keys.
    const keyOf = (row: Row): Key | null => byKey?.keyOf(row, params) ?? null
    const request = { route: edge.route, params, query: { ...rows.selection, ...args.query, ...query }, keyOf }
    list.isInEdit = rows.isInEdit
    try {
      list.list = this.listOf(await this.window(request), keyOf, request.query)
    } catch (error) {
      if (!rows.isInEdit || !isRefusal(error)) list.list = explained(edge, request.query, error)
      else await this.withoutEdit(list)
    }
  }

  private window(request: ListRequest): Promise<Window> {
    const { context, edge, args } = this
    const ignored = ignoredIn(context.site, edge, request.query)
    if (ignored !== undefined) throw new BadInputError(`This site does not support \`where.${ignored}\` on this list.`)
    const read = (): Promise<Window> => readWindow(context, edge, request, args.window, this.wants)
    if (context.site.droppedFilters.length === 0) return read()
    this.confirmed ??= confirmNamed(context, edge, args.query as Query)
    return this.confirmed.then(read)
  }

  private listOf(window: Window, keyOf: (row: Row) => Key | null, query: Query): Connection {
    const { context, edge } = this
    const { columns, projection, rowData, isInEdit } = this.rows
    const { caller } = context.call
    if (isInEdit) context.capabilities.grant(caller.credentials, editOnList(edge.route))
    if (isInEdit && window.rows.length > 0) context.capabilities.confirm(caller.credentials, CAPABILITIES.edit(edge.entity))
    const store = context.records.store(edge)
    // The rows of a list have different keys; those without one were left out.
    const areNew = store.isEmpty
    const states: RecordState[] = []
    for (const row of window.rows) {
      const key = keyOf(row) as Key
      const state = areNew ? store.add(key) : store.stateOf(key)
      if (!state.settles(columns) || state.status !== 'present') state.fill(row, projection, columns)
      context.records.note(state, query)
      states.push(state)
    }
    const dataOf = (row: Row, index: number): LmsRecord => (rowData ? inherited(states[index] as RecordState, row, rowData) : {})
    return this.connection(states, edge.rowData ? window.rows.map(dataOf) : null, window)
  }

  private connection(states: readonly RecordState[], rowData: readonly LmsRecord[] | null, window: ConnectionWindow): Connection {
    return new Connection(states, rowData, window, this.edge.rowData?.field)
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

/** The error of a list, with the argument that is missing. */
function explained({ route }: ListEdge, query: Query, error: unknown): LmsError {
  if (!(error instanceof LmsError)) throw error
  return narrowed(route, query, error, (filter) => `read this list without \`where.${filter}\`. Add \`where.${filter}\`.`)
}

/** What is requested of the rows of a list, and how they are decoded. */
interface RowsWanted {
  readonly isInEdit: boolean
  /** The query parameters that request it. */
  readonly selection: Query
  readonly columns: ColumnSet
  readonly projection: Projection
  /** Decodes row data. Undefined when no read wants row data. */
  readonly rowData: Projection | undefined
}

function rowsWanted(context: ReadContext, edge: ListEdge, wants: ListWants): RowsWanted {
  const { site, projections } = context
  const { shape, entity, route } = edge
  // Stryker disable next-line OptionalChaining,ArrayDeclaration: Entities of lists have keys.
  const keys = route.keyColumns ?? entity.byKey?.keyColumns ?? []
  const isInEdit = asksInEdit(context, edge, wants.columns)
  const columns = wants.columns & (isInEdit ? shape.carried(site) : ~notInList(context, edge, wants.columns))
  const projection = projections.of(shape, columns, keys, entity.key)
  const ofRowData = edge.rowData && wants.rowData !== NO_COLUMNS ? edge.rowData.shape : undefined
  // Columns of row data that the list does not carry are inherited from the record.
  const through = ofRowData ? ofRowData.set(shape.list(takenFromRecord(context, edge, wants.rowData))) : NO_COLUMNS
  const rowData = ofRowData && projections.of(ofRowData, wants.rowData & ~ofRowData.editOnly & ~through, keys)
  // The list of one projection is passed as it is: the client has encoded it before.
  const fields = rowData ? [...new Set([...projection.filter, ...rowData.filter])].sort() : projection.filter
  const asked = isInEdit ? 'edit' : rowData ? 'view' : contextFor(site, shape, columns)
  return { isInEdit, columns, projection, rowData, selection: { context: asked, ...fieldsQuery(site, route, fields) } }
}

/** Returns the row data of a row. It inherits the columns of its record. */
function inherited({ record }: RecordState, row: Row, projection: Projection): LmsRecord {
  const data = Object.create(record) as Record<string, unknown>
  projection.decode(row, data)
  return data
}
