import { setImmediate } from 'node:timers/promises'
import { MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  OperationTypeNode,
} from 'graphql'
import { checkBudget, withExplanation } from '../cost/admission.js'
import { getOrMake } from '../maps.js'
import { keyEdge, type Target } from '../model/edge.js'
import { type Entity, type LmsRecord, ROOT } from '../model/entity.js'
import { inParts, operationOf } from '../plan/document.js'
import { executeIncrementally, type ResultInParts, variableValues } from '../plan/graphql-js.js'
import { layOut } from '../plan/layout.js'
import { type DeferredPart, OF_RECORDS, type PlannedEdge, type Selection } from '../plan/plan.js'
import { Gate } from '../prefetch/gate.js'
import type { Operation } from '../prefetch/operation.js'
import { Prefetch, type Prefetched } from '../prefetch/prefetch.js'
import { loadRecord } from '../prefetch/steps.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import type { GraphContext } from './context.js'
import { executePlanned, layOutNow } from './execute.js'
import { reportFallback } from './fallback.js'
import { lineOf } from './turns.js'

/** Records whose deferred fragment is fetched together. */
interface Batch {
  readonly parents: Set<LmsRecord>
  /** The waves before it, when calls are recorded. */
  readonly wavesBefore: number | undefined
  prefetched?: Prefetched
  /** Whether records can still join it. */
  isOpen: boolean
  /** Resolves when it is filled; undefined since then. */
  filled: Promise<void> | undefined
}

/** Resolves the fields of deferred fragments. A fragment is fetched for all its records together, after the gate has opened. */
class DeferredFields {
  private readonly batches = new Map<DeferredPart, Batch[]>()

  constructor(
    private readonly operation: Operation,
    private readonly planned: Omit<Prefetched, 'prefetch'>,
    /** Opens when the first part of the response has been passed to the socket. */
    private readonly gate: Gate,
    private readonly onFault: (cause: unknown) => void,
  ) {}

  /** Resolves a field, from the records fetched for its fragment when that is deferred. */
  resolve(parent: unknown, given: GraphQLResolveInfo, resolve: (info: GraphQLResolveInfo, prefetched?: Prefetched) => unknown): unknown {
    const info = this.restFirst(given)
    const node = info.fieldNodes[0] as FieldNode
    const part = this.planned.plan.deferred.get(node)
    if (!part) return resolve(info)
    const record = (parent ?? ROOT) as LmsRecord
    if (!part.fields.has(node)) return resolve(info, this.fetchedFor(part, node, record))
    const batch = this.batchOf(part, record)
    return batch.filled ? batch.filled.then(() => resolve(info, batch.prefetched)) : resolve(info, batch.prefetched)
  }

  /**
   * Puts nodes outside of deferred fragments first. graphql-js 17 resolves a field that is selected in a deferred fragment and outside of it
   * once, for the part that is sent first: that part must not wait for the fragment.
   */
  private restFirst(info: GraphQLResolveInfo): GraphQLResolveInfo {
    const { fieldNodes } = info
    const isDeferred = (node: FieldNode): boolean => this.planned.plan.deferred.has(node)
    if (fieldNodes.length === 1 || !isDeferred(fieldNodes[0] as FieldNode) || fieldNodes.every(isDeferred)) return info
    return { ...info, fieldNodes: [...fieldNodes.filter((node) => !isDeferred(node)), ...fieldNodes.filter(isDeferred)] }
  }

  /** Returns the fetched records for a field further down in a fragment. */
  private fetchedFor(part: DeferredPart, node: FieldNode, record: LmsRecord): Prefetched | undefined {
    const planned = this.planned.plan.byNode.get(node) ?? []
    const isRead = ({ prefetched }: Batch): boolean => planned.some((each) => prefetched?.prefetch.stepOf(each)?.peek(record) !== undefined)
    return this.batches.get(part)?.find(isRead)?.prefetched
  }

  /** The batch of a record: by default the next one of its fragment. */
  private batchOf(part: DeferredPart, record: LmsRecord): Batch {
    const batches = getOrMake(this.batches, part, (): Batch[] => [])
    let batch = batches.find(({ parents }) => parents.has(record)) ?? batches.find(({ isOpen }) => isOpen)
    if (!batch) {
      batch = { parents: new Set(), wavesBefore: this.operation.recorder?.lastWave, isOpen: true, filled: undefined }
      batch.filled = this.fillNext(part, batch)
      batches.push(batch)
    }
    batch.parents.add(record)
    return batch
  }

  private async fillNext(part: DeferredPart, batch: Batch): Promise<void> {
    await this.gate.opened
    await setImmediate()
    batch.isOpen = false
    await this.fill(part, batch)
    batch.filled = undefined
  }

  /** Reads the missing columns of the records, then the records that follow from them. */
  private async fill(part: DeferredPart, batch: Batch): Promise<void> {
    const { records, recorder, entities } = this.operation
    if (batch.parents.has(ROOT)) return this.prefetch(batch, [...part.selections.values()])
    const targets = Array.from(batch.parents, (record) => records.targetOf(entities.get(record.__typename as string) as Entity, record))
    const themselves = toThemselves(targets, part)
    recorder?.followDeferred(themselves.node, part.fields)
    await this.prefetch(batch, [{ columns: NO_COLUMNS, edges: [themselves] }])
    // Records that an exception above left out are read here, as without a plan.
    const columnsOf = ({ entity }: Target) => part.selections.get(entity.name)?.columns ?? NO_COLUMNS
    await Promise.all(targets.map((target) => loadRecord(this.operation, target, columnsOf(target))))
  }

