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

/** A reference of another subgraph to a record: its type and key, or the reason why the reference is invalid. */
export interface Reference {
  readonly type: string
  readonly key: Key
  readonly refused?: string
}

/** An entity of the subgraph. `foreignKey` is the field that identifies records owned by another subgraph. */
export interface Known {
  readonly entity: Entity
  readonly foreignKey?: string
}

/** Reads a reference. Throws for an unknown type; returns other errors, which concern only this reference. */
function readReference(types: ReadonlyMap<string, Known>, representation: LmsRecord, index: number): Reference {
  const place = `representations[${index}]`
  const { __typename: type } = representation
  const known = typeof type === 'string' ? types.get(type) : undefined
  if (!known) throw new BadInputError(`\`${place}.__typename\` must be one of ${[...types.keys()].join(', ')}, not ${shown(type)}.`)
  try {
    return {
      type: type as string,
      key: known.foreignKey === undefined ? ownKey(known.entity, representation, place) : foreignKey(known, representation, place),
    }
  } catch (error) {
    if (!(error instanceof LmsError)) throw error
    return { type: type as string, key: `? ${index}`, refused: error.message }
  }
}

/** The target of a reference. */
const targetOf = ({ entity }: Known, { key, refused }: Reference): Target =>
  refused === undefined ? { entity, key } : { entity, key, refused: new BadInputError(refused) }

/** Reads the key of a reference from `id`, from the key field, or from both, which must then be equal. */
function ownKey(entity: Entity, representation: LmsRecord, place: string): Key {
  const { id = null, [entity.key]: value = null } = representation
  if (id === null && value === null) throw new BadInputError(`\`${place}\` must have \`id\` or \`${entity.key}\` of a ${entity.name}.`)
  const key = id === null ? undefined : keyInId(entity, id, place)
  const other = value === null ? key : keyIn(entity, value, place)
  if (key !== undefined && key !== other)
    throw new BadInputError(`\`id\` and \`${entity.key}\` of \`${place}\` do not identify the same record.`)
  return other as Key
}

function keyInId(entity: Entity, id: unknown, place: string): Key {
  const { name } = entity
  const global = typeof id === 'string' ? readGlobalId(id) : undefined
  const found = global?.type === name ? keyOf(entity, global.key) : undefined
  if (found !== undefined) return found
  throw new BadInputError(`\`${place}.id\` must be the \`id\` of a ${name}, not ${shown(id)}.`)
}

function keyIn(entity: Entity, value: unknown, place: string): Key {
  const isNumber = entity.key === 'databaseId'
  const found = typeof value === (isNumber ? 'number' : 'string') ? keyOf(entity, String(value)) : undefined
  if (found !== undefined) return found
  const allowed = isNumber ? 'a positive integer of 32 bits' : '1 to 100 letters, digits, `-` or `_`'
  throw new BadInputError(`\`${place}.${entity.key}\` must be ${allowed}, not ${shown(value)}.`)
}

/** Reads the key of a record owned by another subgraph: its id in the LMS, as a number or as digits. */
function foreignKey({ entity, foreignKey: field = '' }: Known, representation: LmsRecord, place: string): Key {
  const value = representation[field]
  const found = typeof value === 'number' || typeof value === 'string' ? readDatabaseId(String(value)) : undefined
  if (found !== undefined) return found
  throw new BadInputError(`\`${place}.${field}\` must be the id of a ${entity.name} in the LMS, a positive integer, not ${shown(value)}.`)
}

const shown = (value: unknown): string => `\`${JSON.stringify(value)?.slice(0, 40) ?? 'nothing'}\``

/** Options of the subgraph for Apollo Federation 2. */
export interface SubgraphOptions {
  /**
   * The key field of users in the subgraph that owns them, as `name:Type` with the type `ID`, `Int` or `String`. Its values are ids in the
   * LMS. `id:ID` by default.
   */
  readonly userKey?: string | undefined
}

/** The executable schema, and its SDL for routers. */
export interface Subgraph {
  readonly schema: GraphQLSchema
  readonly sdl: string
}

const SPECIFICATION = { url: 'https://specs.apollo.dev/federation/v2.3', import: ['@key', '@shareable'] }
const KEY_TYPES = { ID: GraphQLID, Int: GraphQLInt, String: GraphQLString } as const

/** Types that other subgraphs may define too, besides all that implement `LmsError`. */
const COMMON: readonly string[] = ['PageInfo', 'RestLink', 'RestCurie', 'InvalidField', 'UpstreamAnswer']

const markOf = ({ extensions }: { readonly extensions: object }): TypeMark & FieldMark =>
  ((extensions as { lms?: TypeMark & FieldMark }).lms ?? {}) as TypeMark & FieldMark

type Fields = GraphQLFieldConfigMap<LmsRecord, any>

/**
 * Converts the graph to a subgraph. Its records have keys, users are owned by another subgraph, and root fields that return a node or a user
 * are removed. Throws for an invalid `userKey`.
 */
