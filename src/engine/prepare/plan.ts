import type { DocumentNode, FieldNode, GraphQLField, GraphQLResolveInfo, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { Edge } from '../edges.js'
import { operationOf, ownDocument } from './document.js'
import { type Deferral, type Payload, type PlannedEdge, Selecting, type Selection } from './selections.js'

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
  readonly payloads: ReadonlyMap<FieldNode, Payload>
}

/** Makes the plans of operations. `PreparedOperations` keeps them. */
export class Planner {
  constructor(private readonly schema: GraphQLSchema) {}

  /** Returns nothing when there is no such operation, or when it is too large to plan: it then runs without. With `deferral`, some fragments are left for later parts. */
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

  /** The edge of a field that is being resolved, looked at without a plan. */
  look(edge: Edge, info: GraphQLResolveInfo): PlannedEdge {
    const field = info.parentType.getFields()[info.fieldName] as GraphQLField<unknown, unknown>
    return new Selecting(this.schema, info.fragments, info.variableValues, new Map(), 1).follow(edge, field, info.fieldNodes)
  }
}
