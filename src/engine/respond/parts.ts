import { execute } from '@graphql-tools/executor'
import { GraphQLDeferDirective, MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getDirectiveValues,
  type InlineFragmentNode,
  OperationTypeNode,
} from 'graphql'
import { NO_COLUMNS } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import type { GraphContext } from '../context.js'
import { admit } from '../cost/index.js'
import { inParts, operationOf } from '../document.js'
import { type Entity, entityOf, type KeyEdge, type LmsRecord, ROOT, type Target } from '../edges.js'
import { coerced, executeAhead } from '../execute.js'
import { reportFallback } from '../fallback.js'
import { Fetcher, type Operation } from '../fetch/index.js'
import type { Deferral, DeferredPart, PlannedEdge } from '../plan.js'

type Ahead = NonNullable<GraphContext['ahead']>

/** Opens when the first part of an answer has been handed to the socket. */
class Gate {
  readonly opened: Promise<void>
  private resolve: () => void = () => {}

  constructor() {
    this.opened = new Promise((resolve) => {
      this.resolve = resolve
    })
  }

  open(): void {
    this.resolve()
  }
}

/** The records whose deferred fragment is fetched together. */
interface Batch {
  readonly parents: Set<LmsRecord>
  readonly ahead: Ahead
  readonly filled: Promise<void>
  done: boolean
}

/** Fields of deferred fragments, which wait until what their fragment wants has been fetched: for all its records together, after the gate. */
class DeferredFields {
  private readonly batches = new Map<DeferredPart, Batch[]>()
  private readonly open = new Map<DeferredPart, Batch>()

  constructor(
    private readonly operation: Operation,
    private readonly planned: Omit<Ahead, 'fill'>,
    private readonly deferral: Deferral,
    private readonly gate: Gate,
    private readonly onFault: (cause: unknown) => void,
  ) {}

  /** Resolves a field, with what was fetched for its fragment where that is deferred. */
  through(parent: unknown, { fieldNodes }: GraphQLResolveInfo, resolve: (ahead?: Ahead) => unknown): unknown {
    const node = fieldNodes[0] as FieldNode
    const part = this.deferral.partOf.get(node)
    if (!part) return resolve()
    const record = (parent ?? ROOT) as LmsRecord
    if (!part.fields.has(node)) return resolve(this.aheadOf(part, node, record))
    const batch = this.batches.get(part)?.find(({ parents }) => parents.has(record)) ?? this.wait(part, record)
    return batch.done ? resolve(batch.ahead) : batch.filled.then(() => resolve(batch.ahead))
  }

  /** Of a field further down: the fill that has come by its record. */
  private aheadOf(part: DeferredPart, node: FieldNode, record: LmsRecord): Ahead | undefined {
    const planned = this.planned.plan.byNode.get(node) ?? []
    return this.batches.get(part)?.find(({ ahead }) => planned.some((each) => hasFollowed(ahead.fill, each, record)))?.ahead
  }

  /** Takes a record into the next batch of its part. */
  private wait(part: DeferredPart, record: LmsRecord): Batch {
    let batch = this.open.get(part)
    if (!batch) {
      batch = this.begin(part)
      this.open.set(part, batch)
      this.batches.set(part, [...(this.batches.get(part) ?? []), batch])
    }
    batch.parents.add(record)
    return batch
  }

  private begin(part: DeferredPart): Batch {
    const parents = new Set<LmsRecord>()
    const ahead: Ahead = { ...this.planned, fill: new Fetcher(this.operation, this.planned.variables) }
    const filled = this.gate.opened
      .then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      .then(() => {
        this.open.delete(part)
        return this.fill(part, parents, ahead.fill)
      })
    const batch: Batch = { parents, ahead, filled, done: false }
    filled.then(() => {
      batch.done = true
    })
    return batch
  }

  /** The records themselves first, as far as they lack wanted columns; then what follows from them. */
  private async fill(part: DeferredPart, parents: ReadonlySet<LmsRecord>, fill: Fetcher): Promise<void> {
    if (parents.has(ROOT)) return fill.run([...part.selections.values()], [ROOT]).catch(this.onFault)
    const targets = [...parents].map((record) => this.operation.targetOf(entityOf(record.__typename as string) as Entity, record))
    await fill.run([{ columns: NO_COLUMNS, edges: [toThemselves(targets, part)] }], [ROOT]).catch(this.onFault)
    // What broke above is read late, as without a plan.
    await Promise.all(targets.map((target) => this.settle(target, part)))
  }

