import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isAbstractType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import { getOrMake } from '../maps.js'
import { sharedWithRecord, wantedBelow } from '../model/columns.js'
import type { Edge, ListEdge } from '../model/edge.js'
import { marksOf } from '../model/marks.js'
import type { NeededRelation, Needs } from '../model/needs.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { fieldsOf, holdsVariables, isDeferred, operationOf, ownDocument, type Selected } from './document.js'
import { variablesIn, withUsedArguments } from './graphql-js.js'
import { type DeferredPart, OF_RECORDS, type Payload, type Plan, type PlannedEdge, type Selection, type ShownRecords } from './plan.js'

/** Makes the plans of operations. `PreparedOperations` keeps them. */
export class Planner {
  constructor(private readonly schema: GraphQLSchema) {}

  /** Returns nothing when there is no such operation. For a response `inParts`, deferred fragments are planned apart. `restricted` is that of the plan. */
  make(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>>,
    inParts = false,
    restricted = false,
  ): Plan | undefined {
    const meant = operationOf(document, operationName)
    const own = meant && ownDocument(document, meant, variables, inParts)
    const type = meant && this.schema.getRootType(meant.operation)
    if (!own || !type) return undefined
    const { document: copy, size, parts } = own
    const operation = copy.definitions[0] as OperationDefinitionNode
    const selecting = new Selecting({ schema: this.schema, fragments: {}, variables, restricted }, { inParts })
    const nodes = [{ selectionSet: operation.selectionSet } as FieldNode]
    const root = selecting.select(type, nodes)
    const payloads = selecting.payloads(type, nodes)
    const { byNode, perCaller, deferred } = selecting
    return { document: copy, operation, size, parts, root, byNode, payloads, restricted, perCaller, deferred }
  }

  /** Plans one level below a field that is being resolved without a plan. */
  look(edge: Edge, info: GraphQLResolveInfo): PlannedEdge {
    const field = info.parentType.getFields()[info.fieldName] as Field
    return this.selectingIn(info, 1).follow(edge, field, info.fieldNodes)
  }

  /** Plans the records that a computed field needs, for a field that is being resolved without a plan. */
  lookNeeded(info: GraphQLResolveInfo): readonly PlannedEdge[] {
    const { parentType, fieldName, fieldNodes } = info
    const field = parentType.getFields()[fieldName] as Field
    const selecting = this.selectingIn(info)
    return fieldNodes.flatMap((node) => selecting.needed(parentType, field, node).edges)
  }

  private selectingIn(info: GraphQLResolveInfo, depth?: number): Selecting {
    return new Selecting({ schema: this.schema, fragments: info.fragments, variables: variablesIn(info), restricted: true }, { depth })
  }
}

type Field = GraphQLField<unknown, unknown>

/** The planned edges to the records that a computed field needs, the selections on the records that it shows, and the shown columns of its own. */
interface NeededEdges {
  readonly columns: ColumnSet
  readonly edges: readonly PlannedEdge[]
  /** The edges that are selected where the field shows its own record. */
  readonly ownEdges: readonly PlannedEdge[]
  readonly shown: readonly ShownRecords[]
}

/** A field below a computed field, as an operation selects it. */
interface ShownField {
  readonly node: FieldNode
  readonly on: Field
}

/** What is planned below an edge. */
type Below = Pick<PlannedEdge, 'children' | 'rowData' | 'rows' | 'total' | 'next'>

const NOTHING_NEEDED: NeededEdges = { columns: NO_COLUMNS, edges: [], ownEdges: [], shown: [] }

const NOTHING_SELECTED: Selection = { columns: NO_COLUMNS, edges: [] }

/** The columns from which edges start. */
const startsOf = (edges: readonly PlannedEdge[], shape: Shape | undefined): ColumnSet =>
  edges.reduce((columns, { edge }) => columns | (shape?.set(edge.needs) ?? NO_COLUMNS), NO_COLUMNS)

interface SelectingOptions {
  /** Number of levels of edges to follow. Below them, only the columns from which edges start are collected. All by default. */
  readonly depth?: number | undefined
  /** Whether deferred fragments are planned apart. */
  readonly inParts?: boolean
}

/** Walks the selections of an operation, and records each field that follows an edge in `byNode`. */
class Selecting {
  readonly byNode = new Map<FieldNode, PlannedEdge[]>()
  readonly perCaller: PlannedEdge[] = []
  readonly deferred = new Map<FieldNode, DeferredPart>()
  private readonly parts = new Map<InlineFragmentNode, DeferredPart>()
  private readonly depth: number
  private readonly inParts: boolean
  /** The edge that is being planned. */
  private origin: Edge | undefined
  /** The deferred fragment that is being walked. */
  private part: DeferredPart | undefined

