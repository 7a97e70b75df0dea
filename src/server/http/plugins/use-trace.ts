import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { PartOfResult } from '../../errors.js'
import type { RequestLogger } from '../../log/request-logger.js'
import type { Trace } from '../../log/trace.js'
import { REQUEST_ID, requestIdOf } from '../protocol.js'
import type { Steps } from '../steps.js'
import type { RequestContext } from './use-authentication.js'

/**
 * Traces a request from its id to its end. Requests from a socket have a trace, which the listener of the socket ends. `endpoint` is the configured
 * path of GraphQL.
 */
export function useTrace(steps: Steps, requestLogger: RequestLogger, endpoint?: string): Plugin<{}, RequestContext> {
  const own = new WeakSet<Trace>()
  const traceOf = (request: Request, serverContext: RequestContext): Trace => {
    if (!serverContext.trace) {
      const { headers } = request
      const [traceparent, tracestate] = [headers.get('traceparent'), headers.get('tracestate')]
      serverContext.trace = steps.begin({ id: requestIdOf(headers.get(REQUEST_ID)), traceparent, tracestate, endpoint })
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
      if (!isAsyncIterable(result)) return trace.answered(result as ExecutionResult)
      // Without a socket, the trace ends with the last part.
      const isOwn = own.delete(trace)
      const end = (): void => {
        if (isOwn && requestLogger.follows(trace)) requestLogger.ended(trace, request, request.signal.aborted ? 0 : 200)
      }
      // The cast: the type of Yoga has no parts of `@defer`.
      setResult(followed(result as AsyncIterable<PartOfResult>, trace, end) as never)
    },
    onResponse({ request, response, serverContext }) {
      const trace = traceOf(request, serverContext)
      response.headers.set(REQUEST_ID, trace.requestId)
      if (own.has(trace) && requestLogger.follows(trace)) requestLogger.ended(trace, request, request.signal.aborted ? 0 : response.status)
    },
  }
}

async function* followed(parts: AsyncIterable<PartOfResult>, trace: Trace, end: () => void): AsyncIterableIterator<PartOfResult> {
  let isFirst = true
  try {
    for await (const part of parts) {
      if (isFirst) trace.answered(part)
      trace.partSent([...(isFirst ? [] : (part.errors ?? [])), ...(part.incremental ?? []).flatMap(({ errors }) => errors ?? [])])
      isFirst = false
      yield part
    }
  } finally {
    end()
  }
}
