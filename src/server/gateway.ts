import type { RequestListener } from 'node:http'
import { createYoga } from 'graphql-yoga'
import type { GraphContext } from '../engine/context.js'
import { Pricer } from '../engine/cost/index.js'
import type { Fallback } from '../engine/fallback.js'
import { Operation, type Upstream } from '../engine/fetch/index.js'
import { Planner, PreparedOperations } from '../engine/prepare/index.js'
import { ResponseWriters } from '../engine/respond/index.js'
import { type SubgraphOptions, subgraphOf } from '../federation/subgraph.js'
import { graphSchema, type Resource } from '../schema/graph.js'
import { Client } from '../upstream/client.js'
import { type OnRepair, Projections } from '../upstream/codec/records.js'
import { ANONYMOUS } from '../upstream/session.js'
import { CapabilityCache } from '../upstream/site/capabilities.js'
import { defineSite, placesOf, type Site } from '../upstream/site/site.js'
import { type ProtectionOptions, protectionOf } from '../upstream/transport/protection.js'
import { type Call, Transport } from '../upstream/transport/transport.js'
import { type AccessOptions, createAuthenticator, credentialsOf, hasAuthentication, type Principal } from './auth/authenticator.js'
import { clientAddresses } from './auth/client-address.js'
import { beginning } from './ending.js'
import { masking } from './errors.js'
import { type Audience, explainAsked } from './explaining.js'
import { Clients } from './http/clients.js'
import { ENDPOINT } from './http/endpoint.js'
import { shortPath } from './http/json-path.js'
import { frontListener, yogaListener } from './http/node-listener.js'
import { useAnswerHeaders } from './http/plugins/use-answer-headers.js'
import { type RequestContext, useAuthentication } from './http/plugins/use-authentication.js'
import { useBodyLimit } from './http/plugins/use-body-limit.js'
import { useEnding } from './http/plugins/use-ending.js'
import { type GraphiQLUser, useGraphiQL } from './http/plugins/use-graphiql.js'
import { useGraphQLOverHttp } from './http/plugins/use-graphql-over-http.js'
import { useGuard } from './http/plugins/use-guard.js'
import { useHealth } from './http/plugins/use-health.js'
import { useLiteralPaths } from './http/plugins/use-literal-paths.js'
import { useMemory } from './http/plugins/use-memory.js'
import { useMetrics } from './http/plugins/use-metrics.js'
import { usePlanning } from './http/plugins/use-planning.js'
import { useRepairs } from './http/plugins/use-repairs.js'
import { useTrace } from './http/plugins/use-trace.js'
import { Guard, type GuardOptions } from './limits/guard.js'
import { MemoryGuard, type MemoryOptions } from './limits/memory-guard.js'
import { RequestLogger, type RequestLoggerOptions } from './log/request-logger.js'
import type { Trace } from './log/trace.js'
import { Metrics, type MetricsSharing } from './metrics/metrics.js'
import { readiness } from './readiness.js'

