import type { MaxAge } from '../../federation/options.js'
import type { Config } from '../../settings/config.js'
import { PRESET_OF } from '../../settings/embedded.js'
import { accessOf, cacheOf, guardOf, hooksOf, redisOf, subgraphOptionsOf } from '../../settings/gateway-options.js'
import { siteOf } from '../../settings/site.js'
import type { Site } from '../../upstream/site/site.js'
import { protectionOf } from '../../upstream/transport/protection.js'
import { hasAuthentication } from '../auth/authenticator.js'
import type { Output } from '../log/output.js'
import type { StartedGateway, StartOptions } from '../start.js'

/** The embedded LMS as a site of gateways. */
export interface EmbeddedSite {
  readonly url: string
  /** Users that GraphiQL offers to sign in as. */
  readonly users: NonNullable<StartOptions['users']>
}

/** Everything that a serving process needs to know. */
export interface Job {
  readonly config: Config
  /** Whether `NODE_ENV` is production. */
  readonly production: boolean
  /** The site when none is configured. */
  readonly embedded?: EmbeddedSite | undefined
  readonly trustedDocuments?: ReadonlyMap<string, string> | undefined
}

/** Milliseconds after which a connection counts as idle when the gateway ends. */
const LINGER = 1_000

/** Starts a gateway by its settings. */
export async function startServing(
  job: Job,
  more: Pick<StartOptions, 'log' | 'shareMetrics' | 'shareRaises' | 'metricsPort' | 'metricsHost'>,
): Promise<StartedGateway> {
  const { startGateway } = await importGateway()
  return startGateway({ ...optionsOf(job), ...more })
}

function optionsOf({ config, production, embedded, trustedDocuments }: Job): StartOptions {
  const { port, host, maxInFlight, timeout, connectTimeout, maxResponseBytes, shareReads, shareInFlight } = config
  const {
    compile,
    shortPath,
    maxRows,
    maxCalls,
    maxUnpaged,
    explainFor,
    explainOthersFor,
    metrics,
    metricsOpen,
    metricsPort,
    drainTimeout,
    trustedProxies,
  } = config
  const access = accessOf(config)
  return {
    upstream: siteFor({ config, embedded }),
    port,
    host,
    maxInFlight,
    timeout,
    connectTimeout,
    maxResponseBytes,
    shareReads,
    shareInFlight,
    cache: cacheOf(config),
    redis: redisOf(config),
    trustedProxies,
    compile,
    shortPath,
    maxRows,
    maxCalls,
    maxUnpaged,
    explainFor: explainFor ?? (production ? [] : [hasAuthentication(access) ? 'callers' : 'everybody']),
    explainOthersFor: explainOthersFor ?? (embedded && !production ? ['everybody'] : ['keys', 'admins']),
    metrics: metrics || metricsPort !== null,
    metricsRoute: metricsPort === null,
    metricsOpen,
    subgraph: config.subgraph ? subgraphOptionsOf(config) : undefined,
    drainTimeout,
    linger: LINGER,
    users: embedded?.users ?? [],
    logVariables: config.logVariables,
    ...protectionOf(config),
    ...access,
    ...hooksOf(config),
    ...guardOf(config, production),
    ...(trustedDocuments && { trustedDocuments }),
  }
}

/** The site of a job. */
export const siteFor = ({ config, embedded }: Pick<Job, 'config' | 'embedded'>): Site =>
  embedded ? siteOf(withPresetOfProfile(config), embedded.url) : siteOf(config)

/** The settings for the embedded LMS: its profile determines the preset, unless that is set. */
const withPresetOfProfile = (config: Config): Config =>
  config.preset === 'lms' ? { ...config, preset: PRESET_OF[config.profile] } : config

/** The filters that are refused in front of a site, as a line of the log. */
export const refusedFilters = async (site: Site) =>
  site.ignored.length === 0 ? undefined : (await importGateway()).refusedFilterNotice(site)

/** The names in the description of a site that the graph does not know. */
export const unknownNames = async (site: Site) => (await importGateway()).unknownNamesOf(site)

/** Describes the first type in ages by type that the graph does not have. */
export const unknownType = async (maxAge: MaxAge) => {
  const { graphSchema, unknownTypeIn } = await importGateway()
  return unknownTypeIn(graphSchema(), maxAge)
}

/** Imports the gateway. Not imported with this module: its libraries take most of the time of a start, and other processes need none. */
export const importGateway = () => import('../start.js')

/** Starts the log of a process by its settings. */
export async function startOutput({ logLevel: level, logFormat, workers }: Config, production: boolean): Promise<Output> {
  const { createOutput } = await import('../log/output.js')
  const format = logFormat ?? (production ? 'json' : 'pretty')
  return createOutput({ level, format, colors: process.stdout.isTTY === true, isShared: workers !== 1 })
}
