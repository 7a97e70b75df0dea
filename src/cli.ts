#!/usr/bin/env node
import nodeModule from 'node:module'
import { DataFileError } from './lms/errors.js'
import { helpText } from './options/help.js'
import { lmsOptionsOf, switchesIn } from './options/lms.js'
import { OptionsError } from './options/program.js'
import { type CommandOptions, readOptions } from './options/read.js'
import type { Secret } from './options/secret.js'
import { ENTRIES, variablesOf } from './options/table.js'
import { installedPackages, packageVersion } from './package-version.js'
import type { Running } from './serve.js'
import { faultText, shownFault } from './server/log/event-log.js'
import type { Output } from './server/log/output.js'

// Node.js 22 and later can keep compiled code in the temporary folder, so that the next start needs less time.
;(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.()

/** Starts what the command line asks for. Returns nothing when that has ended already. */
type Starter = (given: CommandOptions) => Promise<Running | undefined>

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

const production = process.env.NODE_ENV === 'production'

const serve: Starter = async (given) => {
  const [{ serve }, { createOutput }] = await Promise.all([import('./serve.js'), import('./server/log/output.js')])
  const { logLevel: level, logFormat = production ? 'json' : 'pretty' } = given.options.observe
  log = await createOutput({ level, format: logFormat, colors: process.stdout.isTTY === true })
  return serve(given, { production, log })
}

const lms: Starter = async ({ options, args: { backup } }) => {
  const { data, control } = options.lms
  if (backup !== undefined) {
    const { copyDataFile } = await import('./lms/data-file.js')
    copyDataFile(data as string, backup)
    return { ...NOTHING, line: `copied ${data} to ${backup}` }
  }
  const { startLms } = await import('./lms/index.js')
  const { port, host } = options.http
  const started = await startLms({ port, host, ...lmsOptionsOf(options.lms) })
  for (const warning of started.warnings) process.stderr.write(`lms-graphql: ${warning}\n`)
  const { namespace } = switchesIn(options.lms)
  const controls = control ? `; switches at ${started.url}/-/switches` : ''
  const line = `the embedded LMS at ${started.url} (use it as --upstream), with the routes /${namespace}/v1 and /${namespace}/v2${controls}`
  return { line, end: () => started.close() }
}

const schema: Starter = async ({ options, args, named }) => {
  const [{ graphSchema }, { lexicographicSortSchema, printSchema }] = await Promise.all([import('./graph/schema.js'), import('graphql')])
  if (options.subgraph.enabled) {
    const { subgraphSdl } = await import('./serve.js')
    print(await subgraphSdl(options, named))
  } else if (args.semanticNullability) print((await import('./graph/kit/semantic-nullability.js')).semanticSdl(graphSchema()))
  else print(printSchema(lexicographicSortSchema(graphSchema())))
}

const supergraph: Starter = async ({ options, args, named }) => {
  const { supergraphSdl } = await import('./serve.js')
  print(await supergraphSdl(options, named, args.url as string))
}

const doctor: Starter = async ({ options: { site, access, network, protection }, args, file }) => {
  const [{ runDoctor }, { Network }] = await Promise.all([import('./doctor/run.js'), import('./upstream/transport/network.js')])
  const accountOf = (user: string | undefined, password: Secret | undefined) =>
    user === undefined || password === undefined ? undefined : { user, password: password.reveal() }
  const reader = accountOf(site.user, site.password)
  const editor = accountOf(site.editorUser, site.editorPassword)
  const { stdout, stderr } = process
  process.exitCode = await runDoctor(
    {
      upstream: site.url as string,
      account: editor ?? reader,
      reader: editor && reader,
      roles: access.roles,
      ...protection,
      network: new Network(network),
      ...args,
      site,
      file,
      hints: { user: args.user, question: args.question },
    },
    { out: (text) => stdout.write(text), err: (text) => stderr.write(text), rewrites: stderr.isTTY === true },
  )
}

const config: Starter = async (given) => {
  const [{ effectiveText }, { effectiveOptions }] = await Promise.all([import('./options/effective.js'), import('./serve.js')])
  print(effectiveText({ ...given, options: await effectiveOptions(given, production) }))
}

const usage: Starter = async ({ directory, args }) => {
  const { stdin } = process
  if (directory === undefined || stdin.isTTY) throw new OptionsError(['`usage` needs a folder and a log: `lms-graphql usage DIR < FILE`.'])
  const { usageIn } = await import('./check/usage.js')
  print(await usageIn(stdin.setEncoding('utf8'), directory, args))
}

const check: Starter = async (given) => {
  const [{ runCheck }, { effectiveOptions }] = await Promise.all([import('./check/run.js'), import('./serve.js')])
  const progress = (line: string): unknown => process.stderr.isTTY && process.stderr.write(`\r\u001B[K${line}`)
  const options = await effectiveOptions(given, production)
  const { text, isFailed } = await runCheck({ ...given, options }, progress, process.env.GITHUB_WORKSPACE)
  print(text)
  process.exitCode = isFailed ? 1 : 0
}

const STARTERS: Readonly<Record<CommandOptions['command'], Starter>> = { serve, lms, schema, supergraph, doctor, config, check, usage }

/** The environment as it was at the start, for `SIGHUP`. */
const env = { ...process.env }

/** Reads the options again, and changes the running gateway. A wrong one changes nothing. */
function reload({ reload: change }: Running): void {
  if (!change) return
  const result = readOptions(process.argv.slice(2), env)
  const refuse = (complaints: readonly string[]): void =>
    log?.error({ complaints }, 'The settings were not reloaded, because they are wrong.')
  const failed = (error: unknown): void => {
    if (error instanceof OptionsError) refuse(error.complaints)
    else log?.error({ err: shownFault(error) }, 'The settings were not reloaded, because of a fault.')
  }
  if (result.kind === 'options') change(result).catch(failed)
  else if (result.kind === 'complaints') refuse(result.complaints)
}

const complaintsIn = (error: unknown): readonly string[] => (error instanceof OptionsError ? error.complaints : [(error as Error).message])

/** Ends as a signal without a handler does. The system drops such signals for the first process of a container. */
const endByItself = (_signal: string, number: number): void => process.exit(128 + number)

async function run(given: CommandOptions): Promise<void> {
  const signals = process.pid === 1 ? ['SIGINT', 'SIGTERM'] : []
  for (const signal of signals) process.on(signal, endByItself)
  const running = (await STARTERS[given.command](given)) ?? NOTHING
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
  // The embedded LMS has nothing to reload: it ends with its terminal, as other programs do.
  process.on('SIGHUP', running.reload ? () => ending || reload(running) : end)
  const { operations } = given.options.http
  if (running.reload && !production && typeof operations === 'string') {
    const { watchOperations } = await import('./operations/collection.js')
    watchOperations(operations, () => ending || reload(running))
  }
  // Printed last: a signal may follow the line immediately, and needs its handler.
  if (running.line !== undefined) (log?.announce ?? print)(`lms-graphql: ${running.line}`)
}

process.on('exit', () => log?.end())
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  // The reader of what a command prints has gone, such as `head`.
  if (!log && error.code === 'EPIPE') process.exit()
  logCrash(error)
  process.exit(1)
})

const result = readOptions(process.argv.slice(2), process.env)
// Crash reports list the environment, and child processes and threads inherit it.
for (const entry of ENTRIES) if (entry.hidden) for (const name of variablesOf(entry)) delete process.env[name]

switch (result.kind) {
  case 'help':
    print(helpText(result.command, result.isWhole))
    break
  case 'version':
    print(packageVersion())
    break
  case 'versions': {
    const [own, ...others] = installedPackages()
    const { node, openssl } = process.versions
    print([own, `Node.js ${node}`, `OpenSSL ${openssl}`, ...others].join('\n'))
    break
  }
  case 'complaints':
    complain(result.complaints)
    process.exitCode = 2
    break
  case 'options':
    complain(result.warnings)
    run(result).catch((error: Error) => {
      complain(complaintsIn(error))
      process.exit(error instanceof DataFileError || error instanceof OptionsError ? 2 : 1)
    })
}
