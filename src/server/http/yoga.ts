import { sendNodeResponse } from '@whatwg-node/server'
import { createYoga, type YogaServerInstance } from 'graphql-yoga'
import type { Authenticator } from '../auth/authenticator.js'
import type { Core } from '../core.js'
import type { Mask } from '../errors.js'
import type { MemoryGuard } from '../limits/memory-guard.js'
import type { RequestLogger } from '../log/request-logger.js'
import type { Metrics } from '../metrics/metrics.js'
import type { RequestHandler } from './node-listener.js'
import { useAnswerHeaders } from './plugins/use-answer-headers.js'
import { type RequestContext, useAuthentication } from './plugins/use-authentication.js'
import { useBodyLimit } from './plugins/use-body-limit.js'
import { useCore } from './plugins/use-core.js'
import { type GraphiQLOptions, useGraphiQL } from './plugins/use-graphiql.js'
import { useGraphQLOverHttp } from './plugins/use-graphql-over-http.js'
import { type HealthOptions, useHealth } from './plugins/use-health.js'
import { useMemory } from './plugins/use-memory.js'
import { useMetrics } from './plugins/use-metrics.js'
import { useTrace } from './plugins/use-trace.js'
import { ENDPOINT, REQUEST_ID } from './protocol.js'
import { type AnswerHeaders, FAULTY, send } from './responses.js'

export interface YogaParts {
  readonly core: Core
  readonly authenticate: Authenticator
  readonly memory: MemoryGuard
  readonly requestLogger: RequestLogger
  readonly mask: Mask
  readonly answerHeaders: AnswerHeaders
  readonly bodyBytes: number
  readonly health: HealthOptions
  /** Undefined when browsers get no GraphiQL. */
  readonly graphiql: GraphiQLOptions | undefined
  /** The counters, and to whom `/metrics` shows them: everybody, authenticated requests, or callers with a key or token. */
  readonly metrics: { readonly counters: Metrics; readonly audience: 'everybody' | 'authenticated' | 'callers' } | undefined
}

/** Yoga in front of `Core`: pages, health, metrics, and GraphQL over HTTP with streams. The order of the plugins is the order of their checks. */
export function createYogaServer(parts: YogaParts): YogaServerInstance<RequestContext, object> {
  const { core, requestLogger, mask, answerHeaders, graphiql, health, metrics, authenticate, memory, bodyBytes } = parts
  return createYoga<RequestContext, object>({
    maskedErrors: { maskError: mask },
    parserAndValidationCache: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    graphqlEndpoint: ENDPOINT,
    multipart: false,
    // `useAnswerHeaders` answers preflights, by an allowlist.
    cors: false,
    // `useBodyLimit` copies no body whose length is known.
    maxRequestBodySize: false,
    healthCheckEndpoint: '/health/live',
    plugins: [
      useTrace(requestLogger),
      useAnswerHeaders(answerHeaders),
      graphiql !== undefined && useGraphiQL(graphiql),
      useHealth(health),
      metrics?.audience === 'everybody' && useMetrics(metrics.counters),
      // Plugins from here on see authenticated requests only.
      useAuthentication(authenticate),
      metrics !== undefined && metrics.audience !== 'everybody' && useMetrics(metrics.counters, metrics.audience === 'callers'),
      useMemory(memory),
      useBodyLimit({ bytes: bodyBytes }),
      useGraphQLOverHttp(),
      useCore(core),
    ],
  })
}

/** Serves requests by Yoga. Yoga's own listener would show stacks of exceptions outside of GraphQL. */
export const yogaHandler =
  (yoga: YogaServerInstance<RequestContext, object>, { onFault }: RequestLogger): RequestHandler =>
  async (request, response, trace) => {
    try {
      response.setHeader(REQUEST_ID, trace.requestId)
      // The cast: Yoga adds the rest of the context itself.
      const context = { req: request, res: response, trace } as never
      await sendNodeResponse(await yoga.handleNodeRequestAndResponse(request, response, context), response, request, true)
    } catch (fault) {
      onFault(fault, trace.requestId)
      trace.refused(FAULTY.code)
      if (response.headersSent) response.destroy()
      else send(response, FAULTY)
    }
  }
