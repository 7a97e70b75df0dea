import { DateTime } from 'luxon'
import { BadInputError } from './errors.js'
import { urlText as decodeUrlText, UNDECODABLE } from './kinds.js'

/** Bounds of what a column takes. */
export interface Bounds {
  /** Smallest number. */
  readonly least?: number
  /** Most characters. */
  readonly longest?: number
}

/** Writes one kind of value, whose type GraphQL has checked already. Throws a `BadInputError` that says what is allowed. */
export type Encode = (value: never, bounds: Bounds) => unknown

export const asIs: Encode = (value) => value

export const text = (value: string, { longest }: Bounds): string => {
  if (longest === undefined || value.length <= longest) return value
  throw new BadInputError(`It has ${value.length} characters; at most ${longest} are allowed.`)
}

/** Refuses what would be read back as null. */
export const urlText = (value: string, bounds: Bounds): string => {
  if (decodeUrlText(value) !== UNDECODABLE) return text(value, bounds)
  throw new BadInputError('It must be a URL with http, https, mailto or tel, or a relative one.')
}

export const number = (value: number, { least }: Bounds): number => {
  if (least === undefined || value >= least) return value
  throw new BadInputError(`It is ${value}; it must be ${least} or more.`)
}

export const reference = (value: number): number => number(value, { least: 1 })

export const references = (values: readonly number[]): number[] => values.map(reference)

/** The interface splits the list at its commas. */
export const commaList = (values: readonly string[]): string => {
  const bad = values.find((value) => value.trim() === '' || value.includes(','))
  if (bad === undefined) return values.join(',')
  throw new BadInputError(`It holds \`${bad.slice(0, 40)}\`; each value must have a character and no comma.`)
}

/** A moment in GMT, which the interface writes without a zone. */
export const instant = (value: string): string => {
  if (!/(Z|[+-]\d\d:?\d\d)$/i.test(value)) throw new BadInputError('It does not say its zone; write it as 2026-11-20T18:12:23Z.')
  return DateTime.fromISO(value, { zone: 'utc' }).toFormat(WITHOUT_ZONE)
}

export const localDateTime = (value: string): string => DateTime.fromISO(value, { zone: 'utc' }).toFormat(WITHOUT_ZONE)

const WITHOUT_ZONE = "yyyy-MM-dd'T'HH:mm:ss"
