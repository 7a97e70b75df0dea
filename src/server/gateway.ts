import type { RequestListener } from 'node:http'
import { Planner, PreparedOperations } from '../engine/prepare/index.js'
import { ResponseWriters } from '../engine/respond/index.js'
import { type SubgraphOptions, subgraphOf } from '../federation/subgraph.js'
import { graphSchema, type Resource } from '../schema/graph.js'
import { ANONYMOUS } from '../upstream/session.js'
import { type ProtectionOptions, protectionOf } from '../upstream/transport/protection.js'
import { type AccessOptions, createAuthenticator, credentialsOf, hasAuthentication } from './auth/authenticator.js'
import { clientAddresses } from './auth/client-address.js'
import { type Audience, Core } from './core.js'
import { masking } from './errors.js'
import { Clients } from './http/clients.js'
import { Cors } from './http/cors.js'
import { jsonPosts } from './http/json-posts.js'
import { nodeListener } from './http/node-listener.js'
import type { GraphiQLUser } from './http/plugins/use-graphiql.js'
import { answerHeaders } from './http/responses.js'
import { createYogaServer, yogaHandler } from './http/yoga.js'
import { Guard, type GuardOptions } from './limits/guard.js'
import { MemoryGuard, type MemoryOptions } from './limits/memory-guard.js'
import { RequestLogger, type RequestLoggerOptions } from './log/request-logger.js'
import { Metrics, type MetricsSharing } from './metrics/metrics.js'
import { readiness } from './site-checks.js'
import { both, connectUpstream, type UpstreamOptions } from './upstream.js'

