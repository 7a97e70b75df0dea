import { GraphQLError, GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql'
import { keyOf, readDatabaseId, readGlobalId } from '../graph/kit/ids.js'
import { isObject } from '../maps.js'
import { type KeyEdge, keyEdge, type Target } from '../model/edge.js'
import type { Entity, LmsRecord } from '../model/entity.js'
import { BadInputError, LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'

/** An entity of the subgraph. `foreignKey` is the field that identifies records owned by another subgraph. */
export interface Known {
  readonly entity: Entity
  /** The fields of each of its keys. */
  readonly keys: readonly (readonly string[])[]
  readonly foreignKey?: string
}

/** A reference of another subgraph to a record: its type and key, or the reason why the reference is invalid. */
interface Reference {
  readonly type: string
  readonly key: Key
  readonly bySlug?: true
  readonly refused?: string
}

/** The edge of `_entities`: an edge like all others, so that records are fetched as a level of the plan. */
export const referenceEdge = (known: ReadonlyMap<string, Known>): KeyEdge =>
  keyEdge<readonly Reference[]>('Query._entities', {
    parse: ({ representations }, { limits }) => {
      const list = representations as readonly LmsRecord[]
      if (list.length > limits.rows)
        throw new BadInputError(`\`representations\` holds ${list.length} references; at most ${limits.rows} are allowed.`)
      return list.map((representation, index) => readReference(known, representation, index))
    },
    entities: (references) => [...new Set(references.map(({ type }) => entityIn(known, type)))],
    targets: (_, references) => references.map((reference) => targetOf(known, reference)),
    bySlug: (references) => references.some(({ bySlug }) => bySlug),
  })

const entityIn = (known: ReadonlyMap<string, Known>, type: string): Entity => (known.get(type) as Known).entity

function targetOf(known: ReadonlyMap<string, Known>, { type, key, bySlug, refused }: Reference): Target {
  const entity = entityIn(known, type)
  if (refused !== undefined) return { entity, key, refused: new BadInputError(refused) }
  return bySlug ? { entity, key, bySlug } : { entity, key }
}

/** The fields of each key of an entity that this subgraph resolves, with the slug of records that can be found by it. */
export function keysOf({ key, keyParts, byKey }: Entity, bySlug: boolean): Known['keys'] {
  const hasSlug = bySlug && key !== 'slug' && byKey?.many !== undefined && !byKey.many.scoped && 'slug' in byKey.many.route.filters
  return [['id'], keyParts ?? [key], ...(hasSlug ? [['slug']] : [])].filter((fields) => fields.length > 0)
}

/** Reads a reference. Throws for an unknown type; returns other errors, which concern only this reference. */
function readReference(types: ReadonlyMap<string, Known>, representation: LmsRecord, index: number): Reference {
  const place = `representations[${index}]`
  const { __typename: type } = representation
  const known = typeof type === 'string' ? types.get(type) : undefined
  if (!known) throw new BadInputError(`\`${place}.__typename\` must be one of ${[...types.keys()].join(', ')}, not ${shown(type)}.`)
  const { entity, foreignKey } = known
  try {
    if (foreignKey === undefined) return { type: entity.name, ...readKeys(known, representation, place) }
    return { type: entity.name, key: readForeignKey(entity, foreignKey, representation, place) }
  } catch (error) {
    if (!(error instanceof LmsError)) throw error
    return { type: entity.name, key: `? ${index}`, refused: error.message }
  }
}

/** Reads the keys of a reference. Those that it has must identify the same record; a slug counts only alone. */
function readKeys({ entity, keys }: Known, representation: LmsRecord, place: string): Pick<Reference, 'key' | 'bySlug'> {
  const found = new Set<Key>()
  const given: string[] = []
  let slug: string | undefined
  for (const fields of keys) {
    const values = fields.map((field) => representation[field] ?? null)
    if (values.includes(null)) continue
    if (fields[0] === 'slug' && entity.key !== 'slug') slug = readSlug(values[0], place)
    else {
      found.add(fields[0] === 'id' ? keyInId(entity, values[0], place) : keyIn(entity, fields, values, place))
      given.push(named(fields))
    }
  }
  const [key, ...others] = found
  if (others.length > 0) throw new BadInputError(`${given.join(' and ')} of \`${place}\` do not identify the same record.`)
  if (key !== undefined) return { key }
  if (slug !== undefined) return { key: slug, bySlug: true }
  throw new BadInputError(`\`${place}\` must have ${keys.map(named).join(' or ')} of a ${entity.name}.`)
}

const named = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(' and ')

function keyInId(entity: Entity, id: unknown, place: string): Key {
  const { name } = entity
  const global = typeof id === 'string' ? readGlobalId(id) : undefined
  const found = global?.type === name ? keyOf(entity, global.key) : undefined
  if (found !== undefined) return found
  throw new BadInputError(`\`${place}.id\` must be the \`id\` of a ${name}, not ${shown(id)}.`)
}

function keyIn(entity: Entity, fields: readonly string[], values: readonly unknown[], place: string): Key {
  const isText = entity.key === 'slug'
  const wrong = values.findIndex((value) => typeof value !== (isText ? 'string' : 'number') || (!isText && !isDatabaseId(value)))
  const found = wrong === -1 ? keyOf(entity, values.join(':')) : undefined
  if (found !== undefined) return found
  const allowed = isText ? '1 to 100 letters, digits, `-` or `_`' : 'a positive integer of 32 bits'
  const at = Math.max(0, wrong)
  throw new BadInputError(`\`${place}.${fields[at]}\` must be ${allowed}, not ${shown(values[at])}.`)
}

const isDatabaseId = (value: unknown): boolean => readDatabaseId(String(value)) !== undefined

function readSlug(slug: unknown, place: string): string {
  if (typeof slug === 'string' && /^[^\s,]{1,200}$/.test(slug)) return slug
  throw new BadInputError(`\`${place}.slug\` must have 1 to 200 characters and no comma or space, not ${shown(slug)}.`)
}

/** Reads the key of a record owned by another subgraph: its id in the LMS, as a number or as digits. */
function readForeignKey({ name }: Entity, field: string, representation: LmsRecord, place: string): Key {
  const value = representation[field]
  const found = typeof value === 'number' || typeof value === 'string' ? readDatabaseId(String(value)) : undefined
  if (found !== undefined) return found
  throw new BadInputError(`\`${place}.${field}\` must be the id of a ${name} in the LMS, a positive integer, not ${shown(value)}.`)
}

const shown = (value: unknown): string => `\`${JSON.stringify(value)?.slice(0, 40) ?? 'nothing'}\``

/** The scalar of references. */
export const ANY = new GraphQLScalarType<LmsRecord>({
  name: '_Any',
  description: 'A reference to a record: its `__typename` and the fields of one key.',
  parseValue: (value) => referenceIn(value),
  parseLiteral: (node, variables) => referenceIn(valueFromASTUntyped(node, variables), node),
})

function referenceIn(value: unknown, node?: ValueNode): LmsRecord {
  if (isObject(value)) return value
  throw new GraphQLError('A reference must be an object with `__typename` and a key.', {
    nodes: node ?? null,
    extensions: { code: 'BAD_USER_INPUT' },
  })
}
