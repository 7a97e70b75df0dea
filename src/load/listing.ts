import { asksInEdit, editOnList, notInList, takenFromRecord } from '../model/columns.js'
import type { ListArgs, ListEdge, ListWants, Target } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { Query, Row } from '../upstream/client.js'
import { type ColumnSet, contextFor, NO_COLUMNS, type Projection, type Shape } from '../upstream/codec/records.js'
import { BadInputError, isRefusal, LmsError, NotFoundError, RejectedError } from '../upstream/errors.js'
import { searchedRows } from '../upstream/floor.js'
import { fieldsQuery, type Key, type Params } from '../upstream/routes.js'
import { readWindow, refuseIgnored } from './id-filters.js'
import { confirmedIn } from './list-filters.js'
import type { ListContext } from './part-reader.js'
import type { RecordState, Store } from './records.js'
import { cursorOf, type ListRequest, type Window } from './windows.js'

/** The scope of one list: the path parameters and filters that stand for the parent. */
export type Scope = { readonly params: Params; readonly query?: Query }

/** One window of a list, in the shape of a Relay connection. */
export class Connection {
  constructor(
    readonly states: readonly RecordState[],
    readonly rowData: readonly LmsRecord[] | null,
    private readonly window: Pick<Window, 'start' | 'total' | 'hasNext' | 'hasPrevious'>,
    private readonly rowDataField: string,
  ) {}

  get nodes(): readonly unknown[] {
    return this.states.map((state) => state.value)
  }

  get edges(): readonly object[] {
    return this.states.map((state, index) => ({
      node: state.value,
      cursor: cursorOf(this.window.start + index),
      ...(this.rowData ? { [this.rowDataField]: this.rowData[index] } : {}),
    }))
  }

  /** Whether the window holds all rows of the list. */
  get isWhole(): boolean {
    const { start, total } = this.window
    return start === 0 && total !== null && this.states.length >= total
  }

  get totalCount(): number | null {
    return this.window.total
  }

  get pageInfo(): object {
    const { start, hasNext, hasPrevious } = this.window
    const count = this.states.length
    return {
      hasNextPage: hasNext,
      hasPreviousPage: hasPrevious,
      startCursor: count > 0 ? cursorOf(start) : null,
      endCursor: count > 0 ? cursorOf(start + count - 1) : null,
    }
  }
}

export const joinWants = (a: ListWants, b: ListWants): ListWants =>
  a === b
    ? a
    : {
        columns: a.columns | b.columns,
        rowData: a.rowData | b.rowData,
        rows: a.rows || b.rows,
        total: a.total || b.total,
        next: a.next || b.next,
      }

/** Reads one window of a list with the wanted columns it carries. */
export const loadList = (
  context: ListContext,
  edge: ListEdge,
  scope: Scope,
  args: ListArgs,
  wants: ListWants,
): Promise<Connection | LmsError> => new ListLoader(context, edge, args, wants).load(scope, (list) => list)

/** Loads the columns that the site does not send in a list. A record that cannot be read becomes an error at its position. */
export async function loadColumnsById(
  list: Connection | LmsError,
  context: ListContext,
  edge: ListEdge,
  columns: ColumnSet,
  load: (target: Target, columns: ColumnSet) => Promise<unknown>,
): Promise<void> {
  const readById = notInList(context, edge, columns)
  if (list instanceof Connection && readById !== NO_COLUMNS)
    await Promise.allSettled(list.states.map(({ key }) => load({ entity: edge.entity, key }, readById)))
}

/** Reads windows of one list edge with the same arguments, one per scope. */
export class ListLoader {
  private readonly store: Store
  private readonly reader: ListProjection
  private readonly rowDataField: string

  constructor(
    private readonly context: ListContext,
    private readonly edge: ListEdge,
    private readonly args: ListArgs,
    private readonly wants: ListWants,
  ) {
    this.store = context.store({ entity: edge.entity, key: 0 })
    this.reader = readerOf(context, edge, wants)
    // Stryker disable next-line StringLiteral: The name is read only where the list has row data.
    this.rowDataField = edge.rowData?.field ?? ''
  }

