import { defaultText } from './help.js'
import { valueText } from './option.js'
import type { CommandOptions } from './read.js'
import { hasOption } from './reading.js'
import { ENTRIES, type Entry, type Options } from './table.js'

/** The options of `serve` as a settings file, each with the flag, variable or key that set it. Secrets are left out. */
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
  const value: unknown = (values as Readonly<Record<string, unknown>>)[entry.name]
  const from = `# ${source?.replaceAll('`', '') ?? 'default'}`
  if (value === undefined) return `# ${entry.name}: ${defaultText(entry)}`
  return `${entry.name}: ${entry.hidden && source !== undefined ? `'[hidden]'` : valueText(value)}  ${from}`
}
