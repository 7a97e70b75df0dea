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
import { didYouMean } from '../nearest-name.js'
import { WORDPRESS_TYPES } from '../options/subgraph.js'
import { type MaxAge, readUserKey, type SdlOptions, WrongSubgraphOption } from './options.js'

/** Throws a `WrongSubgraphOption` for values that no subgraph can have. */
export function refuseValues({ users = 'id', refersTo = [] }: SdlOptions): void {
  if (!readUserKey(users))
    throw new WrongSubgraphOption('users', 'must be `here`, or the name of a field, with its type unless that is ID: `id`, `lmsId:Int`.')
  for (const name of refersTo)
    if (!WORDPRESS_TYPES.includes(name))
      throw new WrongSubgraphOption('refersTo', `has \`${name}\`; it can have ${WORDPRESS_TYPES.join(', ')}.`)
}

/** Throws a `WrongSubgraphOption` for names that the schema of the subgraph does not have, or that it needs. */
export function refuseNames(schema: GraphQLSchema, { inaccessible = [], maxAge }: SdlOptions): void {
  if (inaccessible.length > 0) refuseInaccessible(schema, inaccessible)
  if (maxAge !== undefined) refuseMaxAge(schema, maxAge)
}

function refuseInaccessible(schema: GraphQLSchema, inaccessible: readonly string[]): void {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isSpecifiedScalarType(type) && !isIntrospectionType(type))
  const places = types.flatMap(placesIn)
  const values = types.flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => `${type.name}.${name}`) : []))
  const known = new Set([...types.map(({ name }) => name), ...places.map(({ coordinate }) => coordinate), ...values])
  const hidden = new Set(inaccessible)
  const isHidden = (use: string): boolean => [use, use.replace(/\(.*/, ''), use.replace(/\..*/, '')].some((part) => hidden.has(part))
  const wrong = (coordinate: string, found: string): Error => new WrongSubgraphOption('inaccessible', `has \`${coordinate}\`, ${found}`)
  for (const coordinate of inaccessible) {
    if (!known.has(coordinate))
      throw wrong(coordinate, `but the subgraph has no such type, field, argument or value${didYouMean(coordinate, [...known])}`)
    if (coordinate === schema.getQueryType()?.name) throw wrong(coordinate, 'but a graph needs queries: list some of its fields.')
    const parent = places.find((place) => place.coordinate === coordinate)?.parent
    if (parent !== undefined && !isHidden(parent)) throw wrong(coordinate, `which is required: list \`${parent}\` instead.`)
    // A required argument or input field can be hidden only with its parent.
    const use = places
      .flatMap(({ of, ...place }) => (of === coordinate ? (place.parent ?? place.coordinate) : []))
      .find((use) => !isHidden(use))
    if (use !== undefined) throw wrong(coordinate, `but \`${use}\` uses it: list that too.`)
  }
}

function refuseMaxAge(schema: GraphQLSchema, maxAge: MaxAge): void {
  const wrong = Object.values(typeof maxAge === 'number' ? [maxAge] : maxAge).find((seconds) => !Number.isInteger(seconds) || seconds < 0)
  if (wrong !== undefined) throw new WrongSubgraphOption('maxAge', `has ${wrong}; it must be whole seconds, from 0.`)
  const found = unknownTypeIn(schema, maxAge)
  if (found !== undefined) throw new WrongSubgraphOption('maxAge', `has ${found('subgraph')}`)
}

/** Describes the first type that a schema does not have, as the end of a sentence in which the schema is called `name`. */
export function unknownTypeIn(schema: GraphQLSchema, maxAge: MaxAge): ((name: string) => string) | undefined {
  const types = Object.values(schema.getTypeMap()).flatMap((type) => (isObjectType(type) ? type.name : []))
  const unknown = typeof maxAge === 'number' ? undefined : Object.keys(maxAge).find((type) => !types.includes(type))
  return unknown === undefined
    ? undefined
    : (name) => `\`${unknown}\`, but the ${name} has no such object type${didYouMean(unknown, types)}`
}

/** A field or an argument. */
interface Place {
  readonly coordinate: string
  /** The name of its type. */
  readonly of: string
  /** The parent of a required argument or input field. */
  readonly parent?: string
}

/** The fields of a type, and their arguments. */
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
