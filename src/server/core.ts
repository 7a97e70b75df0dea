import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import type { EndedMutation, GraphContext } from '../execute/context.js'
import { executePlanned, isWritten } from '../execute/execute.js'
import type { FallbackEvents } from '../execute/fallback.js'
import { executeInParts, type PartsRequest } from '../execute/parts.js'
import type { Keeping } from '../federation/max-ages.js'
import { TAGGING } from '../graph/schema.js'
import { isObject } from '../maps.js'
import type { PreparedOperations } from '../plan/prepared-operations.js'
import { Operation, type Upstream } from '../prefetch/operation.js'
import { Dependencies } from '../upstream/cache/dependencies.js'
import type { CallScope, Trace } from '../upstream/call-scope.js'
import { ServerBusyError } from '../upstream/errors.js'
import type { Emitter, FaultEvents } from '../upstream/events.js'
import type { Principal } from './auth/authenticator.js'
import { closeCallScope, openCallScope, refusedResult, type ScopeOptions } from './call-scope.js'
import { arose, boundedResult, eachOf, type Mask, type PartOfResult, requestError } from './errors.js'
import type { HttpCaching } from './http-caching.js'
import type { Guard } from './limits/guard.js'
import { parseWithin } from './limits/measures.js'
import type { MemoryGuard } from './limits/memory-guard.js'
import type { Shares } from './limits/shares.js'
import { Repairs } from './repairs.js'
import type { RequestState } from './request-state.js'
import type { OperationTracer } from './tracing/tracer.js'

/** What an operation is answered with: a result, or its parts for clients that take `@defer` and `@stream`. */
export type Answer = ExecutionResult | AsyncIterable<PartOfResult>

/** A GraphQL request, whatever protocol it came by. Its parameters are a separate argument. */
export interface OperationRequest {
  readonly principal: Principal
  readonly state: RequestState
  /** What the request asks to have explained, where that is not in its `extensions`. */
  readonly explain: string | null
  /** Its `Cache-Control`. Callers who may have operations explained can read past the cache with `no-cache`. */
  readonly cacheControl: string | null
  /** Whether the request may only run queries, because its method is `GET`. */
  readonly queriesOnly?: boolean
  /** For clients that take parts. */
  readonly parts?: PartsRequest | undefined
  /** Calls back when the client leaves before it is answered. */
  onLeave(leave: () => void): void
}

/** Callers who may have operations explained: of a role, with an API key, with any key or token, or everybody. */
export type Audience = 'administrator' | 'editor' | 'keys' | 'callers' | 'everybody'

export interface CoreEvents extends FallbackEvents, FaultEvents {
  /** A root field of a mutation has ended. An exception of a listener is a fault. */
  readonly mutation: [state: RequestState, ended: EndedMutation]
  /** There is a result, with what wrote its data. */
  readonly resultWritten: [writer: 'fast' | 'graphql-js']
}

export interface CoreOptions extends Pick<GraphContext, 'prepared' | 'writers'> {
  readonly schema: GraphQLSchema
  readonly upstream: Upstream
  readonly guard: Guard
  readonly memory: MemoryGuard
  readonly shares: Shares
  readonly prepared: PreparedOperations
  readonly scope: ScopeOptions
  readonly explainFor: readonly Audience[]
  /** Undefined when answers get no headers for caches. */
  readonly httpCaching: HttpCaching | undefined
  /** Callers whose explanations include data about other callers. */
  readonly explainOthersFor: readonly Audience[]
  /** What clients see of an error. */
  readonly mask: Mask
  readonly tracer: OperationTracer
  readonly events: Emitter<CoreEvents>
}

/** A document that may run, and what is to be explained of it. */
interface Checked {
  readonly document: DocumentNode
  readonly explain: GraphContext['explain']
}

/** An operation that is ready to be executed. */
interface Started {
  readonly call: CallScope
  readonly keeping: Keeping | undefined
  readonly dependencies: Dependencies | undefined
  readonly repairs: Repairs | undefined
  readonly args: ExecutionArgs & { fieldResolver?: Repairs['resolve'] }
}

/** Answers GraphQL requests: limits, persisted documents, parsing, validation, execution and errors. It does not depend on a protocol. */
export class Core {
  constructor(private readonly options: CoreOptions) {}

  /** Answers a request. Does not reject: errors are in the answer. */
  answer(request: OperationRequest, params: GraphQLParams): Promise<Answer> {
    let admitted: GraphQLParams
    try {
      admitted = this.checkParameters(request.state, params)
    } catch (error) {
      return Promise.resolve(this.failed(request.state, error))
    }
    return this.run(request, admitted)
  }

  /** Checks the sizes of the parameters, and replaces the hash or name of a document by its text. Throws `GraphQLError`. */
  checkParameters(state: RequestState, params: GraphQLParams): GraphQLParams {
    state.span = this.options.tracer.start(state.context, state.startedAt, state.peer.isTrusted)
    state.received(params)
    return this.options.guard.checkParameters(params)
  }

