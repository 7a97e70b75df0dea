import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Client } from '../auth/client-address.js'
import type { Core } from '../core.js'
import type { EndRequest } from '../request-end.js'
import type { RequestState } from '../request-state.js'
import { codeOfBroken } from './broken-requests.js'
import type { Clients } from './clients.js'
import { addressOf, endpointOf, identify } from './protocol.js'
import { HeadCheck } from './request-head.js'
import { type AnswerHeaders, send } from './responses.js'
import type { Steps } from './steps.js'

/** Answers a request, and records its outcome in the state of the request. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, state: RequestState) => void

/** What handlers of requests share. */
export interface HttpParts {
  readonly core: Core
  readonly steps: Steps
  readonly answerHeaders: AnswerHeaders
}

/** Answers JSON posts without Yoga. Returns false for the requests that it leaves to it. */
export type JsonPosts = (...request: Parameters<RequestHandler>) => boolean

/** Who answers requests. */
interface Handlers {
  readonly serve: RequestHandler
  /** Asked first. Undefined when `serve` answers all requests. */
  readonly jsonPosts: JsonPosts | undefined
}

/**
 * Gives each request its id, refuses wrong heads, passes the others to their handler, and reports each request at its end. `path` is the configured path of
 * GraphQL.
 */
export const nodeListener = (
  { serve, jsonPosts }: Handlers,
  steps: Steps,
  end: EndRequest,
  clients: Clients,
  clientOf: (request: IncomingMessage) => Client,
  path: string | undefined,
): RequestListener => {
  const heads = new HeadCheck()
  return (request, response) => {
    const { traceparent, tracestate } = request.headers
    const state = steps.begin({
      id: identify(request),
      traceparent: traceparent as string | undefined,
      tracestate,
      client: clientOf(request),
      endpoint: endpointOf(request, path),
    })
    const start = (): void => {
      const refusal = heads.refusal(request)
      if (refusal) {
        state.refused(refusal.code)
        send(response, refusal)
      } else if (!jsonPosts?.(request, response, state)) serve(request, response, state)
    }
    const ended = (): void => {
      state.close(!response.writableFinished)
      end(state, { method: request.method, url: addressOf(request) }, statusOf(response, state))
    }
    clients.follow(request, response, { start, ended, memory: state.memory })
  }
}

/** The status of an answer; 0 when the client left before. */
function statusOf(response: ServerResponse, state: RequestState): number {
  if (response.writableFinished) return response.statusCode
  const code = response.headersSent ? undefined : codeOfBroken(response.statusCode)
  if (code === undefined) return 0
  state.refused(code)
  return response.statusCode
}
