import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import type { GraphQLSchema } from 'graphql'
import { ACCELERATORS } from './accelerators/index.js'
import type { ResponseWriters } from './execute/context.js'
import { MaxAges } from './federation/max-ages.js'
import { subgraphOf } from './federation/subgraph.js'
import { graphSchema, type Resource, TAGGING } from './graph/schema.js'
import { publicHash } from './options/fingerprint.js'
import { OptionsError, type ReadOptions } from './options/program.js'
import type { Options } from './options/table.js'
import { unreadableFile } from './options/unreadable-file.js'
import { Parts } from './parts.js'
import { Planner } from './plan/planner.js'
import { PreparedOperations } from './plan/prepared-operations.js'
import { accountOf, createAuthenticator, hasAccount, hasAuthentication, signInMethods } from './server/auth/authenticator.js'
import { clientAddresses } from './server/auth/client-address.js'
import { Core } from './server/core.js'
import { masking } from './server/errors.js'
import { type Events, type GatewayEvents, type Listeners, subscribeListeners } from './server/events.js'
import { changeTypesOf } from './server/hooks/changes.js'
import { Deliveries } from './server/hooks/deliveries.js'
import { createForwarder } from './server/hooks/hooks.js'
import { Bodies } from './server/http/bodies.js'
import { Clients } from './server/http/clients.js'
import { Cors } from './server/http/cors.js'
import { type HttpParts, type JsonPosts, nodeListener } from './server/http/node-listener.js'
import { answerHeaders } from './server/http/responses.js'
import { Steps } from './server/http/steps.js'
import { createYogaServer, yogaHandler } from './server/http/yoga.js'
import { HttpCaching } from './server/http-caching.js'
import { Guard } from './server/limits/guard.js'
import { limitsOf } from './server/limits/limits.js'
import { MemoryGuard } from './server/limits/memory-guard.js'
import { readTrustedDocuments } from './server/limits/persisted.js'
import { logEvents } from './server/log/event-log.js'
import type { Log } from './server/log/levels.js'
import { Metrics } from './server/metrics/metrics.js'
import { connectRedis, type RedisConnection } from './server/redis/connection.js'
import { wrongNames } from './server/refusals.js'
import { endingRequests } from './server/request-end.js'
import { callChecks, siteHealth } from './server/site-checks.js'
import { traceEvents } from './server/tracing/span-ends.js'
import { OperationTracer } from './server/tracing/tracer.js'
import { type ConnectedUpstream, connectUpstream } from './server/upstream.js'
import { packageVersion } from './server/version.js'
import type { Tuning } from './tuning.js'
import { siteOf } from './upstream/site/presets.js'
import { defaultMemoryBudget, MemoryBudget } from './upstream/transport/memory.js'
import { protectionOf } from './upstream/transport/protection.js'

/** What answers most requests with less CPU, in the same way. */
interface Accelerators {
  readonly writers?: (schema: GraphQLSchema) => ResponseWriters
  readonly jsonPosts?: (parts: HttpParts) => JsonPosts
}

const { writers, jsonPosts }: Accelerators = ACCELERATORS

/** Options that only programs have. */
export interface ProgramOptions {
  /** Resources that the site has beyond the specification, written with `lms-graphql/kit`. None by default. */
  readonly resources?: readonly Resource[] | undefined
  /**
   * Receives a line for each operation (`info`; `warn` when it is answered with 5xx), fault (`error`), REST call and other request (`debug`).
   * None by default.
   */
  readonly log?: Log | undefined
  /** Listeners. None by default. */
  readonly on?: Listeners | undefined
  /** Whether GraphiQL and introspection are off by default: what `NODE_ENV=production` is for the command. False by default. */
  readonly production?: boolean | undefined
}

