import { MapperKind, mapSchema, printSchemaWithDirectives } from '@graphql-tools/utils'
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  specifiedDirectives,
} from 'graphql'
import { resolveEdge } from '../execute/resolve.js'
import { keyEdge, type Target } from '../model/edge.js'
import type { Entity, LmsRecord } from '../model/entity.js'
import { marksOf } from '../model/marks.js'
import { withPrintedDefaults } from '../plan/graphql-js.js'
import { Shape } from '../upstream/codec/records.js'
import type { Key } from '../upstream/routes.js'
import { Costs } from './costs.js'
import { MaxAges } from './max-ages.js'
import {
  type Directives,
  FEDERATION_VERSION,
  OWN_USERS,
  readUserKey,
  type SdlOptions,
  type UserKey,
  type WordPressType,
  WrongSubgraphOption,
} from './options.js'
import { ANY, type Known, keysOf, referenceEdge } from './references.js'
import { refuseNames, refuseValues } from './refusals.js'
import { Audiences } from './visibility.js'

/** The executable schema, and its SDL for routers. */
export interface Subgraph {
  readonly schema: GraphQLSchema
  readonly sdl: string
}

const KEY_TYPES = { ID: GraphQLID, Int: GraphQLInt, String: GraphQLString } as const

/** The relations to types of WordPress: their field, and the column that holds the ids. */
const WORDPRESS = {
  MediaItem: { field: 'featuredMedia', column: 'featuredMediaId', description: 'The featured image. Null when the record has none.' },
  Category: { field: 'categories', column: 'categoryIds', description: 'The categories. Null when the type has no categories.' },
  Tag: { field: 'tags', column: 'tagIds', description: 'The tags. Null when the type has no tags.' },
} as const satisfies Record<WordPressType, object>

/** Root fields that the subgraph of WordPress has itself. */
const OF_WORDPRESS: readonly string[] = ['terms']

/** Types that other subgraphs may define too, besides all that implement `LmsError`. */
const COMMON: readonly string[] = ['PageInfo', 'RestLink', 'RestCurie', 'InvalidField', 'UpstreamAnswer']

type Fields = GraphQLFieldConfigMap<LmsRecord, any>

/**
 * Converts the graph to a subgraph: its records have keys, and root fields that return any node are removed, as are those of users that another
 * subgraph owns. Throws for invalid options.
 */
export function subgraphOf(graph: GraphQLSchema, options: SdlOptions = {}): Subgraph {
  refuseValues(options)
  const { users = 'id', refersTo = [], slugKeys = false } = options
  const foreignKey = readUserKey(users) as UserKey
  const isElsewhere = ({ federated }: Entity): boolean => federated === 'elsewhere' && users !== OWN_USERS
  const known = new Map<string, Known>()
  for (const type of Object.values(graph.getTypeMap())) {
    const { entity } = isObjectType(type) ? marksOf(type) : {}
    if (!entity?.federated) continue
    const ofOwner = isElsewhere(entity) ? { keys: [[foreignKey.name]], foreignKey: foreignKey.name } : { keys: keysOf(entity, slugKeys) }
    known.set(type.name, { entity, ...ofOwner })
  }
  const most = Math.max(...Array.from(known.values(), ({ keys }) => keys.length))
  const keyed = mapSchema(graph, {
    [MapperKind.OBJECT_TYPE]: (type) => {
      const found = known.get(type.name)
      if (!found) return isCommon(type) ? withDirectives(type, { shareable: [{}] }) : undefined
      const { entity, keys, foreignKey: isForeign } = found
      const fields = keys.map((fields) => fields.join(' '))
      return withDirectives(isForeign === undefined ? type : ownedElsewhere(type, entity, foreignKey), {
        key: [...fields, ...repeated(fields[0] as string).slice(0, most - fields.length)].map((fields) => ({ fields })),
      })
    },
    [MapperKind.ROOT_FIELD]: (field, name) =>
      isRemoved(field, isElsewhere) || (refersTo.length > 0 && OF_WORDPRESS.includes(name)) ? null : undefined,
  })
  const schema = refersTo.length > 0 ? withReferences(keyed, refersTo) : keyed
  refuseNames(schema, options)
  const sdl = sdlOf(schema, options)
  return { schema: withEntryPoints(schema, new Map([...known].sort()), sdl), sdl }
}

/**
 * Keys that are equal to a key. With them all types have the same number of keys: Hive Gateway reads a record again to follow a relation from it to a
 * type with fewer keys.
 */
const repeated = (key: string): string[] => [`${key} __typename`, `__typename ${key}`]

const isCommon = (type: GraphQLObjectType): boolean =>
  COMMON.includes(type.name) || type.getInterfaces().some(({ name }) => name === 'LmsError')

