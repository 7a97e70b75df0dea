import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql'
import type { GraphQLParams, YogaServerInstance } from 'graphql-yoga'
import type { GraphContext } from '../../engine/context.js'
import { executePlanned } from '../../engine/execute.js'
import type { PreparedOperations } from '../../engine/prepare/index.js'
import { isObject } from '../../upstream/errors.js'
import { type Authenticator, type Principal, Rejection } from '../auth/authenticator.js'
import { ending } from '../ending.js'
import { arose } from '../errors.js'
import { EXPLAIN_HEADER } from '../explaining.js'
import type { Guard } from '../limits/guard.js'
import type { MemoryGuard } from '../limits/memory-guard.js'
import type { Trace } from '../log/trace.js'
import { answerType, isJsonType, isPlain, readJson, STREAMS } from './media-types.js'
import type { RequestHandler } from './node-listener.js'
import type { RequestContext } from './plugins/use-authentication.js'
import { isLonger } from './plugins/use-body-limit.js'
import { bodyTooLarge, type PlainAnswer, rejected, SERVER_BUSY, send } from './responses.js'
import { boundedResult } from './results.js'

export interface ShortPathOptions {
  readonly yoga: YogaServerInstance<RequestContext, any>
  /** Answers whatever else there is. */
  readonly serve: RequestHandler
  readonly schema: GraphQLSchema
  readonly prepared: PreparedOperations
  readonly contextFor: (entry: Principal, trace: Trace) => GraphContext
  readonly authenticate: Authenticator
  readonly guard: Guard
  readonly memory: MemoryGuard
  /** What clients see of an error. */
  readonly mask: (error: unknown) => Error
}

/**
 * Answers JSON posts without the objects that Yoga's request pipeline makes for each. Authentication and the body are handled here; everything from
 * the parameters to the text of the result is Yoga's own, with every plugin. What is no plain JSON post goes to Yoga whole.
 */
export function shortPath(options: ShortPathOptions): RequestHandler {
  const { serve, guard } = options
  return (request, response, trace) => {
    const type = typeOfAnswer(options, request)
    if (type === undefined) return serve(request, response, trace)
    const more = guard.headersFor(request.headers.origin)
    const visit = { request, response, trace, type, more, headers: new NodeHeaders(request) }
    receive(options, visit).catch((error) => show(options, visit, failed(options, trace, error)))
  }
}

interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly trace: Trace
  /** Media type of the answer. */
  readonly type: string
  /** Headers of the answer besides its own. */
  readonly more: Readonly<Record<string, string>>
  readonly headers: NodeHeaders
}

/** Headers as plugins ask for them. */
class NodeHeaders {
  constructor(private readonly request: IncomingMessage) {}

  get(name: string): string | null {
    const value = this.request.headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }
}

/** Nothing for requests that are left to Yoga: those that are no JSON, and those that want none. */
function typeOfAnswer({ yoga }: ShortPathOptions, { method, url, headers }: IncomingMessage): string | undefined {
  if (method !== 'POST' || !isJsonType(headers['content-type']) || !isPlain(headers['content-encoding'])) return undefined
  if (url !== yoga.graphqlEndpoint && !url?.startsWith(`${yoga.graphqlEndpoint}?`)) return undefined
  if (headers['access-control-request-method'] !== undefined || headers['access-control-request-headers'] !== undefined) return undefined
  const wanted = answerType(headers.accept ?? null)
  return wanted !== undefined && STREAMS.includes(wanted) ? undefined : wanted
}