export interface GatewayOptions extends AccessOptions, GuardOptions, RequestLoggerOptions, MemoryOptions, ProtectionOptions {
  /** REST root of the site, or a full description of it. */
  readonly upstream: string | Site
  /** Resources that the site has beyond the specification, written with `lms-graphql/kit`. None by default. */
  readonly resources?: readonly Resource[]
  /** REST calls at a time, over all callers. 4 by default. */
  readonly maxInFlight?: number
  /** Milliseconds for the headers of an answer and each pause in its body, 20,000 by default; and for a connection, 5,000. */
  readonly timeout?: number
  readonly connectTimeout?: number
  /** Largest answer of the site in bytes, 20,000,000 by default. */
  readonly maxResponseBytes?: number
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` tells the address of a client. None by default. */
  readonly trustedProxies?: readonly string[]
  /** Whether identical reads in flight with the same credentials are one call. True by default. */
  readonly shareReads?: boolean
  /** Whether answers of queries are written by compiled operations, not by the executor of graphql-js. Both say the same. True by default. */
  readonly compile?: boolean
  /** Whether `handle` answers JSON posts on a path of its own, past Yoga's request pipeline. Both answer the same. True by default. */
  readonly shortPath?: boolean
  /** Largest `first` and `last` of a list, 1,000 by default. */
  readonly maxRows?: number
  /** REST calls one operation may make, 300 by default: one that is expected to need more is refused, others are stopped there. */
  readonly maxCalls?: number
  /** Records that a relation without pages, such as `prerequisites`, is taken to lead to at most when operations are priced. 10 by default. */
  readonly maxUnpaged?: number
  /** Who may have operations explained, by `extensions.explain` or `x-lms-explain`. Nobody by default. */
  readonly explainFor?: readonly Audience[]
  /** Answers as a subgraph of a larger graph, by Apollo Federation 2. By default it is a graph of its own. */
  readonly subgraph?: SubgraphOptions | undefined
  /** Users GraphiQL offers to sign in as. None by default; meant for the embedded LMS only, and never offered with a service account. */
  readonly users?: readonly GraphiQLUser[]
  /** Whether `/metrics` tells what has been counted: to everybody, or with `authentication` or a service account to callers with a key or token. False by default. */
  readonly metrics?: boolean
  /** Whether it tells everybody in any case. False by default. */
  readonly metricsOpen?: boolean | undefined
  /** Gets what tells this gateway's own counts; answers with what gathers all that `/metrics` is to sum up. By default its own alone. */
  readonly shareMetrics?: MetricsSharing | undefined
  /** Whether this gateway is about to end, which `/health/ready` then says. */
  readonly isLeaving?: () => boolean
  /** Told of each REST call when it has ended. */
  readonly onCall?: (call: Call) => void
  /** Told of each value the site sent that could not be decoded; it has become null. */
  readonly onRepair?: OnRepair
}

/** A gateway without a socket: `fetch` answers requests, `handle` is for `http.createServer`. */
export interface Gateway {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly handle: RequestListener
  /** Lets running REST calls end, then closes the connections to the site. */
  close(): Promise<void>
}

/** Puts a GraphQL gateway in front of a site. Throws when the options do not go together. */
export function createGateway(options: GatewayOptions): Gateway {
  const requestLogger = new RequestLogger(options)
  const { onFault } = requestLogger
  const authenticate = createAuthenticator(options, onFault)
  const graph = graphSchema(options.resources)
  const schema = options.subgraph ? subgraphOf(graph, options.subgraph).schema : graph
  const site = typeof options.upstream === 'string' ? defineSite(options.upstream) : options.upstream
  const protection = protectionOf(options)
  const metrics = options.metrics ? new Metrics(options.shareMetrics) : undefined
  const guard = new Guard(schema, options)
  const memory = new MemoryGuard(options, guard.limits, metrics?.onRefused)
  const transport = new Transport({
    ...placesOf(site),
    maxInFlight: options.maxInFlight ?? 4,
    timeout: options.timeout ?? 20_000,
    connectTimeout: options.connectTimeout ?? 5_000,
    maxBytes: options.maxResponseBytes ?? 20_000_000,
    memory: memory.budget,
    share: options.shareReads ?? true,
    protection,
    onCall: both(both(options.onCall, metrics?.onCall), requestLogger.onCall),
    onFault,
    onMove: requestLogger.onMove,
    onAccountRefused: options.serviceAccount && onFault,
  })
  const client = new Client(site, transport)
  const upstream: Upstream = {
    client,
    projections: new Projections(site, both(options.onRepair, metrics?.onRepair)),
    capabilities: new CapabilityCache(),
    limits: { rows: options.maxRows ?? 1_000, hasType: (name) => schema.getType(name) !== undefined },
    pricer: new Pricer(site, options.maxUnpaged ?? 10),
    maxCalls: options.maxCalls ?? 300,
  }
  const prepared = new PreparedOperations(new Planner(schema), { trusted: new Set(options.trustedDocuments?.values()) })
  const compiler = options.compile === false ? undefined : new ResponseWriters(schema, guard.limits.maxAnswerSize)
  const onFallback = ({ step, operationName, cause, requestId }: Fallback): void => {
    metrics?.onFallback(step)
    const operation = operationName === undefined ? 'an operation without a name' : `the operation \`${operationName}\``
    onFault(new Error(`The fast path failed at the step \`${step}\` of ${operation}; graphql-js answered it.`, { cause }), requestId)
  }
  const contextFor = (entry: Principal, trace: Trace, signal?: AbortSignal, explain?: GraphContext['explain']): GraphContext => ({
    operation: new Operation(upstream, beginning(entry, trace, protection, signal)),
    prepared,
    writers: compiler,
    onFallback,
    explain,
  })
  const mask = masking(onFault)
  const isOpen = options.metricsOpen === true || !hasAuthentication(options)
  const callersOnly = options.authentication?.open === true
  const yoga = createYoga<RequestContext>({
    schema,
    context: ({ request, params, entry, trace }) => {
      const explain = explainAsked(params.extensions, request.headers, entry as Principal, options.explainFor ?? [])
      return contextFor(entry as Principal, trace as Trace, request.signal, explain)
    },
    parserAndValidationCache: { documentCache: documentsOf(prepared), errorCache: NO_ERRORS, validationCache: false },
    maskedErrors: { maskError: mask },
    logging: false,
    landingPage: false,
    graphiql: false,
    graphqlEndpoint: ENDPOINT,
    multipart: false,
    // Ours sends no page in whom nobody has named.
    cors: false,
    // Ours costs nothing where the length is known.
    maxRequestBodySize: false,
    healthCheckEndpoint: '/health/live',
    plugins: [
      useTrace(requestLogger),
      useAnswerHeaders(guard),
      // Answers pages before GraphQL sees them.
      guard.graphiql && useGraphiQL({ users: options.serviceAccount ? [] : (options.users ?? []) }),
      useHealth({
        isLeaving: options.isLeaving,
        ready: readiness(client, options.serviceAccount ? credentialsOf(options.serviceAccount) : ANONYMOUS),
      }),
      metrics !== undefined && isOpen && useMetrics(metrics),
      // Everything further on is for those who may enter.
      useAuthentication(authenticate),
      metrics !== undefined && !isOpen && useMetrics(metrics, callersOnly),
      useMemory(memory, prepared),
      useBodyLimit({ bytes: guard.bodyBytes }),
      // Refuses what can't be read or answered, and what does not fit the graph.
      useGraphQLOverHttp(),
      useGuard(guard, prepared),
      useLiteralPaths(),
      // Says, on request, what could not be decoded.
      useRepairs(),
      // Ends operations: their time, and what is said of the site beside their data.
      useEnding(),
      // Runs queries: fetches ahead, then resolves.
      usePlanning(prepared, guard),
    ],
  })
  const serve = yogaListener(yoga, requestLogger)
  const clients = new Clients({
    writeTimeout: options.writeTimeout ?? 20_000,
    memory: memory.budget,
    onStalled: both(metrics?.onStalled, requestLogger.onStalled),
  })
  return {
    fetch: async (input, init) => yoga.fetch(input as string, init as RequestInit),
    handle: frontListener(
      options.shortPath === false ? serve : shortPath({ yoga, serve, schema, prepared, contextFor, authenticate, guard, memory, mask }),
      requestLogger,
      clients,
      clientAddresses(options.trustedProxies ?? []),
    ),
    close: () => transport.close(),
  }
}

/** Yoga asks for parsed documents here. What it has parsed enters the cache only when it has run. */
const documentsOf = (prepared: PreparedOperations) => ({ get: (text: string) => prepared.document(text), set: (): void => {} })

/** Yoga keeps no errors of documents: finding one again is quick, and each fault is reported by its own request. */
const NO_ERRORS = { get: (): undefined => undefined, set: (): void => {} }

/** Tells two listeners, where they are. */
function both<Args extends readonly unknown[]>(
  one: ((...args: Args) => void) | undefined,
  other: ((...args: Args) => void) | undefined,
): ((...args: Args) => void) | undefined {
  if (!one || !other) return one ?? other
  return (...args) => {
    one(...args)
    other(...args)
  }
}