/** A gateway without a socket: `fetch` answers requests, `handle` is for `http.createServer`. */
export interface Gateway {
  /** Answers a request of the fetch API. `init` is for addresses; beside a `Request` it has no effect, because hosts pass other things there. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** A listener for `http.createServer`, and a handler for Express: `app.use('/graphql', gateway.handle)`. */
  readonly handle: RequestListener
  /** Returns the metrics in the text format of Prometheus. Rejects without the option `observe.metrics`. */
  metrics(): Promise<string>
  /** Lets running REST calls end, then closes the connections to the site. Waits a short time for changes to be forwarded. */
  close(): Promise<void>
}

/** What stays when the options change: the graph, the log, the counters, the clients and their memory. */
export interface Shared extends Pick<ProgramOptions, 'log'> {
  readonly graph: GraphQLSchema
  readonly production: boolean
  readonly tuning: Tuning
  readonly events: Events
  readonly metrics: Metrics | undefined
  readonly memory: MemoryBudget
  readonly clients: Clients
}

/** A gateway, and what it is made of. */
export interface AssembledGateway extends Gateway {
  readonly parts: Parts
  readonly options: Options
  /** Closes the parts that the gateway after it has not taken over. */
  retire(after: AssembledGateway): Promise<void>
}

/** Creates what gateways with other options share. */
export function createShared(options: Options, { resources, log, on, production = false }: ProgramOptions, tuning: Tuning): Shared {
  const events: Events = new EventEmitter<GatewayEvents>()
  const { metrics: isCounted, logVariables } = options.observe
  const metrics = isCounted === false ? undefined : new Metrics({ version: packageVersion(), preset: options.site.preset ?? 'lms' })
  // The order in which listeners are called.
  traceEvents(events)
  metrics?.subscribe(events)
  logEvents(events, { log, on, logVariables })
  subscribeListeners(events, on, logVariables)
  const memory = new MemoryBudget(options.limits.memoryBudget ?? defaultMemoryBudget())
  const clients = new Clients({ writeTimeout: tuning.sockets?.writeTimeout ?? WRITE_TIMEOUT, memory, events })
  return { graph: graphSchema(resources), log, production, tuning, events, metrics, memory, clients }
}

/** Milliseconds a client may stop reading its response: slow networks pause for seconds, and a response holds memory. */
const WRITE_TIMEOUT = 20_000

/**
 * Makes a gateway of options. Parts start in the order below, and close in the opposite one. Those of the gateway `before` whose options are the
 * same are taken over, with their caches and connections. Throws an `OptionsError` for names that the graph does not have.
 */
export function assemble(read: ReadOptions, shared: Shared, before?: AssembledGateway): AssembledGateway {
  const { options } = read
  const parts = new Parts(before?.parts)
  const documents = documentsOf(read)
  const complaints = wrongNames(read, siteIn(options, shared), shared.graph)
  if (complaints.length > 0) throw new OptionsError(complaints)
  const redis = parts.get('redis', options.redis, [], () => createRedis(options, shared))
  parts.get('forwarder', options.hooks, [], () => createForwarder(options.hooks, shared.log, shared.events))
  const { hooks, redis: _, lms, observe, ...others } = options
  const { site, protection, cache, access: callers } = others
  const upstream = parts.get('site', [site, protection, cache, redis && hooks.secret !== undefined], [redis], () =>
    createSite(options, shared, redis),
  )
  const access = parts.get('access', [site, callers], [], () => createAccess(options, shared))
  const operations = parts.get('operations', [others, observe.explainFor, documents], [upstream], () =>
    createOperations(options, shared, upstream, documents),
  )
  const http = createHttp(options, shared, { redis, upstream, access, operations })
  shared.metrics?.trust(documents.values())
  return {
    ...http,
    options,
    parts,
    retire: (after) => parts.close(after.parts),
    close: () => parts.close(),
  }
}

/** The site of the options. */
const siteIn = (options: Options, { tuning }: Shared) => tuning.site ?? siteOf(options.site)

