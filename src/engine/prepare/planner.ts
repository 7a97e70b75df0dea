import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import { sharedWithRecord, wantedBelow } from '../columns.js'
import { fieldsOf, holdsVariables, operationOf, ownDocument } from '../document.js'
import { type Edge, type ListEdge, marksOf } from '../edges.js'
import type { Deferral, DeferredPart, Payload, Plan, PlannedEdge, Selection } from '../plan.js'

/** Makes the plans of operations. `PreparedOperations` keeps them. */
export class Planner {
  constructor(private readonly schema: GraphQLSchema) {}

  /** Returns nothing when there is no such operation, or when it is too large to plan. With `deferral`, deferred fragments are planned apart. */
  make(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>>,
    deferral?: Deferral,
  ): Plan | undefined {
    const meant = operationOf(document, operationName)
    const own = meant && ownDocument(document, meant, variables)
    const type = meant && this.schema.getRootType(meant.operation)
    if (!own || !type) return undefined
    const { document: copy, size } = own
    const operation = copy.definitions[0] as OperationDefinitionNode
    const byNode = new Map<FieldNode, PlannedEdge[]>()
    const selecting = new Selecting(this.schema, {}, {}, byNode, undefined, deferral)
    const root = [{ selectionSet: operation.selectionSet } as FieldNode]
    return { document: copy, operation, size, root: selecting.select(type, root), byNode, payloads: selecting.payloads(type, root) }
  }

  /** Plans one level below a field that is being resolved without a plan. */
  look(edge: Edge, info: GraphQLResolveInfo): PlannedEdge {
    const field = info.parentType.getFields()[info.fieldName] as GraphQLField<unknown, unknown>
    return new Selecting(this.schema, info.fragments, info.variableValues, new Map(), 1).follow(edge, field, info.fieldNodes)
  }
}

/** Walks the selections of an operation, and records each field that follows an edge in `byNode`. */
class Selecting {
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
    for (const node of this.fields(type, nodes, deferral && ((fragment) => deferral.isDeferred(fragment) && deferred.push(fragment) > 0))) {
      const field = type.getFields()[node.name.value]
      if (!field) continue
      const { edge, count, needs } = marksOf(field)
      if (count) inside.push({ count, selection: this.select(getNamedType(field.type) as GraphQLObjectType, [node]) })
      if (shape) columns |= edge ? shape.set(edge.needs) : shape.bit(field.name)
      if (needs) {
        columns |= shape?.set(needs.columns) ?? NO_COLUMNS
        for (const relation of needs.relations) {
          const related = type.getFields()[relation.name.value] as GraphQLField<unknown, unknown>
          const { edge: followed } = marksOf(related)
          if (!followed) continue
          columns |= shape?.set(followed.needs) ?? NO_COLUMNS
          if (depth > 0) edges.push(this.follow(followed, related, [relation], depth))
        }
      }
      if (edge && depth > 0) edges.push(this.follow(edge, field, [node], depth))
    }
    if (deferral) for (const fragment of deferred) columns |= this.defer(deferral, type, fragment)
    return { columns, edges, ...wantedBelow(edges, type.name, entity, columns), ...(inside.length > 0 && { inside }) }
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
      isFixed: edge.perCaller !== true && !holdsVariables(node),
      fixed: undefined,
      field,
      ...below,
    }
    if (this.part) this.deferral?.partOf.set(node, this.part)
    const known = this.byNode.get(node)
    if (known) known.push(planned)
    else this.byNode.set(node, [planned])
    return planned
  }

  private records(returned: ReturnType<typeof getNamedType>, nodes: readonly FieldNode[], depth: number) {
    const types = isAbstractType(returned) ? this.schema.getPossibleTypes(returned) : isObjectType(returned) ? [returned] : []
    return {
      children: new Map(types.map((type) => [type.name, this.select(type, nodes, depth)])),
      side: null,
      rows: true,
      total: false,
      next: false,
    }
  }

  /** Plans a connection: `nodes` and `edges { node }` are one selection. */
  private connection(edge: ListEdge, type: GraphQLObjectType, nodes: readonly FieldNode[], depth: number) {
    const nodeFields: FieldNode[] = []
    const sideFields: FieldNode[] = []
    let nodeType: GraphQLObjectType | undefined
    let sideType: GraphQLObjectType | undefined
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
          sideFields.push(node)
          sideType = returned
        }
        if (field.name === 'totalCount') wants.total = true
        else if (field.name === 'pageInfo') this.pageInfo(returned, node, wants)
        else wants.rows = true
      }
    }
    visit(type, this.fields(type, nodes))
    const side = sideType ? this.select(sideType, sideFields, depth) : null
    const record = nodeType ? this.select(nodeType, nodeFields, depth) : { columns: NO_COLUMNS, edges: [] }
    const shared = edge.side && side ? sharedWithRecord(edge, side.columns & edge.side.shape.editOnly) : NO_COLUMNS
    return { children: new Map([[edge.entity.name, { ...record, columns: record.columns | shared }]]), side, ...wants }
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
