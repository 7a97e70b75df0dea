import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { sendNodeResponse } from '@whatwg-node/server'
import type { YogaServerInstance } from 'graphql-yoga'
import type { RequestLogger } from '../log/request-logger.js'
import { Trace } from '../log/trace.js'
import { codeOfBroken } from './broken-requests.js'
import type { Clients } from './clients.js'
import type { RequestContext } from './plugins/use-authentication.js'
import { refusedHead } from './request-head.js'
import { identify, REQUEST_ID } from './request-id.js'
import { FAULTY, send } from './responses.js'

/** Answers a request, and notes what becomes of it. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, trace: Trace) => void

/** Serves requests by Yoga, whose own listener shows the stack of what goes wrong before GraphQL is reached. */
export const yogaListener =
  (yoga: YogaServerInstance<RequestContext, any>, { onFault }: RequestLogger): RequestHandler =>
  async (request, response, trace) => {
    try {
      response.setHeader(REQUEST_ID, trace.requestId)
      const context = { req: request, res: response, trace } as never
      await sendNodeResponse(await yoga.handleNodeRequestAndResponse(request, response, context), response, request, true)
    } catch (fault) {
      onFault(fault, trace.requestId)
      trace.refuses(FAULTY.code)
      if (response.headersSent) response.destroy()
      else send(response, FAULTY)
    }
  }

/** Gives requests their ids, refuses those whose head is wrong before anything is made of them, and sees to it that each is told of. */
export const frontListener =
  (
    serve: RequestHandler,
    requestLogger: RequestLogger,
    clients: Clients,
    addressOf: (request: IncomingMessage) => string,
  ): RequestListener =>
  (request, response) => {
    const trace = new Trace(identify(request), addressOf(request))
    clients.onceOver(request, response, () => {
      trace.memory?.release()
      if (requestLogger.listens) requestLogger.ended(trace, request, statusOf(response, trace))
    })
    const refusal = refusedHead(request)
    if (refusal) {
      trace.refuses(refusal.code)
      send(response, refusal)
    } else serve(request, response, trace)
  }

/** With what status a request was answered; 0 where its client has left before. */
function statusOf(response: ServerResponse, trace: Trace): number {
  if (response.writableFinished) return response.statusCode
  const code = response.headersSent ? undefined : codeOfBroken(response.statusCode)
  if (code === undefined) return 0
  trace.refuses(code)
  return response.statusCode
}