  /** Whether the lists are asked for as an editor, so that they carry edit-only columns. */
  get isInEdit(): boolean {
    return this.reader.selection.context === 'edit'
  }

  /** Reads the list of a scope, and passes it or its error to `then`. */
  load<T>({ params, query }: Scope, then: (list: Connection | LmsError) => T): Promise<T> {
    const { args, reader, rowDataField: sideField } = this
    if (args.query === null)
      return Promise.resolve(then(new Connection([], null, { start: 0, total: 0, hasNext: false, hasPrevious: false }, sideField)))
    const { byKey } = this.edge.entity
    // Stryker disable next-line OptionalChaining: Entities of lists have keys.
    const keyOf = (row: Row): Key | null => byKey?.keyOf(row, params) ?? null
    const request = { route: this.edge.route, params, query: { ...reader.selection, ...args.query, ...query }, keyOf }
    return this.read(request).then(
      (window) => then(this.listOf(window, keyOf)),
      (error) => this.failed(error, request, query, then),
    )
  }

  private read(request: ListRequest): Promise<Window> {
    const { context, edge, args, wants } = this
    try {
      refuseIgnored(context.site, edge, request.query)
    } catch (error) {
      return Promise.reject(error)
    }
    if (context.site.dropped.length === 0) return readWindow(context, edge, request, args.window, wants)
    return confirmNamed(context, edge, args.query as Query).then(() => readWindow(context, edge, request, args.window, wants))
  }

  private listOf(read: Window, keyOf: (row: Row) => Key | null): Connection {
    const { context, edge, args, reader, store } = this
    const window = searchedRows(context.session, edge.route, args.query, read)
    if (this.isInEdit) context.capabilities.grant(context.session.credentials, editOnList(edge.route))
    const { rows } = window
    // The rows of a list have different keys; those without one were left out.
    const areNew = store.isEmpty
    const states = rows.map((row) => {
      const key = keyOf(row) as Key
      const state = areNew ? store.add(key) : store.stateOf(key)
      reader.fill(state, row)
      return state
    })
    return new Connection(states, edge.rowData ? reader.rowData(rows, states) : null, window, this.rowDataField)
  }

  private failed<T>(
    error: unknown,
    { params, query }: ListRequest,
    scope: Query | undefined,
    then: (list: Connection | LmsError) => T,
  ): T | Promise<T> {
    const { context, edge, args, wants } = this
    if (!this.isInEdit || !isRefusal(error)) return then(explained(edge, query, error as LmsError))
    context.capabilities.refuse(context.session.credentials, editOnList(edge.route))
    return new ListLoader(context, edge, args, wants).load({ params, ...(scope && { query: scope }) }, then)
  }
}

/** Checks that a record which a filter names exists. Some sites drop a filter that names an unknown record, and return all rows. */
async function confirmNamed(context: ListContext, edge: ListEdge, query: Query): Promise<void> {
  for (const { param, of } of confirmedIn(context.site, edge, query)) {
    const entity = of === undefined ? undefined : context.entities.get(of)
    if (!entity) continue
    const { value } = await context.loadUnplanned({ entity, key: query[param] as number }, NO_COLUMNS)
    // For callers who may not see the record, such sites do not drop the filter.
    if (value instanceof LmsError && !isRefusal(value)) throw value
    if (value === null) throw new NotFoundError(`There is no ${of} with the id ${query[param]}.`)
  }
}

/** Turns the error of a list that only administrators may read without a filter into one that names the argument. */
function explained({ route }: ListEdge, query: Query, error: LmsError): LmsError {
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

function readerOf(context: ListContext, edge: ListEdge, wants: ListWants): ListProjection {
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
  context: ListContext,
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
  { site }: ListContext,
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