async function receive(options: ShortPathOptions, visit: Visit): Promise<void> {
  const { request, response, trace, headers } = visit
  const { bodyBytes } = options.guard
  const asked = options.authenticate(headers)
  const entry = asked instanceof Promise ? await asked : asked
  if (entry instanceof Rejection) return refuse(visit, rejected(entry))
  if (!options.memory.admits(trace)) return refuse(visit, SERVER_BUSY)
  const body = await readBody(request, bodyBytes, trace).catch(() => undefined)
  // The client has left.
  if (body === undefined) return
  if (body === TOO_LARGE) return refuse(visit, bodyTooLarge(bodyBytes))
  const params = paramsIn(body)
  // Whatever is wrong with it, Yoga says.
  if (!params) return void options.serve(Object.assign(request, { body }), response, trace)
  show(options, visit, await resultOf(options, visit, entry, params))
}

function refuse({ response, trace, more }: Visit, refusal: PlainAnswer): void {
  trace.refuses(refusal.code)
  send(response, refusal, more)
}

function show({ memory }: ShortPathOptions, { response, trace, type, more }: Visit, result: unknown): void {
  const rendered = memory.render(trace, result as ExecutionResult, type)
  trace.answers(rendered.result)
  send(response, rendered, more)
}

const TOO_LARGE = Symbol('too large')

/** Rejects when the client leaves before its end. */
function readBody(request: IncomingMessage, bytes: number, { memory }: Trace): Promise<Buffer | typeof TOO_LARGE> {
  if (isLonger(request.headers['content-length'] ?? '', bytes)) return Promise.resolve(TOO_LARGE)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      memory?.add(chunk.length)
      if (size <= bytes) chunks.push(chunk)
      else resolve(TOO_LARGE)
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

function paramsIn(body: Buffer): GraphQLParams | undefined {
  const params = readJson(body.toString('utf8'))
  return isObject(params) ? params : undefined
}

/** Operations known to be good run at once; all others, and those to be explained, through Yoga's checks first. */
async function resultOf(options: ShortPathOptions, visit: Visit, entry: Principal, given: GraphQLParams): Promise<unknown> {
  const { request: req, response: res, trace, headers } = visit
  trace.asks(given)
  const params = options.guard.admit(given)
  const document = headers.get(EXPLAIN_HEADER) === null ? knownDocument(options.prepared, params) : undefined
  if (document) {
    trace.finds(document)
    return runKnown(options, res, document, params, options.contextFor(entry, trace))
  }
  const controller = new AbortController()
  whenLeft(res, () => controller.abort())
  const request = { method: 'POST', url: req.url, headers, signal: controller.signal } as unknown as Request
  return options.yoga.getResultForParams({ params, request }, { req, res, request, entry, trace } as never)
}

/** The document of a request that asks for nothing but an operation that has passed all checks before. */
function knownDocument(prepared: PreparedOperations, params: GraphQLParams): DocumentNode | undefined {
  const { query, variables, operationName, ...others } = params
  if (typeof query !== 'string' || (variables != null && !isObject(variables)) || Object.keys(others).length > 0) return undefined
  return prepared.known(query, operationName)
}

async function runKnown(
  { schema, mask, guard }: ShortPathOptions,
  response: ServerResponse,
  document: DocumentNode,
  params: GraphQLParams,
  contextValue: GraphContext,
): Promise<ExecutionResult> {
  const { session } = contextValue.operation
  const { variables = null, operationName = null } = params
  whenLeft(response, () => session.deadline?.leave())
  guard.persisted.keep(params)
  const args = { schema, document, contextValue, variableValues: variables, operationName, hideSuggestions: guard.hideSuggestions }
  const result = ending(session, await executePlanned(args))
  return boundedResult(result.errors ? { ...result, errors: result.errors.map(mask) as GraphQLError[] } : result, guard.limits)
}

/** Calls back when the client leaves before it is answered. */
function whenLeft(response: ServerResponse, leave: () => void): void {
  response.on('close', () => {
    if (!response.writableFinished) leave()
  })
}

const failed = ({ mask }: ShortPathOptions, { requestId }: Trace, error: unknown) => {
  const errors = (error as Partial<AggregateError> | undefined)?.errors ?? [error]
  for (const each of errors) arose(each, requestId)
  return { errors: errors.map(mask) } as never
}
