import type { Entity, LmsRecord, Target } from '../engine/edges.js'
import { keyOf, readDatabaseId, readGlobalId } from '../schema/ids.js'
import { BadInputError, LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'

/** A record as another service of a larger graph refers to it: its key, or why that can't be told. */
export interface Reference {
  readonly type: string
  readonly key: Key
  readonly refused?: string
}

/** What an entity is known by: those that are owned elsewhere have one field for it. */
export interface Known {
  readonly entity: Entity
  readonly foreignKey?: string
}

/** Reads a reference. Throws where it is not even known of what type it is; what else is wrong with it concerns it alone. */
export function readReference(types: ReadonlyMap<string, Known>, given: LmsRecord, index: number): Reference {
  const place = `representations[${index}]`
  const { __typename: type } = given
  const known = typeof type === 'string' ? types.get(type) : undefined
  if (!known) throw new BadInputError(`\`${place}.__typename\` must be one of ${[...types.keys()].join(', ')}; ${shown(type)} is none.`)
  try {
    return {
      type: type as string,
      key: known.foreignKey === undefined ? ownKey(known.entity, given, place) : foreignKey(known, given, place),
    }
  } catch (error) {
    if (!(error instanceof LmsError)) throw error
    return { type: type as string, key: `? ${index}`, refused: error.message }
  }
}

/** The record a reference means. */
export const targetOf = ({ entity }: Known, { key, refused }: Reference): Target =>
  refused === undefined ? { entity, key } : { entity, key, refused: new BadInputError(refused) }

/** The key in a reference by either form, or by both, which must then be the same. */
function ownKey(entity: Entity, given: LmsRecord, place: string): Key {
  const { id = null, [entity.key]: bare = null } = given
  if (id === null && bare === null) throw new BadInputError(`\`${place}\` must have \`id\` or \`${entity.key}\` of a ${entity.name}.`)
  const key = id === null ? undefined : keyInId(entity, id, place)
  const other = bare === null ? key : keyIn(entity, bare, place)
  if (key !== undefined && key !== other)
    throw new BadInputError(`\`id\` and \`${entity.key}\` of \`${place}\` are not of the same record.`)
  return other as Key
}

function keyInId(entity: Entity, id: unknown, place: string): Key {
  const { name } = entity
  const global = typeof id === 'string' ? readGlobalId(id) : undefined
  const found = global?.type === name ? keyOf(entity, global.key) : undefined
  if (found !== undefined) return found
  throw new BadInputError(`\`${place}.id\` must be the \`id\` of a ${name}; ${shown(id)} is none.`)
}

function keyIn(entity: Entity, bare: unknown, place: string): Key {
  const isNumber = entity.key === 'databaseId'
  const found = typeof bare === (isNumber ? 'number' : 'string') ? keyOf(entity, String(bare)) : undefined
  if (found !== undefined) return found
  const allowed = isNumber ? 'a positive whole number of 32 bits' : '1 to 100 letters, digits, `-` or `_`'
  throw new BadInputError(`\`${place}.${entity.key}\` must be ${allowed}, not ${shown(bare)}.`)
}

/** Who owns a record elsewhere knows it by its id in the LMS, as a number or in digits. */
function foreignKey({ entity, foreignKey: field = '' }: Known, given: LmsRecord, place: string): Key {
  const value = given[field]
  const found = typeof value === 'number' || typeof value === 'string' ? readDatabaseId(String(value)) : undefined
  if (found !== undefined) return found
  throw new BadInputError(
    `\`${place}.${field}\` must be the id of a ${entity.name} in the LMS, a positive whole number; ${shown(value)} is none.`,
  )
}

const shown = (value: unknown): string => `\`${JSON.stringify(value)?.slice(0, 40) ?? 'nothing'}\``