  constructor(
    private readonly selected: Selected,
    { depth = Number.POSITIVE_INFINITY, inParts = false }: SelectingOptions = {},
  ) {
    this.depth = depth
    this.inParts = inParts
  }

  select(type: GraphQLObjectType, nodes: readonly FieldNode[], depth = this.depth): Selection {
    const { shape, entity } = marksOf(type)
    const deferred: InlineFragmentNode[] = []
    let columns = NO_COLUMNS
    const edges: PlannedEdge[] = []
    const inside: NonNullable<Selection['inside']>[number][] = []
    const shown: ShownRecords[] = []
    const isApart = (fragment: InlineFragmentNode): boolean => this.isApart(type, fragment) && deferred.push(fragment) > 0
    for (const node of fieldsOf(type, nodes, this.selected, isApart)) {
      const field = type.getFields()[node.name.value]
      if (!field) continue
      const { edge, count, needs } = marksOf(field)
      if (count) inside.push({ count, selection: this.select(getNamedType(field.type) as GraphQLObjectType, [node]) })
      if (shape) columns |= edge ? shape.set(edge.needs) : shape.bit(field.name)
      if (needs && (this.selected.restricted || !needs.restricted)) {
        const needed = this.needed(type, field, node)
        columns |= (shape?.set(needs.columns) ?? NO_COLUMNS) | needed.columns | startsOf(needed.edges, shape)
        if (depth > 0) {
          for (const planned of needed.edges) this.keep(planned)
          edges.push(...needed.edges, ...needed.ownEdges)
          shown.push(...needed.shown)
        }
      }
      if (edge && depth > 0) edges.push(this.follow(edge, field, [node], depth))
    }
    // Reading the columns at once from which the edges of deferred fragments start saves a call.
    for (const fragment of deferred) columns |= startsOf(this.defer(type, fragment).edges, shape)
    const below = wantedBelow(edges, type.name, entity, columns)
    return { columns, edges, ...below, ...(inside.length > 0 && { inside }), ...(shown.length > 0 && { shown }) }
  }

  /** Plans the records that a computed field needs. */
  needed(type: GraphQLObjectType, field: Field, node: FieldNode): NeededEdges {
    const { needs } = marksOf(field)
    return needs && needs.relations.length > 0 ? new NeededPlan(this, field, node).of(type, needs) : NOTHING_NEEDED
  }

  /** Selects without making the planned edges known. */
  aside(depth?: number): Selecting {
    return new Selecting(this.selected, { depth })
  }

  /** Visits the fields below a field whose value is not a record, down to the first records. `path` has the names of the fields. */
  walkValue({ type }: Field, parent: FieldNode, above: string, visit: (path: string, shown: ShownField) => void): void {
    const named = getNamedType(type)
    if (marksOf(named).shape) return
    for (const each of this.objectTypes(named)) {
      for (const node of fieldsOf(each, [parent], this.selected)) {
        const field = each.getFields()[node.name.value]
        if (!field) continue
        const path = above === '' ? field.name : `${above}.${field.name}`
        visit(path, { node, on: field })
        this.walkValue(field, node, path, visit)
      }
    }
  }

  /** The type of the records of an entity. */
  objectType(name: string): GraphQLObjectType | undefined {
    return this.selected.schema.getType(name) as GraphQLObjectType | undefined
  }

  /** The object types that values of a type can have. */
  private objectTypes(type: GraphQLNamedType): readonly GraphQLObjectType[] {
    return isAbstractType(type) ? this.selected.schema.getPossibleTypes(type) : isObjectType(type) ? [type] : []
  }

  /** Makes planned edges known by their field nodes, and as dependent on the viewer. */
  private keep(planned: PlannedEdge): void {
    const { edge, node, neededAs } = planned
    if (edge.perCaller) this.perCaller.push(planned)
    if (this.part) this.deferred.set(node, this.part)
    getOrMake(this.byNode, node, (): PlannedEdge[] => []).push(planned)
    if (neededAs !== undefined) this.keepBelow(planned)
  }

