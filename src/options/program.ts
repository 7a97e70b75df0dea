import { isObject } from '../maps.js'
import { readText } from './files.js'
import { readNested } from './object.js'
import { type Named, Reading } from './reading.js'
import { contradictions } from './rules.js'
import { ENTRIES, type Entry, type Options } from './table.js'

/** Thrown for wrong options. Each complaint is a sentence that names the option as it was given. */
export class OptionsError extends TypeError {
  override readonly name = 'OptionsError'

  constructor(readonly complaints: readonly string[]) {
    super(complaints.join('\n'))
  }
}

/** Options with how each was given, for messages. */
export interface ReadOptions {
  readonly options: Options
  readonly named: Named
}

/**
 * Reads the options of a program: `values` in the nested shape of the table, beside `others`. Throws an `OptionsError` with all complaints.
 * `isServer` tells whether the options of a socket have an effect.
 */
export function readProgram(
  values: object,
  { others, isServer }: { readonly others: readonly string[]; readonly isServer: boolean },
): ReadOptions {
  const elsewhere = ({ only }: Entry): string | undefined => {
    if (only === 'command') return 'is an option of the command, not of programs.'
    return only === 'server' && !isServer ? 'is an option of `startGateway` and of the command, not of `createGateway`.' : undefined
  }
  if (!isObject(values)) throw new OptionsError(['The options must be an object, such as `{ site: { url: … } }`.'])
  const nested = readNested({ values, named: (path) => `\`${path}\``, form: 'value', others, elsewhere })
  const reading = new Reading(ENTRIES, [nested.source], readText)
  const { options, named } = reading
  const complaints = [...nested.complaints, ...reading.complaints]
  const contradicting = contradictions({ command: undefined, options, args: undefined, named, production: false })
  if (complaints.length + contradicting.length > 0) throw new OptionsError([...complaints, ...contradicting])
  return { options, named }
}
