import { parseArgs } from 'node:util'
import { COMMANDS, type Command } from './setting.js'

/** The flags of `doctor` that are not settings. */
export interface DoctorFlags {
  readonly json: boolean
  /** File for the configuration, and whether it may be overwritten. */
  readonly write: string | null
  readonly force: boolean
  /** Ids of records to examine. */
  readonly hints: { readonly user: number | undefined; readonly question: number | undefined }
}

/** The flags, with the placeholder of their value and their description. */
export const DOCTOR_FLAGS: Readonly<Record<string, { readonly value?: keyof typeof ALLOWED; readonly description: string }>> = {
  json: { description: 'Print everything as JSON instead of a table.' },
  write: { value: 'FILE', description: 'Write a configuration for `serve --config FILE`.' },
  force: { description: 'Overwrite the file.' },
  user: { value: 'ID', description: 'User whose course progress is examined.' },
  question: { value: 'ID', description: 'Question that is examined.' },
}

const ALLOWED = { FILE: 'a file name', ID: 'a whole number from 1' } as const

interface DoctorCommandLine {
  readonly flags: DoctorFlags
  /** The command line without them. */
  readonly rest: readonly string[]
  readonly complaints: readonly string[]
}

/** Takes these flags out of a command line of `doctor`. Command lines of other commands stay as they are. */
export function takeDoctorFlags(argv: readonly string[]): DoctorCommandLine {
  const isDoctor = argv.find((word) => COMMANDS.includes(word as Command)) === 'doctor'
  const options = Object.fromEntries(
    Object.entries(DOCTOR_FLAGS).map(([name, { value }]) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  )
  const { values, tokens } = parseArgs({ args: isDoctor ? [...argv] : [], options, strict: false, allowPositionals: true, tokens: true })
  const complaints: string[] = []
  const taken = new Set<number>()
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) continue
    taken.add(token.index)
    if (token.value !== undefined && !token.inlineValue) taken.add(token.index + 1)
    const complaint = complaintOf(token.name, token.value)
    if (complaint !== undefined) complaints.push(complaint)
  }
  if (isOn(values.force) && values.write === undefined) complaints.push('`--force` has no effect without `--write FILE`.')
  const id = (name: 'user' | 'question'): number | undefined =>
    typeof values[name] === 'string' ? Number.parseInt(values[name], 10) : undefined
  return {
    flags: {
      json: isOn(values.json),
      write: typeof values.write === 'string' ? values.write : null,
      force: isOn(values.force),
      hints: { user: id('user'), question: id('question') },
    },
    rest: argv.filter((_, index) => !taken.has(index)),
    complaints,
  }
}

/** Whether a flag is on that may stand alone. */
const isOn = (value: unknown): boolean => value === true || value === 'true'

function complaintOf(name: string, given: string | undefined): string | undefined {
  const value = DOCTOR_FLAGS[name]?.value
  if (!value)
    return given === undefined || given === 'true' || given === 'false'
      ? undefined
      : `\`--${name}\` is \`${given.slice(0, 40)}\`; it must be true or false.`
  if (given === undefined || given === '' || given.startsWith('-')) return `\`--${name}\` is without a value; it must be ${ALLOWED[value]}.`
  return value === 'ID' && !/^[1-9]\d{0,9}$/.test(given)
    ? `\`--${name}\` is \`${given.slice(0, 40)}\`; it must be ${ALLOWED.ID}.`
    : undefined
}
