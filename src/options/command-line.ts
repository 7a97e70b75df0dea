import { parseArgs } from 'node:util'
import { didYouMean, nearestName } from '../nearest-name.js'
import { COMMANDS, type Command, inWords, parsedText } from './option.js'
import { hasOption, type Source } from './reading.js'
import { ARGUMENT_ENTRIES, ENTRIES, type Entry, SETTINGS_FILE } from './table.js'

/** Flags with which no other option is read. The first of them in this list counts. */
const ALONE = ['help', 'version', 'versions'] as const

/** Commands whose name the name of a folder may follow. */
const TAKE_FOLDER: readonly Command[] = ['check', 'usage']

/** The words of a command line. */
export interface CommandLine {
  readonly command: Command
  /** The options that have flags. */
  readonly source: Source
  /** The flag that ends all reading, if it is given. */
  readonly only?: (typeof ALONE)[number] | undefined
  /** Whether the help is for all options, not only for the common ones. */
  readonly isWhole: boolean
  /** Whether a command is given. */
  readonly isNamed: boolean
  /** The folder after the command. */
  readonly directory: string | undefined
  readonly complaints: readonly string[]
}

const flagged = [SETTINGS_FILE, ...ENTRIES, ...ARGUMENT_ENTRIES].filter(({ flag }) => flag !== undefined) as (Entry & {
  readonly flag: string
})[]
const byFlag = new Map(flagged.map((entry) => [entry.flag, entry]))

const flags = Object.fromEntries(
  flagged.map(({ flag, value, repeats = false }) => [
    flag,
    { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: repeats },
  ]),
)

/** Joins flags that may stand alone with the word after them, if that is a value for them. */
export function joinValues(argv: readonly string[]): string[] {
  const joined: string[] = []
  let isOver = false
  for (const word of argv) {
    const last = joined.at(-1)
    isOver ||= word === '--'
    const entry = isOver || !last?.startsWith('--') ? undefined : byFlag.get(last.slice(2))
    if (entry && entry.value === undefined && entry.schema.safeParse(parsedText(word, entry)).success)
      joined[joined.length - 1] = `${last}=${word}`
    else joined.push(word)
  }
  return joined
}

/** Reads a command line. */
export function readCommandLine(given: readonly string[]): CommandLine {
  const argv = joinValues(given)
  const { values, tokens } = parseArgs({
    args: argv,
    options: { ...flags, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' }, versions: { type: 'boolean' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const texts: Record<string, unknown> = { ...values }
  const options = tokens.filter((token) => token.kind === 'option')
  // A flag is not the value of the flag before it.
  for (const { name, value, inlineValue } of options)
    if (value !== undefined && !inlineValue && value.startsWith('--') && byFlag.has(value.slice(2).split('=')[0] as string))
      texts[name] = true
  const unknown = options.filter(({ name }) => !byFlag.has(name) && !ALONE.some((each) => each === name))
  // A word after an unknown flag is probably its value, and may be a secret.
  const words = tokens.filter(({ kind, index }) => kind === 'positional' && !unknown.some((token) => token.index === index - 1))
  const named = words.map(({ index }) => argv[index] as string)
  const isWhole = values.help === true && named.at(-1) === 'all'
  const [first, ...others] = isWhole ? named.slice(0, -1) : named
  const command = (first ?? 'serve') as Command
  const [directory, ...extras] = TAKE_FOLDER.includes(command) ? others : [undefined, ...others]
  const isKnown = COMMANDS.includes(command)
  return {
    command,
    source: sourceOf(texts),
    only: ALONE.find((name) => values[name]),
    isWhole,
    isNamed: first !== undefined,
    directory,
    complaints: [
      ...(isKnown ? [] : [`\`${command}\` is not a command${didYouMean(command, COMMANDS, `. Commands are ${COMMANDS.join(', ')}.`)}`]),
      ...extras.map((extra) => `\`${extra}\` is unexpected after the ${directory === undefined ? 'command' : 'folder'}.`),
      ...unknown.map(({ name, rawName }) => aboutUnknown(name, rawName, command)),
      ...(isKnown ? Object.keys(texts).flatMap((name) => aboutOther(byFlag.get(name), command)) : []),
    ],
  }
}

/** The texts of flags. A repeated flag has the items of all. */
const sourceOf =
  (texts: Readonly<Record<string, unknown>>): Source =>
  ({ flag }) => {
    if (flag === undefined || !Object.hasOwn(texts, flag)) return undefined
    const text = texts[flag]
    return { raw: Array.isArray(text) ? text.join(',') : text, form: 'text', named: `\`--${flag}\`` }
  }

/** The complaint about an unknown flag, with what to do instead. */
function aboutUnknown(name: string, rawName: string, command: Command): string {
  const secret = ENTRIES.find(({ secret, env }) => secret && env === name.toUpperCase().replaceAll('-', '_'))
  if (secret) return `\`${rawName}\` is not a flag; lists of processes show command lines. Set \`${secret.env}\`, or \`--${name}-file\`.`
  const known = flagged.filter((entry) => !COMMANDS.includes(command) || hasOption(command, entry)).map(({ flag }) => flag)
  const near = nearestName(name, [...known, ...ALONE])
  return `\`${rawName}\` is not a flag; ${near === undefined ? '`--help all` lists them.' : `did you mean \`--${near}\`?`}`
}

/** The complaint about a flag of other commands. */
function aboutOther(entry: Entry | undefined, command: Command): string[] {
  if (!entry || hasOption(command, entry)) return []
  return [`\`--${entry.flag}\` is a flag of ${inWords(entry.commands, 'and')}, not of \`${command}\`.`]
}
