import { DateTime } from 'luxon'
import { InvalidValueError } from '../errors.js'
import type { Form } from './forms.js'
import { urlText as decodeUrlText, UNDECODABLE } from './kinds.js'

/** Bounds of the values of a column. */
export interface Bounds {
  /** Smallest number. */
  readonly least?: number
  /** Largest number. */
  readonly most?: number
  /** Largest number of characters. */
  readonly longest?: number
  /** Form of a text, or of each text of a list. The empty text is always allowed. */
  readonly form?: Form
}

/** Encodes a value, or one item of a list, whose type GraphQL has checked. Throws an `InvalidValueError` that says what is allowed. */
export type Encode = (value: never, bounds: Bounds) => unknown

export const asIs: Encode = (value) => value

export const text = (value: string, { longest, form }: Bounds): string => {
  if (longest !== undefined && value.length > longest)
    throw new InvalidValueError('TOO_LONG', `It has ${value.length} characters; it must have at most ${longest}.`, longest)
  if (form === undefined || value === '' || form.fits(value)) return value
  throw new InvalidValueError('INVALID_FORMAT', `It is \`${value.slice(0, 40)}\`; it must be ${form.allowed}.`)
}

/** Rejects URLs that would be decoded as null. */
export const urlText = (value: string, bounds: Bounds): string => {
  if (decodeUrlText(value) !== UNDECODABLE) return text(value, bounds)
  throw new InvalidValueError('INVALID_FORMAT', 'It must be a relative URL, or a URL with http, https, mailto or tel.')
}

export const number = (value: number, { least, most }: Bounds): number => {
  if ((least === undefined || value >= least) && (most === undefined || value <= most)) return value
  const allowed = most === undefined ? `${least} or more` : least === undefined ? `${most} or less` : `from ${least} to ${most}`
  const isSmall = least !== undefined && value < least
  throw new InvalidValueError(isSmall ? 'TOO_SMALL' : 'TOO_LARGE', `It is ${value}; it must be ${allowed}.`, isSmall ? least : most)
}

export const reference = (value: number): number => number(value, { least: 1 })

/** One text of a list that the interface splits at its commas. */
export const listed = (value: string, { form }: Bounds = {}): string => {
  if (value.trim() !== '' && !value.includes(',') && form?.fits(value) !== false) return value
  const allowed = form === undefined ? 'not be blank and not contain a comma' : `be ${form.allowed}`
  throw new InvalidValueError('INVALID_FORMAT', `It is \`${value.slice(0, 40)}\`; it must ${allowed}.`)
}

/** A moment in GMT. The interface omits the zone. */
export const instant = (value: string): string => {
  if (!/(Z|[+-]\d\d:?\d\d)$/i.test(value))
    throw new InvalidValueError('INVALID_FORMAT', 'It has no time zone; it must be written as 2026-11-20T18:12:23Z.')
  return inYears(DateTime.fromISO(value, { zone: 'utc' })).toFormat(WITHOUT_ZONE)
}

export const localDateTime = (value: string): string => inYears(DateTime.fromISO(value, { zone: 'utc' })).toFormat(WITHOUT_ZONE)

export const localDate = (value: string): string => {
  inYears(DateTime.fromISO(value, { zone: 'utc' }))
  return value
}

/** The interface reads the year 0 as no date, and does not support years with five digits. */
function inYears(value: DateTime): DateTime {
  if (value.year >= 1 && value.year <= 9999) return value
  throw new InvalidValueError('INVALID_FORMAT', 'It must have a year from 1 to 9999.')
}

const WITHOUT_ZONE = "yyyy-MM-dd'T'HH:mm:ss"
