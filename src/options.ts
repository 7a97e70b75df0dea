/** Returns the complaints about the value of an option; `name` is its whole name, such as `authentication.apiKeys`. */
export type Check = (value: unknown, name: string) => readonly string[]

/** A check of each option. An option with a check of `required` must be given. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check }

/** A check that takes every value for which `is` is true. `allowed` says what it must be. */
export const must =
  (is: (value: unknown) => boolean, allowed: string): Check =>
  (value, name) =>
    is(value) ? [] : [wrong(value, name, allowed)]

/** The complaint about a value. Texts are not shown, because they may be secrets. */
export const wrong = (value: unknown, name: string, allowed: string): string => `\`${name}\` is ${kindOf(value)}; it must be ${allowed}.`

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `\`${value}\``
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (value === undefined) return 'missing'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const aBoolean = must((value) => typeof value === 'boolean', 'true or false')
export const aFunction = must((value) => typeof value === 'function', 'a function')
export const aText = must((value) => typeof value === 'string' && value !== '', 'a text')
export const anObject = must(isObject, 'an object')
export const texts = must((value) => Array.isArray(value) && value.every((each) => typeof each === 'string'), 'an array of texts')
export const wholeNumber = (least: number, most: number): Check =>
  must(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `a whole number from ${least} to ${most}`,
  )

/** Options that must be given. */
const REQUIRED = new WeakSet<Check>()

export function required(check: Check): Check {
  const own: Check = (value, name) => check(value, name)
  REQUIRED.add(own)
  return own
}

/** The check of an object of options. */
export const options =
  <Options>(checks: Checks<Options>): Check =>
  (value, name) =>
    isObject(value) ? complaintsAbout(value, checks, `${name}.`) : [wrong(value, name, 'an object')]

function complaintsAbout(given: Readonly<Record<string, unknown>>, checks: Readonly<Record<string, Check>>, prefix: string): string[] {
  const complaints: string[] = []
  for (const [key, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined
    if (check && value !== undefined) complaints.push(...check(value, `${prefix}${key}`))
    else if (!check) complaints.push(`\`${prefix}${key}\` is not an option${didYouMean(key, checks)}`)
  }
  for (const [key, check] of Object.entries(checks))
    if (REQUIRED.has(check) && given[key] === undefined) complaints.push(`\`${prefix}${key}\` is missing.`)
  return complaints
}

/** Throws a `TypeError` with all complaints about the options of a function, one per line. */
export function checkOptions<Options>(name: string, given: unknown, checks: Checks<Options>): void {
  refuseOptions(name, isObject(given) ? complaintsAbout(given, checks, '') : [`The options are ${kindOf(given)}; they must be an object.`])
}

/** Throws a `TypeError` with complaints about the options of a function, one per line, when there are any. */
export function refuseOptions(name: string, complaints: readonly string[]): void {
  if (complaints.length > 0) throw new TypeError(`${name}: ${complaints.join('\n')}`)
}

function didYouMean(key: string, checks: object): string {
  const near = nearestName(key, Object.keys(checks))
  return near === undefined ? '.' : `; did you mean \`${near}\`?`
}

/** Returns the known name that is most similar to a misspelled one. Undefined when no name is similar. */
export const nearestName = (given: string, names: readonly string[]): string | undefined =>
  names
    .map((name) => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(given.length, name.length) * 0.4)))
    .sort((one, other) => one.distance - other.distance)[0]?.name

/** How many letters must be added, removed, replaced or swapped with their neighbour to turn one text into another. */
function distanceOf(one: string, other: string): number {
  // Longer names are no misspellings.
  if (Math.abs(one.length - other.length) > 20) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  let before = row
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const isSwapped = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j]
      const swapped = isSwapped ? (before[j - 1] as number) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min((next[j] as number) + 1, (row[j + 1] as number) + 1, (row[j] as number) + (one[i] === other[j] ? 0 : 1), swapped))
    }
    before = row
    row = next
  }
  return row[other.length] as number
}
