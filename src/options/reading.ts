import type { Arguments } from './arguments.js'
import { complaintsOf, type Form } from './complaints.js'
import { unreadableFile } from './files.js'
import { type Command, parsedText } from './option.js'
import { type Entry, entryAt, type Options } from './table.js'

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

/** Whether a command has an option. `config` has those of `serve`. */
export const hasOption = (command: Command, { commands }: Pick<Entry, 'commands'>): boolean =>
  commands.includes(command === 'config' ? 'serve' : command)

/** The area of options that are in none. */
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
      const value = isRead(entry) ? this.read(entry) : entry.default
      if (entry.fills === undefined) this.set(entry, value)
      else if (typeof value === 'string') this.fill(entryAt(entry.fills), entry, value)
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

  private read(entry: Entry): unknown {
    for (const source of this.sources) {
      const given = source(entry)
      if (given === undefined) continue
      this.names.set(entry.path, given.named)
      return this.parse(entry, given)
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

  /** Sets a secret to the text of a file. */
  private fill(secret: Entry, { path: filePath }: Entry, path: string): void {
    const [file, inline] = [this.names.get(filePath) as string, this.names.get(secret.path)]
    if (inline !== undefined) this.complaints.push(`${file} and ${inline} are both set; drop ${inline}.`)
    this.names.set(secret.path, file)
    let text: string
    try {
      text = this.readFile(path).replace(/\r?\n$/, '')
    } catch (error) {
      this.complaints.push(unreadableFile(file, undefined, error))
      return
    }
    const parsed = secret.schema.safeParse(parsedText(text, secret))
    this.set(secret, parsed.data)
    if (text === '') this.complaints.push(`The file that ${file} names is empty.`)
    else if (!parsed.success) this.complaints.push(`The file that ${file} names does not contain ${secret.allowed}.`)
  }
}