function documentsOf({ options, named }: ReadOptions): ReadonlyMap<string, string> {
  const { trustedDocuments: given = new Map<string, string>() } = options.http
  if (typeof given !== 'string') return given
  const name = named('http.trustedDocuments') as string
  let text: string
  try {
    text = readFileSync(given, 'utf8')
  } catch (error) {
    throw new OptionsError([unreadableFile(name, given, error)])
  }
  try {
    return readTrustedDocuments(text)
  } catch (error) {
    throw new OptionsError([`The file \`${given}\` that ${name} names cannot be used. ${(error as Error).message}`])
  }
}

/** What several gateways share; undefined without Redis. */
const createRedis = ({ redis }: Options, { log, events, tuning }: Shared): RedisConnection | undefined =>
  redis.url && connectRedis({ ...redis, timeout: tuning.redis?.timeout }, log, events)

/** The site: connections, queue, cache, and what is known of it. */
function createSite(options: Options, shared: Shared, redis: RedisConnection | undefined) {
  const { graph, tuning, memory, events, log } = shared
  const { prefix = 'lms' } = tuning.redis ?? {}
  const isShared = options.cache.maxAge !== undefined || options.hooks.secret !== undefined
  const upstream = connectUpstream(options, {
    site: siteIn(options, shared),
    schema: graph,
    protection: protectionOf({ ...options.protection, ...tuning.protection }),
    memory,
    events,
    sharing: redis && isShared ? { redis, prefix, siteId: options.redis.siteId, credentials: accountOf(options.site), log } : undefined,
  })
  const deliveries = new Deliveries(redis && upstream.identity && { redis, prefix: upstream.identity.keyPrefix })
  return { ...upstream, deliveries }
}

/** Who may call, with which credentials for the site. */
function createAccess(options: Options, { events }: Shared) {
  const authenticate = createAuthenticator(options, events)
  return { authenticate }
}

/** Number of records that estimates assume for a relation without pages, such as `prerequisites`: most have fewer. */
const MAX_UNPAGED = 10

/** Answers operations, whatever protocol they come by. */
function createOperations(
  options: Options,
  { graph, production, tuning, memory, events }: Shared,
  upstream: ConnectedUpstream,
  trustedDocuments: ReadonlyMap<string, string>,
) {
  const { http, subgraph, observe } = options
  const schema = subgraph.enabled ? subgraphOf(graph, { ...subgraph, maxAge: http.maxAge }).schema : graph
  const limits = limitsOf({ ...pick(options.limits), ...tuning.limits })
  const { introspection = !production, onlyTrusted } = http
  const guard = new Guard(schema, { limits, introspection, trustedDocuments, onlyTrusted })
  const memoryGuard = new MemoryGuard(memory, limits, events)
  const prepared = new PreparedOperations(new Planner(schema), { trusted: new Set(trustedDocuments.values()) })
  const explainFor = observe.explainFor ?? []
  const core = new Core({
    schema,
    upstream: {
      ...upstream,
      limits: { rows: options.limits.maxRows, unpaged: tuning.limits?.maxUnpaged ?? MAX_UNPAGED },
      maxCalls: options.limits.maxCalls,
    },
    guard,
    memory: memoryGuard,
    prepared,
    writers: tuning.compile === false ? undefined : writers?.(schema),
    times: { ...options.protection, ...options.cache, ...tuning.protection },
    explainFor,
    explainOthersFor: tuning.explainOthersFor ?? ['keys', 'admins'],
    httpCaching:
      http.maxAge === undefined
        ? undefined
        : new HttpCaching({
            ...options,
            maxAges: new MaxAges(schema, http.maxAge),
            onlyTrustedGets: !subgraph.enabled,
            isTrusted: (text) => guard.persisted.isTrusted(text),
            explains: explainFor.length > 0,
          }),
    mask: masking(events),
    tracer: new OperationTracer(),
    events,
  })
  return { core, prepared, memory: memoryGuard }
}