  private async prefetch(batch: Batch, selections: readonly Selection[]): Promise<void> {
    try {
      const layout = layOut(selections, this.planned.given, true)
      batch.prefetched = { ...this.planned, prefetch: new Prefetch(this.operation, layout, batch.wavesBefore) }
      await batch.prefetched.prefetch.run([ROOT])
    } catch (cause) {
      this.onFault(cause)
    }
  }
}

/** An edge to records that the operation already knows. */
function toThemselves(targets: readonly Target[], { selections }: DeferredPart): PlannedEdge {
  const entities = [...new Set(targets.map(({ entity }) => entity))]
  const edge = keyEdge('themselves', { entities: () => entities, targets: () => targets, many: true, perCaller: true })
  const nowhere = { node: { kind: 'Field', name: { kind: 'Name', value: edge.id } } as FieldNode, field: { args: [] as const } as unknown }
  return {
    edge,
    origin: undefined,
    isFixed: false,
    fixed: undefined,
    ...(nowhere as { node: FieldNode; field: GraphQLField<unknown, unknown> }),
    children: selections,
    ...OF_RECORDS,
  }
}

interface PartsContext extends GraphContext {
  readonly deferredFields: DeferredFields
}

/** How a client takes a response in parts. */
export interface PartsRequest {
  /** Resolves when the parts written so far have been passed to the socket. */
  readonly flushed: () => Promise<void>
}

/**
 * Runs a query for a client that accepts a response in parts. Deferred fragments are fetched only after the rest was sent. Mutations,
 * operations that do not run, and queries without `@defer` and `@stream` get a single response. The last part has the explanation of the
 * run, if it was requested.
 */
export async function executeInParts(args: ExecutionArgs, { flushed }: PartsRequest): Promise<ExecutionResult | AsyncIterable<unknown>> {
  const { schema, document, operationName } = args
  const context = args.contextValue as GraphContext
  const operation = operationOf(document, operationName)
  if (operation?.operation !== OperationTypeNode.QUERY || args.fieldResolver || context.explain === 'plan' || !inParts(document))
    return executePlanned(args)
  const variables = variableValues(schema, operation, args.variableValues ?? {})
  const whole = variables && context.prepared.prepare(document, operationName, variables, true, context.operation.isRestricted)
  const laid = whole && layOutNow(context, whole, variables)
  const ended = laid && checkBudget(context, laid)
  if (ended) return ended
  const onFault = (cause: unknown): void => reportFallback(context, 'fetch', operation.name?.value, cause)
  try {
    if (laid) await context.operation.learnViewerFor(laid.plan, laid.given)
  } catch (cause) {
    onFault(cause)
    return executePlanned(args)
  }
  const plan = variables && context.prepared.planner.make(document, operationName, variables, true, context.operation.isRestricted)
  if (!plan) return executePlanned(args)
  context.operation.recorder?.follow(plan)
  const given = context.operation.argumentsUnder(variables)
  const prefetch = new Prefetch(context.operation, layOut([plan.root], given, true))
  context.onStage?.('fetch')
  await prefetch.run([ROOT]).catch(onFault)
  const turn = context.turns?.next(lineOf(context.operation.call.caller))
  if (turn) await turn
  context.onStage?.('respond')
  const gate = new Gate()
  const contextValue: PartsContext = {
    ...context,
    prefetched: { plan, given, prefetch },
    deferredFields: new DeferredFields(context.operation, { plan, given }, gate, onFault),
  }
  const result = await executeIncrementally({ ...args, schema: deferringSchema(schema), document: plan.document, contextValue })
  const explained = <Part extends object>(part: Part): Part => withExplanation(context, part)
  return 'initialResult' in result ? payloads(result, () => flushed().then(() => gate.open()), explained) : explained(result)
}

/** Yields the first part, then the others. A consumer that requests the second part has taken the first. The last part is `explained`. */
async function* payloads(
  { initialResult, subsequentResults }: ResultInParts,
  open: () => Promise<void>,
  explained: <Part extends object>(part: Part) => Part,
): AsyncIterableIterator<unknown> {
  try {
    yield initialResult
    open()
    for await (const part of subsequentResults) yield part.hasNext ? part : explained(part)
  } finally {
    await subsequentResults.return()
  }
}

const kept = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** Returns the schema with resolvers that wait for deferred fragments. Only responses in parts use it. */
const deferringSchema = (schema: GraphQLSchema): GraphQLSchema =>
  getOrMake(kept, schema, () =>
    mapSchema(schema, {
      [MapperKind.OBJECT_FIELD]: (field) => ({ ...field, resolve: deferringResolver(field.resolve ?? defaultFieldResolver) }),
    }),
  )

const deferringResolver =
  (resolve: GraphQLFieldResolver<any, any>): GraphQLFieldResolver<any, PartsContext> =>
  (parent, args, context, info) =>
    context.deferredFields.resolve(parent, info, (info, prefetched) =>
      resolve(parent, args, prefetched ? { ...context, prefetched } : context, info),
    )