  /** Records below the first ones are found by their plan, not by their field node. */
  private keepBelow({ node, children }: PlannedEdge): void {
    for (const { edges } of children.values()) {
      for (const below of edges) {
        if (below.node !== node) continue
        if (below.edge.perCaller) this.perCaller.push(below)
        this.keepBelow(below)
      }
    }
  }

  /** Whether a fragment on a type is planned as a deferred part. */
  private isApart(type: GraphQLObjectType, fragment: InlineFragmentNode): boolean {
    const { schema, variables } = this.selected
    const isPlace = marksOf(type).entity !== undefined || type === schema.getQueryType()
    return this.inParts && isPlace && isDeferred(fragment, variables)
  }

  /** Plans a deferred fragment as a selection of its own. */
  private defer(type: GraphQLObjectType, fragment: InlineFragmentNode): Selection {
    const around = this.part
    const part = getOrMake(this.parts, fragment, (): DeferredPart => ({ selections: new Map(), fields: new Set() }))
    const nodes = [{ selectionSet: fragment.selectionSet } as FieldNode]
    this.part = part
    const selection = this.select(type, nodes)
    part.selections.set(type.name, selection)
    this.part = around
    for (const node of fieldsOf(type, nodes, this.selected, (inner) => this.isApart(type, inner))) {
      part.fields.add(node)
      this.deferred.set(node, part)
    }
    return selection
  }

  payloads(mutation: GraphQLObjectType, nodes: readonly FieldNode[]): Map<FieldNode, Payload> {
    const payloads = new Map<FieldNode, Payload>()
    for (const node of fieldsOf(mutation, nodes, this.selected)) {
      const field = mutation.getFields()[node.name.value]
      const { payload, write } = field ? marksOf(field) : {}
      if (!field || !payload || !write) continue
      payloads.set(node, { ...this.select(this.selected.schema.getType(payload) as GraphQLObjectType, [node]), field, write })
    }
    return payloads
  }

  follow(edge: Edge, field: Field, nodes: readonly FieldNode[], depth = this.depth): PlannedEdge {
    const node = nodes[0] as FieldNode
    const returned = getNamedType(field.type)
    const planned = this.planned(edge, withUsedArguments(field, node), node, () =>
      edge.kind === 'list'
        ? this.connection(edge, returned as GraphQLObjectType, nodes, depth - 1)
        : { ...OF_RECORDS, children: new Map(this.objectTypes(returned).map((type) => [type.name, this.select(type, nodes, depth - 1)])) },
    )
    this.keep(planned)
    return planned
  }

  /** Plans an edge as a field follows it. `plan` plans what is below: edges from there have it as their origin. */
  planned(edge: Edge, field: Field, node: FieldNode, plan: () => Below): PlannedEdge {
    const { origin } = this
    this.origin = edge
    const below = plan()
    this.origin = origin
    return { edge, origin, node, isFixed: !edge.perCaller && !holdsVariables(node), fixed: undefined, field, ...below }
  }

  /** Plans a connection: `nodes` and `edges { node }` are one selection. */
  private connection(edge: ListEdge, type: GraphQLObjectType, nodes: readonly FieldNode[], depth: number): Below {
    const nodeFields: FieldNode[] = []
    const rowDataFields: FieldNode[] = []
    let nodeType: GraphQLObjectType | undefined
    let rowDataType: GraphQLObjectType | undefined
    const wants = { rows: false, total: false, next: false }
    const visit = (on: GraphQLObjectType, fields: readonly FieldNode[]): void => {
      for (const node of fields) {
        const field = on.getFields()[node.name.value]
        if (!field) continue
        const returned = getNamedType(field.type) as GraphQLObjectType
        const { role, entity, shape } = marksOf(returned)
        if (role === 'edge') visit(returned, fieldsOf(returned, [node], this.selected))
        if (entity) {
          nodeFields.push(node)
          nodeType = returned
        } else if (shape) {
          rowDataFields.push(node)
          rowDataType = returned
        }
        if (field.name === 'totalCount') wants.total = true
        else if (field.name === 'pageInfo') this.pageInfo(returned, node, wants)
        else wants.rows = true
      }
    }
    visit(type, fieldsOf(type, nodes, this.selected))
    const rowData = rowDataType ? this.select(rowDataType, rowDataFields, depth) : null
    const record = nodeType ? this.select(nodeType, nodeFields, depth) : NOTHING_SELECTED
    const shared = edge.rowData && rowData ? sharedWithRecord(edge, rowData.columns & edge.rowData.shape.editOnly) : NO_COLUMNS
    return { children: new Map([[edge.entity.name, { ...record, columns: record.columns | shared }]]), rowData, ...wants }
  }

