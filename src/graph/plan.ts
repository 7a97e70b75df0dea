import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { getOrMake } from '../rest/maps.js'
import { type ColumnSet, NO_COLUMNS } from '../rest/records.js'
import { fieldsOf, operationOf, ownDocument, switches } from './documents.js'
import type { Edge, FieldMark, ListEdge, TypeMark } from './edges.js'

/** What an operation wants of the objects of one type at one place: columns, and edges to follow. */
export interface Selection {
  readonly columns: ColumnSet
  readonly edges: readonly PlannedEdge[]
}

/** All columns that some selections want. */
export const columnsOf = (selections: readonly Selection[]): ColumnSet =>
  selections.reduce((columns, selection) => columns | selection.columns, NO_COLUMNS)

/** One field of an operation that follows an edge. */
export interface PlannedEdge {
  readonly edge: Edge
  readonly node: FieldNode
  readonly field: GraphQLField<unknown, unknown>
  /** What is wanted of the records it leads to, by their type name. */
  readonly children: ReadonlyMap<string, Selection>
  /** Of a list: what is wanted of its side, and of the list itself. */
  readonly side: Selection | null
  readonly rows: boolean
  readonly total: boolean
}

/** A skeleton for one operation with its directives decided. Arguments are no part of it. */
export interface Plan {
  /** The operation's own document: its field nodes are the plan's. */
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** How many selections it has. */
  readonly size: number
  readonly root: Selection
  readonly byNode: ReadonlyMap<FieldNode, readonly PlannedEdge[]>
  /** What is wanted of the success of each mutation. */
  readonly payloads: ReadonlyMap<FieldNode, Selection>
}

const MAX_VARIANTS = 32
/** Most selections of all plans that are kept: what is kept for each takes about 600 bytes. */
const MAX_SELECTIONS = 150_000

/** Plans of one document, by operation and directives. */
interface Kept {
  readonly switches: readonly string[]
  readonly plans: Map<string, Plan | undefined>
}

/** Makes plans and keeps them with their documents; those that have not been used for longest are given up for new ones. */
export class Planner {
  private readonly kept = new WeakMap<DocumentNode, Kept>()
  private readonly forget = new LRUCache<Plan, () => unknown>({ maxSize: MAX_SELECTIONS, dispose: (forget) => forget() })

  constructor(private readonly schema: GraphQLSchema) {}

  /** Nothing when there is no such operation, or it is too large to plan: it then runs without. */
  plan(document: DocumentNode, operationName: string | null | undefined, variables: Readonly<Record<string, unknown>>): Plan | undefined {
    const { switches: names, plans } = getOrMake(this.kept, document, (): Kept => ({ switches: switches(document), plans: new Map() }))
    const key = `${operationName ?? ''}\n${names.map((name) => variables[name])}`
    const known = plans.get(key)
    if (known) this.forget.get(known)
    if (known || plans.has(key)) return known
    if (plans.size >= MAX_VARIANTS) plans.clear()
    const plan = this.make(document, operationName, variables)
    plans.set(key, plan)
    if (plan) this.forget.set(plan, () => plans.get(key) === plan && plans.delete(key), { size: plan.size + 1 })
    return plan
  }

  private make(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>>,
  ): Plan | undefined {
    const meant = operationOf(document, operationName)
    const own = meant && ownDocument(document, meant, variables)
    const type = meant && this.schema.getRootType(meant.operation)
    if (!own || !type) return undefined
    const { document: copy, size } = own
    const operation = copy.definitions[0] as OperationDefinitionNode
    const byNode = new Map<FieldNode, PlannedEdge[]>()
    const selecting = new Selecting(this.schema, {}, {}, byNode)
    const root = [{ selectionSet: operation.selectionSet } as FieldNode]
    return { document: copy, operation, size, root: selecting.select(type, root), byNode, payloads: selecting.payloads(type, root) }
  }

  /** The edge of a field that is being resolved, looked at without a plan. */
  look(edge: Edge, info: GraphQLResolveInfo): PlannedEdge {
    const field = info.parentType.getFields()[info.fieldName] as GraphQLField<unknown, unknown>
    return new Selecting(this.schema, info.fragments, info.variableValues, new Map(), 1).follow(edge, field, info.fieldNodes)
  }
}

const marks = ({ extensions }: { extensions: Readonly<Record<string, unknown>> }): TypeMark & FieldMark =>
  (extensions.lms ?? {}) as TypeMark & FieldMark

/** Lists never carry edit-only columns: those of a side are read with the record it belongs to. */
const sharedWithRecord = ({ entity, side }: ListEdge, columns: ColumnSet): ColumnSet => entity.shape.set(side?.shape.list(columns) ?? [])

