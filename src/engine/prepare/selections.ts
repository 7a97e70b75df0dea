import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isObjectType,
} from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import { type Edge, type FieldMark, type ListEdge, marksOf, type PreparedArguments, type Write } from '../edges.js'
import { sharedWithRecord, type WantedBelow, wantedBelow } from '../fetch/completing.js'
import { fieldsOf, holdsVariables } from './document.js'

/** What an operation wants of the objects of one type at one place: columns, and edges to follow. */
export interface Selection extends WantedBelow {
  readonly columns: ColumnSet
  readonly edges: readonly PlannedEdge[]
  /** Lists of objects inside, with edges of their own: what those lead to is not fetched ahead, but counted. */
  readonly inside?: readonly { readonly count: NonNullable<FieldMark['count']>; readonly selection: Selection }[]
}

/** All columns that some selections want. */
export const columnsOf = (selections: readonly Selection[]): ColumnSet =>
  selections.reduce((columns, selection) => columns | selection.columns, NO_COLUMNS)

/** One field of an operation that follows an edge. */
export interface PlannedEdge {
  readonly edge: Edge
  /** The edge that leads to what it starts from; nothing at the root. */
  readonly origin: Edge | undefined
  readonly node: FieldNode
  /** Whether its arguments come to the same in every operation. */
  readonly isFixed: boolean
  /** Those arguments, once they have been checked; `null` when they are wrong. */
  fixed: PreparedArguments | null | undefined
  /** Names under which the sizes of the list are learned, without filters. */
  sizeNames: readonly string[] | undefined
  readonly field: GraphQLField<unknown, unknown>
  /** What is wanted of the records it leads to, by their type name. */
  readonly children: ReadonlyMap<string, Selection>
  /** Of a list: what is wanted of its side, and of the list itself. */
  readonly side: Selection | null
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}

/** What is wanted of the success of a mutation. */
export interface Payload extends Selection {
  readonly field: GraphQLField<unknown, unknown>
  readonly write: Write
}

/** A fragment whose fields are fetched after the rest of its operation has been answered. */
export interface DeferredPart {
  /** What it wants of the records it stands in, by their type name. */
  readonly selections: Map<string, Selection>
  /** Fields it begins with. */
  readonly fields: Set<FieldNode>
}

/** The deferred fragments of an operation, and where their fields are. */
export interface Deferral {
  /** Whether a fragment is to wait. */
  readonly waits: (fragment: InlineFragmentNode) => boolean
  readonly parts: Map<InlineFragmentNode, DeferredPart>
  readonly partOf: Map<FieldNode, DeferredPart>
}

/** Looks through the selections of an operation, and notes each field that follows an edge in `byNode`. */
export class Selecting {
  private origin: Edge | undefined
  /** The deferred part that is being looked at. */
  private part: DeferredPart | undefined

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>,
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly byNode: Map<FieldNode, PlannedEdge[]>,
    /** How many edges deep to look; below, only the columns edges start from. */
    private readonly depth = Number.POSITIVE_INFINITY,
    /** Without it no fragment waits. */
    private readonly deferral?: Deferral,
  ) {}

  select(type: GraphQLObjectType, nodes: readonly FieldNode[], depth = this.depth): Selection {
    const { shape, entity } = marksOf(type)
    const deferral = entity || type === this.schema.getQueryType() ? this.deferral : undefined
    const waiting: InlineFragmentNode[] = []
    let columns = NO_COLUMNS
    const edges: PlannedEdge[] = []
    const inside: NonNullable<Selection['inside']>[number][] = []
    for (const node of this.fields(type, nodes, deferral && ((fragment) => deferral.waits(fragment) && waiting.push(fragment) > 0))) {
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
    if (deferral) for (const fragment of waiting) columns |= this.defer(deferral, type, fragment)
    return { columns, edges, ...wantedBelow(edges, type.name, entity, columns), ...(inside.length > 0 && { inside }) }
  }

  /** What a fragment that waits wants is a selection of its own. Only the columns its edges start from are wanted at once: that saves a call. */
  private defer({ parts, partOf }: Deferral, type: GraphQLObjectType, fragment: InlineFragmentNode): ColumnSet {
    const around = this.part
    const part = getOrMake(parts, fragment, (): DeferredPart => ({ selections: new Map(), fields: new Set() }))
    const nodes = [{ selectionSet: fragment.selectionSet } as FieldNode]
    this.part = part
    const selection = this.select(type, nodes)
    part.selections.set(type.name, selection)
    this.part = around
    for (const node of this.fields(type, nodes, (inner) => this.deferral?.waits(inner) === true)) {
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
    const seen =
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
      sizeNames: undefined,
      field,
      ...seen,
    }
    if (this.part) this.deferral?.partOf.set(node, this.part)
    const there = this.byNode.get(node)
    if (there) there.push(planned)
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

  /** Looks through a connection: `nodes` and `edges { node }` are one selection. */
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

  /** A list that a window begins behind the start of may be empty: only its length tells whether there are rows before. */
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
