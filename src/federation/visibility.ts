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
  isUnionType,
} from 'graphql'
import { marksOf } from '../engine/edges.js'
import type { Shape } from '../upstream/codec/records.js'

/** Who needs a part of the graph: everybody who learns, editors of courses, lessons and quizzes, or administrators, who manage groups. */
export type Audience = 'learner' | 'editor' | 'administrator'

const AUDIENCES: readonly Audience[] = ['learner', 'editor', 'administrator']

/** Tells who needs each type and each field. It follows from what the fields read and write. */
export class Audiences {
  private readonly types = new Map<string, Audience>()

  constructor(private readonly schema: GraphQLSchema) {
    // Types belong to the first audience that reaches them.
    const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
    for (const audience of AUDIENCES) {
      const reached = new Set<GraphQLNamedType>()
      for (const root of [query, mutation]) if (root) this.reach(root, audience, reached)
      for (const { name } of reached) if (!this.types.has(name)) this.types.set(name, audience)
    }
    for (const root of [query, mutation]) if (root) this.types.delete(root.name)
  }

  ofType({ name }: GraphQLNamedType): Audience | undefined {
    return this.types.get(name)
  }

  /** The audience of a field. Undefined for fields that everybody needs who needs their type. */
  ofField(field: { readonly name: string; readonly extensions: object }, type: GraphQLNamedType): Audience | undefined {
    const { write } = marksOf(field as never)
    if (write) return write.entity.byAdministrators ? 'administrator' : 'editor'
    if (type.name === this.schema.getQueryType()?.name) return 'learner'
    return this.isEditOnly(field.name, type) ? 'editor' : undefined
  }

  /** Whether the caller of a field must be known: it writes, or the site shows it to editors only. */
  needsCaller(field: { readonly name: string; readonly extensions: object }, type: GraphQLNamedType): boolean {
    return marksOf(field as never).write !== undefined || this.isEditOnly(field.name, type)
  }

  private isEditOnly(field: string, type: GraphQLNamedType): boolean {
    if (isInterfaceType(type)) return this.schema.getPossibleTypes(type).some((object) => this.isEditOnly(field, object))
    const { shape } = marksOf(type) as { readonly shape?: Shape }
    return shape?.columns[field]?.editOnly === true
  }

  private reach(type: GraphQLNamedType, audience: Audience, reached: Set<GraphQLNamedType>): void {
    if (reached.has(type) || isIntrospectionType(type) || isSpecifiedScalarType(type)) return
    reached.add(type)
    const next: GraphQLNamedType[] = []
    if (isUnionType(type)) next.push(...type.getTypes())
    if (isInterfaceType(type)) next.push(...this.schema.getPossibleTypes(type))
    if (isObjectType(type) || isInterfaceType(type)) {
      next.push(...type.getInterfaces())
      for (const field of Object.values(type.getFields())) {
        const own = this.ofField(field, type) ?? 'learner'
        if (AUDIENCES.indexOf(own) > AUDIENCES.indexOf(audience)) continue
        next.push(getNamedType(field.type), ...field.args.map((arg) => getNamedType(arg.type)))
      }
    }
    if (isInputObjectType(type)) next.push(...Object.values(type.getFields()).map((field) => getNamedType(field.type)))
    for (const each of next) this.reach(each, audience, reached)
  }
}

/** The coordinates of a schema: of types, fields, arguments and enum values. */
export function coordinatesOf(schema: GraphQLSchema): string[] {
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
export const usesOf = (schema: GraphQLSchema, name: string): string[] =>
  places(schema).flatMap(({ coordinate, of, parent }) => (of === name ? (parent ?? coordinate) : []))

/** The parent of a required argument or input field. Undefined for other coordinates. */
export const parentOfRequired = (schema: GraphQLSchema, coordinate: string): string | undefined =>
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
