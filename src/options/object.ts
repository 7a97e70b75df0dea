import { isAbsolute, join } from 'node:path'
import { isObject } from '../maps.js'
import { nearestName } from '../nearest-name.js'
import type { Given, Source } from './reading.js'
import { type Area, ENTRIES, type Entry, OPTIONS } from './table.js'

/** Options in the nested shape of settings files and programs, and where each of them is, for messages. */
export interface Nested {
  readonly values: unknown
  /** How the value at a path is named in messages, in backquotes. */
  readonly named: (path: string) => string
  /** Whether texts have the form of flags: a settings file may say `a,b` for a list. */
  readonly form: Given['form']
  /** Folder of relative names of files; that of the process when undefined. */
  readonly folder?: string
  /** Names beside the areas of the table. */
  readonly others?: readonly string[]
  /** Returns why an entry is not allowed here, as the end of a sentence; undefined when it is allowed. */
  readonly elsewhere: (entry: Entry) => string | undefined
}

/** Reads nested options. Returns them as a source, with complaints about everything that is no option. */
export function readNested(nested: Nested): { readonly source: Source; readonly complaints: readonly string[] } {
  const { values, named, folder, form, others = [], elsewhere } = nested
  const takes = (entry: Entry): boolean => elsewhere(entry) === undefined
  const given = new Map<string, unknown>()
  const complaints: string[] = []
  const areas = [...new Set(ENTRIES.filter(takes).flatMap(({ area }) => area ?? []))]
  for (const [area, section] of Object.entries(isObject(values) ? values : {})) {
    // An area may have nothing but comments.
    if (others.includes(area) || section === undefined || section === null) continue
    if (!Object.hasOwn(OPTIONS, area))
      complaints.push(`${named(area)} is not an option${didYouMean(area, [...areas, ...others], takes, '')}`)
    else if (!isObject(section)) complaints.push(`${named(area)} must be an object of options, such as \`${exampleOf(area as Area)}\`.`)
    else
      for (const [name, value] of Object.entries(section)) {
        const path = `${area}.${name}`
        const entry = ENTRIES.find((each) => each.path === path)
        if (value === undefined) continue
        if (!entry) complaints.push(`${named(path)} is not an option${didYouMean(name, namesIn(area, takes), takes, `${area}.`)}`)
        else if (!takes(entry)) complaints.push(`${named(path)} ${elsewhere(entry)}`)
        else given.set(path, entry.kind === 'file' && folder !== undefined ? inFolder(folder, value) : value)
      }
  }
  return {
    complaints,
    source: ({ path }) => (given.has(path) ? { raw: given.get(path), form: formOf(given.get(path), form), named: named(path) } : undefined),
  }
}

/** Only texts can have the form of flags. */
const formOf = (value: unknown, form: Given['form']): Given['form'] => (typeof value === 'string' ? form : 'value')

const inFolder = (folder: string, name: unknown): unknown =>
  typeof name === 'string' && name !== '' && !isAbsolute(name) ? join(folder, name) : name

const namesIn = (area: string, takes: (entry: Entry) => boolean): string[] =>
  ENTRIES.filter((each) => each.area === area && takes(each)).map(({ name }) => name)

/** The end of a sentence about an unknown name: its right place, a similar name after `prefix`, or the names that there are. */
function didYouMean(name: string, names: readonly string[], takes: (entry: Entry) => boolean, prefix: string): string {
  const plain = (text: string | undefined): string | undefined => text?.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const meant = ENTRIES.filter(takes).find((entry) =>
    [entry.path, entry.name, entry.flag, entry.env].some((each) => plain(each) === plain(name)),
  )
  const near = nearestName(name, names)
  if (!meant && near === undefined) return `. Known here: ${names.join(', ')}.`
  return `; did you mean \`${meant?.path ?? prefix + near}\`?`
}

const exampleOf = (area: Area): string => `${area}: { ${Object.keys(OPTIONS[area])[0]}: … }`
