import type { Entity } from '../../model/entity.js'
import { InvalidValueError } from '../../upstream/errors.js'
import type { Key } from '../../upstream/routes.js'

/** The global id of a record, as Relay requires it: opaque, unique among all types. */
export const globalId = (type: string, key: Key): string =>
  // `btoa` is faster, but accepts no characters above U+00FF, which a slug may have.
  typeof key === 'number' ? btoa(`${type}:${key}`) : Buffer.from(`${type}:${key}`).toString('base64')

/** Returns type and key of a global id, or undefined for another text. */
export function readGlobalId(id: string): { type: string; key: string } | undefined {
  if (!/^[A-Za-z0-9+/_-]{1,200}={0,2}$/.test(id)) return undefined
  const text = Buffer.from(id, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || !/^[A-Za-z]+:[\w:.-]+$/.test(text)) return undefined
  return { type: text.slice(0, colon), key: text.slice(colon + 1) }
}

const MAX_INT = 2_147_483_647

/** Parses a positive integer of at most 32 bits. Returns undefined for another text. */
export function readDatabaseId(digits: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(digits)) return undefined
  const id = Number(digits)
  return id <= MAX_INT ? id : undefined
}

/** Parses the key of an entity: a number, a slug, a pair of numbers, or what it takes for a key. Returns undefined for another text. */
export function keyOf({ key, isKey }: Entity, text: string): Key | undefined {
  if (isKey) return isKey(text) ? text : undefined
  if (key === 'databaseId') return readDatabaseId(text)
  if (key === 'slug') return /^[\w-]{1,100}$/.test(text) ? text : undefined
  return text.split(':').length === 2 && text.split(':').every((part) => readDatabaseId(part) !== undefined) ? text : undefined
}

/** The REST id for a global id of `type` or a REST id. It is the last part of a key. Undefined for another value. */
export function databaseIdIn(type: string, value: unknown): number | undefined {
  const text = String(value)
  const global = readGlobalId(text)
  return readDatabaseId(global?.type === type ? global.key.slice(global.key.lastIndexOf(':') + 1) : text)
}

/** Returns the REST id for an argument that accepts the global id of a term in a taxonomy, by the name of its route, or a REST id. */
export function readTermId(argument: string, taxonomy: string, value: unknown): number {
  const global = readGlobalId(String(value))
  if (global?.type === 'LmsTerm' && !global.key.startsWith(`${taxonomy}:`))
    throw new InvalidValueError('INVALID_FORMAT', `\`${argument}\` is the id of a term in another taxonomy.`)
  return readId(argument, 'LmsTerm', value)
}

/** Returns the REST id for a global id of `type` or a REST id. `what` names the value in errors. */
function readReference(what: string, type: string, value: unknown): number {
  const text = String(value)
  const id = databaseIdIn(type, value)
  if (id !== undefined) return id
  const global = readGlobalId(text)
  if (global && global.type !== type)
    throw new InvalidValueError('INVALID_FORMAT', `${what} is the id of a ${global.type}; it must be the id of a ${type}.`)
  throw new InvalidValueError(
    'INVALID_FORMAT',
    `${what} must be the \`id\` or the \`databaseId\` of a ${type}, not \`${text.slice(0, 40)}\`.`,
  )
}

/** Returns the REST id for an argument that accepts a global id of `type` or a REST id. */
export const readId = (argument: string, type: string, value: unknown): number => readReference(`\`${argument}\``, type, value)

/** The same for a field of an input. The error does not repeat the name of the field. */
export const readFieldId = (type: string, value: unknown): number => readReference('It', type, value)
