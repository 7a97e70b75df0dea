import { InvalidValue } from './errors.js'
import type { Accept, Computed, Field, Kind } from './spec/index.js'
import type { Cell } from './store.js'
import { inWords, SLUG_LENGTH, slugify } from './text.js'
import { parseInstant } from './time.js'

/** Converts a value of a body to a cell. Undefined keeps the stored cell. */
type Decode = (value: unknown, field: Field) => Cell | undefined

/** The largest number: 32-bit clients can read it. */
const MAX_NUMBER = 2_147_483_647
const MAX_TEXT_BYTES = 65_535
const MAX_PASSWORD_BYTES = 255

/** Maximum of `assignment_upload_limit_size`. */
const MAX_UPLOAD_BYTES = 32 * 1024 ** 2
const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }

export const wrongType = (name: string, type: string): InvalidValue =>
  new InvalidValue('rest_invalid_type', `${name} is not of type ${type}.`)

function within(number: number, least: number, name: string): number {
  if (number >= least && number <= MAX_NUMBER) return number
  throw new InvalidValue('rest_out_of_bounds', `${name} must be between ${least} (inclusive) and ${MAX_NUMBER} (inclusive)`)
}

function whole(value: unknown, name: string, least = 0): number {
  const number = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) throw wrongType(name, 'integer')
  return within(number, least, name)
}

function number(value: unknown, name: string): number {
  const given = typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : value
  if (typeof given !== 'number') throw wrongType(name, 'number')
  return within(given, 0, name)
}

/** Ids from an array, a comma-separated text, or one number. */
function idsOf(value: unknown, name: string, least: number): number[] {
  const items = typeof value === 'string' ? value.split(',') : typeof value === 'number' ? [value] : value
  if (!Array.isArray(items)) throw wrongType(name, 'array')
  return items.filter((item) => item !== '').map((item, index) => whole(item, `${name}[${index}]`, least))
}

/** Text of at most `most` bytes; null clears it. NUL is removed, because SQLite would end the text there. */
const text =
  (most: number) =>
  (value: unknown, { name }: Field): string => {
    if (value === null) return ''
    if (typeof value !== 'string') throw wrongType(name, 'string')
    if (Buffer.byteLength(value) > most) throw new InvalidValue('rest_too_long', `${name} must be at most ${most} bytes long.`)
    return value.replaceAll('\0', '')
  }

const line = text(MAX_TEXT_BYTES)
const longText = text(Number.POSITIVE_INFINITY)

/** One of some words. Throws for other values. */
export function oneOf(value: unknown, allowed: readonly string[], name: string): string {
  if (typeof value !== 'string') throw wrongType(name, 'string')
  if (!allowed.includes(value)) throw new InvalidValue('rest_not_in_enum', `${name} is not one of ${inWords(allowed)}.`)
  return value
}

/** Text, or `{ raw: text }`. Other values change nothing. */
const raw =
  (decode: Decode): Decode =>
  (value, field) => {
    const given = typeof value === 'object' && value !== null ? ('raw' in value ? value.raw : undefined) : value
    return given === null || typeof given === 'string' ? decode(given, field) : undefined
  }

const BOOLEANS: ReadonlyMap<unknown, Cell> = new Map<unknown, Cell>([
  ...[true, 1, 'true', '1'].map((value) => [value, 1] as const),
  ...[false, 0, 'false', '0'].map((value) => [value, 0] as const),
])

const boolean: Decode = (value, { name }) => {
  const cell = BOOLEANS.get(typeof value === 'string' ? value.toLowerCase() : value)
  if (cell === undefined) throw wrongType(name, 'boolean')
  return cell
}

const datetime: Decode = (value, { name }) => {
  if (value === null) return null
  if (typeof value !== 'string') throw wrongType(name, 'string,null')
  const gmt = parseInstant(value, name.endsWith('_gmt') ? 'utc' : undefined)
  if (gmt === undefined) throw new InvalidValue('rest_invalid_date', 'Invalid date.')
  return gmt
}