  private async settle(target: Target, { selections }: DeferredPart): Promise<void> {
    const columns = selections.get(target.entity.name)?.columns ?? NO_COLUMNS
    if (!this.operation.entry(target).settles(columns)) await this.operation.loadLate(target, columns)
  }
}

function hasFollowed(fill: Fetcher, planned: PlannedEdge, record: LmsRecord): boolean {
  const step = fill.stepOf(planned)
  if (!step) return false
  return ('group' in step ? step.group.listOf(record) : step.foundFrom(record)) !== undefined
}

/** An edge to records that are there already. */
function toThemselves(targets: readonly Target[], { selections }: DeferredPart): PlannedEdge {
  const edge: KeyEdge = {
    kind: 'key',
    id: 'themselves',
    needs: [],
    prepare: () => null,
    entities: () => [...new Set(targets.map(({ entity }) => entity))],
    targets: () => targets,
    many: true,
    oneScope: false,
    perCaller: true,
  }
  const nowhere = { node: { kind: 'Field', name: { kind: 'Name', value: edge.id } } as FieldNode, field: { args: [] as const } as unknown }
  return {
    edge,
    origin: undefined,
    isFixed: false,
    fixed: undefined,
    sizeNames: undefined,
    ...(nowhere as { node: FieldNode; field: GraphQLField<unknown, unknown> }),
    children: selections,
    side: null,
    rows: true,
    total: false,
    next: false,
  }
}

interface PartsContext extends GraphContext {
  readonly waiting: DeferredFields
}

/**
 * Runs a query for a client that takes its answer in parts: what its deferred fragments want is fetched only when the rest has been answered.
 * Mutations, queries that defer nothing, and those that are to be explained, are answered whole. `flushed` resolves when what has been answered is with the socket.
 */
export async function executeInParts(args: ExecutionArgs, flushed: () => Promise<void>): Promise<ExecutionResult | AsyncIterable<unknown>> {
  const { schema, document, operationName } = args
  const context = args.contextValue as GraphContext
  const operation = operationOf(document, operationName)
  if (operation?.operation !== OperationTypeNode.QUERY || args.fieldResolver || context.explain || !inParts(document))
    return executeAhead(args)
  const variables = coerced(schema, operation, args.variableValues)
  const waits = (fragment: InlineFragmentNode): boolean => {
    const defer = getDirectiveValues(GraphQLDeferDirective, fragment, variables)
    return defer !== undefined && defer.if !== false
  }
  const whole = variables && context.prepared.prepare(document, operationName, variables)
  const ended = whole && admit(context, whole, variables)
  if (ended) return ended
  const deferral = { waits, parts: new Map(), partOf: new Map() }
  const plan = variables && context.prepared.planner.make(document, operationName, variables, deferral)
  if (!plan) return executeAhead(args)
  const fill = new Fetcher(context.operation, variables)
  const ahead = { plan, variables, fill }
  const onFault = (cause: unknown): void => reportFallback(context, 'fetch', operation.name?.value, cause)
  await fill.run([plan.root], [ROOT]).catch(onFault)
  const gate = new Gate()
  const contextValue: PartsContext = {
    ...context,
    ahead,
    waiting: new DeferredFields(context.operation, { plan, variables }, deferral, gate, onFault),
  }
  const result = await execute({ ...args, schema: waitingSchema(schema), document: plan.document, contextValue })
  return 'initialResult' in result ? payloads(result, () => flushed().then(() => gate.open())) : result
}

type Incremental = Extract<Awaited<ReturnType<typeof execute>>, { initialResult: unknown }>

/** The first part, and the others. Who asks for the second has taken the first. */
async function* payloads({ initialResult, subsequentResults }: Incremental, open: () => Promise<void>): AsyncIterableIterator<unknown> {
  try {
    yield initialResult
    open()
    yield* subsequentResults
  } finally {
    await subsequentResults.return()
  }
}

const kept = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** The schema with fields that wait where their fragment does. Only operations in parts pay for that. */
const waitingSchema = (schema: GraphQLSchema): GraphQLSchema =>
  getOrMake(kept, schema, () =>
    mapSchema(schema, {
      [MapperKind.OBJECT_FIELD]: (field) => ({ ...field, resolve: waitingResolver(field.resolve ?? defaultFieldResolver) }),
    }),
  )

const waitingResolver =
  (resolve: GraphQLFieldResolver<any, any>): GraphQLFieldResolver<any, PartsContext> =>
  (parent, args, context, info) =>
    context.waiting.through(parent, info, (ahead) => resolve(parent, args, ahead ? { ...context, ahead } : context, info))
