import { type ExecutionResult, GraphQLError } from 'graphql'
import { LmsError } from '../upstream/errors.js'
import type { Emitter, FaultEvents } from '../upstream/events.js'
import type { Limits } from './limits/limits.js'

const requests = new WeakMap<object, string>()

/** Records in which request an error arose, for the log. */
export function arose(error: unknown, requestId: string | undefined): void {
  if (requestId !== undefined && typeof error === 'object' && error !== null) requests.set(error, requestId)
}

const requestOf = (error: unknown): string | undefined => requests.get(error as object)

/** An error for requests that cannot be read or may not be made. */
export const requestError = (status: number, message: string, headers?: Readonly<Record<string, string>>): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, ...(headers && { headers }) } } })

/** What clients see of an error. */
export type Mask = (error: unknown) => GraphQLError

/**
 * Masks errors: those of the gateway and of graphql-js stay as they are; any other exception is a fault, whose text goes to listeners of `fault` only.
 */
export const masking =
  (events: Emitter<FaultEvents>): Mask =>
  (error) => {
    if (!(error instanceof GraphQLError)) {
      events.emit('fault', error, requestOf(error))
      return new GraphQLError(FAULT.message, { extensions: { ...FAULT.extensions, http: { status: 500 } } })
    }
    const { originalError, message, path } = error
    if (originalError === undefined || originalError instanceof GraphQLError)
      return boundedError(at(error, message, path === undefined ? ofRequest(error) : { code: codeOf(error), ...error.extensions }))
    if (originalError instanceof LmsError) return error
    events.emit('fault', originalError, requestOf(error))
    return at(error, FAULT.message, FAULT.extensions)
  }

const FAULT = { message: 'Something went wrong in the gateway.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }

const codeOf = ({ extensions, originalError }: GraphQLError): unknown =>
  extensions.code ?? (originalError as GraphQLError | undefined)?.extensions.code ?? 'BAD_USER_INPUT'

/** Codes of requests that were not executed at all. */
const NOT_EXECUTED: readonly unknown[] = ['BAD_REQUEST', 'SERVER_BUSY', 'RATE_LIMITED']

/**
 * The extensions of an error without a path, which ends the whole request: it is answered without data and with 4xx. `spec` marks errors
 * that are answered with 200 to clients of `application/json`, as GraphQL over HTTP requires for well-formed requests.
 */
function ofRequest(error: GraphQLError): Record<string, unknown> {
  const code = codeOf(error)
  const { http, originalError: _text, ...others } = error.extensions
  return { ...others, code, http: { status: 400, ...(http as object | undefined), spec: !NOT_EXECUTED.includes(code) } }
}

const at = ({ nodes, source, positions, path }: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError =>
  new GraphQLError(message, { nodes: nodes ?? null, source: source ?? null, positions: positions ?? null, path: path ?? null, extensions })

const MAX_MESSAGE = 500
const MAX_LOCATIONS = 20

/** An error of bounded size: some messages quote the request. */
function boundedError(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error
  if (message.length <= MAX_MESSAGE && (nodes?.length ?? 0) <= MAX_LOCATIONS) return error
  const shown = message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`
  const locations = nodes ? { nodes: nodes.slice(0, MAX_LOCATIONS) } : { source: source ?? null, positions: positions ?? null }
  return new GraphQLError(shown, { ...locations, path: path ?? null, extensions })
}

/** A result with its errors within the limits. */
export function boundedResult(result: ExecutionResult, { maxErrors }: Limits): ExecutionResult {
  const { errors } = result
  if (!errors) return result
  const more = errors.length - maxErrors
  const bounded = { ...result, errors: errors.slice(0, maxErrors).map(boundedError) }
  return more > 0 ? { ...bounded, extensions: { ...result.extensions, errorsLeftOut: more } } : bounded
}

/** A part of an answer: the first one is a result, others have results of deferred fragments. */
export interface PartOfResult extends ExecutionResult {
  readonly incremental?: readonly ExecutionResult[]
  readonly hasNext?: boolean
}

/** A part with its results changed. */
export function eachOf(part: PartOfResult, change: (result: ExecutionResult) => ExecutionResult): PartOfResult {
  return part.incremental ? { ...part, incremental: part.incremental.map(change) } : part
}
