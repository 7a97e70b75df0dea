import { parseArgs } from 'node:util'
import type { z } from 'zod'
import { COMMANDS, type Command, SETTINGS, type Setting } from './settings.js'

type SettingName = keyof typeof SETTINGS

/** Every setting with its value. */
export type Config = { readonly command: Command } & { readonly [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]['schema']> }

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'complaints'; readonly complaints: readonly string[] }

/** A value as it may be shown: without credentials, and without the query of an address. */
const shown = (value: string): string => value.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/\?.*/s, '?…')

const rows = Object.entries(SETTINGS) as [SettingName, Setting][]

/** Reads flags and environment; a flag wins. Answers a frozen configuration, or everything that is wrong at once. */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const options = Object.fromEntries(
    rows.map(([, { flag, value }]) => [flag, { type: value ? ('string' as const) : ('boolean' as const) }]),
  )
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
  for (const token of unknown) complaints.push(`\`${token.rawName}\` is no flag; \`--help\` lists them.`)
  const config: Record<string, unknown> = { command }
  for (const [name, setting] of rows) {
    const { value, complaint } = readSetting(setting, command, values, env)
    config[name] = value
    if (complaint) complaints.push(complaint)
  }
  if (command === 'lms' && !Object.hasOwn(values, 'port') && !env.PORT) config.port = 4001
  return complaints.length > 0 ? { kind: 'complaints', complaints } : { kind: 'config', config: Object.freeze(config) as Config }
}

/** The value of one setting, or what is wrong with it. A command's settings are those it has; others keep their defaults. */
function readSetting(
  setting: Setting,
  command: Command,
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
) {
  const concerned = !COMMANDS.includes(command) || setting.commands.includes(command)
  const given = Object.hasOwn(values, setting.flag)
  if (given && !concerned) return { complaint: `\`--${setting.flag}\` does not go with \`${command}\`.` }
  const raw = given ? values[setting.flag] : concerned ? env[setting.env] || undefined : undefined
  const parsed = setting.schema.safeParse(raw)
  if (parsed.success) return { value: parsed.data }
  const found = raw === true ? 'without a value' : `\`${shown(String(raw))}\``
  return { complaint: `\`${given ? `--${setting.flag}` : setting.env}\` is ${found}; it must be ${setting.allowed}.` }
}

/** What `--help` prints. */
export function helpText(): string {
  const flags = rows.map(([, { flag, value, env, otherwise, description, commands }]) => {
    const left = `  --${flag}${value ? ` ${value}` : ''}`
    return `${left.padEnd(30)}${description} ${commands.length === COMMANDS.length ? '' : `[${commands.join(', ')}] `}(${env}; default: ${otherwise})`
  })
  return [
    'Usage: lms-graphql [serve] [flags]   the gateway; without --upstream on the embedded LMS',
    '       lms-graphql lms [flags]       the embedded LMS alone',
    '       lms-graphql schema            print the graph as SDL',
    '',
    ...flags,
    '  -h, --help                  Print this.',
    '  -v, --version               Print the version.',
  ].join('\n')
}