function isRemoved({ type }: GraphQLFieldConfig<unknown, unknown>, isElsewhere: (entity: Entity) => boolean): boolean {
  const namedType = getNamedType(type)
  if (isInterfaceType(namedType)) return namedType.name === 'Node'
  const { entity } = isObjectType(namedType) ? marksOf(namedType) : {}
  return entity !== undefined && isElsewhere(entity)
}

/** Adds uses of directives to those of a part of the schema. */
const withMore = <Part extends { readonly extensions?: any }>(part: Part, directives: Directives): Part => ({
  ...part,
  extensions: { ...part.extensions, directives: { ...part.extensions?.directives, ...directives } },
})

const withDirectives = (type: GraphQLObjectType, directives: Directives): GraphQLObjectType =>
  new GraphQLObjectType(withMore(type.toConfig(), directives))

/** A type owned by another subgraph: its key, and the fields that follow edges from it. */
function ownedElsewhere(type: GraphQLObjectType, { key }: Entity, foreignKey: UserKey): GraphQLObjectType {
  const config = type.toConfig()
  const followed = Object.entries(config.fields).filter(([, field]) => {
    const { edge, needs } = marksOf(field as { extensions: {} })
    return edge !== undefined || (needs?.relations.length ?? 0) > 0
  })
  if (followed.some(([name]) => name === foreignKey.name))
    throw new WrongSubgraphOption('users', `must not be \`${foreignKey.name}\`: a relation has this name.`)
  const isNumber = foreignKey.type === 'Int'
  const resolve = (record: LmsRecord): unknown => (isNumber ? record[key] : String(record[key]))
  const keyField = {
    type: new GraphQLNonNull(KEY_TYPES[foreignKey.type]),
    description: `Id of the ${type.name.toLowerCase()} in the LMS: its key in the subgraph that owns it.`,
    extensions: { lms: { resolve } },
    resolve,
  }
  const fields = { [foreignKey.name]: keyField, ...Object.fromEntries(followed) }
  return new GraphQLObjectType({ ...config, interfaces: [], fields })
}

/** Adds the types of WordPress that another subgraph resolves, and relations to them. */
function withReferences(schema: GraphQLSchema, names: readonly WordPressType[]): GraphQLSchema {
  const types = new Map<WordPressType, { readonly entity: Entity; readonly type: GraphQLObjectType }>()
  for (const name of names) {
    const entity: Entity = { name, shape: new Shape(name, {}), key: 'databaseId', federated: 'elsewhere' }
    const databaseId = { type: new GraphQLNonNull(GraphQLInt), description: 'Id in WordPress.' }
    const config = { name, description: 'Of another subgraph of the same WordPress.', fields: { databaseId } }
    const extensions = { lms: { entity, shape: entity.shape } }
    types.set(name, {
      entity,
      type: withDirectives(new GraphQLObjectType({ ...config, extensions }), { key: [{ fields: 'databaseId', resolvable: false }] }),
    })
  }
  return mapSchema(schema, {
    [MapperKind.OBJECT_TYPE]: (type) => {
      const { shape } = marksOf(type)
      const config = type.toConfig()
      const added: Fields = {}
      for (const [name, { entity, type: referred }] of types) {
        const { field, column, description } = WORDPRESS[name]
        if (!shape || !config.fields[column]) continue
        const isList = column.endsWith('Ids')
        const target = (key: unknown): Target => ({ entity, key: key as Key })
        const edge = keyEdge(`${type.name}.${field}`, {
          needs: [column],
          entities: () => [entity],
          targets: ({ [column]: ids }) => (ids == null ? null : isList ? (ids as unknown[]).map(target) : target(ids)),
          ...(isList && { many: true }),
        })
        added[field] = {
          type: isList ? new GraphQLList(new GraphQLNonNull(referred)) : referred,
          description: `${description} No REST call.`,
          extensions: { lms: { edge } },
          resolve: resolveEdge(edge),
        }
      }
      return Object.keys(added).length > 0 ? new GraphQLObjectType({ ...config, fields: { ...config.fields, ...added } }) : undefined
    },
  })
}

