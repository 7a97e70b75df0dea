import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
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
import { sharedWithRecord, wantedBelow } from '../model/columns.js'
import type { Edge, ListEdge } from '../model/edge.js'
import { marksOf } from '../model/marks.js'
import type { NeededRelation } from '../model/needs.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import { getOrMake } from '../upstream/maps.js'
import { fieldsOf, holdsVariables, operationOf, ownDocument } from './document.js'
import { variablesIn, withUsedArguments } from './graphql-js.js'
import type { Deferral, DeferredPart, Payload, Plan, PlannedEdge, Selection, ShownRecords, ViewerField } from './plan.js'

/** Makes the plans of operations. `PreparedOperations` keeps them. */
export class Planner {
  constructor(private readonly schema: GraphQLSchema) {}

  /** Returns nothing when there is no such operation. With `deferral`, deferred fragments are planned apart. */
  make(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>>,
    deferral?: Deferral,
  ): Plan | undefined {
    const meant = operationOf(document, operationName)
    const own = meant && ownDocument(document, meant, variables, deferral !== undefined)
    const type = meant && this.schema.getRootType(meant.operation)
    if (!own || !type) return undefined
    const { document: copy, size, parts } = own
    const operation = copy.definitions[0] as OperationDefinitionNode
    const byNode = new Map<FieldNode, PlannedEdge[]>()
    const selecting = new Selecting(this.schema, {}, {}, byNode, undefined, deferral)
    const root = [{ selectionSet: operation.selectionSet } as FieldNode]
    const { perCaller } = selecting
    return {
      document: copy,
      operation,
      size,
      parts,
      root: selecting.select(type, root),
      byNode,
      payloads: selecting.payloads(type, root),
      perCaller,
    }
  }

  /** Plans one level below a field that is being resolved without a plan. */
  look(edge: Edge, info: GraphQLResolveInfo): PlannedEdge {
    const field = info.parentType.getFields()[info.fieldName] as GraphQLField<unknown, unknown>
    return new Selecting(this.schema, info.fragments, variablesIn(info), new Map(), 1).follow(edge, field, info.fieldNodes)
  }

  /** Plans the records that a computed field needs, for a field that is being resolved without a plan. */
  lookNeeded(info: GraphQLResolveInfo): readonly PlannedEdge[] {
    const { parentType, fieldName, fieldNodes, fragments } = info
    const field = parentType.getFields()[fieldName] as GraphQLField<unknown, unknown>
    const selecting = new Selecting(this.schema, fragments, variablesIn(info), new Map())
    return fieldNodes.flatMap((node) => selecting.needed(parentType, field, node).edges)
  }
}

/** The planned edges to the records that a computed field needs, the selections on the records that it shows, and the shown columns of its own. */
interface NeededEdges {
  readonly columns: ColumnSet
  readonly edges: readonly PlannedEdge[]
  /** The edges that are selected where the field shows its own record. */
  readonly ownEdges: readonly PlannedEdge[]
  readonly shown: readonly ShownRecords[]
}

const NOTHING_NEEDED: NeededEdges = { columns: NO_COLUMNS, edges: [], ownEdges: [], shown: [] }

const NOTHING_SHOWN: Selection = { columns: NO_COLUMNS, edges: [] }

/** A field below a computed field, as an operation selects it. */
interface ShownField {
  readonly node: FieldNode
  readonly on: GraphQLField<unknown, unknown>
}

