import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
} from 'graphql'
import { nearestName } from '../options.js'
import { hasDirective } from './directives.js'
import { type MaxAge, type SubgraphOptions, WrongSubgraphOption } from './options.js'

/** Throws a `WrongSubgraphOption` for options that do not fit the schema of the subgraph. */
export function refuseOptionsOf(
  schema: GraphQLSchema,
  { version, authenticated, inaccessible = [], maxAge }: SubgraphOptions & { readonly version: string },
): void {
  if (authenticated && !hasDirective(version, 'authenticated'))
    throw new WrongSubgraphOption('authenticated', `needs version 2.5 or later of the specification, not ${version}.`)
  if (inaccessible.length > 0) refuseInaccessible(schema, inaccessible)
  if (maxAge !== undefined) refuseMaxAge(schema, maxAge)
}

function refuseInaccessible(schema: GraphQLSchema, inaccessible: readonly string[]): void {
  const coordinates = coordinatesOf(schema)
  const known = new Set(coordinates)
  const hidden = new Set(inaccessible)
  const isHidden = (use: string): boolean => [use, use.replace(/\(.*/, ''), use.replace(/\..*/, '')].some((part) => hidden.has(part))
  const wrong = (found: string): Error => new WrongSubgraphOption('inaccessible', found)
  for (const coordinate of inaccessible) {
    if (!known.has(coordinate))
      throw wrong(`has \`${coordinate}\`, but the subgraph has no such type, field, argument or value${meant(coordinate, coordinates)}`)
    if (coordinate === schema.getQueryType()?.name)
      throw wrong(`has \`${coordinate}\`, but a graph needs queries: list some of its fields.`)
    const parent = parentOfRequired(schema, coordinate)
    if (parent !== undefined && !isHidden(parent)) throw wrong(`has \`${coordinate}\`, which is required: list \`${parent}\` instead.`)
    const use = usesOf(schema, coordinate).find((use) => !isHidden(use))
    if (use !== undefined) throw wrong(`has \`${coordinate}\`, but \`${use}\` uses it: list that too.`)
  }
}

function refuseMaxAge(schema: GraphQLSchema, maxAge: MaxAge): void {
  const types = Object.values(schema.getTypeMap()).flatMap((type) => (isObjectType(type) ? type.name : []))
  for (const [type, seconds] of Object.entries(typeof maxAge === 'number' ? { '': maxAge } : maxAge)) {
    if (type !== '' && !types.includes(type))
      throw new WrongSubgraphOption('maxAge', `has \`${type}\`, but the subgraph has no such object type${meant(type, types)}`)
    if (!Number.isInteger(seconds) || seconds < 0)
      throw new WrongSubgraphOption('maxAge', `has ${seconds}; it must be whole seconds, from 0.`)
  }
}

/** The end of a sentence about an unknown name. */
function meant(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names)
  return nearest === undefined ? '.' : `; did you mean \`${nearest}\`?`
}

/** The coordinates of a schema: of types, fields, arguments and enum values. */
function coordinatesOf(schema: GraphQLSchema): string[] {
  const coordinates: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (isSpecifiedScalarType(type) || isIntrospectionType(type)) continue
    coordinates.push(type.name)
    if (isEnumType(type)) coordinates.push(...type.getValues().map(({ name }) => `${type.name}.${name}`))
    for (const { coordinate } of placesIn(type)) coordinates.push(coordinate)
  }
  return coordinates
}

/** A field or an argument. */
interface Place {
  readonly coordinate: string
  /** The name of its type. */
  readonly of: string
  /** What has to be hidden together with it: the parent of a required argument or input field. */
  readonly parent?: string
}

/** The fields and arguments whose type has a name. Those that are required are named by their parents, without which they cannot be hidden. */
const usesOf = (schema: GraphQLSchema, name: string): string[] =>
  places(schema).flatMap(({ coordinate, of, parent }) => (of === name ? (parent ?? coordinate) : []))

/** The parent of a required argument or input field. Undefined for other coordinates. */
const parentOfRequired = (schema: GraphQLSchema, coordinate: string): string | undefined =>
  places(schema).find((place) => place.coordinate === coordinate)?.parent

const places = (schema: GraphQLSchema): Place[] =>
  Object.values(schema.getTypeMap()).flatMap((type) => (isIntrospectionType(type) ? [] : placesIn(type)))

function placesIn(type: GraphQLNamedType): Place[] {
  const place = (coordinate: string, { type }: { readonly type: GraphQLType }, parent: string | false): Place => ({
    coordinate,
    of: getNamedType(type).name,
    ...(parent !== false && { parent }),
  })
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) =>
      place(`${type.name}.${field.name}`, field, isRequiredInputField(field) && type.name),
    )
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => {
    const coordinate = `${type.name}.${field.name}`
    const args = field.args.map((arg) => place(`${coordinate}(${arg.name}:)`, arg, isRequiredArgument(arg) && coordinate))
    return [place(coordinate, field, false), ...args]
  })
}
