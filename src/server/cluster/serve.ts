import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { readMaxAge } from '../../federation/options.js'
import { readSwitchTexts } from '../../lms/profile/switches.js'
import type { Config } from '../../settings/config.js'
import { subgraphOptionsOf } from '../../settings/gateway-options.js'
import type { Given } from '../../settings/rules.js'
import { hasNames, siteOf, wrongNames } from '../../settings/site.js'
import { unreadableFile } from '../../settings/unreadable-file.js'
import { WrongSettings, withSettingNames } from '../../settings/wrong-settings.js'
import { basic } from '../../upstream/session.js'
import type { Output } from '../log/output.js'
import { serveMetrics } from '../metrics/exposition.js'
import { type EmbeddedSite, importGateway, type Job, startServing, unknownNames, unknownType } from './serving.js'

/** A running command. */
export interface Running {
  /** The line to print. Undefined for commands that have ended by themselves. */
  readonly line?: string
  /** Answers running requests, then ends. */
  end(): Promise<void>
  /** Replaces all processes by new ones. Undefined when there is only one. */
  renew?(): void
  /** Ends all processes immediately. */
  kill?(): void
}

export interface ServeOptions {
  /** Whether `NODE_ENV` is production. */
  readonly production: boolean
  /** The name of the runtime, unless it is Node.js. */
  readonly runtime?: string | undefined
  /** How each setting was given, for complaints. */
  readonly given: Given
  /** The log of this process; each worker has its own. */
  readonly log: Output
}

/** Starts the gateway, in this process or in workers, and the embedded LMS when no site is configured. */
export async function serve(config: Config, options: ServeOptions): Promise<Running> {
  const { production, runtime } = options
  if (runtime !== undefined && countOf(config) > 1)
    throw new Error(`Several workers need Node.js: ${runtime} cannot replace processes that share a port. Set \`--workers 1\`.`)
  await checkNames(config, options.given)
  await checkSubgraph(config, options.given)
  await checkMaxAges(config, options.given)
  const trustedDocuments =
    config.trustedDocuments === null
      ? undefined
      : await readManifest(config.trustedDocuments, options.given('trustedDocuments') ?? '`trustedDocuments`')
  const starting = config.upstream === null ? startEmbedded(config) : undefined
  // In parallel, because both are slow.
  const [lms] = await Promise.all([starting, countOf(config) === 1 && importGateway()])
  for (const warning of lms?.warnings ?? []) options.log.warn({}, warning)
  const embedded = lms && { url: lms.url, users: lms.users }
  try {
    const { url, metricsUrl, ...gateway } = await startGateways({ config, production, embedded, trustedDocuments }, options)
    const page = (config.graphiql ?? !production) ? 'GraphiQL and ' : ''
    return {
      ...gateway,
      line: `${page}GraphQL at ${url}/graphql, in front of ${lms ? 'the embedded LMS' : siteOf(config).url}${metricsUrl === undefined ? '' : `; metrics at ${metricsUrl}`}`,
      end: async () => {
        // SQLite keeps the last writes in a file of their own until the LMS is closed.
        await gateway.end().finally(() => lms?.close())
      },
    }
  } catch (error) {
    await lms?.close()
    throw error
  }
}

/** Throws when settings name columns, filters or routes that the graph does not have. */
async function checkNames(config: Config, given: Given): Promise<void> {
  if (!hasNames(config)) return
  const complaints = wrongNames(await unknownNames(siteOf(config, config.upstream ?? 'http://localhost')), given)
  if (complaints.length > 0) throw new WrongSettings(complaints)
}

/** Throws when settings of the subgraph name what it does not have. */
async function checkSubgraph(config: Config, given: Given): Promise<void> {
  const { subgraph, subgraphUserKey, subgraphAuthenticated, subgraphInaccessible, subgraphMaxAge } = config
  const names = subgraphUserKey !== 'id' || subgraphInaccessible.length > 0 || subgraphMaxAge !== null
  if (!subgraph || !(names || subgraphAuthenticated)) return
  const { subgraphOf, graphSchema } = await importGateway()
  withSettingNames(given, () => subgraphOf(graphSchema(), subgraphOptionsOf(config)))
}

