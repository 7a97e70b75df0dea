import type { Entity } from '../engine/edges.js'
import { BadInputError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'

/** The global id of a record, as Relay wants it: opaque, unique among all types. */
export const globalId = (type: string, key: Key): string => Buffer.from(`${type}:${key}`).toString('base64')

/** Type and key of a global id; nothing for a text that is none. */
export function readGlobalId(id: string): { type: string; key: string } | undefined {
  if (!/^[A-Za-z0-9+/_-]{1,200}={0,2}$/.test(id)) return undefined
  const text = Buffer.from(id, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || !/^[A-Za-z]+:[\w:.-]+$/.test(text)) return undefined
  return { type: text.slice(0, colon), key: text.slice(colon + 1) }
}

const LARGEST = 2_147_483_647

/** A positive whole number of at most 32 bits from its digits; nothing for anything else. */
export function readDatabaseId(digits: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(digits)) return undefined
  const id = Number(digits)
  return id <= LARGEST ? id : undefined
}

/** The key in a text: a number, a pair of them, or a slug, by the property that holds it. Nothing where it holds none. */
export function keyOf({ key }: Entity, text: string): Key | undefined {
  if (key === 'databaseId') return readDatabaseId(text)
  if (key === 'slug') return /^[\w-]{1,100}$/.test(text) ? text : undefined
  return text.split(':').length === 2 && text.split(':').every((part) => readDatabaseId(part) !== undefined) ? text : undefined
}

/** The REST id behind a global id of `type`, or a bare REST id. `what` is what the error calls it. */
function readReference(what: string, type: string, given: unknown): number {
  const text = String(given)
  const bare = readDatabaseId(text)
  if (bare !== undefined) return bare
  const global = readGlobalId(text)
  if (global && global.type !== type) throw new BadInputError(`${what} is the id of a ${global.type}; it must be the id of a ${type}.`)
  const id = global && readDatabaseId(global.key)
  if (id !== undefined) return id
  throw new BadInputError(`${what} must be the \`id\` or the \`databaseId\` of a ${type}: \`${text.slice(0, 40)}\` is neither.`)
}

/** The REST id behind an argument that takes a global id of `type`, or a bare REST id. */
export const readId = (argument: string, type: string, given: unknown): number => readReference(`\`${argument}\``, type, given)

/** The same for a field of an input, whose error is shown beside the field's name. */
export const readFieldId = (type: string, given: unknown): number => readReference('It', type, given)
