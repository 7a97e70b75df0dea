import { GraphQLDeferDirective, GraphQLStreamDirective, MapperKind, mapSchema } from '@graphql-tools/utils'
import { GraphQLInterfaceType, GraphQLObjectType, GraphQLSchema, isInterfaceType, isObjectType, specifiedDirectives } from 'graphql'
import { getOrMake } from '../maps.js'
import { builder } from './kit/builder.js'
import './kit/nodes.js'
import './kit/scalars.js'
import './index.js'

export { CHANGE_TYPES, PROBES, TAGGING } from './index.js'

/** A resource from outside this package: types and fields for data beyond the specification. */
export interface Resource {
  readonly name: string
  /** Adds types and fields to the Pothos builder. Called once per process. */
  readonly add: (builder: GraphBuilder) => void
}

export type GraphBuilder = typeof builder

/** Declares a resource for the option `resources` of `createGateway`. */
export const defineResource = (name: string, add: Resource['add']): Resource => ({ name, add })

/** Schemas by the names that they hide, for the resources that were added so far. */
const schemas = new Map<string, GraphQLSchema>()

/** Names of the types and fields that each outside resource has added. */
const added = new Map<Resource, ReadonlySet<string>>()

/** The schema for clients with the given outside resources. Hides the resources of other gateways in the process. */
export function graphSchema(resources: readonly Resource[] = []): GraphQLSchema {
  for (const resource of resources) if (!added.has(resource)) add(resource)
  const hidden = new Set([...added].flatMap(([resource, names]) => (resources.includes(resource) ? [] : [...names])))
  return hidden.size === 0 ? wholeSchema() : getOrMake(schemas, [...hidden].join(' '), () => without(wholeSchema(), hidden))
}

const DESCRIPTION =
  'Groups, courses, lessons, quizzes and the progress of learners in a learning-management system. The gateway reads and writes them by REST calls, and descriptions of fields say how many. Lists are Relay connections; `id` is a global id.'

const wholeSchema = (): GraphQLSchema =>
  getOrMake(schemas, '', () => {
    const directives = [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective]
    const schema = new GraphQLSchema({ ...builder.toSchema({ directives }).toConfig(), description: DESCRIPTION })
    return mapSchema(schema, {
      [MapperKind.OBJECT_TYPE]: (type) => new GraphQLObjectType(inOrder(type.toConfig())),
      [MapperKind.INTERFACE_TYPE]: (type) => new GraphQLInterfaceType(inOrder(type.toConfig())),
    })
  })

/** Fields that come first, and fields that hardly any page shows, which come last. The others are between them by name. */
const FIRST = ['id', 'title', 'name', 'slug', 'databaseId', 'link']
const LAST = ['template', 'permalinkTemplate', 'generatedSlug', 'classList', 'guid', 'links', 'curies']

const placeOf = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) - FIRST.length : LAST.indexOf(name) + 1)

/** The fields of a type in the order in which introspection, the field pane and the reference show them. */
function inOrder<Config extends { readonly fields: object }>(config: Config): Config {
  const fields = Object.entries(config.fields).sort(([one], [other]) => placeOf(one) - placeOf(other))
  return { ...config, fields: Object.fromEntries(fields) }
}

function add(resource: Resource): void {
  const before = namesIn(wholeSchema())
  resource.add(builder)
  schemas.clear()
  added.set(resource, new Set([...namesIn(wholeSchema())].filter((name) => !before.has(name))))
}

function namesIn(schema: GraphQLSchema): Set<string> {
  const names = new Set<string>()
  for (const type of Object.values(schema.getTypeMap())) {
    names.add(type.name)
    if (isObjectType(type) || isInterfaceType(type)) for (const field of Object.keys(type.getFields())) names.add(`${type.name}.${field}`)
  }
  return names
}

const without = (schema: GraphQLSchema, hidden: ReadonlySet<string>): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.TYPE]: (type) => (hidden.has(type.name) ? null : undefined),
    [MapperKind.OBJECT_FIELD]: (_, field, type) => (hidden.has(`${type}.${field}`) ? null : undefined),
  })
