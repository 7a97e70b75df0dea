#!/usr/bin/env -S node --max-semi-space-size=64
import { existsSync, readFileSync } from 'node:fs'
import { type Config, helpText, readConfig } from './config.js'
import type { Output } from './gateway/log/output.js'
import { readSwitchTexts } from './lms/profile/read.js'
import { switchesOf } from './lms/profile/switches.js'
import { protectionOf } from './rest/protection.js'
import { basic } from './rest/session.js'
import type { DoctorFlags } from './settings/doctor-flags.js'
import { PRESET_OF } from './settings/embedded.js'
import { accessOf, guardOf } from './settings/gateway-options.js'
import { siteOf } from './settings/site.js'
import { SETTINGS } from './settings.js'

/** Starts what the command line asks for; the returned function ends it. */
type Starter = (config: Config) => Promise<() => Promise<void>>

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** An error's text and that of its causes, and where they come from; not what else hangs on them, which may be a secret. */
function tell(error: unknown): void {
  if (log) log.crash(error)
  else if (!(error instanceof Error)) process.stderr.write('lms-graphql: something that is no error was thrown\n')
  else
    for (let each: unknown = error; each instanceof Error; each = each.cause)
      process.stderr.write(`lms-graphql: ${each.stack ?? each.message}\n`)
}

const serve: Starter = async (config) => {
  const trustedDocuments = config.trustedDocuments === null ? undefined : await readManifest(config.trustedDocuments)
  const embedded = config.upstream === null ? startEmbedded(config) : undefined
  const [{ startGateway }, lms, output] = await Promise.all([importGateway(), embedded, startLog(config)])
  const {
    port,
    host,
    maxInFlight,
    timeout,
    connectTimeout,
    maxResponseBytes,
    shareReads,
    compile,
    shortPath,
    maxRows,
    maxCalls,
    maxUnpaged,
    metrics,
  } = config
  const site = lms ? siteOf(inFrontOf(config), lms.url) : siteOf(config)
  const started = startGateway({
    upstream: site,
    port,
    host,
    maxInFlight,
    timeout,
    connectTimeout,
    maxResponseBytes,
    shareReads,
    compile,
    shortPath,
    maxRows,
    maxCalls,
    maxUnpaged,
    explainFor: config.explainFor ?? (process.env.NODE_ENV === 'production' ? [] : ['everybody']),
    metrics,
    subgraph: config.subgraph ? { userKey: config.subgraphUserKey } : undefined,
    users: lms?.users ?? [],
    log: output,
    logVariables: config.logVariables,
    ...protectionOf(config),
    ...accessOf(config),
    ...guardOf(config, IN_PRODUCTION),
    ...(trustedDocuments && { trustedDocuments }),
  })
  const gateway = await started.catch(async (error) => {
    await lms?.close()
    throw error
  })
  const hasPage = config.graphiql ?? !IN_PRODUCTION
  const place = `${gateway.url}/graphql, in front of ${lms ? 'the embedded LMS' : site.url}`
  output.announce(`lms-graphql: ${hasPage ? 'GraphiQL and ' : ''}GraphQL at ${place}`)
  return async () => {
    await gateway.close()
    await lms?.close()
  }
}

/** The settings that fit the embedded LMS: its profile tells the preset, unless that is set. */
const inFrontOf = (config: Config): Config => (config.preset === 'lms' ? { ...config, preset: PRESET_OF[config.profile] } : config)

const IN_PRODUCTION = process.env.NODE_ENV === 'production'

/** The documents in a manifest; throws with what is wrong with it. */
async function readManifest(path: string): Promise<ReadonlyMap<string, string>> {
  const { readTrustedDocuments } = await import('./gateway/trusted-documents.js')
  try {
    return readTrustedDocuments(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`The file that \`trustedDocuments\` names cannot be used. ${(error as Error).message}`)
  }
}

/** Where the gateway says what it does; not there until it begins to. */
let log: Output | undefined

async function startLog({ logLevel: level, logFormat }: Config): Promise<Output> {
  const { createOutput } = await importBuilt('output', () => import('./gateway/log/output.js'))
  log = await createOutput({ level, format: logFormat ?? (IN_PRODUCTION ? 'json' : 'pretty'), colors: process.stdout.isTTY === true })
  return log
}

