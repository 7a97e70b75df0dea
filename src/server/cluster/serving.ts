import type { Config } from '../../settings/config.js'
import { PRESET_OF } from '../../settings/embedded.js'
import { accessOf, guardOf } from '../../settings/gateway-options.js'
import { siteOf } from '../../settings/site.js'
import type { Site } from '../../upstream/site/site.js'
import { protectionOf } from '../../upstream/transport/protection.js'
import { hasAuthentication } from '../auth/authenticator.js'
import type { StartedGateway, StartOptions } from '../start.js'
import { importGateway } from './bundled.js'

/** An embedded LMS, as gateways see it. */
export interface EmbeddedSite {
  readonly url: string
  /** Those GraphiQL offers to sign in as. */
  readonly users: NonNullable<StartOptions['users']>
}

/** All a process is told that is to serve. */
export interface Job {
  readonly config: Config
  /** Whether `NODE_ENV` is production. */
  readonly production: boolean
  /** The site where none is configured. */
  readonly embedded?: EmbeddedSite | undefined
  readonly trustedDocuments?: ReadonlyMap<string, string> | undefined
}

/** Milliseconds in which clients use their connections again, or are taken not to. */
const LINGER = 1_000

/** Starts a gateway as the settings say. */
export async function startServing(job: Job, more: Pick<StartOptions, 'log' | 'shareMetrics'>): Promise<StartedGateway> {
  const { startGateway } = await importGateway()
  return startGateway({ ...optionsOf(job), ...more })
}

function optionsOf({ config, production, embedded, trustedDocuments }: Job): StartOptions {
  const { port, host, maxInFlight, timeout, connectTimeout, maxResponseBytes, shareReads } = config
  const { compile, shortPath, maxRows, maxCalls, maxUnpaged, explainFor, metrics, metricsOpen, drainTimeout, trustedProxies } = config
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
    trustedProxies,
    compile,
    shortPath,
    maxRows,
    maxCalls,
    maxUnpaged,
    explainFor: explainFor ?? (production ? [] : [hasAuthentication(access) ? 'callers' : 'everybody']),
    metrics,
    metricsOpen,
    subgraph: config.subgraph ? { userKey: config.subgraphUserKey } : undefined,
    drainTimeout,
    linger: LINGER,
    users: embedded?.users ?? [],
    logVariables: config.logVariables,
    ...protectionOf(config),
    ...access,
    ...guardOf(config, production),
    ...(trustedDocuments && { trustedDocuments }),
  }
}

/** The site that a job's gateways ask. */
export const siteFor = ({ config, embedded }: Pick<Job, 'config' | 'embedded'>): Site =>
  embedded ? siteOf(inFrontOf(config), embedded.url) : siteOf(config)

/** The settings that fit the embedded LMS: its profile tells the preset, unless that is set. */
const inFrontOf = (config: Config): Config => (config.preset === 'lms' ? { ...config, preset: PRESET_OF[config.profile] } : config)

/** The filters that are refused in front of a site, as a line of the log. */
export const refusedFilters = async (site: Site) =>
  site.ignored.length === 0 ? undefined : (await importGateway()).refusedFilterNotice(site)
