import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendNodeResponse } from '@whatwg-node/server'
import { createYoga, type FetchAPI, type YogaServerInstance } from 'graphql-yoga'
import type { Emitter, FaultEvents } from '../../upstream/events.js'
import type { Peer } from '../auth/client-address.js'
import type { Mask } from '../errors.js'
import type { SiteHook } from '../hooks/receive.js'
import type { Metrics } from '../metrics/metrics.js'
import type { EndRequest } from '../request-end.js'
import { compressedHeaders, encodingFor, sendParts } from './compression.js'
import { consumedBody } from './consumed-body.js'
import { STREAMS } from './media-types.js'
import type { HttpParts, RequestHandler } from './node-listener.js'
import { useAnswerHeaders } from './plugins/use-answer-headers.js'
import { type RequestContext, useAuthentication } from './plugins/use-authentication.js'
import { useBody } from './plugins/use-body.js'
import { useCore } from './plugins/use-core.js'
import { useEndpoint } from './plugins/use-endpoint.js'
import { type GraphiQLOptions, useGraphiQL } from './plugins/use-graphiql.js'
import { useGraphQLOverHttp } from './plugins/use-graphql-over-http.js'
import { type HealthOptions, useHealth } from './plugins/use-health.js'
import { useMetrics } from './plugins/use-metrics.js'
import { useRendering } from './plugins/use-rendering.js'
import { useRequestState } from './plugins/use-request-state.js'
import { useSiteHook } from './plugins/use-site-hook.js'
import { addressOf, REQUEST_ID } from './protocol.js'
import { type AnswerHeaders, FAULTY, send } from './responses.js'

export interface YogaParts extends HttpParts {
  readonly end: EndRequest
  readonly mask: Mask
  /** The configured path of GraphQL. */
  readonly path: string | undefined
  /** Where requests without a socket come from. */
  readonly peer: Peer
  readonly health: HealthOptions
  /** Undefined without a webhook. */
  readonly siteHook: SiteHook | undefined
  /** Undefined when browsers get no GraphiQL. */
  readonly graphiql: GraphiQLOptions | undefined
  /** The metrics, and who can read them at `/metrics`: everybody, authenticated requests, or callers with a key or token. */
  readonly metrics: { readonly source: Metrics; readonly audience: 'everybody' | 'authenticated' | 'callers' } | undefined
}

/** Yoga in front of `Core`: pages, health, metrics, the webhook, and GraphQL over HTTP with streams. The order of the plugins is the order of their checks. */
export function createYogaServer(parts: YogaParts): YogaServerInstance<RequestContext, object> {
  const { core, end, mask, answerHeaders, graphiql, health, siteHook, metrics, steps, path, peer } = parts
  return createYoga<RequestContext, object>({
    maskedErrors: { maskError: mask },
    parserAndValidationCache: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    // `useEndpoint` compares the path. No address of a request has a space.
    graphqlEndpoint: '/*',
    healthCheckEndpoint: ' ',
    multipart: false,
    // `useAnswerHeaders` answers preflights, by an allowlist.
    cors: false,
    // `useBody` bounds it.
    maxRequestBodySize: false,
    plugins: [
      useRequestState(steps, end, path, peer),
      // Before preflights: no page of a browser may call it.
      siteHook !== undefined && useSiteHook(siteHook, steps),
      useAnswerHeaders(answerHeaders),
      graphiql !== undefined && useGraphiQL(graphiql),
      useHealth(health),
      metrics?.audience === 'everybody' && useMetrics(metrics.source),
      // Plugins from here on see authenticated requests only.
      useAuthentication(steps),
      metrics !== undefined && metrics.audience !== 'everybody' && useMetrics(metrics.source, metrics.audience === 'callers'),
      useEndpoint(),
      useBody(steps),
      useRendering(),
      useGraphQLOverHttp(),
      useCore(core),
    ],
  })
}

/** A request with a body that was read before. Its signal is aborted when the client leaves. */
function requestWith(body: Buffer, request: IncomingMessage, response: ServerResponse, { Request }: FetchAPI): Request {
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = request.headers
  return new Request(`http://${request.headers.host ?? 'localhost'}${addressOf(request)}`, {
    method: 'POST',
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    body: new Uint8Array(body),
    signal: left.signal,
  })
}

/** Sends an answer of Yoga, compressed as those to JSON posts are. Fonts, and other files of GraphiQL, are compressed already. */
async function sendAnswer(answer: Response, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = answer
  const type = headers.get('content-type') ?? ''
  const inParts = STREAMS.some((each) => type.startsWith(each))
  const length = inParts ? undefined : Number(headers.get('content-length'))
  const encoding = type.startsWith('font/') || headers.has('content-encoding') ? undefined : encodingFor(request, length)
  if (encoding === undefined) return sendNodeResponse(answer, response, request, true)
  if (inParts) return sendParts(answer, response, encoding)
  const own = Object.fromEntries(headers)
  if (body) return send(response, { status, headers: own, body: Buffer.from(await answer.arrayBuffer()) }, {})
  // To `HEAD`: the length is not known without the answer to `GET`.
  response.writeHead(status, compressedHeaders(own, encoding)).end()
}

/** Serves requests by Yoga. Yoga's own listener would show stacks of exceptions outside of GraphQL. */
export const yogaHandler =
  (yoga: YogaServerInstance<RequestContext, object>, answerHeaders: AnswerHeaders, events: Emitter<FaultEvents>): RequestHandler =>
  async (request, response, state) => {
    try {
      response.setHeader(REQUEST_ID, state.requestId)
      // The cast: Yoga adds the rest of the context itself.
      const context = { req: request, res: response, state } as never
      const body = request.method === 'POST' ? consumedBody(request) : undefined
      if (body !== undefined && !Buffer.isBuffer(body)) {
        state.refused(body.code)
        return send(response, body, answerHeaders.headersFor(request.headers.origin))
      }
      const answer = body
        ? yoga.handleRequest(requestWith(body, request, response, yoga.fetchAPI), context)
        : yoga.handleNodeRequestAndResponse(request, response, context)
      await sendAnswer(await answer, request, response)
    } catch (fault) {
      events.emit('fault', fault, state.requestId)
      state.refused(FAULTY.code)
      if (response.headersSent) response.destroy()
      else send(response, FAULTY)
    }
  }
