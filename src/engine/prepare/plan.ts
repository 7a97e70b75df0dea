import type { DocumentNode, FieldNode, GraphQLField, GraphQLResolveInfo, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import { getOrMake } from '../../upstream/maps.js'
import type { Edge } from '../edges.js'
import { operationOf, ownDocument, switches } from './document.js'
import type { Noted } from './notes.js'
import { type Deferral, type Payload, type PlannedEdge, Selecting, type Selection } from './selections.js'

/** A skeleton for one operation with its directives decided. Arguments are no part of it. */
export interface Plan extends Noted {
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

const MAX_VARIANTS = 32
/** Most selections of all plans that are kept, and what a plan counts for besides its own: each takes two to four kilobytes with its document. */
const MAX_SELECTIONS = 30_000
const PLAN = 10

/** Plans of one document, by operation and directives; nothing for what is too large. */
type Plans = Map<string, Kept | undefined>

/** A plan where it is kept: with its document, and no longer than that. */
class Kept {
  readonly ref = new WeakRef(this)

  constructor(
    readonly plan: Plan,
    private readonly plans: Plans,
    private readonly key: string,
  ) {}

  forget(): void {
    if (this.plans.get(this.key) === this) this.plans.delete(this.key)
  }
}

/**
 * Makes plans and keeps them with their documents; those that have not been used for longest are given up for new ones. Not at first: most
 * documents that come once never come again, and a `WeakRef` carries what it names through young collections.
 */
export class Planner {
  private readonly met = new WeakSet<DocumentNode>()
  private readonly kept = new WeakMap<DocumentNode, { readonly switches: readonly string[]; readonly plans: Plans }>()
  private readonly used = new LRUCache<WeakRef<Kept>, true>({ maxSize: MAX_SELECTIONS, dispose: (_, ref) => ref.deref()?.forget() })

  constructor(private readonly schema: GraphQLSchema) {}

  /** Nothing when there is no such operation, or it is too large to plan: it then runs without. */
  plan(document: DocumentNode, operationName: string | null | undefined, variables: Readonly<Record<string, unknown>>): Plan | undefined {
    if (!this.met.has(document)) {
      this.met.add(document)
      return this.make(document, operationName, variables)
    }
    const { switches: names, plans } = getOrMake(this.kept, document, () => ({ switches: switches(document), plans: new Map() as Plans }))
    const key = `${operationName ?? ''}\n${names.map((name) => variables[name])}`
    const known = plans.get(key)
    if (known) this.used.get(known.ref)
    if (known || plans.has(key)) return known?.plan
    if (plans.size >= MAX_VARIANTS) plans.clear()
    const plan = this.make(document, operationName, variables)
    const kept = plan && new Kept(plan, plans, key)
    plans.set(key, kept)
    if (kept) this.used.set(kept.ref, true, { size: kept.plan.size + PLAN })
    return plan
  }

  /** A plan in which some fragments wait; it is not kept. */
  planInParts(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>>,
    deferral: Deferral,
  ): Plan | undefined {
    return this.make(document, operationName, variables, deferral)
  }

  private make(
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
