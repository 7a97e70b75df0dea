import type { GatewayOptions } from '../../src/index.js'
import type { Tuning } from '../../src/tuning.js'

/** Options of a gateway, and what only tests set. */
export type TunedOptions = GatewayOptions & { readonly tuning?: Tuning }

type Part = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** `levels` is the number of levels of sections: two in `tuning`, whose sections are those of the options. */
function mergedParts(parts: readonly Part[], levels: number): Part {
  const result: Record<string, unknown> = {}
  for (const part of parts)
    for (const [name, value] of Object.entries(part)) {
      const earlier = result[name]
      const within = levels > 0 && isTable(earlier) && isTable(value)
      result[name] = within ? mergedParts([earlier, value], name === 'tuning' ? 1 : levels - 1) : value
    }
  return result
}

/** Options in which a section of a later part replaces single names of the same section of earlier ones. */
export function merged(...parts: readonly (TunedOptions | false | undefined)[]): TunedOptions {
  return mergedParts(parts.filter(isTable), 1) as unknown as TunedOptions
}
