import { parseArgs } from 'node:util'
import { nearestName } from '../options.js'
import { DOCTOR_FLAGS } from './doctor-flags.js'
import { COMMANDS, type Command, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'

/** The words of a command line. */
export interface CommandLine {
  readonly command: Command
  /** The text of each flag of a setting; true for a flag without a value, and an array for flags that can be repeated. */
  readonly flags: Readonly<Record<string, unknown>>
  /** The flag that ends all reading, if it is given. */
  readonly only?: 'help' | 'version' | undefined
  /** Whether a command is given. */
  readonly isNamed: boolean
  readonly complaints: readonly string[]
}

const settings = Object.values(SETTINGS) as Setting[]
const withFlag = settings.flatMap(({ flag, value, repeats, commands }) => (flag === undefined ? [] : [{ flag, value, repeats, commands }]))
const options = Object.fromEntries(
  withFlag.map(({ flag, value, repeats = false }) => [
    flag,
    { type: value ? ('string' as const) : ('boolean' as const), multiple: repeats },
  ]),
)

/** Whether a word is a flag that may stand alone, which then means true. */
const isBoolean = (word: string): boolean => {
  const name = word.startsWith('--') ? word.slice(2) : ''
  return Object.hasOwn(options, name)
    ? options[name]?.type === 'boolean'
    : Object.hasOwn(DOCTOR_FLAGS, name) && DOCTOR_FLAGS[name]?.value === undefined
}

/** Joins flags that may stand alone with `true` or `false` after them. Any other word after them is none of their value. */
export function joinBooleans(argv: readonly string[]): string[] {
  const joined: string[] = []
  let isOver = false
  for (const word of argv) {
    const last = joined.at(-1)
    isOver ||= word === '--'
    if (!isOver && last !== undefined && isBoolean(last) && (word === 'true' || word === 'false'))
      joined[joined.length - 1] = `${last}=${word}`
    else joined.push(word)
  }
  return joined
}

const isFlag = (word: string): boolean => word.startsWith('--') && Object.hasOwn(options, word.slice(2).split('=')[0] as string)

/** Reads a command line without the flags of the doctor. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, tokens } = parseArgs({
    args: [...argv],
    options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const flags: Record<string, unknown> = { ...values }
  const given = tokens.filter((token) => token.kind === 'option')
  // A flag is not the value of the flag before it.
  for (const { name, value, inlineValue } of given) if (value !== undefined && !inlineValue && isFlag(value)) flags[name] = true
  const unknown = given.filter(({ name }) => !Object.hasOwn(options, name) && name !== 'help' && name !== 'version')
  // A word after an unknown flag is probably its value, and may be a secret.
  const words = tokens.filter(({ kind, index }) => kind === 'positional' && !unknown.some((token) => token.index === index - 1))
  const [named, ...extras] = words.map(({ index }) => argv[index] as string)
  const command = (named ?? 'serve') as Command
  return {
    command,
    flags,
    only: values.help ? 'help' : values.version ? 'version' : undefined,
    isNamed: named !== undefined,
    complaints: [
      ...(COMMANDS.includes(command) ? [] : [`\`${command}\` is not a command${didYouMeanCommand(command)}`]),
      ...extras.map((extra) => `\`${extra}\` is unexpected after the command.`),
      ...unknown.flatMap(({ name, rawName }) => aboutFlag(name, rawName, command)),
    ],
  }
}

function didYouMeanCommand(word: string): string {
  const near = nearestName(word, COMMANDS)
  return near === undefined ? `. Commands are ${COMMANDS.join(', ')}.` : `; did you mean \`${near}\`?`
}

/** The complaint about an unknown flag, with what to do instead. */
function aboutFlag(name: string, rawName: string, command: Command): string[] {
  if (rawName === `--${name}` && Object.hasOwn(DOCTOR_FLAGS, name))
    return COMMANDS.includes(command) ? [otherCommand(name, ['doctor'], command)] : []
  const env = name.toUpperCase().replaceAll('-', '_')
  const [key] = Object.entries<Setting>(SETTINGS).find(([, setting]) => setting.flag === undefined && setting.env === env) ?? []
  const holder = settings.find(({ fills }) => fills !== undefined && fills === key)
  if (key !== undefined)
    return [`\`${rawName}\` is not a flag; lists of processes show command lines. Set \`${env}\`, or \`--${holder?.flag}\`.`]
  const near = nearestName(name, flagsOf(command))
  return [`\`${rawName}\` is not a flag; ${near === undefined ? '`--help` lists them.' : `did you mean \`--${near}\`?`}`]
}

/** The names of the flags of a command; all of them for an unknown command. */
const flagsOf = (command: Command): string[] => [
  ...withFlag.filter(({ commands }) => !COMMANDS.includes(command) || commands.includes(command)).map(({ flag }) => flag),
  ...(command === 'doctor' ? Object.keys(DOCTOR_FLAGS) : []),
  'help',
  'version',
]

/** The complaint about a flag of other commands. */
export const otherCommand = (flag: string, commands: readonly Command[], command: Command): string =>
  `\`--${flag}\` is a flag of ${commands
    .map((each) => `\`${each}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')}, not of \`${command}\`.`