  /** Runs a request whose parameters were admitted. Does not reject. The one async function of an operation here: each further one costs. */
  async run(request: OperationRequest, params: GraphQLParams): Promise<Answer> {
    try {
      const checked = this.check(request, params)
      if (!('document' in checked)) return checked
      const { call, keeping, dependencies, repairs, args } = this.start(request, params, checked)
      const result = request.parts ? await executeInParts(args, request.parts) : await executePlanned(args)
      const { httpCaching, events } = this.options
      request.state.span?.enters('respond')
      events.emit('resultWritten', isWritten(result as ExecutionResult) ? 'fast' : 'graphql-js')
      if (Symbol.asyncIterator in result) return this.parts(call, result as AsyncIterable<PartOfResult>)
      const finished = this.finish(call, repairs ? repairs.addTo(result) : result)
      return httpCaching && keeping ? httpCaching.mark(finished, keeping, dependencies, request.queriesOnly === true) : finished
    } catch (error) {
      return this.failed(request.state, error)
    }
  }

  /** The answer to a request that an exception ended. */
  failed({ requestId }: RequestState, error: unknown): ExecutionResult {
    if (error instanceof ServerBusyError) return refusedResult(error)
    arose(error, requestId)
    return { errors: [this.options.mask(error)] }
  }

  /** The document of a request that may run, else the result with the errors of its validation. Throws `GraphQLError` for all other errors. */
  private check(request: OperationRequest, params: GraphQLParams): Checked | ExecutionResult {
    const { schema, guard, prepared, explainFor } = this.options
    const { state } = request
    const known = request.explain === null && !request.queriesOnly ? knownDocument(prepared, params) : undefined
    if (known) {
      state.parsed(known)
      return { document: known, explain: undefined }
    }
    const document = this.read(request, params)
    state.parsed(document)
    const errors = prepared.isValid(document) ? [] : guard.validate(document)
    if (errors.length > 0) return boundedResult({ errors }, guard.limits)
    const explain = explainAsked(params.extensions?.explain ?? request.explain, request.principal, explainFor)
    checkRoot(schema, getOperationAST(document, params.operationName))
    if (explain !== 'plan') prepared.passed(document, params.operationName)
    return { document, explain }
  }

  /** The document of a request. Throws `GraphQLError` for wrong parameters, syntax errors, and operations that may not run. */
  private read(request: OperationRequest, params: GraphQLParams): DocumentNode {
    const query = queryIn(params)
    const document = this.options.prepared.document(query) ?? this.parse(request.state, query)
    const operation = getOperationAST(document, params.operationName)
    if (!operation) throw noOperation()
    if (request.queriesOnly && operation.operation === OperationTypeNode.MUTATION) throw queriesOnly()
    return document
  }

  /** Parses a document. Throws when it is not correct, or memory or the share of the client is used up. */
  private parse(state: RequestState, query: string): DocumentNode {
    const { guard, memory, shares, prepared } = this.options
    const isNew = prepared.isNew(query)
    if (isNew) shares.takeText(state, query)
    memory.takeDocument(state, query)
    const document = parseWithin(guard.limits, query)
    if (isNew) shares.takeSelections(state, document)
    return document
  }

  /** Opens the call scope of an operation, and gathers what it is executed with. */
  private start(request: OperationRequest, params: GraphQLParams, { document, explain }: Checked): Started {
    const { schema, upstream, guard, memory, prepared, writers, scope, explainOthersFor, events, httpCaching } = this.options
    const { variables = null, operationName = null } = params
    const keeping = httpCaching?.keepingOf(params.query, document, operationName, request.principal, request.queriesOnly === true)
    const dependencies = keeping && keeping.seconds > 0 && !keeping.isPrivate ? new Dependencies(TAGGING) : undefined
    const call = openCallScope(request.principal, request.state, scope, this.readsAnew(request), dependencies)
    const explainOthers = explain === 'run' && isAmong(request.principal, explainOthersFor)
    const contextValue: GraphContext = {
      operation: new Operation(upstream, call),
      prepared,
      writers,
      events,
      maxAnswerSize: guard.limits.maxAnswerSize,
      turns: memory.turns,
      onStage: call.trace.span && ((stage) => request.state.span?.enters(stage)),
      onMutation: (ended) => this.mutated(request.state, ended),
      explain,
      explainOthers,
    }
    request.state.viewers = upstream.viewers
    request.onLeave(() => call.budget.deadline?.cancel())
    guard.persisted.keep(params)
    const args: Started['args'] = {
      schema,
      document,
      contextValue,
      variableValues: variables,
      operationName,
      hideSuggestions: guard.hideSuggestions,
    }
    const repairs = params.extensions?.repairs === true ? new Repairs() : undefined
    if (repairs) args.fieldResolver = repairs.resolve
    return { call, keeping, dependencies, repairs, args }
  }

