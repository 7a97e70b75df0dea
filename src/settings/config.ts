import { closeSync, openSync, readSync } from 'node:fs'
import type { z } from 'zod'
import { nearestName } from '../options.js'
import { joinBooleans, otherCommand, readCommandLine } from './command-line.js'
import { type ConfigFile, NO_FILE, readConfigFile } from './config-file.js'
import { type DoctorFlags, takeDoctorFlags } from './doctor-flags.js'
import { contradictions, type Given, samePort } from './rules.js'
import { COMMANDS, type Command, complaintsOf, parseValue, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'
import { unreadableFile } from './unreadable-file.js'

type SettingName = keyof typeof SETTINGS

// A copy of an object has a type without the schemas. So the declarations of the package name no type of the library that reads settings.
const values = { ...({} as { readonly [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]['schema']> }) }

/** Every setting with its value. Secrets are not printable. */
export type Config = { readonly command: Command; readonly doctor?: DoctorFlags } & Readonly<typeof values>

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config; readonly given: Given; readonly warnings: readonly string[] }
  | { readonly kind: 'help'; readonly command?: Command }
  | { readonly kind: 'version' }
  | { readonly kind: 'complaints'; readonly complaints: readonly string[] }

type Env = Readonly<Record<string, string | undefined>>
type Flags = Readonly<Record<string, unknown>>

const rows = Object.entries(SETTINGS) as [SettingName, Setting][]

/** The largest size of files that settings name. */
const MAX_BYTES = 1_000_000

/** The text of a file, which may be a pipe. Throws when it is too large. */
function readText(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null)
    if (length > MAX_BYTES) throw Object.assign(new Error('The file is too large.'), { code: 'EFBIG' })
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

/**
 * Reads flags, environment, configuration file and the files they name. A flag takes precedence, then a variable. Returns a frozen configuration,
 * or all complaints.
 */
export function readConfig(given: readonly string[], env: Env, readFile: (path: string) => string = readText): ConfigResult {
  const { rest: argv, flags: doctor, complaints: wrong } = takeDoctorFlags(joinBooleans(given))
  const { command, flags, only, isNamed, complaints: misread } = readCommandLine(argv)
  if (only === 'help') return isNamed && COMMANDS.includes(command) ? { kind: 'help', command } : { kind: 'help' }
  if (only === 'version') return { kind: 'version' }
  const complaints = [...wrong, ...misread]
  const reading = new Reading(command, flags, env, readFile)
  complaints.push(...reading.complaints)
  if (command === 'lms' && reading.named('port') === undefined) reading.config.port = 4001
  return complaints.length > 0
    ? { kind: 'complaints', complaints }
    : {
        kind: 'config',
        config: Object.freeze({ command, ...reading.config, ...(command === 'doctor' && { doctor }) }) as Config,
        given: reading.named,
        warnings: misspelt(env),
      }
}

/** Warnings about variables that are probably misspelt settings, such as `LMS_UPSTREAM` and `LMS_URl`. */
function misspelt(env: Env): string[] {
  const known = rows.map(([, setting]) => setting.env)
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || !/^LMS_/i.test(name)) return []
    const near = nearestName(name, known) ?? (name === 'LMS_UPSTREAM' ? SETTINGS.upstream.env : undefined)
    return near === undefined ? [] : [`\`${name}\` is not a setting; did you mean \`${near}\`?`]
  })
}

/** Whether a value is that of a switch that is off, or an empty list. */
const isOff = (value: unknown): boolean => value === false || (Array.isArray(value) && value.length === 0)

/** Reads the value of each setting of a command, with complaints. Settings of other commands keep their defaults. */
class Reading {
  readonly config: Record<string, unknown> = {}
  readonly complaints: string[] = []
  private readonly names = new Map<string, string>()
  private readonly file: ConfigFile = NO_FILE

  constructor(
    private readonly command: Command,
    private readonly flags: Flags,
    private readonly env: Env,
    private readonly readFile: (path: string) => string,
  ) {
    this.file = this.configFile()
    this.complaints.push(...this.file.complaints)
    for (const [name, setting] of rows) this.read(name, setting)
    for (const [name, { fills }] of rows) if (fills !== undefined) this.fill(name, fills as SettingName)
    this.complaints.push(...samePort(this.config, this.named))
    const on: Given = (name) => (isOff(this.config[name]) ? undefined : this.named(name))
    // Missing settings may be in a file that could not be read.
    if (this.file.isReadable) this.complaints.push(...contradictions(this.command, this.named, on, this.env.NODE_ENV === 'production'))
  }

  /** How a setting was given: its flag, its variable, or its line in the configuration file, in backquotes. */
  readonly named = (name: string): string | undefined => this.names.get(name)

  /** The given text of a setting, and how it was given. A flag takes precedence, then a variable. */
  private textGiven(name: SettingName, { flag, env, commands }: Setting): { readonly raw?: unknown; readonly named?: string } {
    if (COMMANDS.includes(this.command) && !commands.includes(this.command)) return {}
    if (flag !== undefined && Object.hasOwn(this.flags, flag)) return { raw: this.flags[flag], named: `\`--${flag}\`` }
    if (this.env[env]) return { raw: this.env[env], named: `\`${env}\`` }
    return this.file.values.get(name) ?? {}
  }

  private read(name: SettingName, setting: Setting): void {
    const { flag, commands, schema } = setting
    if (COMMANDS.includes(this.command) && !commands.includes(this.command) && flag !== undefined && Object.hasOwn(this.flags, flag))
      this.complaints.push(otherCommand(flag, commands, this.command))
    const { raw, named } = this.textGiven(name, setting)
    if (named !== undefined) this.names.set(name, named)
    const parsed = schema.safeParse(parseValue(raw, setting))
    this.config[name] = parsed.data
    if (!parsed.success) this.complaints.push(...complaintsOf(named as string, raw, setting, parsed.error))
  }

  private configFile(): ConfigFile {
    const { raw, named } = this.textGiven('configFile', SETTINGS.configFile)
    if (typeof raw !== 'string' || raw === '') return NO_FILE
    const text = this.textOf(raw, named as string, true)
    return text === undefined ? { ...NO_FILE, isReadable: false } : readConfigFile(text, raw)
  }

  /** The text of a file. Undefined with a complaint when it cannot be read. */
  private textOf(path: string, named: string, isShown: boolean): string | undefined {
    try {
      return this.readFile(path)
    } catch (error) {
      this.complaints.push(unreadableFile(named, isShown ? path : undefined, error))
      return undefined
    }
  }

  /** Sets a setting to the text of the file that another one names. */
  private fill(name: SettingName, target: SettingName): void {
    const path = this.config[name]
    if (typeof path !== 'string') return
    const [file, inline] = [this.named(name) as string, this.named(target)]
    if (inline) this.complaints.push(`${file} and ${inline} are both set; drop ${inline}.`)
    const text = this.textOf(path, file, false)?.replace(/\r?\n$/, '')
    if (text === undefined) return
    const setting = SETTINGS[target] as Setting
    const parsed = setting.schema.safeParse(parseValue(text, setting))
    this.config[target] = parsed.data
    if (text === '') this.complaints.push(`The file that ${file} names is empty.`)
    else if (!parsed.success) this.complaints.push(`The file that ${file} names does not contain ${setting.allowed}.`)
  }
}