const date: Decode = (value, field) => {
  const day = line(value, field)
  if (day === '' || (/^\d{4}-\d\d-\d\d$/.test(day) && parseInstant(`${day}T00:00:00`, 'utc'))) return day
  throw new InvalidValue('rest_invalid_date', `${field.name} is not a date of the form YYYY-MM-DD.`)
}

const uploadSize: Decode = (value, field) => {
  const given = line(value, field)
  if (given === '') return given
  const [, amount, unit] = /^(\d{1,12})([KMG]?)$/i.exec(given) ?? []
  if (amount === undefined) throw new InvalidValue('rest_invalid_pattern', `${field.name} is not a size like 500K or 32M.`)
  const bytes = Number(amount) * UNITS[unit!.toUpperCase()]!
  if (bytes >= 1 && bytes <= MAX_UPLOAD_BYTES) return given
  throw new InvalidValue('rest_out_of_bounds', `${field.name} must be between 1 byte and 32M (inclusive)`)
}

const extensions: Decode = (value, field) => {
  const given = line(value, field)
  if (given === '' || given.split(',').every((item) => /^\s*[a-z0-9]+\s*$/i.test(item))) return given
  throw new InvalidValue('rest_invalid_pattern', `${field.name} is not a list of file extensions with commas, like pdf,docx.`)
}

const idText: Decode = (value, field) => {
  const given = line(value, field)
  return given === '' ? null : whole(/^\d+$/.test(given) ? given : undefined, field.name)
}

const object: Decode = (value, { name }) => {
  if (Array.isArray(value) && value.length === 0) return '{}'
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(name, 'object')
  return JSON.stringify(value)
}

const ids: Decode = (value, { name }) => JSON.stringify([...new Set(idsOf(value, name, 1))])
const wholeNumber: Decode = (value, { name, least }) => whole(value, name, least)
/** An empty text means that there is no number. */
const orEmpty =
  (decode: Decode): Decode =>
  (value, field) =>
    value === '' ? null : decode(value, field)

type ReadOnly = Computed | 'json'

/** One decoder for each kind of writable field, and for each `accepts`. */
const DECODERS: Readonly<Record<Exclude<Kind, ReadOnly> | Accept, Decode>> = {
  text: (value, field) => (field.values ? oneOf(value, field.values, field.name) : line(value, field)),
  html: longText,
  title: raw(line),
  content: raw(longText),
  slug: (value, field) => slugify(text(SLUG_LENGTH)(value, field)),
  password: text(MAX_PASSWORD_BYTES),
  integer: wholeNumber,
  number: (value, { name }) => number(value, name),
  digits: orEmpty((value, { name }) => number(value, name)),
  wholeDigits: orEmpty(wholeNumber),
  idText,
  boolean,
  toggle: boolean,
  datetime,
  date,
  uploadSize,
  extensions,
  ids,
  /** Keeps repeated ids: the response has an entry for each. */
  idList(value, { name, most = Number.POSITIVE_INFINITY }) {
    const given = idsOf(value, name, -MAX_NUMBER)
    if (given.length > most) throw new InvalidValue('rest_too_many_items', `${name} must contain at most ${most} items.`)
    return JSON.stringify(given)
  },
  terms: ids,
  object,
  /** Accepts any value, and stores none. */
  ignored: () => undefined,
  unlessDated(value, field) {
    const given = oneOf(value, field.values!, field.name)
    return given === 'visible_after_specific_date' ? undefined : given
  },
  /** Also accepts `buynow`, the spelling of LearnDash sites. */
  priceType: (value, { name, values }) => oneOf(value === 'buynow' ? 'paynow' : value, values!, name),
  buyNow: (value, { name, values }) => oneOf(value, values!, name).replace('buynow', 'paynow'),
}

/** Converts a value of a body to the cell of a field: GMT text for dates, a JSON array for terms. */
export const decode: Decode = (value, field) => DECODERS[field.accepts ?? (field.kind as Exclude<Kind, ReadOnly>)](value, field)
