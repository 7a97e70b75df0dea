import { decode as decodeEntities } from 'html-entities'
import { DateTime } from 'luxon'
import { isObject } from '../../maps.js'

/** Result of decoding a value that does not fit its kind. */
export const UNDECODABLE: unique symbol = Symbol('undecodable')

/** Called when a member of a nested record becomes null because its value could not be decoded. */
export type OnMemberRepair = (type: string, record: object, member: string) => void

/** Decodes one kind of wire value. Not called for absent values and `null`. */
export type Decode<T> = (raw: unknown, onMemberRepair?: OnMemberRepair) => T | null | typeof UNDECODABLE

const isText = (raw: unknown): raw is string => typeof raw === 'string'
const isBlank = (raw: unknown): boolean => raw === '' || raw === false

/** Text, unchanged. A number becomes its digits. */
export const text: Decode<string> = (raw) => (isText(raw) ? raw : typeof raw === 'number' ? String(raw) : UNDECODABLE)

/** Text; `""` is read as null. */
export const word: Decode<string> = (raw) => (isBlank(raw) ? null : text(raw))

/** Whether a URL is relative or has one of the schemes. Other schemes, such as `javascript:`, may run code when a page uses the link. */
const hasScheme = (text: string, schemes: readonly string[]): boolean => {
  if (text.startsWith('https://') || text.startsWith('http://')) return true
  // Browsers ignore leading blanks and control characters, and tabs and line breaks anywhere. Pages may decode entities.
  const bare = (text.includes('&') ? decodeEntities(text) : text).replace(/[\p{C}\p{Z}]/gu, '')
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(bare)?.[1]
  return scheme === undefined || schemes.includes(scheme.toLowerCase())
}

const withScheme =
  (schemes: readonly string[], decode: Decode<string>): Decode<string> =>
  (raw) => {
    const value = decode(raw)
    return typeof value !== 'string' || hasScheme(value, schemes) ? value : UNDECODABLE
  }

/** The URL of a page: http, https or relative. `""` is read as null. */
export const url: Decode<string> = withScheme(['http', 'https'], word)

/** Text that pages use as a URL; may also be a mail address, a telephone number or HTML. `""` is kept. */
export const urlText: Decode<string> = withScheme(['http', 'https', 'mailto', 'tel'], text)

/** Text, or the member `rendered` of an object. */
export const html: Decode<string> = (raw) => text(isObject(raw) ? raw.rendered : raw)

/** Rendered text without tags, with entities decoded. */
export const plainText: Decode<string> = (raw) => {
  if (!isText(raw)) return text(raw)
  const bare = raw.includes('<') ? raw.replace(/<\/?[a-z!][^<>]*>/gi, '') : raw
  return bare.includes('&') ? decodeEntities(bare) : bare
}

/** A text with its entities decoded. Returns other values unchanged. */
export const withoutEntities = (value: unknown): unknown => (isText(value) && value.includes('&') ? decodeEntities(value) : value)

/** A Boolean, in any spelling that sites use. */
export const toggle: Decode<boolean> = (raw) => TOGGLES.get(raw) ?? UNDECODABLE
const TOGGLES = new Map<unknown, boolean>([
  ...[true, 'on', 'yes', 'true', '1', 1].map((raw) => [raw, true] as const),
  ...[false, '', 'off', 'no', 'false', '0', 0].map((raw) => [raw, false] as const),
])

const number = (raw: unknown): number | null | typeof UNDECODABLE => {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : UNDECODABLE
  if (isBlank(raw)) return null
  const value = isText(raw) && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) : Number.NaN
  return Number.isFinite(value) ? value : UNDECODABLE
}

/** A number, or its digits as text. `""` is read as null. */
export const decimal: Decode<number> = number

/** An integer of 32 bits, or its digits as text. `""` is read as null. */
export const integer: Decode<number> = (raw) => {
  const value = number(raw)
  return typeof value === 'number' && (value | 0) !== value ? UNDECODABLE : value
}

/** The id of another record; `0` and `""` are read as null. */
export const reference: Decode<number> = (raw) => {
  const value = integer(raw)
  return value === 0 ? null : typeof value === 'number' && value < 0 ? UNDECODABLE : value
}

/** A list, or the object with numeric keys that PHP writes for a list with gaps. */
const listed = (raw: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(raw)) return raw
  return isObject(raw) && Object.keys(raw).length > 0 && Object.keys(raw).every((key) => /^\d+$/.test(key)) ? Object.values(raw) : undefined
}

/** Whether a value is an id of a record as most sites send it. */
const isId = (raw: unknown): boolean => typeof raw === 'number' && (raw | 0) === raw && raw > 0

/** Ids of other records; `""`, `0` and `[""]` are read as an empty list. */
export const references: Decode<readonly number[]> = (raw) => {
  if (isBlank(raw) || raw === 0 || raw === '0') return []
  const items = listed(raw)
  if (!items) return UNDECODABLE
  if (items.every(isId)) return items as readonly number[]
  const ids: number[] = []
  for (const item of items) {
    const id = item === null ? null : reference(item)
    if (typeof id === 'number') ids.push(id)
    else if (id === UNDECODABLE) return UNDECODABLE
  }
  return ids
}

