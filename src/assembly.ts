import { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import type { GraphQLSchema } from 'graphql'
import { ACCELERATORS } from './accelerators/index.js'
import type { ResponseWriters } from './execute/context.js'
import { MaxAges } from './federation/max-ages.js'
import { subgraphOf } from './federation/subgraph.js'
import { graphSchema, type Resource, TAGGING } from './graph/schema.js'
import { exampleOperations, type TrustedDocuments, trustedDocuments } from './operations/trusted.js'
import { publicHash } from './options/fingerprint.js'
import { OptionsError, type ReadOptions } from './options/program.js'
import type { Options } from './options/table.js'
import { packageVersion } from './package-version.js'
import { Parts } from './parts.js'
import { Planner } from './plan/planner.js'
import { PreparedOperations } from './plan/prepared-operations.js'
import { accountsOf, createAuthenticator, createTokens, hasAccount, hasAuthentication, signInMethods } from './server/auth/authenticator.js'
import { EventView } from './server/auth/callers.js'
import { peers } from './server/auth/client-address.js'
import { Core } from './server/core.js'
import { masking } from './server/errors.js'
import { type Events, type GatewayEvents, subscribeListeners } from './server/events.js'
import { changeTypesOf } from './server/hooks/changes.js'
import { Deliveries } from './server/hooks/deliveries.js'
import { createForwarder, Forwarding } from './server/hooks/forwarding.js'
import type { SiteHook } from './server/hooks/receive.js'
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
import { shareLimits } from './server/limits/share.js'
import { Shares } from './server/limits/shares.js'
import { SignIns } from './server/limits/sign-ins.js'
import { type LogOptions, logEvents } from './server/log/event-log.js'
import { Metrics } from './server/metrics/metrics.js'
import { prepareTrusted } from './server/preparation.js'
import { connectRedis, type RedisConnection } from './server/redis/connection.js'
import { sdlOptionsOf, wrongNames } from './server/refusals.js'
import { endingRequests } from './server/request-end.js'
import { callChecks, siteHealth } from './server/site-checks.js'
import { traceEvents } from './server/tracing/span-ends.js'
import { OperationTracer } from './server/tracing/tracer.js'
import { type ConnectedUpstream, connectUpstream } from './server/upstream.js'
import type { Tuning } from './tuning.js'
import { siteOf } from './upstream/site/presets.js'
import { defaultMemoryBudget, MemoryBudget } from './upstream/transport/memory.js'
import { Network } from './upstream/transport/network.js'
import { protectionOf } from './upstream/transport/protection.js'

/** Optional faster implementations with the same results. */
interface Accelerators {
  readonly writers?: (schema: GraphQLSchema) => ResponseWriters
  readonly jsonPosts?: (parts: HttpParts) => JsonPosts
}

const { writers, jsonPosts }: Accelerators = ACCELERATORS

/** Options for programs only. */
export interface ProgramOptions extends Pick<LogOptions, 'log' | 'on'> {
  /** Resources that the site has beyond the specification, written with `lms-graphql/kit`. None by default. */
  readonly resources?: readonly Resource[] | undefined
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
  readonly shown: EventView
  readonly forwarding: Forwarding
}

/** A gateway with its parts and options. */
export interface AssembledGateway extends Gateway {
  readonly parts: Parts
  readonly options: Options
  /** Closes the parts that `after` does not reuse. */
  retire(after: AssembledGateway): Promise<void>
}

/** Creates what gateways with other options share. */
export function createShared(options: Options, { resources, log, on, production = false }: ProgramOptions, tuning: Tuning): Shared {
  const events: Events = new EventEmitter<GatewayEvents>()
  const { metrics: isCounted, logVariables } = options.observe
  const metrics = isCounted === false ? undefined : new Metrics(packageVersion())
  // The order in which listeners are called.
  traceEvents(events)
  metrics?.subscribe(events)
  const shown = new EventView(logVariables)
  logEvents(events, { log, on }, shown)
  subscribeListeners(events, on, shown)
  const memory = new MemoryBudget(options.limits.memoryBudget ?? defaultMemoryBudget())
  const clients = new Clients({ writeTimeout: tuning.sockets?.writeTimeout ?? WRITE_TIMEOUT, memory, events })
  const graph = graphSchema(resources)
  return { graph, log, production, tuning, events, metrics, memory, clients, shown, forwarding: new Forwarding(events) }
}

/** Milliseconds a client may stop reading its response: slow networks pause for seconds, and a response holds memory. */
const WRITE_TIMEOUT = 20_000

/**
 * Makes a gateway of options. Parts start in the order below, and close in the opposite one. Those of the gateway `before` whose options are the
 * same are taken over, with their caches and connections. Throws an `OptionsError` for names that the graph does not have.
 */
export function assemble(read: ReadOptions, shared: Shared, before?: AssembledGateway): AssembledGateway {
  const { options } = read
  const documents = trustedDocuments(read)
  const complaints = wrongNames(read, siteIn(options, shared), shared.graph)
  if (complaints.length > 0) throw new OptionsError(complaints)
  const parts = new Parts(before?.parts)
  try {
    const http = createParts(options, shared, documents, parts)
    return { ...http, options, parts, retire: (after) => parts.close(after.parts), close: () => parts.close() }
  } catch (error) {
    parts.close(before?.parts).catch((fault: unknown) => shared.events.emit('fault', fault))
    throw error
  }
}

function createParts(options: Options, shared: Shared, documents: TrustedDocuments, parts: Parts) {
  const { site: forSite, network: forNetwork, access: forAccess, protection, cache, hooks, limits, subgraph, http: forHttp } = options
  const network = parts.get('network', forNetwork, [], () => new Network(forNetwork))
  const redis = parts.get('redis', options.redis, [network], () => createRedis(options, shared, network))
  const ofForwarder = [hooks.forward, hooks.forwardSecret]
  const forwarder = parts.get('forwarder', ofForwarder, [network], () => createForwarder(hooks, shared, network, parts.isChange))
  const ofSite = [forSite, protection, cache, redis && hooks.secret !== undefined]
  const site = parts.get('site', ofSite, [redis, network], () => createSite(options, shared, redis, network))
  const { apiKeys, open, roles, allowPlainHttp, undecidedContent, ...ofTokens } = forAccess
  const tokens = parts.get('tokens', ofTokens, [network], () => createTokens(options, network, shared.events))
  const { user, password, editorUser, editorPassword, forwardCookie } = forSite
  const ofAccess = [user, password, editorUser, editorPassword, forwardCookie, forAccess]
  const authenticate = parts.get('access', ofAccess, [tokens], () => createAuthenticator(options, tokens, shared.events))
  const { maxAge, introspection, onlyTrusted } = forHttp
  const ofCaching = [maxAge, hasAuthentication(options), signInMethods(options)]
  const { byName: trusted } = documents
  const ofOperations = [limits, subgraph, introspection, onlyTrusted, trusted, options.observe.explainFor, ofCaching, undecidedContent]
  const shares = parts.get('shares', limits, [site], () => createShares(options, shared, site))
  const operations = parts.get('operations', ofOperations, [site, shares], () => createOperations(options, shared, site, shares, documents))
  const http = createHttp(options, shared, documents, { redis, site, authenticate, shares, operations })
  shared.forwarding.use(forwarder)
  shared.shown.use(options)
  shared.metrics?.trust(documents.texts)
  parts.complete()
  return http
}

/** The site of the options. */
const siteIn = (options: Options, { tuning }: Shared) => tuning.site ?? siteOf(options.site)

/** Connects to Redis. Returns undefined when no Redis is configured. */
const createRedis = ({ redis }: Options, { log, events, tuning }: Shared, { trust }: Network): RedisConnection | undefined =>
  redis.url && connectRedis({ ...redis, timeout: tuning.redis?.timeout, trust }, log, events)

/** The site: connections, queue, cache, and what is known of it. */
function createSite(options: Options, shared: Shared, redis: RedisConnection | undefined, network: Network) {
  const { graph, tuning, memory, events, log } = shared
  const { prefix = 'lms' } = tuning.redis ?? {}
  const isShared = options.cache.maxAge !== undefined || options.hooks.secret !== undefined
  const upstream = connectUpstream(options, {
    site: siteIn(options, shared),
    schema: graph,
    protection: protectionOf({ ...options.protection, ...tuning.protection }),
    memory,
    events,
    network,
    sharing: redis && isShared ? { redis, prefix, siteId: options.redis.siteId, credentials: accountsOf(options.site)[0], log } : undefined,
  })
  const deliveries = new Deliveries(redis && upstream.identity && { redis, prefix: upstream.identity.keyPrefix })
  return { ...upstream, deliveries }
}

/** The shares of clients. After a change of the limits they start full. */
function createShares(options: Options, { events, production }: Shared, { transport }: ConnectedUpstream): Shares {
  return new Shares({
    limits: shareLimits(options, production),
    isProven: (credentials) => transport.isProven(credentials),
    signIns: hasAccount(options) ? undefined : new SignIns(),
    events,
  })
}

/** Number of records that estimates assume for a relation without pages, such as `prerequisites`: most have fewer. */
const MAX_UNPAGED = 10

/** Answers operations, whatever protocol they come by. */
function createOperations(
  options: Options,
  { graph, production, tuning, memory, events }: Shared,
  site: ConnectedUpstream,
  shares: Shares,
  trusted: TrustedDocuments,
) {
  const { http, subgraph, observe } = options
  const showsUndecided = options.access.undecidedContent === 'shown'
  const { maxRows, maxCalls, maxTokens, maxDepth, maxAliases, maxAnswerSize } = options.limits
  const schema = subgraph.enabled ? subgraphOf(graph, sdlOptionsOf(options)).schema : graph
  const limits = limitsOf({ maxTokens, maxDepth, maxAliases, maxAnswerSize, ...tuning.limits })
  const { introspection = !production, onlyTrusted } = http
  const guard = new Guard(schema, { limits, introspection, trusted, onlyTrusted })
  const memoryGuard = new MemoryGuard(memory, limits, events)
  const prepared = new PreparedOperations(new Planner(schema), { trusted: trusted.texts })
  const ownWriters = tuning.compile === false ? undefined : writers?.(schema)
  const core = new Core({
    schema,
    upstream: { ...site, limits: { rows: maxRows, unpaged: tuning.limits?.maxUnpaged ?? MAX_UNPAGED, showsUndecided }, maxCalls },
    guard,
    memory: memoryGuard,
    shares,
    prepared,
    writers: ownWriters,
    scope: { ...options.site, ...options.protection, ...options.cache, ...tuning.protection },
    explainFor: observe.explainFor ?? [],
    explainOthersFor: tuning.explainOthersFor ?? [hasAccount(options) ? 'administrator' : 'keys'],
    httpCaching: httpCachingOf(options, schema, trusted),
    mask: masking(events),
    tracer: new OperationTracer(),
    events,
  })
  // Roles are restricted.
  const restricted = hasAccount(options) ? [false, true] : [false]
  const closing = new AbortController()
  const preparing = prepareTrusted(trusted, { schema, guard, prepared, writers: ownWriters, restricted, events }, closing.signal)
  preparing.catch((fault: unknown) => events.emit('fault', fault))
  return { core, guard, prepared, memory: memoryGuard, close: () => closing.abort() }
}

/** The headers by which CDNs, browsers and routers keep answers; undefined when they keep none. */
const httpCachingOf = (options: Options, schema: GraphQLSchema, trusted: TrustedDocuments): HttpCaching | undefined =>
  options.http.maxAge === undefined
    ? undefined
    : new HttpCaching({
        ...options,
        maxAges: new MaxAges(schema, options.http.maxAge),
        onlyTrustedGets: !options.subgraph.enabled,
        isTrusted: (text) => trusted.texts.has(text),
        explains: isExplained(options),
      })

const isExplained = ({ observe }: Options): boolean => (observe.explainFor ?? []).length > 0

/** The parts that HTTP needs. */
interface HttpNeeds {
  readonly redis: RedisConnection | undefined
  readonly site: ReturnType<typeof createSite>
  readonly authenticate: ReturnType<typeof createAuthenticator>
  readonly shares: Shares
  readonly operations: ReturnType<typeof createOperations>
}

/** HTTP: Yoga, and in front of it the handler of JSON posts. */
function createHttp(
  options: Options,
  shared: Shared,
  documents: TrustedDocuments,
  needs: HttpNeeds,
): Pick<Gateway, 'fetch' | 'handle' | 'metrics'> {
  const { tuning, events, metrics, memory, clients } = shared
  const { core, memory: memoryGuard } = needs.operations
  const { path, corsOrigins, trustedProxies } = options.http
  const end = endingRequests(events)
  const bodyBytes = options.limits.maxBodyBytes
  const steps = new Steps({
    authenticate: needs.authenticate,
    memory: memoryGuard,
    shares: needs.shares,
    bodies: new Bodies(memory),
    bodyBytes,
  })
  const cors = new Cors({ origins: corsOrigins, credentials: options.site.forwardCookie })
  const parts = { path, core, steps, answerHeaders: answerHeaders(cors) }
  const yoga = createYogaServer({
    ...parts,
    end,
    // `fetch` has no connection: with trusted proxies, all of its requests come from them.
    peer: { client: '', isTrusted: trustedProxies.length > 0, isProxied: false },
    mask: masking(events),
    graphiql: graphiqlOf(options, shared, documents),
    health: healthOf(options, shared, needs),
    siteHook: siteHookOf(options, shared, needs),
    metrics: metricsOf(options, shared),
  })
  watch(options, shared, documents, needs)
  const handlers = {
    serve: yogaHandler(yoga, parts.answerHeaders, events),
    jsonPosts: tuning.shortPath === false ? undefined : jsonPosts?.(parts),
  }
  return {
    // Hosts pass further arguments of their own, which Yoga would take for its context: Bun its server, Next.js parameters.
    fetch: async (input, init) => yoga.fetch(...((isRequest(input) ? [input] : [input, init]) as [string, RequestInit])),
    handle: nodeListener(handlers, steps, end, clients, peers(trustedProxies), path),
    metrics: async () => {
      if (!metrics) throw new TypeError('This gateway has no metrics: set the option `observe.metrics`.')
      return metrics.text()
    },
  }
}

function graphiqlOf(options: Options, { production, tuning: { users = [] } }: Shared, { saved }: TrustedDocuments) {
  if (!(options.http.graphiql ?? !production)) return undefined
  const config = {
    users: hasAccount(options) ? [] : users,
    embedded: users.length > 0,
    explain: isExplained(options),
    signIn: signInMethods(options),
    maxCalls: options.limits.maxCalls,
  }
  return { config, operations: () => saved ?? exampleOperations() }
}

const healthOf = (options: Options, { tuning }: Shared, { redis, site, authenticate }: HttpNeeds) => ({
  isLeaving: tuning.isLeaving,
  site: siteHealth({
    ...callChecks(site.client, accountsOf(options.site), () => site.transport.state.breakers),
    redis: redis && (() => (redis.isReady ? undefined : 'unreachable')),
    keySet: authenticate.keySet && (() => (authenticate.keySet?.failure ? 'not_loaded' : undefined)),
  }),
})

/** The webhook of the site; undefined when it is not configured. */
const siteHookOf = ({ hooks }: Options, { memory, events }: Shared, { site }: HttpNeeds): SiteHook | undefined =>
  hooks.secret && {
    secrets: hooks.secret.map((each) => each.reveal()),
    deliveries: site.deliveries,
    memory,
    onChanges: (changes) => site.changed(changes),
    tagsOf: (change) => TAGGING.ofChange(change),
    changeTypes: changeTypesOf(site.entities),
    events,
  }

/** The metrics at `/metrics`, and who can read them; undefined when they are not there. */
function metricsOf(options: Options, { metrics: source }: Shared) {
  const { metrics } = options.observe
  if (!source || (metrics !== true && metrics !== 'open')) return undefined
  const isOpen = metrics === 'open' || !hasAuthentication(options)
  return { source, audience: isOpen ? ('everybody' as const) : options.access.open ? ('callers' as const) : ('authenticated' as const) }
}

/** Lets the metrics show the state of this gateway from now on. */
function watch(
  options: Options,
  { log, tuning, metrics, memory, clients }: Shared,
  { byName }: TrustedDocuments,
  { redis, site, authenticate, operations }: HttpNeeds,
): void {
  const { isLeaving = () => false } = tuning
  metrics?.watch({
    preset: options.site.preset ?? 'lms',
    settingsHash: publicHash(options, byName),
    loadedAt: Math.floor(Date.now() / 1000),
    transport: site.transport,
    cache: site.cache,
    redis,
    keySet: authenticate.keySet,
    prepared: operations.prepared,
    memory,
    clients,
    isLeaving,
    log,
  })
}

const isRequest = (input: string | URL | Request): input is Request => typeof input === 'object' && 'headers' in input