  private mutated(state: RequestState, ended: EndedMutation): void {
    const { events } = this.options
    try {
      events.emit('mutation', state, ended)
    } catch (fault) {
      events.emit('fault', fault, state.requestId)
    }
  }

  private readsAnew({ cacheControl, principal }: OperationRequest): boolean {
    return cacheControl !== null && NO_CACHE.test(cacheControl) && isAmong(principal, this.options.explainFor)
  }

  private finish(call: CallScope, result: ExecutionResult): ExecutionResult {
    const ended = closeCallScope(call, this.options.memory.counted(call.budget.memory, result))
    return boundedResult(ended.errors ? this.masked(ended) : ended, this.options.guard.limits)
  }

  private async *parts(call: CallScope, parts: AsyncIterable<PartOfResult>): AsyncIterableIterator<PartOfResult> {
    const { guard, memory } = this.options
    const bounded = (part: PartOfResult): PartOfResult =>
      boundedResult(
        eachOf(part, (each) => boundedResult(each, guard.limits)),
        guard.limits,
      )
    try {
      for await (const part of memory.parts(call, this.maskedParts(call.trace, parts))) yield bounded(part)
    } finally {
      call.budget.deadline?.close()
    }
  }

  private async *maskedParts({ requestId }: Trace, parts: AsyncIterable<PartOfResult>): AsyncIterableIterator<PartOfResult> {
    const masked = <Part extends ExecutionResult>(part: Part): Part => {
      for (const error of part.errors ?? []) arose(error, requestId)
      return part.errors ? this.masked(part) : part
    }
    try {
      for await (const part of parts) yield masked(eachOf(part, masked))
    } catch (error) {
      arose(error, requestId)
      yield { errors: [this.options.mask(error)] }
    }
  }

  private masked<Result extends ExecutionResult>(result: Result): Result {
    return { ...result, errors: result.errors?.map(this.options.mask) }
  }
}

/** The document of a request that asks for nothing but an operation that has passed all checks before. */
function knownDocument(prepared: PreparedOperations, params: GraphQLParams): DocumentNode | undefined {
  const { query, variables, operationName } = params
  if (typeof query !== 'string' || (variables != null && !isObject(variables))) return undefined
  for (const name in params) if (name !== 'query' && name !== 'variables' && name !== 'operationName') return undefined
  return prepared.known(query, operationName)
}

/** Throws `GraphQLError` for operations of a kind that the schema does not have, such as subscriptions. */
function checkRoot(schema: GraphQLSchema, operation: OperationDefinitionNode | null | undefined): void {
  if (operation && !schema.getRootType(operation.operation))
    throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, { nodes: operation })
}

const PARAMETERS = new Set(['query', 'variables', 'operationName', 'extensions'])

/** The text of the document. Throws `GraphQLError` when a parameter is missing, unknown or of the wrong type. */
function queryIn(params: GraphQLParams): string {
  const { query, operationName, variables, extensions } = params as { readonly [name: string]: unknown }
  if (operationName != null && typeof operationName !== 'string') throw requestError(400, '`operationName` must be a string.')
  const unexpected = Object.entries(params).find(([name, value]) => value != null && !PARAMETERS.has(name))
  if (unexpected) throw requestError(400, `Unexpected parameter "${unexpected[0]}" in the request body.`)
  if (query == null) throw requestError(400, 'Must provide query string.', ALLOW)
  if (typeof query !== 'string') throw requestError(400, `Expected "query" param to be a string, but given ${typeOf(query)}.`, ALLOW)
  for (const [name, value] of Object.entries({ variables, extensions }))
    if (value != null && !isObject(value))
      throw requestError(400, `Expected "${name}" param to be empty or an object, but given ${typeOf(value)}.`, ALLOW)
  return query
}

const NO_CACHE = /(?:^|[\s,])no-cache(?:$|[\s,])/i

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

/** For fronts that answer by HTTP: what the endpoint allows. */
const ALLOW = { Allow: 'GET, POST' }

const noOperation = (): GraphQLError =>
  new GraphQLError('Could not determine what operation to execute.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } },
  })

const queriesOnly = (): GraphQLError => requestError(405, 'Can only perform a mutation operation from a POST request.', { Allow: 'POST' })

const isAmong = ({ as, role }: Principal, audiences: readonly Audience[]): boolean =>
  audiences.some((each) => each === 'everybody' || each === role || (as !== undefined && (each === 'callers' || each === `${as}s`)))

/** Whether a request asks to have its operation explained, instead of run or in addition. Throws `GraphQLError` when it may not. */
function explainAsked(asked: unknown, principal: Principal, audiences: readonly Audience[]): GraphContext['explain'] {
  if (asked === null || asked === undefined) return undefined
  if (asked !== 'plan' && asked !== 'run') throw requestError(400, '`explain` must be `plan` or `run`.')
  if (!isAmong(principal, audiences))
    throw new GraphQLError('You may not have operations explained.', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } })
  return asked
}