  /** Decides what page information needs. `hasPreviousPage` needs the total: a window that starts after the first row may belong to an empty list. */
  private pageInfo(type: GraphQLObjectType, node: FieldNode, wants: { rows: boolean; total: boolean; next: boolean }): void {
    for (const { name } of fieldsOf(type, [node], this.selected)) {
      if (name.value === 'startCursor' || name.value === 'endCursor') wants.rows = true
      else if (name.value === 'hasNextPage') wants.next = true
      else if (name.value === 'hasPreviousPage') wants.total = true
    }
  }
}

/**
 * Plans the records that a computed field needs at one place. Each part is planned only if the selection below the field needs it. Where the field
 * shows most records that an edge leads to, the edges that are selected below them are followed from all of them.
 */
class NeededPlan {
  /** The fields below the field, by their paths. */
  private readonly paths = new Map<string, ShownField[]>()
  /** The paths of records from which the edges that are selected there are followed. */
  private readonly followed = new Set<string>()

  constructor(
    private readonly selecting: Selecting,
    private readonly field: Field,
    private readonly node: FieldNode,
  ) {
    this.paths.set('', [{ node, on: field }])
    const visit = (path: string, shown: ShownField) => getOrMake(this.paths, path, (): ShownField[] => []).push(shown)
    selecting.walkValue(field, node, '', visit)
  }

  of(type: GraphQLObjectType, { relations, shownAt }: Needs): NeededEdges {
    const { columns, edges: ownEdges, shown = [] } = this.select(type, shownAt)
    const edges = this.edges(type, relations)
    return { columns, edges, ownEdges, shown: [...shown, ...this.shownAside()] }
  }

  /** What is selected at the paths that show records of a type. Edges there are followed, or else only their starts are selected. */
  private select(type: GraphQLObjectType | undefined, shownAt: readonly string[] = [], follows = true): Selection {
    const nodes = shownAt.flatMap((path) => this.paths.get(path)?.map(({ node }) => node) ?? [])
    if (!type || nodes.length === 0) return NOTHING_SELECTED
    if (!follows) return this.selecting.aside(0).select(type, nodes)
    for (const path of shownAt) this.followed.add(path)
    return this.selecting.select(type, nodes)
  }

  /** The edges to the needed records of some relations of a type. */
  private edges(type: GraphQLObjectType | undefined, relations: readonly NeededRelation[]): PlannedEdge[] {
    const needed = relations.filter(({ neededFor }) => neededFor?.some((path) => this.paths.has(path)) ?? true)
    return needed.flatMap((relation) => {
      const named = typeof relation.edge === 'string' ? (type?.getFields()[relation.edge] as Field) : undefined
      const edge = named ? marksOf(named).edge : (relation.edge as Edge)
      return edge ? [this.follow(relation, edge, named ?? this.field)] : []
    })
  }

  private follow(relation: NeededRelation, edge: Edge, field: Field): PlannedEdge {
    const { entity, name } = relation
    const below = (): Below => ({ ...OF_RECORDS, children: new Map([[entity.name, this.records(relation, edge)]]) })
    return { ...this.selecting.planned(edge, field, this.node, below), neededAs: name }
  }

  private records({ entity, columns: needed, relations, shownAt }: NeededRelation, edge: Edge): Selection {
    const type = this.selecting.objectType(entity.name)
    // Of a whole list, a field shows few records.
    const { columns: selected, edges: selectedEdges, shown } = this.select(type, shownAt, edge.kind === 'key' || edge.pick !== undefined)
    const edges = [...this.edges(type, relations), ...selectedEdges]
    const columns = entity.shape.set(needed) | selected | startsOf(edges, entity.shape)
    return { columns, edges, ...wantedBelow(edges, entity.name, entity, columns), ...(shown && { shown }) }
  }

  /** The selections on records that the field shows, and whose edges are not part of the plan. */
  private shownAside(): ShownRecords[] {
    return [...this.paths].flatMap(([path, fields]) =>
      fields.flatMap(({ node, on }) => {
        const type = getNamedType(on.type) as GraphQLObjectType
        const { entity } = marksOf(type)
        if (!entity || this.followed.has(path)) return []
        const selection = this.selecting.aside().select(type, [node])
        return selection.edges.length > 0 ? [{ isList: isListType(getNullableType(on.type)), entity, selection }] : []
      }),
    )
  }
}
