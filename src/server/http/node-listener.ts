import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RequestLogger } from '../log/request-logger.js'
import type { Trace } from '../log/trace.js'
import { codeOfBroken } from './broken-requests.js'
import type { Clients } from './clients.js'
import { addressOf, endpointOf, identify } from './protocol.js'
import { refusedHead } from './request-head.js'
import { send } from './responses.js'
import type { Steps } from './steps.js'

/** Answers a request, and records its outcome in the trace. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, trace: Trace) => void

/**
 * Gives each request its id, refuses wrong heads, passes the others to `serve`, and logs each request at its end. `path` is the configured path of
 * GraphQL.
 */
export const nodeListener =
  (
    serve: RequestHandler,
    steps: Steps,
    requestLogger: RequestLogger,
    clients: Clients,
    clientOf: (request: IncomingMessage) => string,
    path: string | undefined,
  ): RequestListener =>
  (request, response) => {
    const { traceparent, tracestate } = request.headers
    const trace = steps.begin({
      id: identify(request),
      traceparent: traceparent as string | undefined,
      tracestate,
      address: clientOf(request),
      endpoint: endpointOf(request, path),
    })
    const start = (): void => {
      const refusal = refusedHead(request)
      if (refusal) {
        trace.refused(refusal.code)
        send(response, refusal)
      } else serve(request, response, trace)
    }
    const ended = (): void => {
      trace.close(!response.writableFinished)
      if (requestLogger.follows(trace))
        requestLogger.ended(trace, { method: request.method, url: addressOf(request) }, statusOf(response, trace))
    }
    clients.follow(request, response, { start, ended, memory: trace.memory })
  }

/** The status of an answer; 0 when the client left before. */
function statusOf(response: ServerResponse, trace: Trace): number {
  if (response.writableFinished) return response.statusCode
  const code = response.headersSent ? undefined : codeOfBroken(response.statusCode)
  if (code === undefined) return 0
  trace.refused(code)
  return response.statusCode
}