const pick = ({ maxTokens, maxDepth, maxAliases, maxAnswerSize }: Options['limits']) => ({ maxTokens, maxDepth, maxAliases, maxAnswerSize })

interface HttpNeeds {
  readonly redis: RedisConnection | undefined
  readonly upstream: ReturnType<typeof createSite>
  readonly access: ReturnType<typeof createAccess>
  readonly operations: ReturnType<typeof createOperations>
}

/** HTTP: Yoga, and in front of it the handler of JSON posts. */
function createHttp(
  options: Options,
  { log, production, tuning, events, metrics, memory, clients }: Shared,
  { redis, upstream, access: { authenticate }, operations: { core, prepared, memory: memoryGuard } }: HttpNeeds,
): Pick<Gateway, 'fetch' | 'handle' | 'metrics'> {
  const { http, observe, access, hooks } = options
  const { users = [], isLeaving = () => false } = tuning
  const { path } = http
  const end = endingRequests(events)
  const steps = new Steps({ authenticate, memory: memoryGuard, bodies: new Bodies(memory), bodyBytes: options.limits.maxBodyBytes })
  const parts = {
    path,
    core,
    steps,
    answerHeaders: answerHeaders(new Cors({ origins: http.corsOrigins, credentials: options.site.forwardCookie })),
  }
  const isOpen = observe.metrics === 'open' || !hasAuthentication(options)
  const yoga = createYogaServer({
    ...parts,
    end,
    mask: masking(events),
    graphiql:
      (http.graphiql ?? !production)
        ? {
            config: {
              users: hasAccount(options) ? [] : users,
              embedded: users.length > 0,
              explain: (observe.explainFor ?? []).length > 0,
              signIn: signInMethods(options),
              maxCalls: options.limits.maxCalls,
            },
          }
        : undefined,
    health: {
      isLeaving,
      site: siteHealth({
        ...callChecks(upstream.client, accountOf(options.site), () => upstream.transport.state.breakers),
        redis: redis && (() => (redis.isReady ? undefined : 'unreachable')),
        keySet: authenticate.keySet && (() => (authenticate.keySet?.failure ? 'not_loaded' : undefined)),
      }),
    },
    siteHook: hooks.secret && {
      secrets: hooks.secret.map((each) => each.reveal()),
      deliveries: upstream.deliveries,
      memory,
      onChanges: (changes) => upstream.changed(changes),
      tagsOf: (change) => TAGGING.ofChange(change),
      changeTypes: changeTypesOf(upstream.entities),
      events,
    },
    metrics:
      metrics && (observe.metrics === true || observe.metrics === 'open')
        ? { source: metrics, audience: isOpen ? 'everybody' : access.open ? 'callers' : 'authenticated' }
        : undefined,
  })
  const { transport, cache } = upstream
  const loaded = { settingsHash: publicHash(options), loadedAt: Math.floor(Date.now() / 1000) }
  metrics?.watch({ transport, cache, redis, prepared, memory, clients, isLeaving, log, ...loaded })
  return {
    // Hosts pass further arguments of their own, which Yoga would take for its context: Bun its server, Next.js parameters.
    fetch: async (input, init) => yoga.fetch(...((isRequest(input) ? [input] : [input, init]) as [string, RequestInit])),
    handle: nodeListener(
      {
        serve: yogaHandler(yoga, parts.answerHeaders, events),
        jsonPosts: tuning.shortPath === false ? undefined : jsonPosts?.(parts),
      },
      steps,
      end,
      clients,
      clientAddresses(http.trustedProxies),
      path,
    ) satisfies RequestListener,
    metrics: async () => {
      if (!metrics) throw new TypeError('This gateway has no metrics: set the option `observe.metrics`.')
      return metrics.text()
    },
  }
}

const isRequest = (input: string | URL | Request): input is Request => typeof input === 'object' && 'headers' in input
