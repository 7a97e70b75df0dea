import { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import type { GraphQLSchema } from 'graphql'
import { ACCELERATORS } from './accelerators/index.js'
import type { ResponseWriters } from './execute/context.js'
import { MaxAges } from './federation/max-ages.js'
import type { MaxAge } from './federation/options.js'
import { unknownTypeIn } from './federation/refusals.js'
import { subgraphOf } from './federation/subgraph.js'
import { graphSchema, TAGGING } from './graph/schema.js'
import { checkOptions, refuseOptions } from './options.js'
import { Planner } from './plan/planner.js'
import { PreparedOperations } from './plan/prepared-operations.js'
import { contradictingAccess, createAuthenticator, credentialsOf, hasAuthentication, signInMethods } from './server/auth/authenticator.js'
import { clientAddresses } from './server/auth/client-address.js'
import { Core } from './server/core.js'
import { masking } from './server/errors.js'
import { type Events, type GatewayEvents, subscribeListeners } from './server/events.js'
import { GATEWAY_CHECKS, type GatewayOptions } from './server/gateway-options.js'
import { changeTypesOf } from './server/hooks/changes.js'
import { contradictingHooks, createHooks } from './server/hooks/hooks.js'
import { Bodies } from './server/http/bodies.js'
import { Clients } from './server/http/clients.js'
import { Cors } from './server/http/cors.js'
import { type HttpParts, type JsonPosts, nodeListener } from './server/http/node-listener.js'
import { answerHeaders } from './server/http/responses.js'
import { Steps } from './server/http/steps.js'
import { createYogaServer, yogaHandler } from './server/http/yoga.js'
import { HttpCaching } from './server/http-caching.js'
import { Guard } from './server/limits/guard.js'
import { MemoryGuard } from './server/limits/memory-guard.js'
import { logEvents } from './server/log/event-log.js'
import { Metrics } from './server/metrics/metrics.js'
import { connectRedis } from './server/redis/connection.js'
import { REDIS } from './server/redis/options.js'
import { endingRequests } from './server/request-end.js'
import { callChecks, siteHealth } from './server/site-checks.js'
import { unknownNames } from './server/site-names.js'
import { traceEvents } from './server/tracing/span-ends.js'
import { OperationTracer } from './server/tracing/tracer.js'
import { connectUpstream } from './server/upstream.js'
import { packageVersion } from './server/version.js'
import { ANONYMOUS } from './upstream/credentials.js'
import { PRESETS } from './upstream/site/presets.js'
import { defineSite, type Site } from './upstream/site/site.js'
import { protectionOf } from './upstream/transport/protection.js'

export type { GatewayOptions } from './server/gateway-options.js'

/** A gateway without a socket: `fetch` answers requests, `handle` is for `http.createServer`. */
export interface Gateway {
  /** Answers a request of the fetch API. `init` is for addresses; beside a `Request` it has no effect, because hosts pass other things there. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** A listener for `http.createServer`, and a handler for Express: `app.use('/graphql', gateway.handle)`. */
  readonly handle: RequestListener
  /** Returns the metrics in the text format of Prometheus. Rejects without the option `metrics`. */
  metrics(): Promise<string>
  /** Lets running REST calls end, then closes the connections to the site. Waits a short time for changes to be forwarded. */
  close(): Promise<void>
}

/** The preset of a described site, by its routes. */
const presetOf = ({ namespaces }: Site): string =>
  Object.entries(PRESETS).find(([, names]) => defineSite('http://localhost', names).namespaces.v2 === namespaces.v2)?.[0] ?? 'other'

const isRequest = (input: string | URL | Request): input is Request => typeof input === 'object' && 'headers' in input

/** What answers most requests with less CPU, in the same way. */
interface Accelerators {
  readonly writers?: (schema: GraphQLSchema) => ResponseWriters
  readonly jsonPosts?: (parts: HttpParts) => JsonPosts
}

const { writers, jsonPosts }: Accelerators = ACCELERATORS

/** A gateway, and its events, to which its server adds. */
interface Assembled extends Gateway {
  readonly events: Events
}

/** Creates a GraphQL gateway in front of a site. Throws a `TypeError` that names all wrong options, or all that contradict each other. */
export function createGateway(options: GatewayOptions): Gateway {
  checkOptions<GatewayOptions>('createGateway', options, GATEWAY_CHECKS, 'upstream')
  const { events: _, ...gateway } = assembleGateway('createGateway', options)
  return gateway
}

/** Complaints about an `httpMaxAge` with which no answer would be kept as it says. */
function contradictingHttpMaxAge({ subgraph, trustedDocuments }: GatewayOptions, graph: GraphQLSchema, maxAge: MaxAge): string[] {
  const unknown = unknownTypeIn(graph, maxAge)
  return [
    ...(subgraph ? ['`httpMaxAge` cannot be used with `subgraph`: set `subgraph: { maxAge }` instead.'] : []),
    ...(trustedDocuments?.size ? [] : ['`httpMaxAge` needs `trustedDocuments`: only answers to trusted documents may be kept.']),
    ...(unknown ? [`\`httpMaxAge\` has ${unknown('graph')}`] : []),
  ]
}

/** A complaint about a type in the ages of the cache that the graph does not have. */
function unknownInCache({ cache }: GatewayOptions, graph: GraphQLSchema): string[] {
  const unknown = cache && unknownTypeIn(graph, cache.maxAge)
  return unknown ? [`\`cache.maxAge\` has ${unknown('graph')}`] : []
}

/** Creates a gateway. The caller has checked each option. Throws a `TypeError` that starts with `name` when options contradict each other. */
export function assembleGateway(name: string, options: GatewayOptions): Assembled {
  const { serviceAccount, metricsOpen = false, metricsRoute = true, users = [], production = false, explainFor = [] } = options

  const graph = graphSchema(options.resources)
  const { httpMaxAge, subgraph } = options
  const unknown = typeof options.upstream === 'string' ? [] : unknownNames(graph, options.upstream)
  refuseOptions(name, [
    ...contradictingAccess(options),
    ...contradictingHooks(options.hooks),
    ...(options.onlyTrusted && !options.trustedDocuments?.size
      ? ['`onlyTrusted` needs `trustedDocuments`: without them no document can run.']
      : []),
    ...(httpMaxAge === undefined ? [] : contradictingHttpMaxAge(options, graph, httpMaxAge)),
    ...unknownInCache(options, graph),
    ...unknown.map(({ property, found }) => `\`upstream.${property}\` has ${found}`),
  ])

  // Events, in the order in which their listeners are called
  const events: Events = new EventEmitter<GatewayEvents>()
  const { trustedDocuments } = options
  const metrics = options.metrics
    ? new Metrics({
        version: packageVersion(),
        preset: typeof options.upstream === 'string' ? (options.preset ?? 'lms') : presetOf(options.upstream),
        trusted: trustedDocuments?.values() ?? [],
      })
    : undefined
  traceEvents(events)
  metrics?.subscribe(events)
  logEvents(events, options)
  subscribeListeners(events, options.on, options.logVariables)
  const mask = masking(events)
  const end = endingRequests(events)

  // What several gateways share
  const redis = options.redis && connectRedis(options.redis, options.log, events)
  const redisPrefix = options.redis?.prefix ?? REDIS.prefix

  // Who may call, and what
  const authenticate = createAuthenticator(options, events)
  const schema = subgraph ? subgraphOf(graph, subgraph).schema : graph
  const maxAge = subgraph ? subgraph.maxAge : httpMaxAge
  const guard = new Guard(schema, options)
  const memory = new MemoryGuard(options, guard.limits, events)

  // The site
  const protection = protectionOf(options)
  const hasAccount = serviceAccount !== undefined
  const account = serviceAccount ? credentialsOf(serviceAccount) : ANONYMOUS
  const upstream = connectUpstream(options, {
    schema,
    protection,
    memory: memory.budget,
    events,
    hasAccount,
    sharing:
      redis && (options.cache || options.hooks?.secret !== undefined)
        ? { redis, prefix: redisPrefix, siteId: options.redis?.siteId, credentials: account, log: options.log }
        : undefined,
  })

  // Webhooks
  const { siteHook, forwarder } = createHooks(options.hooks, {
    memory: memory.budget,
    log: options.log,
    events,
    onChanges: (changes) => upstream.changed(changes),
    tagsOf: (change) => TAGGING.ofChange(change),
    changeTypes: changeTypesOf(upstream.entities),
    shared: redis && upstream.identity && { redis, prefix: upstream.identity.keyPrefix },
  })

  // Operations
  const prepared = new PreparedOperations(new Planner(schema), { trusted: new Set(trustedDocuments?.values()) })
  const core = new Core({
    schema,
    upstream,
    guard,
    memory,
    prepared,
    writers: options.compile === false ? undefined : writers?.(schema),
    protection,
    explainFor,
    httpCaching:
      maxAge === undefined
        ? undefined
        : new HttpCaching({
            ...options,
            maxAges: new MaxAges(schema, maxAge),
            onlyTrustedGets: subgraph === undefined,
            isTrusted: (text) => guard.persisted.isTrusted(text),
            explains: explainFor.length > 0,
          }),
    explainOthersFor: options.explainOthersFor ?? ['keys', 'admins'],
    mask,
    tracer: new OperationTracer(),
    events,
  })

  // HTTP: Yoga, and in front of it the handler of JSON posts
  const { path } = options
  const steps = new Steps({ authenticate, memory, bodies: new Bodies(memory.budget), bodyBytes: options.maxBodyBytes ?? 100_000 })
  const http = {
    path,
    core,
    steps,
    answerHeaders: answerHeaders(new Cors({ origins: options.corsOrigins ?? [], credentials: options.forwardCookie ?? false })),
  }
  const isOpen = metricsOpen || !hasAuthentication(options)
  const yoga = createYogaServer({
    ...http,
    end,
    mask,
    graphiql:
      (options.graphiql ?? !production)
        ? {
            config: {
              users: hasAccount ? [] : users,
              embedded: users.length > 0,
              explain: explainFor.length > 0,
              signIn: signInMethods(options),
              maxCalls: upstream.maxCalls,
            },
          }
        : undefined,
    health: {
      isLeaving: options.isLeaving,
      site: siteHealth({
        ...callChecks(upstream.client, account, () => upstream.transport.state.breakers),
        redis: redis && (() => (redis.isReady ? undefined : 'unreachable')),
        keySet: authenticate.keySet && (() => (authenticate.keySet?.failure ? 'not_loaded' : undefined)),
      }),
    },
    siteHook,
    metrics:
      metrics && metricsRoute
        ? { source: metrics, audience: isOpen ? 'everybody' : options.authentication?.open === true ? 'callers' : 'authenticated' }
        : undefined,
  })
  const clients = new Clients({
    writeTimeout: options.writeTimeout ?? 20_000,
    memory: memory.budget,
    events,
  })
  metrics?.watch({
    transport: upstream.transport,
    cache: upstream.cache,
    redis,
    prepared,
    memory: memory.budget,
    clients,
    isLeaving: options.isLeaving ?? (() => false),
    log: options.log,
  })
  return {
    events,
    // Hosts pass further arguments of their own, which Yoga would take for its context: Bun its server, Next.js parameters.
    fetch: async (input, init) => yoga.fetch(...((isRequest(input) ? [input] : [input, init]) as [string, RequestInit])),
    handle: nodeListener(
      {
        serve: yogaHandler(yoga, http.answerHeaders, events),
        jsonPosts: options.shortPath === false ? undefined : jsonPosts?.(http),
      },
      steps,
      end,
      clients,
      clientAddresses(options.trustedProxies ?? []),
      path,
    ),
    metrics: async () => {
      if (!metrics) throw new TypeError('This gateway has no metrics: set the option `metrics`.')
      return metrics.text()
    },
    close: async () => {
      upstream.identity?.close()
      await upstream.transport.close()
      // Afterwards: mutations that end meanwhile are forwarded too.
      await forwarder?.close()
      await redis?.close()
    },
  }
}