const importGateway = () => importBuilt('start', () => import('./gateway/start.js'))

/** A part with its libraries in one file, where the build has left it so: that loads in less than half the time. */
function importBuilt<Part>(name: string, otherwise: () => Promise<Part>): Promise<Part> {
  const bundled = new URL(`./gateway/bundled/${name}.js`, import.meta.url)
  return existsSync(bundled) ? import(bundled.href) : otherwise()
}

/** What the embedded LMS is started with. */
const embeddedOf = ({ data, scale, profile, switch: switches, control }: Config) => ({
  scale,
  profile,
  switches: readSwitchTexts(switches).value,
  control,
  ...(data === null ? {} : { data }),
})

/** The embedded LMS in a thread of its own, so that its work never holds up the gateway. */
async function startEmbedded(config: Config) {
  // Not by way of `lms/index.js`: this thread need not load what the other one runs.
  const [{ startLmsThread }, { DEMO_USERS }] = await Promise.all([import('./lms/thread.js'), import('./lms/seed/people.js')])
  const lms = await startLmsThread(embeddedOf(config))
  const users = DEMO_USERS.map(({ login, name, role, password }) => ({ login, name, role, authorization: basic(login, password) }))
  return { ...lms, users, close: () => lms.close() }
}

const lms: Starter = async (config) => {
  const { startLms } = await import('./lms/index.js')
  const { port, host, control } = config
  const options = embeddedOf(config)
  const started = await startLms({ port, host, ...options })
  const { namespace } = switchesOf(options.profile, options.switches)
  const controls = control ? `; switches at ${started.url}/-/switches` : ''
  say(`lms-graphql: the embedded LMS at ${started.url}/${namespace}/v1 and /${namespace}/v2${controls}`)
  return () => started.close()
}

const schema: Starter = async ({ subgraph, subgraphUserKey: userKey }) => {
  const [{ graphSchema }, { lexicographicSortSchema, printSchema }] = await Promise.all([import('./graph/schema.js'), import('graphql')])
  if (subgraph) say((await import('./graph/subgraph.js')).subgraphOf(graphSchema(), { userKey }).sdl)
  else say(printSchema(lexicographicSortSchema(graphSchema())))
  return async () => {}
}

const doctor: Starter = async ({ upstream, lmsUser, lmsPassword, timeout, connectTimeout, maxResponseBytes, doctor: flags }) => {
  const { runDoctor } = await import('./doctor/run.js')
  const account = lmsUser !== null && lmsPassword !== null ? { user: lmsUser, password: lmsPassword.reveal() } : undefined
  const { stdout, stderr } = process
  process.exitCode = await runDoctor(
    { upstream: upstream as string, account, timeout, connectTimeout, maxResponseBytes, ...(flags as DoctorFlags) },
    { out: (text) => stdout.write(text), err: (text) => stderr.write(text), rewrites: stderr.isTTY === true },
  )
  return async () => {}
}

const STARTERS: Readonly<Record<Config['command'], Starter>> = { serve, lms, schema, doctor }

async function run(config: Config): Promise<void> {
  const stop = await STARTERS[config.command](config)
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}

const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

process.on('exit', () => log?.end())
process.on('uncaughtException', (error) => {
  tell(error)
  process.exit(1)
})

const result = readConfig(process.argv.slice(2), process.env)
// Reports of crashes list the environment, and threads and programs that are started inherit it.
for (const setting of Object.values(SETTINGS)) if ('hidden' in setting) delete process.env[setting.env]

switch (result.kind) {
  case 'help':
    say(helpText())
    break
  case 'version':
    say(packageVersion())
    break
  case 'complaints':
    for (const complaint of result.complaints) process.stderr.write(`lms-graphql: ${complaint}\n`)
    process.exitCode = 2
    break
  case 'config':
    run(result.config).catch((error: Error) => {
      process.stderr.write(`lms-graphql: ${error.message}\n`)
      process.exit(1)
    })
}
