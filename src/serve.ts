import { readFile } from 'node:fs/promises'
import { readMaxAge } from './federation/options.js'
import type { Output } from './server/log/output.js'
import type { Config } from './settings/config.js'
import { embeddedOf, PRESET_OF } from './settings/embedded.js'
import { startOptionsOf } from './settings/gateway-options.js'
import type { Given } from './settings/rules.js'
import { hasNames, siteOf, wrongNames } from './settings/site.js'
import { sdlOptionsOf } from './settings/subgraph.js'
import { unreadableFile } from './settings/unreadable-file.js'
import { WrongSettings, withSettingNames } from './settings/wrong-settings.js'
import { basic } from './upstream/credentials.js'

/** A running command. */
export interface Running {
  /** The line to print. Undefined for commands that have ended by themselves. */
  readonly line?: string
  /** Answers running requests, then ends. */
  end(): Promise<void>
}

export interface ServeOptions {
  /** Whether `NODE_ENV` is production. */
  readonly production: boolean
  /** How each setting was given, for complaints. */
  readonly given: Given
  readonly log: Output
}

/** Starts the gateway by its settings, and the embedded LMS when no site is configured. */
export async function serve(config: Config, { production, given, log }: ServeOptions): Promise<Running> {
  await checkNames(config, given)
  await checkSubgraph(config, given)
  await checkMaxAges(config, given)
  const { trustedDocuments: path } = config
  const trustedDocuments = path === null ? undefined : await readManifest(path, given('trustedDocuments') ?? '`trustedDocuments`')
  const starting = config.upstream === null ? startEmbedded(config) : undefined
  // In parallel, because both are slow.
  const [lms, { startGateway }] = await Promise.all([starting, import('./start.js')])
  for (const warning of lms?.warnings ?? []) log.warn({}, warning)
  try {
    const site = lms ? siteOf(withPresetOfProfile(config), lms.url) : siteOf(config)
    const gateway = await startGateway({ ...startOptionsOf(config, { site, users: lms?.users, production, trustedDocuments }), log })
    const { flushSpans } = await import('./server/tracing/tracer.js')
    const page = (config.graphiql ?? !production) ? 'GraphiQL and ' : ''
    const metrics = gateway.metricsUrl === undefined ? '' : `; metrics at ${gateway.metricsUrl}`
    return {
      line: `${page}GraphQL at ${gateway.url}/graphql, in front of ${lms ? 'the embedded LMS' : site.url}${metrics}`,
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

/** Throws when settings name columns, filters or routes that the graph does not have. */
async function checkNames(config: Config, given: Given): Promise<void> {
  if (!hasNames(config)) return
  const { unknownNamesOf } = await import('./server/site-names.js')
  const complaints = wrongNames(unknownNamesOf(siteOf(config, config.upstream ?? 'http://localhost')), given)
  if (complaints.length > 0) throw new WrongSettings(complaints)
}

/** Throws when settings of the subgraph name what it does not have. */
async function checkSubgraph(config: Config, given: Given): Promise<void> {
  if (!config.subgraph) return
  const [{ graphSchema }, { subgraphOf }] = await Promise.all([import('./graph/schema.js'), import('./federation/subgraph.js')])
  withSettingNames(given, () => subgraphOf(graphSchema(), sdlOptionsOf(config)))
}

/** Throws when the ages of answers name types that the graph does not have. */
async function checkMaxAges(config: Config, given: Given): Promise<void> {
  for (const name of ['cache', 'httpMaxAge'] as const) {
    const { [name]: text } = config
    const maxAge = text === null ? undefined : readMaxAge(text)
    // A subgraph can have further types, and has been checked.
    if (typeof maxAge !== 'object' || (name === 'httpMaxAge' && config.subgraph)) continue
    const [{ graphSchema }, { unknownTypeIn }] = await Promise.all([import('./graph/schema.js'), import('./federation/refusals.js')])
    const unknown = unknownTypeIn(graphSchema(), maxAge)
    if (unknown) throw new WrongSettings([`${given(name)} has ${unknown('graph')}`])
  }
}

/** Reads the trusted documents. Throws an `Error` for operators. */
async function readManifest(path: string, named: string): Promise<ReadonlyMap<string, string>> {
  const { readTrustedDocuments } = await import('./server/limits/persisted.js')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new WrongSettings([unreadableFile(named, path, error)])
  })
  try {
    return readTrustedDocuments(text)
  } catch (error) {
    throw new Error(`The file \`${path}\` that ${named} names cannot be used. ${(error as Error).message}`)
  }
}

/** The settings for the embedded LMS: its profile determines the preset, unless that is set. */
const withPresetOfProfile = (config: Config): Config =>
  config.preset === 'lms' ? { ...config, preset: PRESET_OF[config.profile] } : config

/** Starts the embedded LMS in a thread of its own, so that it does not block the gateway. */
async function startEmbedded(config: Config) {
  // Not `lms/index.js`: that loads the LMS itself into this thread.
  const [{ startLmsThread }, { DEMO_USERS }] = await Promise.all([import('./lms/thread.js'), import('./lms/seed/people.js')])
  const lms = await startLmsThread(embeddedOf(config))
  const users = DEMO_USERS.map(({ login, name, role, password }) => ({ login, name, role, authorization: basic(login, password) }))
  return { url: lms.url, users, warnings: lms.warnings, close: () => lms.close() }
}
