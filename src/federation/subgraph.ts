import { MapperKind, mapSchema, printSchemaWithDirectives } from '@graphql-tools/utils'
import {
  GraphQLError,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  specifiedDirectives,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import type { Entity, FieldMark, KeyEdge, LmsRecord, Target, TypeMark } from '../engine/edges.js'
import { resolveEdge } from '../engine/respond/index.js'
import { keyOf, readDatabaseId, readGlobalId } from '../schema/ids.js'
import { BadInputError, isObject, LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
import { readUserKey, type UserKey } from './user-key.js'

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
function readReference(types: ReadonlyMap<string, Known>, given: LmsRecord, index: number): Reference {
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
const targetOf = ({ entity }: Known, { key, refused }: Reference): Target =>
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

/** How the graph takes its place in a larger one, by Apollo Federation 2. */
export interface SubgraphOptions {
  /**
   * The field by which the service that owns users knows them, and its type, `ID`, `Int` or `String`, as `name:Type`; its values are ids in
   * the LMS. `id:ID` by default.
   */
  readonly userKey?: string | undefined
}

/** A schema to run, and what it tells routers of itself. */
export interface Subgraph {
  readonly schema: GraphQLSchema
  readonly sdl: string
}

const SPECIFICATION = { url: 'https://specs.apollo.dev/federation/v2.3', import: ['@key', '@shareable'] }
const KEY_TYPES = { ID: GraphQLID, Int: GraphQLInt, String: GraphQLString } as const

/** The types that are no record of anybody's: other services may have the same. Besides them, all kinds of `LmsError`. */
const COMMON: readonly string[] = ['PageInfo', 'RestLink', 'RestCurie', 'InvalidField', 'UpstreamAnswer']

const markOf = ({ extensions }: { readonly extensions: object }): TypeMark & FieldMark =>
  ((extensions as { lms?: TypeMark & FieldMark }).lms ?? {}) as TypeMark & FieldMark

type Fields = GraphQLFieldConfigMap<unknown, any>

/**
 * The graph as one service of several: its records are found by their keys, users are owned elsewhere, and what leads to any node or to a
 * user is left to the whole. Throws where the key of users is none.
 */
export function subgraphOf(graph: GraphQLSchema, { userKey = 'id' }: SubgraphOptions = {}): Subgraph {
  const foreignKey = readUserKey(userKey)
  if (!foreignKey) throw new Error('`userKey` must be the name of a field, and its type if it is not ID: `id`, `lmsId:Int`.')
  const known = new Map<string, Known>()
  const named = mapSchema(graph, {
    [MapperKind.OBJECT_TYPE]: (type) => {
      const { entity } = markOf(type)
      if (!entity?.joined) return isCommon(type) ? withDirectives(type, { shareable: [{}] }) : undefined
      known.set(type.name, entity.joined === 'here' ? { entity } : { entity, foreignKey: foreignKey.name })
      return entity.joined === 'here' ? withKeys(type, ['id', entity.key]) : ownedElsewhere(type, entity, foreignKey)
    },
    [MapperKind.ROOT_FIELD]: (field) => (isLeftToTheWhole(field) ? null : undefined),
  })
  const sdl = printSchemaWithDirectives(lexicographicSortSchema(linked(named)))
  return { schema: withEntryPoints(named, new Map([...known].sort()), sdl), sdl }
}

const isCommon = (type: GraphQLObjectType): boolean =>
  COMMON.includes(type.name) || type.getInterfaces().some(({ name }) => name === 'LmsError')

function isLeftToTheWhole({ type }: GraphQLFieldConfig<unknown, unknown>): boolean {
  const led = getNamedType(type)
  return (isInterfaceType(led) && led.name === 'Node') || (isObjectType(led) && markOf(led).entity?.joined === 'elsewhere')
}

function withDirectives(type: GraphQLObjectType, directives: Readonly<Record<string, readonly object[]>>): GraphQLObjectType {
  const config = type.toConfig()
  return new GraphQLObjectType({ ...config, extensions: { ...config.extensions, directives } })
}

const withKeys = (type: GraphQLObjectType, keys: readonly string[]): GraphQLObjectType =>
  withDirectives(type, { key: keys.map((fields) => ({ fields })) })

/** Of what is owned elsewhere there is its key, and the relations that start from it. */
function ownedElsewhere(type: GraphQLObjectType, { key }: Entity, foreignKey: UserKey): GraphQLObjectType {
  const config = type.toConfig()
  const relations = Object.entries(config.fields).filter(([, field]) => markOf(field as { extensions: object }).edge)
  if (relations.some(([name]) => name === foreignKey.name))
    throw new Error(`\`userKey\` must not be \`${foreignKey.name}\`: that is a relation.`)
  const isNumber = foreignKey.type === 'Int'
  const read = (record: LmsRecord): unknown => (isNumber ? record[key] : String(record[key]))
  const keyField = {
    type: new GraphQLNonNull(KEY_TYPES[foreignKey.type]),
    description: `Id of the ${type.name.toLowerCase()} in the LMS, by which its owner knows it.`,
    extensions: { lms: { read } },
    resolve: read as never,
  }
  const fields = { [foreignKey.name]: keyField, ...Object.fromEntries(relations) }
  return withKeys(new GraphQLObjectType({ ...config, interfaces: [], fields }), [foreignKey.name])
}

/** Says by which specification its directives are meant; those of clients are the router's. */
const linked = (schema: GraphQLSchema): GraphQLSchema =>
  new GraphQLSchema({
    ...schema.toConfig(),
    directives: specifiedDirectives,
    extensions: { ...schema.extensions, directives: { link: [SPECIFICATION] } },
  })

/** Adds what routers enter by: the text of the schema, and records by references. */
function withEntryPoints(schema: GraphQLSchema, known: ReadonlyMap<string, Known>, sdl: string): GraphQLSchema {
  const service = new GraphQLObjectType({ name: '_Service', fields: { sdl: { type: GraphQLString } } })
  const entity = new GraphQLUnionType({
    name: '_Entity',
    types: [...known.keys()].map((name) => schema.getType(name) as GraphQLObjectType),
  })
  const entryPoints: Fields = {
    _service: { type: new GraphQLNonNull(service), resolve: () => ({ sdl }) },
    _entities: entities(new GraphQLNonNull(new GraphQLList(entity)), known),
  }
  return mapSchema(schema, {
    [MapperKind.QUERY]: (query) => {
      const config = query.toConfig()
      return new GraphQLObjectType({ ...config, fields: { ...config.fields, ...entryPoints } })
    },
  })
}

/** Records by references: an edge as all others, so that they are fetched as a level of their own. */
function entities(type: GraphQLNonNull<GraphQLList<GraphQLUnionType>>, known: ReadonlyMap<string, Known>): Fields[string] {
  const of = ({ type }: Reference): Known => known.get(type) as Known
  const edge: KeyEdge<readonly Reference[]> = {
    kind: 'key',
    id: 'Query._entities',
    needs: [],
    prepare: ({ representations }, { limits }) => {
      const given = representations as readonly LmsRecord[]
      if (given.length > limits.rows)
        throw new BadInputError(`\`representations\` holds ${given.length} references; at most ${limits.rows} are allowed.`)
      return given.map((each, index) => readReference(known, each, index))
    },
    entities: (references) => [...new Set(references.map((reference) => of(reference).entity))],
    targets: (_, references) => references.map((reference) => targetOf(of(reference), reference)),
  }
  return {
    type,
    args: { representations: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(ANY))) } },
    extensions: { lms: { edge } },
    resolve: resolveEdge(edge as KeyEdge) as never,
  }
}

const ANY = new GraphQLScalarType<LmsRecord>({
  name: '_Any',
  description: 'A reference to a record: its `__typename`, and the fields of one of its keys.',
  parseValue: (value) => referenceIn(value),
  parseLiteral: (node, variables) => referenceIn(valueFromASTUntyped(node, variables), node),
})

function referenceIn(value: unknown, node?: ValueNode): LmsRecord {
  if (isObject(value)) return value
  throw new GraphQLError('A reference must be an object, with `__typename` and a key.', {
    nodes: node ?? null,
    extensions: { code: 'BAD_USER_INPUT' },
  })
}