export interface GatewayOptions
  extends UpstreamOptions,
    AccessOptions,
    GuardOptions,
    RequestLoggerOptions,
    MemoryOptions,
    ProtectionOptions {
  /** Resources that the site has beyond the specification, written with `lms-graphql/kit`. None by default. */
  readonly resources?: readonly Resource[]
  /** Serves a subgraph of a larger graph, by Apollo Federation 2. By default the graph is complete by itself. */
  readonly subgraph?: SubgraphOptions | undefined
  /** Whether compiled response writers answer queries, instead of the executor of graphql-js. The answers are the same. True by default. */
  readonly compile?: boolean
  /** Callers who may have operations explained, by `extensions.explain` or `x-lms-explain`. None by default. */
  readonly explainFor?: readonly Audience[]
  /** Whether `handle` answers JSON posts without Yoga. The answers are the same. True by default. */
  readonly shortPath?: boolean
  /**
   * Path of the GraphQL endpoint in the addresses of requests, such as `/api/lms`. Pages, health and metrics are below it: `/api/lms/health/live`.
   * By default the path at which Express has mounted the gateway, else `/graphql`, which has them beside it as well: `/health/live`.
   */
  readonly path?: string | undefined
  /** Largest body of a request to the gateway in bytes, 100,000 by default. */
  readonly maxBodyBytes?: number
  /** Origins whose pages may call the gateway from browsers, such as `https://app.example.org`, or `*` for all. None by default. */
  readonly corsOrigins?: readonly string[]
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` has the address of the client. None by default. */
  readonly trustedProxies?: readonly string[]
  /** Whether browsers that open `/graphql` get GraphiQL. True by default, false in production. */
  readonly graphiql?: boolean | undefined
  /** Users GraphiQL offers to sign in as. None by default; meant for the embedded LMS only, and never offered with a service account. */
  readonly users?: readonly GraphiQLUser[]
  /** Whether `/metrics` shows counters: to everybody, or with `authentication` or a service account to callers with a key or token. False by default. */
  readonly metrics?: boolean
  /** Whether `/metrics` shows them to everybody in any case. False by default. */
  readonly metricsOpen?: boolean | undefined
  /** Shares the counters of several gateways: receives a function that returns those of this gateway, and returns one that returns all. By default each gateway has its own. */
  readonly shareMetrics?: MetricsSharing | undefined
  /** Whether the gateway is about to end; `/health/ready` is 503 then. */
  readonly isLeaving?: () => boolean
}

/** A gateway without a socket: `fetch` answers requests, `handle` is for `http.createServer`. */
export interface Gateway {
  /** Answers a request of the fetch API. `init` is for addresses; beside a `Request` it has no effect, because hosts pass other things there. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** A listener for `http.createServer`, and a handler for Express: `app.use('/graphql', gateway.handle)`. */
  readonly handle: RequestListener
  /** Lets running REST calls end, then closes the connections to the site. */
  close(): Promise<void>
}

const isRequest = (input: string | URL | Request): input is Request => typeof input === 'object' && 'headers' in input

/** Creates a GraphQL gateway in front of a site. Throws when options contradict each other. */
export function createGateway(options: GatewayOptions): Gateway {
  const { serviceAccount, metricsOpen = false, users = [], production = false } = options

  // Logging and metrics
  const requestLogger = new RequestLogger(options)
  const metrics = options.metrics ? new Metrics(options.shareMetrics) : undefined
  const mask = masking(requestLogger.onFault)

  // Who may call, and what
  const authenticate = createAuthenticator(options, requestLogger.onFault)
  const graph = graphSchema(options.resources)
  const schema = options.subgraph ? subgraphOf(graph, options.subgraph).schema : graph
  const guard = new Guard(schema, options)
  const memory = new MemoryGuard(options, guard.limits, metrics?.onRefused)

  // The site
  const protection = protectionOf(options)
  const hasAccount = serviceAccount !== undefined
  const upstream = connectUpstream(options, { schema, protection, memory: memory.budget, metrics, requestLogger, hasAccount })

  // Operations
  const core = new Core({
    schema,
    upstream,
    guard,
    memory,
    prepared: new PreparedOperations(new Planner(schema), { trusted: new Set(options.trustedDocuments?.values()) }),
    writers: options.compile === false ? undefined : new ResponseWriters(schema, guard.limits.maxAnswerSize),
    protection,
    explainFor: options.explainFor ?? [],
    mask,
    onFallback: both(metrics?.onFallback, requestLogger.onFallback),
  })

  // HTTP: Yoga, and in front of it the path for JSON posts
  const { path } = options
  const http = {
    path,
    core,
    authenticate,
    memory,
    bodyBytes: options.maxBodyBytes ?? 100_000,
    answerHeaders: answerHeaders(new Cors({ origins: options.corsOrigins ?? [], credentials: options.forwardCookie ?? false })),
  }
  const isOpen = metricsOpen || !hasAuthentication(options)
  const yoga = createYogaServer({
    ...http,
    requestLogger,
    mask,
    graphiql: (options.graphiql ?? !production) ? { users: hasAccount ? [] : users } : undefined,
    health: {
      isLeaving: options.isLeaving,
      ready: readiness(upstream.client, serviceAccount ? credentialsOf(serviceAccount) : ANONYMOUS),
    },
    metrics: metrics && {
      counters: metrics,
      audience: isOpen ? 'everybody' : options.authentication?.open === true ? 'callers' : 'authenticated',
    },
  })
  const serve = yogaHandler(yoga, http.answerHeaders, requestLogger)
  const clients = new Clients({
    writeTimeout: options.writeTimeout ?? 20_000,
    memory: memory.budget,
    onStalled: both(metrics?.onStalled, requestLogger.onStalled),
  })
  return {
    // Hosts pass further arguments of their own, which Yoga would take for its context: Bun its server, Next.js parameters.
    fetch: async (input, init) => yoga.fetch(...((isRequest(input) ? [input] : [input, init]) as [string, RequestInit])),
    handle: nodeListener(
      options.shortPath === false ? serve : jsonPosts({ ...http, serve }),
      requestLogger,
      clients,
      clientAddresses(options.trustedProxies ?? []),
      path,
    ),
    close: () => upstream.close(),
  }
}
