#!/usr/bin/env node
import nodeModule from 'node:module'
import { DataFileError } from './lms/errors.js'
import { switchesOf } from './lms/profile/switches.js'
import type { Running } from './serve.js'
import { faultText } from './server/log/event-log.js'
import type { Output } from './server/log/output.js'
import { packageVersion } from './server/version.js'
import { type Config, readConfig } from './settings/config.js'
import type { DoctorFlags } from './settings/doctor-flags.js'
import { embeddedOf } from './settings/embedded.js'
import { helpText } from './settings/help.js'
import type { Given } from './settings/rules.js'
import { SETTINGS } from './settings/settings.js'
import { subgraphOptionsOf } from './settings/subgraph.js'
import { WrongSettings, withSettingNames } from './settings/wrong-settings.js'

// Node.js 22 and later can keep compiled code in the temporary folder, so that the next start needs less time.
;(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.()

/** Starts what the command line asks for. */
type Starter = (config: Config, given: Given) => Promise<Running>

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** The log of the gateway, once it has started. */
let log: Output | undefined

function complain(complaints: readonly string[]): void {
  for (const complaint of complaints) process.stderr.write(`lms-graphql: ${complaint}\n`)
}

function logCrash(error: unknown): void {
  if (log) log.crash(error)
  else process.stderr.write(faultText(error))
}

const NOTHING: Running = { end: async () => {} }

const serve: Starter = async (config, given) => {
  const [{ serve }, { createOutput }] = await Promise.all([import('./serve.js'), import('./server/log/output.js')])
  const production = process.env.NODE_ENV === 'production'
  const { logLevel: level, logFormat } = config
  log = await createOutput({ level, format: logFormat ?? (production ? 'json' : 'pretty'), colors: process.stdout.isTTY === true })
  return serve(config, { production, given, log })
}

const lms: Starter = async (config) => {
  const { data, backup } = config
  if (backup !== null) {
    if (data === null) throw new DataFileError('`--backup` requires `--data`, the file to copy.')
    const { copyDataFile } = await import('./lms/data-file.js')
    copyDataFile(data, backup)
    return { ...NOTHING, line: `copied ${data} to ${backup}` }
  }
  const { startLms } = await import('./lms/index.js')
  const { port, host, control } = config
  const options = embeddedOf(config)
  const started = await startLms({ port, host, ...options })
  for (const warning of started.warnings) process.stderr.write(`lms-graphql: ${warning}\n`)
  const { namespace } = switchesOf(options.profile, options.switches)
  const controls = control ? `; switches at ${started.url}/-/switches` : ''
  const line = `the embedded LMS at ${started.url} (use it as --upstream), with the routes /${namespace}/v1 and /${namespace}/v2${controls}`
  return { line, end: () => started.close() }
}

const schema: Starter = async (config, given) => {
  const { subgraph, semanticNullability } = config
  const [{ graphSchema }, { lexicographicSortSchema, printSchema }] = await Promise.all([import('./graph/schema.js'), import('graphql')])
  if (subgraph) {
    const { subgraphOf } = await import('./federation/subgraph.js')
    print(withSettingNames(given, () => subgraphOf(graphSchema(), subgraphOptionsOf(config))).sdl)
  } else if (semanticNullability) print((await import('./graph/kit/semantic-nullability.js')).semanticSdl(graphSchema()))
  else print(printSchema(lexicographicSortSchema(graphSchema())))
  return NOTHING
}

const supergraph: Starter = async (config, given) => {
  const [{ graphSchema }, { supergraphOf }] = await Promise.all([import('./graph/schema.js'), import('./federation/supergraph.js')])
  print(withSettingNames(given, () => supergraphOf(graphSchema(), { ...subgraphOptionsOf(config), url: config.url as string })))
  return NOTHING
}

const doctor: Starter = async ({ upstream, lmsUser, lmsPassword, timeout, connectTimeout, maxResponseBytes, doctor: flags }) => {
  const { runDoctor } = await import('./doctor/run.js')
  const account = lmsUser !== null && lmsPassword !== null ? { user: lmsUser, password: lmsPassword.reveal() } : undefined
  const { stdout, stderr } = process
  process.exitCode = await runDoctor(
    { upstream: upstream as string, account, timeout, connectTimeout, maxResponseBytes, ...(flags as DoctorFlags) },
    { out: (text) => stdout.write(text), err: (text) => stderr.write(text), rewrites: stderr.isTTY === true },
  )
  return NOTHING
}

const STARTERS: Readonly<Record<Config['command'], Starter>> = { serve, lms, schema, supergraph, doctor }

/** Ends as a signal without a handler does. The system drops such signals for the first process of a container. */
const endByItself = (_signal: string, number: number): void => process.exit(128 + number)

async function run(config: Config, given: Given): Promise<void> {
  const signals = process.pid === 1 ? ['SIGINT', 'SIGTERM'] : []
  for (const signal of signals) process.on(signal, endByItself)
  const running = await STARTERS[config.command](config, given)
  for (const signal of signals) process.off(signal, endByItself)
  let ending = false
  const end = (): void => {
    if (ending) process.exit(1)
    ending = true
    running.end().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  // A second SIGHUP does not force the end.
  process.on('SIGHUP', () => ending || end())
  // Printed last: a signal may follow the line immediately, and needs its handler.
  if (running.line !== undefined) (log?.announce ?? print)(`lms-graphql: ${running.line}`)
}

process.on('exit', () => log?.end())
process.on('uncaughtException', (error) => {
  logCrash(error)
  process.exit(1)
})

const result = readConfig(process.argv.slice(2), process.env)
// Crash reports list the environment, and child processes and threads inherit it.
for (const setting of Object.values(SETTINGS)) if ('hidden' in setting) delete process.env[setting.env]

switch (result.kind) {
  case 'help':
    print(helpText(result.command))
    break
  case 'version':
    print(packageVersion())
    break
  case 'complaints':
    complain(result.complaints)
    process.exitCode = 2
    break
  case 'config':
    complain(result.warnings)
    run(result.config, result.given).catch((error: Error) => {
      complain(error instanceof WrongSettings ? error.complaints : [error.message])
      process.exit(error instanceof DataFileError || error instanceof WrongSettings ? 2 : 1)
    })
}