/** The SDL of the subgraph, with all directives that the options ask for. */
function sdlOf(schema: GraphQLSchema, { authenticated, tags, inaccessible = [], maxAge }: SdlOptions): string {
  const weights = new Costs(schema)
  const audiences = authenticated || tags ? new Audiences(schema) : undefined
  const maxAges = maxAge === undefined ? undefined : new MaxAges(schema, maxAge)
  const hidden = new Set(inaccessible)
  const used = new Set<string>()
  const noted = (directives: Directives): Directives => {
    for (const name of Object.keys(directives)) used.add(name)
    return directives
  }
  const tag = (name: string | undefined): Directives => (tags && name !== undefined ? { tag: [{ name }] } : {})
  const hide = (coordinate: string): Directives => (hidden.has(coordinate) ? { inaccessible: [{}] } : {})
  const ofType = (type: GraphQLNamedType): Directives => ({
    ...weights.ofType(type),
    ...tag(audiences?.ofType(type)),
    ...maxAges?.ofType(type),
    ...hide(type.name),
  })
  const ofField = (field: GraphQLField<unknown, unknown>, type: GraphQLNamedType): Directives => ({
    ...weights.ofField(field, type),
    ...(authenticated && !isInterfaceType(type) && audiences?.needsCaller(field, type) ? { authenticated: [{}] } : {}),
    ...tag(audiences?.ofField(field, type)),
    ...hide(`${type.name}.${field.name}`),
  })
  const marked = mapSchema(schema, {
    [MapperKind.TYPE]: (type) => {
      const directives = noted(ofType(type))
      if (Object.keys(directives).length === 0) return undefined
      const Type = type.constructor as new (config: unknown) => typeof type
      return new Type(withMore(type.toConfig(), directives))
    },
    [MapperKind.COMPOSITE_FIELD]: (config, name, typeName) => {
      const type = schema.getType(typeName)
      if (!isObjectType(type) && !isInterfaceType(type)) return undefined
      const field = type.getFields()[name] as GraphQLField<unknown, unknown>
      const directives = noted(ofField(field, type))
      // Arguments have the tags of their type, but roots have none: contracts that include a tag would lose the arguments.
      const inherited = type === schema.getQueryType() || type === schema.getMutationType() ? tag(audiences?.ofField(field, type)) : {}
      for (const [argument, arg] of Object.entries(config.args ?? {}))
        config.args = { ...config.args, [argument]: withMore(arg, { ...inherited, ...noted(hide(`${typeName}.${name}(${argument}:)`)) }) }
      return withMore(config, directives)
    },
    [MapperKind.INPUT_OBJECT_FIELD]: (config, name, typeName) => withMore(config, noted(hide(`${typeName}.${name}`))),
    [MapperKind.ENUM_VALUE]: (config, typeName, _, name) => withMore(config, noted(hide(`${typeName}.${name}`))),
  })
  for (const type of Object.values(schema.getTypeMap())) {
    const { directives } = (isObjectType(type) ? type.extensions : {}) as { readonly directives?: Directives }
    if (directives) noted(directives)
  }
  return printSchemaWithDirectives(withPrintedDefaults(lexicographicSortSchema(withLinks(marked, used))))
}

/** Links the specifications of the directives that a schema uses. */
function withLinks(schema: GraphQLSchema, used: ReadonlySet<string>): GraphQLSchema {
  const hasMaxAges = used.has('cacheControl')
  const names = [...used].map((name) => (name === 'cacheControl' ? 'composeDirective' : name)).sort()
  const link = { url: `https://specs.apollo.dev/federation/v${FEDERATION_VERSION}`, import: names.map((name) => `@${name}`) }
  return new GraphQLSchema({
    ...schema.toConfig(),
    // The directives of clients are removed: routers have their own.
    directives: [...specifiedDirectives, ...(hasMaxAges ? [CACHE_CONTROL] : [])],
    extensions: {
      ...schema.extensions,
      directives: {
        link: [link, ...(hasMaxAges ? [CACHE_LINK] : [])],
        ...(hasMaxAges && { composeDirective: [{ name: '@cacheControl' }] }),
      },
    },
  })
}

/** The link under which Hive Gateway composes `@cacheControl`. */
const CACHE_LINK = { url: 'https://the-guild.dev/mesh/v1.0', import: ['@cacheControl'] }

/** The directive as Apollo Server and Hive Gateway define it. */
const CACHE_CONTROL = new GraphQLDirective({
  name: 'cacheControl',
  locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.OBJECT, DirectiveLocation.INTERFACE, DirectiveLocation.UNION],
  args: {
    maxAge: { type: GraphQLInt },
    scope: { type: new GraphQLEnumType({ name: 'CacheControlScope', values: { PUBLIC: {}, PRIVATE: {} } }) },
    inheritMaxAge: { type: GraphQLBoolean },
  },
})

/** Adds the root fields for routers: `_service` and `_entities`. */
function withEntryPoints(schema: GraphQLSchema, known: ReadonlyMap<string, Known>, sdl: string): GraphQLSchema {
  const service = new GraphQLObjectType({ name: '_Service', fields: { sdl: { type: GraphQLString } } })
  const entity = new GraphQLUnionType({
    name: '_Entity',
    types: [...known.keys()].map((name) => schema.getType(name) as GraphQLObjectType),
  })
  const edge = referenceEdge(known)
  const entryPoints: Fields = {
    _service: { type: new GraphQLNonNull(service), resolve: () => ({ sdl }) },
    _entities: {
      type: new GraphQLNonNull(new GraphQLList(entity)),
      args: { representations: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(ANY))) } },
      extensions: { lms: { edge } },
      resolve: resolveEdge(edge),
    },
  }
  return mapSchema(schema, {
    [MapperKind.QUERY]: (query) => {
      const config = query.toConfig()
      return new GraphQLObjectType({ ...config, fields: { ...config.fields, ...entryPoints } })
    },
  })
}
