import { createServer } from 'node:net'
import { graphSchema } from './graph/schema.js'
import { isPlainHttp } from './options/addresses.js'
import { lmsOptionsOf, routesIn } from './options/lms.js'
import { metricsAddress } from './options/observe.js'
import { OptionsError, type ReadOptions } from './options/program.js'
import type { CommandOptions } from './options/read.js'
import type { Named } from './options/reading.js'
import type { Options } from './options/table.js'
import type { Output } from './server/log/output.js'
import type { Tuning } from './tuning.js'
import { basic } from './upstream/credentials.js'
import { siteOf } from './upstream/site/presets.js'

/** A running command. */
export interface Running {
  /** The line to print. Undefined for commands that have ended by themselves. */
  readonly line?: string
  /** Changes the options of the running command. Rejects with an `OptionsError`, and changes nothing, when they are wrong. */
  reload?(given: CommandOptions): Promise<void>
  /** Answers running requests, then ends. */
  end(): Promise<void>
}

export interface ServeOptions {
  /** Whether `NODE_ENV` is production. */
  readonly production: boolean
  readonly log: Output
}

/** Milliseconds after which a connection counts as idle when the gateway ends. */
const LINGER = 1_000

/** Starts the gateway by its options, and the embedded LMS when no site is configured. */
export async function serve(given: CommandOptions, { production, log }: ServeOptions): Promise<Running> {
  const starting = given.options.site.url === undefined ? startEmbedded(given.options) : undefined
  // In parallel, because both are slow.
  const [lms, { start }] = await Promise.all([starting, import('./start.js')])
  for (const warning of lms?.warnings ?? []) log.warn({}, warning)
  // The embedded LMS keeps it until a restart.
  const embedded = given.options.lms
  const completed = (each: CommandOptions): ReadOptions => ({
    ...each,
    options: withDefaults(lms ? inFrontOf(each.options, lms.url, embedded) : each.options, production),
  })
  // The callers of the sample school are one person.
  const tuning: Tuning = {
    sockets: { linger: LINGER },
    ...(lms && { users: lms.users, ...(!production && { explainOthersFor: ['everybody'] }) }),
  }
  try {
    const read = completed(given)
    const gateway = await start(read, { production, log }, tuning)
    warnOfPlainHttp(read.options, log)
    const { flushSpans } = await import('./server/tracing/tracer.js')
    const page = read.options.http.graphiql ? 'GraphiQL and ' : ''
    const metrics = gateway.metricsUrl === undefined ? '' : `; metrics at ${gateway.metricsUrl}`
    return {
      line: `${page}GraphQL at ${gateway.url}/graphql, in front of ${lms ? `the embedded LMS at ${lms.url}` : read.options.site.url}${metrics}`,
      async reload(next) {
        if ((next.options.site.url === undefined) !== (lms !== undefined))
          throw new OptionsError(['A change between a site and the embedded LMS needs a restart.'])
        const read = completed(next)
        const waiting = gateway.change(read)
        warnOfPlainHttp(read.options, log)
        log.level = next.options.observe.logLevel
        const hint = waiting.length === 0 ? '' : ` A restart is needed for ${waiting.map((path) => `\`${path}\``).join(', ')}.`
        log.announce(`lms-graphql: the settings were reloaded.${hint}`)
      },
      end: async () => {
        // SQLite keeps the last writes in a file of their own until the LMS is closed.
        await gateway
          .close()
          .then(flushSpans)
          .finally(() => lms?.close())
      },
    }
  } catch (error) {
    await lms?.close()
    throw error
  }
}

/** The options with what depends on production: outside of it, people develop against the gateway. */
function withDefaults(options: Options, production: boolean): Options {
  const { site, access, http, observe } = options
  const developers = site.user === undefined && access.apiKeys === undefined ? 'everybody' : 'callers'
  return {
    ...options,
    http: { ...http, graphiql: http.graphiql ?? !production, introspection: http.introspection ?? !production },
    observe: { ...observe, explainFor: observe.explainFor ?? (production ? [] : [developers]) },
  }
}

/**
 * The options with which `serve` would start, with the values of the preset. Rejects with an `OptionsError` for trusted documents that cannot be
 * used, unless a command has a folder of its own, and for names that the graph does not have.
 */
export async function effectiveOptions({ options, named, directory }: CommandOptions, production: boolean): Promise<Options> {
  const { url } = options.site
  const { site, ...others } = withDefaults(url === undefined ? inFrontOf(options, 'http://127.0.0.1', options.lms) : options, production)
  const effective = { ...others, site: { ...site, ...siteOf(site), url } }
  const [{ trustedDocuments }, { wrongNames }] = await Promise.all([import('./operations/trusted.js'), import('./server/refusals.js')])
  const read = { options: effective, named }
  // The folder of the options may be on the server only.
  if (directory === undefined) trustedDocuments(read)
  const complaints = wrongNames(read, siteOf(site), graphSchema())
  if (complaints.length > 0) throw new OptionsError(complaints)
  return effective
}

/** Callers send their own credentials to a site without an account: only the operator knows whether the way to it is safe. */
function warnOfPlainHttp({ site, access }: Options, log: Output): void {
  if (site.url === undefined || access.allowPlainHttp || !isPlainHttp(site.url)) return
  log.warn({}, 'The site is called by http, so credentials of callers can be read on the way. Use https, or set `--allow-plain-http`.')
}

/** The options in front of an embedded LMS: its profile and its switches determine what is not set. */
function inFrontOf({ site, ...options }: Options, url: string, lms: Options['lms']): Options {
  const { preset = lms.profile === 'lms' ? 'lms' : 'learndash', routes = routesIn(lms) } = site
  return { ...options, site: { ...site, url, preset, routes } }
}

/** Ports after that of the gateway that the embedded LMS may have. */
const NEXT_PORTS = 10

/** The first free port after that of the gateway, so that addresses of the embedded LMS stay the same; 0 (any) when none is. */
async function portAfter({ http: { port = 4000, host }, observe: { metrics } }: Options): Promise<number> {
  const reserved = metricsAddress(metrics, host)?.port
  for (let next = port + 1; port !== 0 && next <= Math.min(port + NEXT_PORTS, 65_535); next++)
    if (next !== reserved && (await isFree(next))) return next
  return 0
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** Starts the embedded LMS in a thread of its own, so that it does not block the gateway. */
async function startEmbedded(given: Options) {
  // Not `lms/index.js`: that loads the LMS itself into this thread.
  const [{ startLmsThread }, { DEMO_USERS }, port] = await Promise.all([
    import('./lms/thread.js'),
    import('./lms/seed/people.js'),
    portAfter(given),
  ])
  const lms = await startLmsThread({ ...lmsOptionsOf(given.lms), port })
  const users = DEMO_USERS.map(({ login, name, role, password }) => ({ login, name, role, authorization: basic(login, password) }))
  return { url: lms.url, users, warnings: lms.warnings, close: () => lms.close() }
}

/** The SDL of the subgraph. Rejects with an `OptionsError` for options that do not fit it. */
export async function subgraphSdl(options: Options, named: Named): Promise<string> {
  const [{ subgraphOf }, sdlOptions] = await Promise.all([import('./federation/subgraph.js'), checkedSdlOptions(options, named)])
  return subgraphOf(graphSchema(), sdlOptions).sdl
}

/** A supergraph of the graph alone. Rejects with an `OptionsError` for options that do not fit the subgraph. */
export async function supergraphSdl(options: Options, named: Named, url: string): Promise<string> {
  const [{ supergraphOf }, sdlOptions] = await Promise.all([import('./federation/supergraph.js'), checkedSdlOptions(options, named)])
  return supergraphOf(graphSchema(), { ...sdlOptions, url })
}

async function checkedSdlOptions(options: Options, named: Named) {
  const { sdlOptionsOf, wrongInSubgraph } = await import('./server/refusals.js')
  const complaints = wrongInSubgraph(options, (path) => named(path) ?? `\`${path}\``, graphSchema())
  if (complaints.length > 0) throw new OptionsError(complaints)
  return sdlOptionsOf(options)
}
