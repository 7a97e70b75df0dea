import { resolve } from 'node:path'
import { defaultText } from './help.js'
import type { CommandOptions } from './read.js'
import { hasOption } from './reading.js'
import { ENTRIES, type Entry, type Options } from './table.js'

/**
 * The options of `serve` as a settings file, each with the flag, variable or key that set it. What has no value, and what is never shown, is a
 * comment.
 */
export function effectiveText({ options, named }: Pick<CommandOptions, 'options' | 'named'>): string {
  const entries = ENTRIES.filter((entry) => entry.fills === undefined && hasOption('serve', entry))
  const areas = [...new Set(entries.map(({ area }) => area))] as (keyof Options)[]
  return areas
    .map((area) => {
      const lines = entries.filter((entry) => entry.area === area).map((entry) => line(entry, options[area], named(entry.path)))
      return `${area}:\n${lines.map((each) => `  ${each}`).join('\n')}`
    })
    .join('\n')
}

function line(entry: Entry, values: object, source: string | undefined): string {
  const { name, hidden, kind } = entry
  const value: unknown = (values as Readonly<Record<string, unknown>>)[name]
  const from = `# ${source?.replaceAll('`', '') ?? 'default'}`
  if (hidden && value !== undefined && [value].flat().length > 0) return `# ${name}: hidden  ${from}`
  if (value === undefined) return `# ${name}: ${defaultText(entry)}`
  // JSON is YAML. Names of files are whole, because the printed text may be in another folder.
  return `${name}: ${JSON.stringify(kind === 'file' ? resolve(value as string) : value)}  ${from}`
}