export function subgraphOf(graph: GraphQLSchema, { userKey = 'id' }: SubgraphOptions = {}): Subgraph {
  const foreignKey = readUserKey(userKey)
  if (!foreignKey) throw new Error('`userKey` must be the name of a field, with its type unless that is ID: `id`, `lmsId:Int`.')
  const known = new Map<string, Known>()
  const named = mapSchema(graph, {
    [MapperKind.OBJECT_TYPE]: (type) => {
      const { entity } = markOf(type)
      if (!entity?.joined) return isCommon(type) ? withDirectives(type, { shareable: [{}] }) : undefined
      known.set(type.name, entity.joined === 'here' ? { entity } : { entity, foreignKey: foreignKey.name })
      return entity.joined === 'here' ? withKeys(type, ['id', entity.key]) : ownedElsewhere(type, entity, foreignKey)
    },
    [MapperKind.ROOT_FIELD]: (field) => (isRemoved(field) ? null : undefined),
  })
  const sdl = printSchemaWithDirectives(lexicographicSortSchema(withLink(named)))
  return { schema: withEntryPoints(named, new Map([...known].sort()), sdl), sdl }
}

const isCommon = (type: GraphQLObjectType): boolean =>
  COMMON.includes(type.name) || type.getInterfaces().some(({ name }) => name === 'LmsError')

function isRemoved({ type }: GraphQLFieldConfig<unknown, unknown>): boolean {
  const namedType = getNamedType(type)
  return (
    (isInterfaceType(namedType) && namedType.name === 'Node') ||
    (isObjectType(namedType) && markOf(namedType).entity?.joined === 'elsewhere')
  )
}

function withDirectives(type: GraphQLObjectType, directives: Readonly<Record<string, readonly object[]>>): GraphQLObjectType {
  const config = type.toConfig()
  return new GraphQLObjectType({ ...config, extensions: { ...config.extensions, directives } })
}

const withKeys = (type: GraphQLObjectType, keys: readonly string[]): GraphQLObjectType =>
  withDirectives(type, { key: keys.map((fields) => ({ fields })) })

/** A type owned by another subgraph: its key, and the fields that follow edges from it. */
function ownedElsewhere(type: GraphQLObjectType, { key }: Entity, foreignKey: UserKey): GraphQLObjectType {
  const config = type.toConfig()
  const followed = Object.entries(config.fields).filter(([, field]) => {
    const { edge, needs } = markOf(field as { extensions: object })
    return edge !== undefined || needs !== undefined
  })
  if (followed.some(([name]) => name === foreignKey.name))
    throw new Error(`\`userKey\` must not be \`${foreignKey.name}\`: a relation has this name.`)
  const isNumber = foreignKey.type === 'Int'
  const read = (record: LmsRecord): unknown => (isNumber ? record[key] : String(record[key]))
  const keyField = {
    type: new GraphQLNonNull(KEY_TYPES[foreignKey.type]),
    description: `Id of the ${type.name.toLowerCase()} in the LMS: its key in the subgraph that owns it.`,
    extensions: { lms: { read } },
    resolve: read,
  }
  const fields = { [foreignKey.name]: keyField, ...Object.fromEntries(followed) }
  return withKeys(new GraphQLObjectType({ ...config, interfaces: [], fields }), [foreignKey.name])
}

/** Links the specification of the directives, and removes other directives: the router has its own for clients. */
const withLink = (schema: GraphQLSchema): GraphQLSchema =>
  new GraphQLSchema({
    ...schema.toConfig(),
    directives: specifiedDirectives,
    extensions: { ...schema.extensions, directives: { link: [SPECIFICATION] } },
  })

/** Adds the root fields for routers: `_service` and `_entities`. */
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

/** The field `_entities`: an edge like all others, so that records are fetched as a level of the plan. */
function entities(type: GraphQLNonNull<GraphQLList<GraphQLUnionType>>, known: ReadonlyMap<string, Known>): Fields[string] {
  const knownOf = ({ type }: Reference): Known => known.get(type) as Known
  const edge: KeyEdge<readonly Reference[]> = {
    kind: 'key',
    id: 'Query._entities',
    needs: [],
    prepare: ({ representations }, { limits }) => {
      const list = representations as readonly LmsRecord[]
      if (list.length > limits.rows)
        throw new BadInputError(`\`representations\` holds ${list.length} references; at most ${limits.rows} are allowed.`)
      return list.map((representation, index) => readReference(known, representation, index))
    },
    entities: (references) => [...new Set(references.map((reference) => knownOf(reference).entity))],
    targets: (_, references) => references.map((reference) => targetOf(knownOf(reference), reference)),
  }
  return {
    type,
    args: { representations: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(ANY))) } },
    extensions: { lms: { edge } },
    resolve: resolveEdge(edge as KeyEdge),
  }
}

const ANY = new GraphQLScalarType<LmsRecord>({
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
