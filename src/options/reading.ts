import type { Arguments } from './arguments.js'
import { complaintsOf, type Form } from './complaints.js'
import { unreadableFile } from './files.js'
import { type Command, parsedText } from './option.js'
import type { Entry, Options } from './table.js'

/** A value as it was given. */
export interface Given {
  readonly raw: unknown
  /** Texts of flags, variables and files are parsed by the kind of the option. */
  readonly form: Form
  /** How it was given, for messages: a flag, a variable, or a key with its place, in backquotes. */
  readonly named: string
}

/** One place where options are given: flags, variables, a settings file or a program. */
export type Source = (entry: Entry) => Given | undefined

/** How the option at a path was given, in backquotes. Undefined when it was not given. */
export type Named = (path: string) => string | undefined

/** Whether a command has an option. `config` and `check` have those of `serve`. */
export const hasOption = (command: Command, { commands }: Pick<Entry, 'commands'>): boolean =>
  commands.includes(command) || ((command === 'config' || command === 'check') && commands.includes('serve'))

/** Key of the options that have no area. */
const COMMAND_LINE = ''

/** Reads the value of every entry from the first source that has it. */
export class Reading {
  readonly complaints: string[] = []
  private readonly values: Record<string, Record<string, unknown>> = {}
  private readonly names = new Map<string, string>()

  /** Entries that `isRead` leaves out have their defaults. */
  constructor(
    entries: readonly Entry[],
    private readonly sources: readonly Source[],
    private readonly readFile: (path: string) => string,
    isRead: (entry: Entry) => boolean = () => true,
  ) {
    for (const entry of entries) {
      if (entry.fills !== undefined) continue
      const file = entries.find(({ fills }) => fills === entry.path)
      this.set(entry, isRead(entry) ? this.read(entry, file) : entry.default)
    }
  }

  /** The values of the table, frozen. */
  get options(): Options {
    const { [COMMAND_LINE]: _, ...areas } = this.values
    return Object.freeze(Object.fromEntries(Object.entries(areas).map(([area, values]) => [area, Object.freeze(values)]))) as Options
  }

  /** The values of options that only the command line has. */
  get args(): Arguments {
    return (this.values[COMMAND_LINE] ?? {}) as Arguments
  }

  /** How the option at a path was given. A secret in a file was given by the name of the file. */
  readonly named: Named = (path) => this.names.get(path)

  private set({ area, name }: Entry, value: unknown): void {
    this.values[area ?? COMMAND_LINE] = { ...this.values[area ?? COMMAND_LINE], [name]: value }
  }

  /** The value from the first source that has the option, or the name of the file with its text. */
  private read(entry: Entry, file: Entry | undefined): unknown {
    for (const source of this.sources) {
      const [given, inFile] = [source(entry), file && source(file)]
      if (given && inFile) this.complaints.push(`${inFile.named} and ${given.named} are both set; drop ${given.named}.`)
      if (!given && !inFile) continue
      this.names.set(entry.path, (inFile ?? given)?.named as string)
      return file && inFile ? this.fill(entry, file, inFile) : this.parse(entry, given as Given)
    }
    return entry.default
  }

  private parse(entry: Entry, { raw, form, named }: Given): unknown {
    const { success, data, error } = entry.schema.safeParse(
      typeof raw === 'string' && (form === 'text' || entry.kind === 'textOrNull') ? parsedText(raw, entry) : raw,
    )
    if (!success) this.complaints.push(...complaintsOf(named, raw, form, entry, error))
    return data
  }

  /** The text of an option in a file. Complaints do not name the file of a secret: operators may give the secret instead. */
  private fill(filled: Entry, file: Entry, given: Given): unknown {
    const path = this.parse(file, given)
    if (typeof path !== 'string') return undefined
    const { named } = given
    const shown = filled.secret ? undefined : path
    const theFile = `The file${shown === undefined ? '' : ` \`${shown}\``} that ${named} names`
    let text: string
    try {
      text = this.readFile(path).replace(/\r?\n$/, '')
    } catch (error) {
      this.complaints.push(unreadableFile(named, shown, error))
      return undefined
    }
    const { success, data } = filled.schema.safeParse(parsedText(text, filled))
    if (text === '') this.complaints.push(`${theFile} is empty.`)
    else if (!success) this.complaints.push(`${theFile} does not contain ${filled.allowed}.`)
    return data
  }
}