class Selecting {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>,
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly byNode: Map<FieldNode, PlannedEdge[]>,
    /** How many edges deep to look; below, only the columns edges start from. */
    private readonly depth = Number.POSITIVE_INFINITY,
  ) {}

  select(type: GraphQLObjectType, nodes: readonly FieldNode[], depth = this.depth): Selection {
    const { shape } = marks(type)
    let columns = NO_COLUMNS
    const edges: PlannedEdge[] = []
    for (const node of this.fields(type, nodes)) {
      const field = type.getFields()[node.name.value]
      if (!field) continue
      const { edge } = marks(field)
      if (shape) columns |= edge ? shape.set(edge.needs) : shape.bit(field.name)
      if (edge && depth > 0) edges.push(this.follow(edge, field, [node], depth))
    }
    return { columns, edges }
  }

  payloads(mutation: GraphQLObjectType, nodes: readonly FieldNode[]): Map<FieldNode, Selection> {
    const payloads = new Map<FieldNode, Selection>()
    for (const node of this.fields(mutation, nodes)) {
      const field = mutation.getFields()[node.name.value]
      const { payload } = field ? marks(field) : {}
      if (payload) payloads.set(node, this.select(this.schema.getType(payload) as GraphQLObjectType, [node]))
    }
    return payloads
  }

  follow(edge: Edge, field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[], depth = this.depth): PlannedEdge {
    const node = nodes[0] as FieldNode
    const returned = getNamedType(field.type)
    const seen =
      edge.kind === 'list'
        ? this.connection(edge, returned as GraphQLObjectType, nodes, depth - 1)
        : this.records(returned, nodes, depth - 1)
    const planned: PlannedEdge = { edge, node, field, ...seen }
    const there = this.byNode.get(node)
    if (there) there.push(planned)
    else this.byNode.set(node, [planned])
    return planned
  }

  private records(returned: ReturnType<typeof getNamedType>, nodes: readonly FieldNode[], depth: number) {
    const types = isAbstractType(returned) ? this.schema.getPossibleTypes(returned) : isObjectType(returned) ? [returned] : []
    return { children: new Map(types.map((type) => [type.name, this.select(type, nodes, depth)])), side: null, rows: true, total: false }
  }

  /** Looks through a connection: `nodes` and `edges { node }` are one selection. */
  private connection(edge: ListEdge, type: GraphQLObjectType, nodes: readonly FieldNode[], depth: number) {
    const nodeFields: FieldNode[] = []
    const sideFields: FieldNode[] = []
    let nodeType: GraphQLObjectType | undefined
    let sideType: GraphQLObjectType | undefined
    let [rows, total] = [false, false]
    const visit = (on: GraphQLObjectType, fields: readonly FieldNode[]): void => {
      for (const node of fields) {
        const field = on.getFields()[node.name.value]
        if (!field) continue
        const returned = getNamedType(field.type) as GraphQLObjectType
        const { role, entity, shape } = marks(returned)
        if (role === 'edge') visit(returned, this.fields(returned, [node]))
        if (entity) {
          nodeFields.push(node)
          nodeType = returned
        } else if (shape) {
          sideFields.push(node)
          sideType = returned
        }
        if (field.name === 'totalCount') total = true
        else if (field.name === 'pageInfo') [rows, total] = this.pageInfo(returned, node, rows, total)
        else rows = true
      }
    }
    visit(type, this.fields(type, nodes))
    const side = sideType ? this.select(sideType, sideFields, depth) : null
    const record = nodeType ? this.select(nodeType, nodeFields, depth) : { columns: NO_COLUMNS, edges: [] }
    const shared = edge.side && side ? sharedWithRecord(edge, side.columns & edge.side.shape.editOnly) : NO_COLUMNS
    return { children: new Map([[edge.entity.name, { ...record, columns: record.columns | shared }]]), side, rows, total }
  }

  private pageInfo(type: GraphQLObjectType, node: FieldNode, rows: boolean, total: boolean): [boolean, boolean] {
    for (const { name } of this.fields(type, [node])) {
      if (name.value === 'startCursor' || name.value === 'endCursor') rows = true
      else if (name.value !== '__typename') total = true
    }
    return [rows, total]
  }

  private fields(type: GraphQLObjectType, nodes: readonly FieldNode[]): FieldNode[] {
    const applies = (name: string): boolean => {
      if (name === type.name) return true
      const condition = this.schema.getType(name)
      return condition !== undefined && isAbstractType(condition) && this.schema.isSubType(condition, type)
    }
    return fieldsOf(nodes, applies, this.fragments, this.variables)
  }
}
