import { GraphQLError } from 'graphql'
import { LmsError } from '../upstream/errors.js'
import { boundedError } from './http/results.js'

const requests = new WeakMap<object, string>()

/** Notes in which request an error arose, for the log. */
export function arose(error: unknown, requestId: string | undefined): void {
  if (requestId !== undefined && typeof error === 'object' && error !== null) requests.set(error, requestId)
}

const requestOf = (error: unknown): string | undefined => requests.get(error as object)

/**
 * What clients see of an error: our own and the executor's as they are; anything else is a fault of ours, and its text goes to
 * `onFault` only.
 */
export const masking =
  (onFault: (fault: unknown, requestId?: string) => void) =>
  (error: unknown): Error => {
    if (!(error instanceof GraphQLError)) {
      onFault(error, requestOf(error))
      return new GraphQLError(FAULT.message, { extensions: { ...FAULT.extensions, http: { status: 500 } } })
    }
    const { originalError, message, path } = error
    if (originalError === undefined || originalError instanceof GraphQLError)
      return boundedError(at(error, message, path === undefined ? ofRequest(error) : { code: codeOf(error), ...error.extensions }))
    if (originalError instanceof LmsError) return error
    onFault(originalError, requestOf(error))
    return at(error, FAULT.message, FAULT.extensions)
  }

const FAULT = { message: 'Something went wrong in the gateway.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }

const codeOf = ({ extensions, originalError }: GraphQLError): unknown =>
  extensions.code ?? (originalError as GraphQLError | undefined)?.extensions.code ?? 'BAD_USER_INPUT'

/** Codes of requests that were not executed at all. */
const NOT_AS_200: readonly unknown[] = ['BAD_REQUEST', 'SERVER_BUSY']

/**
 * An error without a path ends the whole request, which is answered without data and by 4xx. With `spec`, Yoga answers 200 when the
 * client wants `application/json`: GraphQL over HTTP demands so for each request that is one at all.
 */
function ofRequest(error: GraphQLError): Record<string, unknown> {
  const code = codeOf(error)
  const { http, originalError: _text, ...others } = error.extensions
  return { ...others, code, http: { status: 400, ...(http as object | undefined), spec: !NOT_AS_200.includes(code) } }
}

const at = ({ nodes, source, positions, path }: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError =>
  new GraphQLError(message, { nodes: nodes ?? null, source: source ?? null, positions: positions ?? null, path: path ?? null, extensions })
