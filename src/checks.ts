import { z } from 'zod'
import { isObject } from './maps.js'
import { didYouMean } from './nearest-name.js'

/** The schema of each option of a function. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: z.ZodType }

/** What is wrong with a value, after its name. Texts are not shown, because they may be secrets. */
export const wrong = (value: unknown, allowed: string): string => `is ${kindOf(value)}; it must be ${allowed}.`

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `\`${value}\``
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (value === undefined) return 'missing'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** The schema of values for which `is` is true. `allowed` says what they must be. */
export const must = (is: (value: unknown) => boolean, allowed: string): z.ZodType =>
  z.custom(is, { error: ({ input }) => wrong(input, allowed) })

export const aBoolean = must((value) => typeof value === 'boolean', 'true or false')
export const aFunction = must((value) => typeof value === 'function', 'a function')
export const aText = must((value) => typeof value === 'string' && value !== '', 'a text')
export const anObject = must(isObject, 'an object')
export const wholeNumber = (least: number, most: number): z.ZodType =>
  must(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `a whole number from ${least} to ${most}`,
  )

/** The schema of an object of options. The options in `needed` are required. */
export function options<Options>(checks: Checks<Options>, ...needed: readonly (keyof Options & string)[]): z.ZodType {
  const shape = Object.entries<z.ZodType>(checks).map(([name, check]) => [
    name,
    needed.includes(name as keyof Options & string) ? check : check.optional(),
  ])
  return z.strictObject(Object.fromEntries(shape), {
    // One line for each key.
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `is not an option${didYouMean(key, Object.keys(checks))}`).join('\n')
        : wrong(issue.input, 'an object'),
  })
}

/** What is wrong with a value, and where. `whole` is the name of the value itself. */
export const complaintsIn = ({ issues }: z.ZodError, whole: string): string[] =>
  issues.flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    const texts = issue.message.split('\n')
    return names.map((path, index) => `${path.length === 0 ? whole : `\`${nameOf(path)}\``} ${texts[index]}`)
  })

const nameOf = (path: readonly PropertyKey[]): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`)).join('')

/** Throws a `TypeError` with all complaints about the options of a function, one per line. */
export function checkOptions<Options>(
  name: string,
  given: unknown,
  checks: Checks<Options>,
  ...needed: readonly (keyof Options & string)[]
): void {
  const { error } = options(checks, ...needed).safeParse(given)
  if (error) refuseOptions(name, complaintsIn(error, 'The object of options'))
}

/** Throws a `TypeError` with complaints about the options of a function, one per line, when there are any. */
export function refuseOptions(name: string, complaints: readonly string[]): void {
  if (complaints.length > 0) throw new TypeError(`${name}: ${complaints.join('\n')}`)
}