/** Throws when the ages of answers name types that the graph does not have. */
async function checkMaxAges(config: Config, given: Given): Promise<void> {
  for (const name of ['cache', 'httpMaxAge'] as const) {
    const { [name]: text } = config
    const maxAge = text === null ? undefined : readMaxAge(text)
    const unknown = typeof maxAge === 'object' ? await unknownType(maxAge) : undefined
    if (unknown) throw new WrongSettings([`${given(name)} has ${unknown('graph')}`])
  }
}

/** The number of processes that answer requests. */
const countOf = ({ workers, maxInFlight }: Config): number => (workers === 'auto' ? Math.min(availableParallelism(), maxInFlight) : workers)

/** A running gateway, and the addresses of GraphQL and of the metrics. */
interface Started extends Running {
  readonly url: string
  readonly metricsUrl: string | undefined
}

async function startGateways(job: Job, { log }: ServeOptions): Promise<Started> {
  const { host, port, metricsPort, metricsHost } = job.config
  const count = countOf(job.config)
  if (count === 1) {
    const { url, metricsUrl, close } = await startServing(job, {
      log,
      metricsPort: metricsPort ?? undefined,
      metricsHost: metricsHost ?? host,
    })
    const { flushSpans } = await import('../tracing/tracer.js')
    return { url, metricsUrl, end: () => close().then(flushSpans) }
  }
  const { WorkerPool } = await import('./worker-pool.js')
  // All workers need the same port, also later ones.
  const config = port === 0 ? { ...job.config, port: await freePort(host) } : job.config
  const { pool, url } = await WorkerPool.start({ ...job, config }, count, (what) => log.warn({}, what))
  // This process serves the metrics: it also answers while workers are busy or start again.
  const metrics =
    metricsPort === null
      ? undefined
      : await serveMetrics(() => pool.metricsText(), { port: metricsPort, host: metricsHost ?? host }).catch((error) => {
          pool.kill()
          throw error
        })
  return {
    url,
    metricsUrl: metrics?.url,
    end: () => pool.end().finally(() => metrics?.close()),
    renew: () => pool.renew(),
    kill: () => pool.kill(),
  }
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Reads the trusted documents. Throws an `Error` for operators. */
async function readManifest(path: string, named: string): Promise<ReadonlyMap<string, string>> {
  const { readTrustedDocuments } = await import('../limits/persisted.js')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new WrongSettings([unreadableFile(named, path, error)])
  })
  try {
    return readTrustedDocuments(text)
  } catch (error) {
    throw new Error(`The file \`${path}\` that ${named} names cannot be used. ${(error as Error).message}`)
  }
}

/** The options of the embedded LMS. */
export const embeddedOf = ({ data, scale, profile, switch: switches, control }: Config) => ({
  profile,
  switches: readSwitchTexts(switches).value,
  control,
  ...(data === null ? {} : { data }),
  ...(scale === null ? {} : { scale }),
})

/** Starts the embedded LMS in a thread of its own, so that it does not block the gateway. */
async function startEmbedded(config: Config): Promise<EmbeddedSite & { readonly warnings: readonly string[]; close(): Promise<void> }> {
  // Not `lms/index.js`: that loads the LMS itself into this thread.
  const [{ startLmsThread }, { DEMO_USERS }] = await Promise.all([import('../../lms/thread.js'), import('../../lms/seed/people.js')])
  const lms = await startLmsThread(embeddedOf(config))
  const users = DEMO_USERS.map(({ login, name, role, password }) => ({ login, name, role, authorization: basic(login, password) }))
  return { url: lms.url, users, warnings: lms.warnings, close: () => lms.close() }
}
