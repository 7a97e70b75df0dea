/** One thing in which sites differ: what it may be, what it is by the specification, and what it does. */
export interface Switch<T = unknown> {
  readonly default: T
  readonly purpose: string
  /** What it may be, in words. */
  readonly allowed: string
  /** The value of a text of a command line or of a member of JSON; undefined when it is none. */
  readonly read: (given: unknown) => T | undefined
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true', 'on'].map((given) => [given, true] as const),
  ...[false, 'false', 'off'].map((given) => [given, false] as const),
])

/** Something that a site does and the specification does not tell; off by the specification. */
export const quirk = (purpose: string): Switch<boolean> => ({
  default: false,
  purpose,
  allowed: 'true or false',
  read: (given) => BOOLEANS.get(given),
})

/** One of some words; the first is what the specification says. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(purpose: string, ...words: Words): Switch<Words[number]> => ({
  default: words[0],
  purpose,
  allowed: `one of ${words.join(', ')}`,
  read: (given) => words.find((word) => word === given),
})

/** A text of a pattern. */
export const text = (purpose: string, otherwise: string, pattern: RegExp, allowed: string): Switch<string> => ({
  default: otherwise,
  purpose,
  allowed,
  read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
})

/** A number that a text or JSON gives. */
export function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(given) ? Number(given) : given
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A whole number from 0 on; 0 is what the specification says. */
export const count = (purpose: string, most: number): Switch<number> => ({
  default: 0,
  purpose,
  allowed: `a whole number from 0 to ${most}`,
  read(given) {
    const number = numberOf(given)
    return number !== undefined && Number.isInteger(number) && number >= 0 && number <= most ? number : undefined
  },
})

/** Words by name, given as JSON or as `a:b+c:d`; undefined when it is neither. */
export function membersOf(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>
  if (typeof given !== 'string') return undefined
  const pairs = given.split('+').map((pair) => /^([^:]+):(.+)$/s.exec(pair)?.slice(1))
  return pairs.every((pair) => pair !== undefined) ? Object.fromEntries(pairs as string[][]) : undefined
}
