import { isObject } from '../../maps.js'

/** A difference between sites. `default` is the value of the profile `lms`: that of the specification, except for additions to it. */
export interface Switch<T = unknown> {
  readonly default: T
  /** The value on sites of the profile `learndash`, when it is another one. */
  readonly learndash?: T
  readonly purpose: string
  /** The allowed values, in words. */
  readonly allowed: string
  /** Reads a text of the command line or a JSON value; undefined for an invalid value. */
  readonly read: (given: unknown) => T | undefined
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true', 'on'].map((given) => [given, true] as const),
  ...[false, 'false', 'off'].map((given) => [given, false] as const),
])

/** A switch for a behaviour that the specification does not have, and sites of the profile `learndash` have. */
export const quirk = (purpose: string): Switch<boolean> => ({
  default: false,
  learndash: true,
  purpose,
  allowed: 'true or false',
  read: (given) => BOOLEANS.get(given),
})

/** A switch for routes that the specification does not have. They are there unless they are switched off. */
export const addition = (purpose: string): Switch<boolean> => ({ ...quirk(purpose), default: true })

/** The same for routes that sites of the profile `learndash` do not have. */
export const newAddition = (purpose: string): Switch<boolean> => ({ ...addition(purpose), learndash: false })

/** A switch with one of some words. The first is the default. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(purpose: string, ...words: Words): Switch<Words[number]> => ({
  default: words[0],
  purpose,
  allowed: `one of ${words.join(', ')}`,
  read: (given) => words.find((word) => word === given),
})

/** A switch with a text that matches a pattern. */
export const text = (purpose: string, defaultText: string, pattern: RegExp, allowed: string): Switch<string> => ({
  default: defaultText,
  purpose,
  allowed,
  read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
})

/** The number in a text or a JSON value. */
export function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(given) ? Number(given) : given
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A switch with a whole number. The default is 0. */
export const count = (purpose: string, most: number): Switch<number> => ({
  default: 0,
  purpose,
  allowed: `a whole number from 0 to ${most}`,
  read(given) {
    const number = numberOf(given)
    return number !== undefined && Number.isInteger(number) && number >= 0 && number <= most ? number : undefined
  },
})

/** Reads an object, given as JSON or as `a:b+c:d`; undefined for other values. */
export function membersOf(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isObject(given)) return given
  if (typeof given !== 'string') return undefined
  const pairs = given.split('+').map((pair) => /^([^:]+):(.+)$/s.exec(pair)?.slice(1))
  return pairs.every((pair) => pair !== undefined) ? Object.fromEntries(pairs as string[][]) : undefined
}