/** Walks the selections of an operation, and records each field that follows an edge in `byNode`. */
class Selecting {
  readonly perCaller: ViewerField[] = []
  private origin: Edge | undefined
  /** The deferred fragment that is being walked. */
  private part: DeferredPart | undefined

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>,
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly byNode: Map<FieldNode, PlannedEdge[]>,
    /** Number of levels of edges to follow. Below them, only the columns from which edges start are collected. */
    private readonly depth = Number.POSITIVE_INFINITY,
    /** Without it, deferred fragments are part of the plan. */
    private readonly deferral?: Deferral,
  ) {}

  select(type: GraphQLObjectType, nodes: readonly FieldNode[], depth = this.depth): Selection {
    const { shape, entity } = marksOf(type)
    const deferral = entity || type === this.schema.getQueryType() ? this.deferral : undefined
    const deferred: InlineFragmentNode[] = []
    let columns = NO_COLUMNS
    const edges: PlannedEdge[] = []
    const inside: NonNullable<Selection['inside']>[number][] = []
    const shown: ShownRecords[] = []
    for (const node of this.fields(type, nodes, deferral && ((fragment) => deferral.isDeferred(fragment) && deferred.push(fragment) > 0))) {
      const field = type.getFields()[node.name.value]
      if (!field) continue
      const { edge, count, needs, resolveFor } = marksOf(field)
      if (resolveFor) this.perCaller.push({ node })
      if (count) inside.push({ count, selection: this.select(getNamedType(field.type) as GraphQLObjectType, [node]) })
      if (shape) columns |= edge ? shape.set(edge.needs) : shape.bit(field.name)
      if (needs) {
        columns |= shape?.set(needs.columns) ?? NO_COLUMNS
        const needed = this.needed(type, field, node)
        columns |= needed.columns
        for (const { edge } of needed.edges) columns |= shape?.set(edge.needs) ?? NO_COLUMNS
        if (depth > 0) {
          for (const planned of needed.edges) this.keep(planned)
          edges.push(...needed.edges, ...needed.ownEdges)
          shown.push(...needed.shown)
        }
      }
      if (edge && depth > 0) edges.push(this.follow(edge, field, [node], depth))
    }
    if (deferral) for (const fragment of deferred) columns |= this.defer(deferral, type, fragment)
    const below = wantedBelow(edges, type.name, entity, columns)
    return { columns, edges, ...below, ...(inside.length > 0 && { inside }), ...(shown.length > 0 && { shown }) }
  }

  /**
   * Plans the records that a computed field needs. Each part is planned only if the selection below the field needs it. Where the field shows
   * most records that an edge leads to, the edges that are selected below them are followed from all of them.
   */
  needed(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, node: FieldNode): NeededEdges {
    const { needs } = marksOf(field)
    if (!needs || needs.relations.length === 0) return NOTHING_NEEDED
    const paths = new Map<string, ShownField[]>()
    const visit = (path: string, node: FieldNode, on: GraphQLField<unknown, unknown>): void => {
      getOrMake(paths, path, (): ShownField[] => []).push({ node, on })
    }
    visit('', node, field)
    this.walkValue(field, [node], '', visit)
    const followed = new Set<string>()
    const shownRecords = (on: GraphQLObjectType | undefined, shownAt: readonly string[] = [], follows = true): Selection => {
      const nodes = shownAt.flatMap((path) => paths.get(path)?.map(({ node }) => node) ?? [])
      if (!on || nodes.length === 0) return NOTHING_SHOWN
      if (!follows) return this.aside(0).select(on, nodes)
      for (const path of shownAt) followed.add(path)
      return this.select(on, nodes)
    }
    const plan = (on: GraphQLObjectType, relations: readonly NeededRelation[]): PlannedEdge[] =>
      relations
        .filter(({ neededFor }) => neededFor?.some((path) => paths.has(path)) ?? true)
        .flatMap((relation) => {
          const named = typeof relation.edge === 'string' ? (on.getFields()[relation.edge] as GraphQLField<unknown, unknown>) : undefined
          const edge = named ? marksOf(named).edge : (relation.edge as Edge)
          return edge ? [follow(relation, edge, named ?? field)] : []
        })
    const follow = (relation: NeededRelation, edge: Edge, on: GraphQLField<unknown, unknown>): PlannedEdge => {
      const { entity, name } = relation
      const { origin } = this
      this.origin = edge
      const target = this.schema.getType(entity.name) as GraphQLObjectType | undefined
      // Of a whole list, a field shows few records.
      const shown = shownRecords(target, relation.shownAt, edge.kind === 'key' || edge.pick !== undefined)
      const edges = [...(target ? plan(target, relation.relations) : []), ...shown.edges]
      this.origin = origin
      let columns = entity.shape.set(relation.columns) | shown.columns
      for (const { edge } of edges) columns |= entity.shape.set(edge.needs)
      const records: Selection = {
        columns,
        edges,
        ...wantedBelow(edges, entity.name, entity, columns),
        ...(shown.shown && { shown: shown.shown }),
      }
      const isFixed = !edge.perCaller && !holdsVariables(node)
      const rows = { rows: true, total: false, next: false }
      return {
        edge,
        origin,
        node,
        isFixed,
        fixed: undefined,
        field: on,
        neededAs: name,
        children: new Map([[entity.name, records]]),
        rowData: null,
        ...rows,
      }
    }
    const { columns, edges, shown = [] } = shownRecords(type, needs.shownAt)
    const needed = plan(type, needs.relations)
    return { columns, edges: needed, ownEdges: edges, shown: [...shown, ...this.shownAside(paths, followed)] }
  }

  /** The selections on records that a computed field shows, and whose edges are not part of the plan. */
  private shownAside(paths: ReadonlyMap<string, readonly ShownField[]>, followed: ReadonlySet<string>): ShownRecords[] {
    return [...paths].flatMap(([path, fields]) =>
      fields.flatMap(({ node, on }) => {
        const type = getNamedType(on.type) as GraphQLObjectType
        const { entity } = marksOf(type)
        if (!entity || followed.has(path)) return []
        const selection = this.aside().select(type, [node])
        return selection.edges.length > 0 ? [{ isList: isListType(getNullableType(on.type)), entity, selection }] : []
      }),
    )
  }

  /** Selects without making the planned edges known. */
  private aside(depth?: number): Selecting {
    return new Selecting(this.schema, this.fragments, this.variables, new Map(), depth)
  }

  /** Visits the fields below a field whose value is not a record, down to the first records. `path` has the names of the fields. */
  private walkValue(
    { type }: GraphQLField<unknown, unknown>,
    nodes: readonly FieldNode[],
    above: string,
    visit: (path: string, node: FieldNode, field: GraphQLField<unknown, unknown>) => void,
  ): void {
    const named = getNamedType(type)
    if (marksOf(named).shape) return
    const types = isAbstractType(named) ? this.schema.getPossibleTypes(named) : isObjectType(named) ? [named] : []
    for (const each of types) {
      for (const node of this.fields(each, nodes)) {
        const field = each.getFields()[node.name.value]
        if (!field) continue
        const path = above === '' ? field.name : `${above}.${field.name}`
        visit(path, node, field)
        this.walkValue(field, [node], path, visit)
      }
    }
  }

  /** Makes planned edges known by their field nodes, and as dependent on the viewer. */
  private keep(planned: PlannedEdge): void {
    const { edge, node, neededAs } = planned
    if (edge.perCaller) this.perCaller.push({ node, planned })
    if (this.part) this.deferral?.partOf.set(node, this.part)
    const known = this.byNode.get(node)
    if (known) known.push(planned)
    else this.byNode.set(node, [planned])
    if (neededAs !== undefined) this.keepBelow(planned)
  }

  /** Records below the first ones are found by their plan, not by their field node. */
  private keepBelow({ node, children }: PlannedEdge): void {
    for (const { edges } of children.values()) {
      for (const below of edges) {
        if (below.node !== node) continue
        if (below.edge.perCaller) this.perCaller.push({ node, planned: below })
        this.keepBelow(below)
      }
    }
  }

  /** Plans a deferred fragment as a selection of its own. Returns the columns from which its edges start: reading them at once saves a call. */
  private defer({ parts, partOf }: Deferral, type: GraphQLObjectType, fragment: InlineFragmentNode): ColumnSet {
    const around = this.part
    const part = getOrMake(parts, fragment, (): DeferredPart => ({ selections: new Map(), fields: new Set() }))
    const nodes = [{ selectionSet: fragment.selectionSet } as FieldNode]
    this.part = part
    const selection = this.select(type, nodes)
    part.selections.set(type.name, selection)
    this.part = around
    for (const node of this.fields(type, nodes, (inner) => this.deferral?.isDeferred(inner) === true)) {
      part.fields.add(node)
      partOf.set(node, part)
    }
    const { shape } = marksOf(type)
    return selection.edges.reduce((columns, { edge }) => columns | (shape?.set(edge.needs) ?? NO_COLUMNS), NO_COLUMNS)
  }

  payloads(mutation: GraphQLObjectType, nodes: readonly FieldNode[]): Map<FieldNode, Payload> {
    const payloads = new Map<FieldNode, Payload>()
    for (const node of this.fields(mutation, nodes)) {
      const field = mutation.getFields()[node.name.value]
      const { payload, write } = field ? marksOf(field) : {}
      if (!field || !payload || !write) continue
      payloads.set(node, { ...this.select(this.schema.getType(payload) as GraphQLObjectType, [node]), field, write })
    }
    return payloads
  }

  follow(edge: Edge, field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[], depth = this.depth): PlannedEdge {
    const node = nodes[0] as FieldNode
    const { origin } = this
    this.origin = edge
    const returned = getNamedType(field.type)
    const below =
      edge.kind === 'list'
        ? this.connection(edge, returned as GraphQLObjectType, nodes, depth - 1)
        : this.records(returned, nodes, depth - 1)
    this.origin = origin
    const planned: PlannedEdge = {
      edge,
      origin,
      node,
      isFixed: !edge.perCaller && !holdsVariables(node),
      fixed: undefined,
      field: withUsedArguments(field, node),
      ...below,
    }
    this.keep(planned)
    return planned
  }

  private records(returned: ReturnType<typeof getNamedType>, nodes: readonly FieldNode[], depth: number) {
    const types = isAbstractType(returned) ? this.schema.getPossibleTypes(returned) : isObjectType(returned) ? [returned] : []
    return {
      children: new Map(types.map((type) => [type.name, this.select(type, nodes, depth)])),
      rowData: null,
      rows: true,
      total: false,
      next: false,
    }
  }

  /** Plans a connection: `nodes` and `edges { node }` are one selection. */
  private connection(edge: ListEdge, type: GraphQLObjectType, nodes: readonly FieldNode[], depth: number) {
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
        if (role === 'edge') visit(returned, this.fields(returned, [node]))
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
    visit(type, this.fields(type, nodes))
    const rowData = rowDataType ? this.select(rowDataType, rowDataFields, depth) : null
    const record = nodeType ? this.select(nodeType, nodeFields, depth) : { columns: NO_COLUMNS, edges: [] }
    const shared = edge.rowData && rowData ? sharedWithRecord(edge, rowData.columns & edge.rowData.shape.editOnly) : NO_COLUMNS
    return { children: new Map([[edge.entity.name, { ...record, columns: record.columns | shared }]]), rowData, ...wants }
  }

  /** Decides what page information needs. `hasPreviousPage` needs the total: a window that starts after the first row may belong to an empty list. */
  private pageInfo(type: GraphQLObjectType, node: FieldNode, wants: { rows: boolean; total: boolean; next: boolean }): void {
    for (const { name } of this.fields(type, [node])) {
      if (name.value === 'startCursor' || name.value === 'endCursor') wants.rows = true
      else if (name.value === 'hasNextPage') wants.next = true
      else if (name.value === 'hasPreviousPage') wants.total = true
    }
  }

  private fields(type: GraphQLObjectType, nodes: readonly FieldNode[], leaveOut?: (fragment: InlineFragmentNode) => boolean): FieldNode[] {
    const applies = (name: string): boolean => {
      if (name === type.name) return true
      const condition = this.schema.getType(name)
      return condition !== undefined && isAbstractType(condition) && this.schema.isSubType(condition, type)
    }
    return fieldsOf(nodes, applies, this.fragments, this.variables, leaveOut)
  }
}
