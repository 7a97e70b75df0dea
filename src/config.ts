import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { z } from 'zod'
import { contradictions } from './settings/rules.js'
import { COMMANDS, type Command, type Setting } from './settings/setting.js'
import { SETTINGS } from './settings.js'

type SettingName = keyof typeof SETTINGS

/** Every setting with its value; secrets print nothing of themselves. */
export type Config = { readonly command: Command } & { readonly [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]['schema']> }

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'complaints'; readonly complaints: readonly string[] }

type Env = Readonly<Record<string, string | undefined>>
type Flags = Readonly<Record<string, unknown>>

/** A value as it may be shown: without credentials, and without the query of an address. */
const shown = (value: string): string => value.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/\?.*/s, '?…')

const rows = Object.entries(SETTINGS) as [SettingName, Setting][]
const withFlag = rows.flatMap(([, { flag, value }]) => (flag === undefined ? [] : [[flag, value] as const]))

const readText = (path: string): string => readFileSync(path, 'utf8')

/**
 * Reads flags, environment and the files they name; a flag wins. Answers a frozen configuration, or everything that is wrong at once.
 */
export function readConfig(argv: readonly string[], env: Env, readFile: (path: string) => string = readText): ConfigResult {
  const options = Object.fromEntries(withFlag.map(([flag, value]) => [flag, { type: value ? ('string' as const) : ('boolean' as const) }]))
  const { values, tokens } = parseArgs({
    args: [...argv],
    options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const complaints: string[] = []
  const unknown = tokens.filter((token) => token.kind === 'option').filter(({ name }) => !Object.hasOwn(options, name))
  // A word behind an unknown flag was meant as its value, and may be a secret.
  const words = tokens.filter(({ kind, index }) => kind === 'positional' && !unknown.some((token) => token.index === index - 1))
  const [command = 'serve', ...extras] = words.map(({ index }) => argv[index]) as Command[]
  if (!COMMANDS.includes(command)) complaints.push(`\`${command}\` is no command; there are ${COMMANDS.join(', ')}.`)
  for (const extra of extras) complaints.push(`\`${extra}\` is one word too many: only one command is taken.`)
  for (const { name, rawName } of unknown) complaints.push(`\`${rawName}\` is no flag; ${insteadOf(name)}`)
  const reading = new Reading(command, values, env, readFile)
  complaints.push(...reading.complaints)
  if (command === 'lms' && reading.named('port') === undefined) reading.config.port = 4001
  return complaints.length > 0
    ? { kind: 'complaints', complaints }
    : { kind: 'config', config: Object.freeze({ command, ...reading.config }) as Config }
}

/** What to do instead of giving a flag that does not exist. */
function insteadOf(name: string): string {
  const env = name.toUpperCase().replaceAll('-', '_')
  const secret = rows.find(([, setting]) => setting.flag === undefined && setting.env === env)
  const holder = rows.find(([, { fills }]) => fills !== undefined && fills === secret?.[0])
  return secret ? `command lines show in lists of processes. Set \`${env}\`, or \`--${holder?.[1].flag}\`.` : '`--help` lists them.'
}

/** The value of each setting, and what is wrong with them. A command's settings are those it has; others keep their defaults. */
class Reading {
  readonly config: Record<string, unknown> = {}
  readonly complaints: string[] = []
  private readonly names = new Map<string, string>()

  constructor(
    private readonly command: Command,
    private readonly flags: Flags,
    private readonly env: Env,
    private readonly readFile: (path: string) => string,
  ) {
    for (const [name, setting] of rows) this.read(name, setting)
    for (const [name, { fills }] of rows) if (fills !== undefined) this.fill(name, fills as SettingName)
    this.complaints.push(...contradictions(this.named, (name) => (this.config[name] === false ? undefined : this.named(name))))
  }

  /** How a setting was given: its flag or its variable. */
  readonly named = (name: string): string | undefined => this.names.get(name)

  private read(name: SettingName, setting: Setting): void {
    const { flag, env, commands, schema, allowed, hidden } = setting
    const concerned = !COMMANDS.includes(this.command) || commands.includes(this.command)
    const given = flag !== undefined && Object.hasOwn(this.flags, flag)
    if (given && !concerned) this.complaints.push(`\`--${flag}\` does not go with \`${this.command}\`.`)
    const raw = !concerned ? undefined : given ? this.flags[flag] : this.env[env] || undefined
    if (raw !== undefined) this.names.set(name, given ? `--${flag}` : env)
    const parsed = schema.safeParse(raw)
    this.config[name] = parsed.data
    if (parsed.success) return
    const found = raw === true ? ' is without a value;' : hidden ? ' is wrong;' : ` is \`${shown(String(raw))}\`;`
    this.complaints.push(`\`${this.named(name)}\`${found} it must be ${allowed}.`)
  }

  /** Puts what is in the file one setting names in the place of another. */
  private fill(name: SettingName, target: SettingName): void {
    const path = this.config[name]
    if (typeof path !== 'string') return
    const [file, inline] = [this.named(name), this.named(target)]
    if (inline) this.complaints.push(`\`${file}\` and \`${inline}\` are both set; drop \`${inline}\`.`)
    let text: string
    try {
      text = this.readFile(path).replace(/\r?\n$/, '')
    } catch (error) {
      this.complaints.push(
        `The file that \`${file}\` names cannot be read (${(error as NodeJS.ErrnoException).code ?? 'no reason given'}).`,
      )
      return
    }
    const { schema, allowed } = SETTINGS[target] as Setting
    const parsed = schema.safeParse(text)
    this.config[target] = parsed.data
    if (text === '') this.complaints.push(`The file that \`${file}\` names is empty.`)
    else if (!parsed.success) this.complaints.push(`The file that \`${file}\` names does not hold what it should: ${allowed}.`)
  }
}

/** What `--help` prints. */
export function helpText(): string {
  const lines = rows.map(([, { flag, value, env, otherwise, description, commands }]) => {
    const left = flag === undefined ? `  ${env}` : `  --${flag}${value ? ` ${value}` : ''}`
    const where = commands.length === COMMANDS.length ? '' : `[${commands.join(', ')}] `
    return `${left.padEnd(31)} ${description} ${where}(${flag === undefined ? 'environment only' : env}; default: ${otherwise})`
  })
  return [
    'Usage: lms-graphql [serve] [flags]   the gateway; without --upstream on the embedded LMS',
    '       lms-graphql lms [flags]       the embedded LMS alone',
    '       lms-graphql schema            print the graph as SDL',
    '',
    ...lines,
    '  -h, --help                  Print this.',
    '  -v, --version               Print the version.',
  ].join('\n')
}
