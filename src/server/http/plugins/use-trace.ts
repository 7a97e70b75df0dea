import type { ExecutionResult, GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { RequestLogger } from '../../log/request-logger.js'
import { Trace } from '../../log/trace.js'
import { REQUEST_ID, requestIdOf } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

/** Follows a request from its id to its end. Those that come by a socket have their trace already, and end where that does. */
export function useTrace(requestLogger: RequestLogger): Plugin<{}, RequestContext> {
  const own = new WeakSet<Trace>()
  const traceOf = (request: Request, serverContext: RequestContext): Trace => {
    if (!serverContext.trace) {
      serverContext.trace = new Trace(requestIdOf(request.headers.get(REQUEST_ID)))
      own.add(serverContext.trace)
    }
    return serverContext.trace
  }
  return {
    onRequest({ request, serverContext }) {
      traceOf(request, serverContext)
    },
    onResultProcess({ request, result, setResult, serverContext: { trace } }) {
      if (!trace || Array.isArray(result)) return
      if (!isAsyncIterable(result)) return trace.answers(result as ExecutionResult)
      // Without a socket it ends with its last part.
      const isOwn = own.delete(trace)
      const end = (): void => {
        if (isOwn && requestLogger.listens) requestLogger.ended(trace, request, request.signal.aborted ? 0 : 200)
      }
      setResult(followed(result as AsyncIterable<Part>, trace, end) as never)
    },
    onResponse({ request, response, serverContext }) {
      const trace = traceOf(request, serverContext)
      response.headers.set(REQUEST_ID, trace.requestId)
      if (own.has(trace) && requestLogger.listens) requestLogger.ended(trace, request, request.signal.aborted ? 0 : response.status)
    },
  }
}

/** A part of an answer: the first one is a result, others have results of deferred fragments. */
interface Part extends ExecutionResult {
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[]
}

async function* followed(parts: AsyncIterable<Part>, trace: Trace, end: () => void): AsyncIterableIterator<Part> {
  let isFirst = true
  try {
    for await (const part of parts) {
      if (isFirst) trace.answers(part)
      trace.continues([...(isFirst ? [] : (part.errors ?? [])), ...(part.incremental ?? []).flatMap(({ errors }) => errors ?? [])])
      isFirst = false
      yield part
    }
  } finally {
    end()
  }
}
