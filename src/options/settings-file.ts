import { dirname } from 'node:path'
import { readFileText, yaml } from './file-text.js'
import { readNested } from './object.js'
import type { Source } from './reading.js'
import { ENTRIES, type Options } from './table.js'

/** A settings file as a source. */
export interface SettingsFile {
  readonly source: Source
  /** Whether the file could be read. */
  readonly isReadable: boolean
  readonly complaints: readonly string[]
}

/** A file without settings. */
export const NO_FILE: SettingsFile = { source: () => undefined, isReadable: true, complaints: [] }

/** Reads settings from the text of the file at `path`, in JSON or YAML, with all complaints. */
export function readSettingsFile(text: string, path: string): SettingsFile {
  const { values, lineOf, complaints } = readFileText(text, path)
  if (complaints.length > 0) return { ...NO_FILE, isReadable: false, complaints }
  const line = (at: string): string => (lineOf(at) === undefined ? path : `${path}, line ${lineOf(at)}`)
  const nested = readNested({
    values,
    // Names are as long as somebody writes them, and may have control characters.
    named: (at) => `\`${at.replace(/\p{Cc}/gu, ' ').slice(0, 60)}\` (${line(at)})`,
    form: 'text',
    folder: dirname(path),
    elsewhere: ({ only }) => (only === 'program' ? 'is an option of programs, not of settings files.' : undefined),
  })
  return { ...nested, isReadable: true }
}

/** Options to write. Secrets are texts. */
export type Settings = { readonly [Area in keyof Options]?: Readonly<Record<string, unknown>> }

/** A settings file in YAML, with a description of each option. Options without a value are left out. */
export function writeSettingsFile(settings: Settings): string {
  const { stringify } = yaml()
  return Object.entries(settings)
    .map(([area, values]) => {
      const lines = ENTRIES.filter((entry) => entry.area === area && values[entry.name] !== undefined).flatMap(({ name, description }) => [
        `# ${description}`,
        stringify({ [name]: values[name] }, { lineWidth: 0 }).trimEnd(),
      ])
      return `${area}:\n${lines
        .join('\n')
        .split('\n')
        .map((each) => `  ${each}\n`)
        .join('')}`
    })
    .join('\n')
}
