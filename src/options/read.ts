import { nearestName } from '../nearest-name.js'
import type { Arguments } from './arguments.js'
import { readCommandLine } from './command-line.js'
import { readText, unreadableFile } from './files.js'
import { COMMANDS, type Command } from './option.js'
import { hasOption, type Named, Reading, type Source } from './reading.js'
import { contradictions } from './rules.js'
import { NO_FILE, readSettingsFile, type SettingsFile } from './settings-file.js'
import { ARGUMENT_ENTRIES, ENTRIES, type Entry, type Options, SETTINGS_FILE, variablesOf } from './table.js'

type Env = Readonly<Record<string, string | undefined>>

/** What a command line asks for, with the options of its command. */
export interface CommandOptions {
  readonly command: Command
  readonly options: Options
  readonly args: Arguments
  /** The folder that is named after the command. */
  readonly directory: string | undefined
  /** How each option was given, for messages. */
  readonly named: Named
  /** Name of the settings file, if there is one. */
  readonly file: string | undefined
  readonly warnings: readonly string[]
}

export type ReadResult =
  | ({ readonly kind: 'options' } & CommandOptions)
  | { readonly kind: 'help'; readonly command?: Command; readonly isWhole: boolean }
  | { readonly kind: 'version' | 'versions' }
  | { readonly kind: 'complaints'; readonly complaints: readonly string[] }

/** Reads flags, variables, the settings file, and the files of secrets; the first of these that has an option decides. Returns all complaints at once. */
export function readOptions(argv: readonly string[], env: Env, readFile: (path: string) => string = readText): ReadResult {
  const line = readCommandLine(argv)
  const { command, only, isNamed, isWhole, directory } = line
  if (only === 'help') return { kind: 'help', isWhole, ...(isNamed && COMMANDS.includes(command) && { command }) }
  if (only !== undefined) return { kind: only }
  const variables: Source = (entry) => {
    const name = variablesOf(entry).find((each) => env[each])
    return name === undefined ? undefined : { raw: env[name], form: 'text', named: `\`${name}\`` }
  }
  const isRead = (entry: Entry): boolean => !COMMANDS.includes(command) || hasOption(command, entry)
  const fileGiven = isRead(SETTINGS_FILE) ? (line.source(SETTINGS_FILE) ?? variables(SETTINGS_FILE)) : undefined
  const file = readFileAt(fileGiven, readFile)
  const reading = new Reading([...ENTRIES, ...ARGUMENT_ENTRIES], [line.source, variables, file.source], readFile, isRead)
  const options = command === 'lms' && reading.named('http.port') === undefined ? withPort(reading.options, 4001) : reading.options
  const { args, named } = reading
  const complaints = [
    ...line.complaints,
    ...file.complaints,
    ...reading.complaints,
    // Missing options may be in a file that could not be read.
    ...(file.isReadable ? contradictions({ command, options, args, named, production: env.NODE_ENV === 'production' }) : []),
  ]
  const warnings = misspelt(env)
  // What is missing may be in a misspelt variable.
  if (complaints.length > 0) return { kind: 'complaints', complaints: [...complaints, ...warnings] }
  return { kind: 'options', command, options, args, directory, named, file: fileGiven && String(fileGiven.raw), warnings }
}

const withPort = (options: Options, port: number): Options => ({ ...options, http: { ...options.http, port } })

function readFileAt(
  given: { readonly raw: unknown; readonly named: string } | undefined,
  readFile: (path: string) => string,
): SettingsFile {
  if (given === undefined) return NO_FILE
  const { raw, named } = given
  if (typeof raw !== 'string' || raw === '')
    return { ...NO_FILE, complaints: [`${named} has no value; it must be ${SETTINGS_FILE.allowed}.`] }
  try {
    return readSettingsFile(readFile(raw), raw)
  } catch (error) {
    return { ...NO_FILE, isReadable: false, complaints: [unreadableFile(named, raw, error)] }
  }
}

const KNOWN = new Set([SETTINGS_FILE, ...ENTRIES].flatMap(variablesOf))
/** Those that the reference names. */
const VARIABLES = [SETTINGS_FILE, ...ENTRIES].flatMap(({ env }) => env ?? [])
const PREFIXES = new Set(VARIABLES.filter((name) => name.includes('_')).map((name) => name.split('_')[0]))

/** The end of variables that Kubernetes sets for services, such as `REDIS_PORT` and `LMS_SERVICE_HOST`. */
const SERVICE_LINK = /_(PORT|SERVICE)(_|$)/

/** Warnings about variables that begin like those of options and are probably misspelt, such as `LMS_UPSTREAM` and `LMS_URl`. */
const misspelt = (env: Env): string[] =>
  Object.keys(env).flatMap((name) => {
    if (KNOWN.has(name) || SERVICE_LINK.test(name) || !PREFIXES.has(name.split('_')[0]?.toUpperCase())) return []
    const near = name === 'LMS_UPSTREAM' ? 'LMS_URL' : nearestName(name, VARIABLES)
    return near === undefined ? [] : [`\`${name}\` is not a setting; did you mean \`${near}\`?`]
  })