/** A list of texts. */
export const texts: Decode<readonly string[]> = (raw) => {
  const items = listed(raw)
  return items?.every(isText) ? items : UNDECODABLE
}

/** Comma-separated words. */
export const commaList: Decode<readonly string[]> = (raw) => {
  if (Array.isArray(raw)) return texts(raw)
  if (!isText(raw)) return UNDECODABLE
  return raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

const inRange = (value: DateTime): DateTime | typeof UNDECODABLE =>
  value.isValid && value.year > 0 && value.year < 10_000 ? value : UNDECODABLE

const moment = (raw: unknown, inUtc: boolean): DateTime | null | typeof UNDECODABLE => {
  if (isBlank(raw) || raw === '0' || raw === 0) return null
  if (!isText(raw)) return UNDECODABLE
  if (raw.startsWith('0000')) return null
  if (!/^\s*\d{4}-\d\d-\d\d/.test(raw)) return UNDECODABLE
  return inRange(DateTime.fromISO(raw.trim().replace(' ', 'T'), inUtc ? { zone: 'utc' } : { setZone: true }))
}

// Dates that are valid in every year, checked without luxon.
const COMMON_DATE_TIME =
  /^[1-9]\d{3}-((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/

/** A moment in GMT, with or without its zone, decoded as `2026-11-20T18:12:23Z`. */
export const instant: Decode<string> = (raw) => {
  if (isText(raw) && COMMON_DATE_TIME.test(raw)) return `${raw}Z`
  const value = moment(raw, true)
  return value instanceof DateTime ? (value.toUTC().toISO({ suppressMilliseconds: true }) as string) : value
}

/** A moment as seconds since 1970, or with its zone, decoded as `2026-11-20T18:12:23Z`. 0 is no moment. */
export const timestamp: Decode<string> = (raw) => {
  const seconds = number(raw)
  if (seconds === 0 || seconds === null) return null
  const value =
    typeof seconds === 'number'
      ? inRange(DateTime.fromSeconds(seconds, { zone: 'utc' }))
      : isText(raw) && /(Z|[+-]\d\d:?\d\d)\s*$/i.test(raw)
        ? moment(raw, true)
        : UNDECODABLE
  return value instanceof DateTime ? (value.toUTC().toISO({ suppressMilliseconds: true }) as string) : value
}

/** A moment, or null for a text without a zone. */
export const timestampOrText: Decode<string> = (raw) => {
  const value = timestamp(raw)
  return value === UNDECODABLE && isText(raw) ? null : value
}

/** A date and time in the site's time zone, decoded as `2026-11-20T13:12:23`. */
export const localDateTime: Decode<string> = (raw) => {
  if (isText(raw) && COMMON_DATE_TIME.test(raw)) return raw
  const value = moment(raw, false)
  return value instanceof DateTime ? (value.toISO({ includeOffset: false, suppressMilliseconds: true }) as string) : value
}

/** The moment of a decoded local time in a time zone: its name, or an offset. Null without a zone. Returns other values unchanged. */
export const momentIn = (zone: string | null, local: unknown): unknown => {
  if (!isText(local)) return local
  // Node 20 does not know offsets as zones.
  if (zone === null || /^[+-]/.test(zone)) return zone === null ? null : timestamp(`${local}${zone}`)
  const value = inRange(DateTime.fromISO(local, { zone }))
  return value instanceof DateTime ? value.toUTC().toISO({ suppressMilliseconds: true }) : value
}

/** Null for the time stamp 0, in any time zone, and for moments before. Returns other values unchanged. */
export const unlessZero = (moment: unknown): unknown => (isText(moment) && moment < '1970-01-02' ? null : moment)

/** A day, decoded as `2026-11-20` from a date, a date and time, or seconds since 1970. */
export const localDate: Decode<string> = (raw) => {
  const seconds = number(raw)
  if (seconds === 0) return null
  const value = typeof seconds === 'number' ? inRange(DateTime.fromSeconds(seconds, { zone: 'utc' })) : moment(raw, false)
  return value instanceof DateTime ? value.toISODate() : value
}

/** PHP does not write deeper JSON. `JSON.stringify` is recursive and fails at a depth of some thousands. */
const MAX_DEPTH = 512

const isDeeper = (value: object, levels: number): boolean => {
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const member of members) if (typeof member === 'object' && member !== null && isDeeper(member, levels - 1)) return true
  return false
}

/** A JSON object of at most 512 levels. Sites write an empty object as an empty list. */
export const object: Decode<Readonly<Record<string, unknown>>> = (raw) =>
  isObject(raw) ? (isDeeper(raw, MAX_DEPTH) ? UNDECODABLE : raw) : Array.isArray(raw) && raw.length === 0 ? {} : UNDECODABLE

/** Points: a number, or a Boolean where the interface declares one (true is 1). */
export const points: Decode<number> = (raw) => (typeof raw === 'boolean' ? Number(raw) : integer(raw))
