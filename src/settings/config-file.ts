import { dirname, isAbsolute, join } from 'node:path'
import { nearestName } from '../options.js'
import { type Entry, OTHER, readFileText, yaml } from './file-text.js'
import { complaintsOf, parseValue, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'

/** A value of a file, and its name in complaints. */
export interface FileValue {
  /** Absent when the value is wrong; there is a complaint then. */
  readonly raw?: unknown
  readonly named: string
}

export interface ConfigFile {
  /** Values by the name of their setting. */
  readonly values: ReadonlyMap<string, FileValue>
  /** Whether the file could be read. */
  readonly isReadable: boolean
  readonly complaints: readonly string[]
}

type FileSettings = Omit<typeof SETTINGS, 'configFile'>

/** Settings to write, by name, as `readConfig` returns them, but with secrets as texts. */
export type FileValues = { readonly [Name in keyof FileSettings]?: string | number | boolean | readonly string[] | null | undefined }

// A configuration file cannot name another one.
const { configFile: _, ...settings }: Readonly<Record<string, Setting>> = SETTINGS

/** An empty file. */
export const NO_FILE: ConfigFile = { values: new Map(), isReadable: true, complaints: [] }

/** Reads settings from the text of the file at `path`, in JSON or YAML, with all complaints. */
export function readConfigFile(text: string, path: string): ConfigFile {
  const { entries, complaints: faults } = readFileText(text, path)
  if (faults.length > 0) return { ...NO_FILE, isReadable: false, complaints: faults }
  const values = new Map<string, FileValue>()
  const lines = new Map<string, number>()
  const complaints: string[] = []
  for (const entry of entries) {
    const { key, line } = entry
    const named = `\`${key}\` (${path}, line ${line})`
    const first = lines.get(key)
    if (first === undefined) lines.set(key, line)
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined
    if (!setting) complaints.push(`${named} is not a setting; ${insteadOf(key)}`)
    else if (first !== undefined) complaints.push(`${named} was set before, in line ${first}; drop one of them.`)
    else {
      const { complaint, ...filed } = read(entry, named, setting, dirname(path))
      values.set(key, filed)
      if (complaint !== undefined) complaints.push(complaint)
    }
  }
  return { values, isReadable: true, complaints }
}

/** The key that was probably meant, or how keys are named. */
function insteadOf(key: string): string {
  const plain = (name: string | undefined): string | undefined => name?.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const meant = Object.entries(settings).find(([name, { flag, env }]) => [name, flag, env].some((each) => plain(each) === plain(key)))
  const near = meant ? undefined : nearestName(key, Object.keys(settings))
  if (near !== undefined) return `did you mean \`${near}\`?`
  return meant ? `\`${meant[0]}\` is.` : 'settings are named like flags, in camel case: `maxInFlight` for `--max-in-flight`.'
}

/** The value of an entry, or a complaint. */
function read({ value }: Entry, named: string, setting: Setting, folder: string): FileValue & { readonly complaint?: string } {
  const { holds, schema, allowed } = setting
  const kind = kindOf(value)
  if (kind !== 'text' && kind !== holds) {
    const quotes = (kind === 'number' || kind === 'boolean') && holds !== 'number' && holds !== 'boolean'
    return { named, complaint: `${named} is ${KINDS[kind]}; it must be ${allowed}${quotes ? ', in quotes' : ''}.` }
  }
  if (Array.isArray(value) && value.includes(OTHER))
    return { named, complaint: `${named} has an item that is not a text, item ${value.indexOf(OTHER) + 1}; it must be ${allowed}.` }
  const raw = holds === 'file' && value !== '' && !isAbsolute(value as string) ? join(folder, value as string) : value
  const { error } = schema.safeParse(parseValue(raw, setting))
  return error ? { named, complaint: complaintsOf(named, String(value), setting, error).join(' ') } : { raw, named }
}

const KINDS = {
  nothing: 'without a value',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  other: 'not a plain value',
} as const

const kindOf = (value: Entry['value']): keyof typeof KINDS | 'text' => {
  if (value === null) return 'nothing'
  if (value === OTHER) return 'other'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'
}

/** A configuration file in YAML, with a description of each setting. Settings without a value are left out. */
export function writeConfigFile(values: FileValues): string {
  const { stringify } = yaml()
  return Object.entries(settings)
    .map(([name, { description }]) => [name, description, values[name as keyof FileValues]] as const)
    .filter(([, , value]) => value !== null && value !== undefined)
    .map(([name, description, value]) => `# ${description}\n${stringify({ [name]: value }, { lineWidth: 0 })}`)
    .join('\n')
}
