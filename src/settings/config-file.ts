import { dirname, isAbsolute, join } from 'node:path'
import { type Entry, OTHER, readFileText, yaml } from './file-text.js'
import { NONE } from './names.js'
import { complaintsOf, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'

/** A value of a file: the text a flag would take, and how it is named in complaints. */
export interface Filed {
  /** Not there when it is wrong, which has been complained about. */
  readonly raw?: string
  readonly named: string
}

export interface ConfigFile {
  /** By the name of the setting. */
  readonly values: ReadonlyMap<string, Filed>
  /** Whether it could be read at all. */
  readonly isWhole: boolean
  readonly complaints: readonly string[]
}

type FileSettings = Omit<typeof SETTINGS, 'configFile'>

/** What can be written: settings by their names, as `readConfig` answers them, but secrets as texts. */
export type FileValues = { readonly [Name in keyof FileSettings]?: string | number | boolean | readonly string[] | null | undefined }

// A file names no other.
const { configFile: _, ...settings }: Readonly<Record<string, Setting>> = SETTINGS

/** What a file without any is. */
export const NO_FILE: ConfigFile = { values: new Map(), isWhole: true, complaints: [] }

/** Reads settings from the text of the file at `path`, in JSON or YAML, with everything that is wrong in it. */
export function readConfigFile(text: string, path: string): ConfigFile {
  const { entries, complaints: faults } = readFileText(text, path)
  if (faults.length > 0) return { ...NO_FILE, isWhole: false, complaints: faults }
  const values = new Map<string, Filed>()
  const lines = new Map<string, number>()
  const complaints: string[] = []
  for (const entry of entries) {
    const { key, line } = entry
    const named = `\`${key}\` (${path}, line ${line})`
    const first = lines.get(key)
    if (first === undefined) lines.set(key, line)
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined
    if (!setting) complaints.push(`${named} is no setting; ${insteadOf(key)}`)
    else if (first !== undefined) complaints.push(`${named} is there already, in line ${first}; drop one of them.`)
    else {
      const { complaint, ...filed } = read(entry, named, setting, dirname(path))
      values.set(key, filed)
      if (complaint !== undefined) complaints.push(complaint)
    }
  }
  return { values, isWhole: true, complaints }
}

/** The key that was meant, or how keys look. */
function insteadOf(key: string): string {
  const plain = (name: string | undefined): string | undefined => name?.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const meant = Object.entries(settings).find(([name, { flag, env }]) => [name, flag, env].some((each) => plain(each) === plain(key)))
  return meant ? `\`${meant[0]}\` is.` : 'settings are named like flags, in camel case: `maxInFlight` for `--max-in-flight`.'
}

/** The text a flag would take for an entry, where the setting's own check lets it pass; or what is wrong with it. */
function read({ value }: Entry, named: string, setting: Setting, folder: string): Filed & { readonly complaint?: string } {
  const { holds, schema, allowed } = setting
  const kind = kindOf(value)
  if (kind !== 'text' && kind !== holds) {
    const quotes = (kind === 'number' || kind === 'boolean') && holds !== 'number' && holds !== 'boolean'
    return { named, complaint: `${named} is ${KINDS[kind]}; it must be ${allowed}${quotes ? ', in quotes' : ''}.` }
  }
  if (Array.isArray(value) && value.includes(OTHER))
    return { named, complaint: `${named} holds what is no text, as item ${value.indexOf(OTHER) + 1}; it must be ${allowed}.` }
  const given = Array.isArray(value) ? (value.length === 0 ? NONE : value.join()) : String(value)
  const raw = holds === 'file' && given !== '' && !isAbsolute(given) ? join(folder, given) : given
  const { error } = schema.safeParse(raw)
  return error ? { named, complaint: complaintsOf(named, given, setting, error).join(' ') } : { raw, named }
}

const KINDS = {
  nothing: 'without a value',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  other: 'no plain value',
} as const

const kindOf = (value: Entry['value']): keyof typeof KINDS | 'text' => {
  if (value === null) return 'nothing'
  if (value === OTHER) return 'other'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'
}

/** A configuration file in YAML: what each setting does, and its value. Settings without a value are left out. */
export function writeConfigFile(values: FileValues): string {
  const { stringify } = yaml()
  return Object.entries(settings)
    .map(([name, { description }]) => [name, description, values[name as keyof FileValues]] as const)
    .filter(([, , value]) => value !== null && value !== undefined)
    .map(([name, description, value]) => `# ${description}\n${stringify({ [name]: value }, { lineWidth: 0 })}`)
    .join('\n')
}
