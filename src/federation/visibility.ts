import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { marksOf } from '../model/marks.js'

/** Who needs a part of the graph: everybody who learns, editors of courses, lessons and quizzes, or administrators, who manage groups and enrolments. */
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
  ofField(field: GraphQLField<unknown, unknown>, type: GraphQLNamedType): Audience | undefined {
    const { write } = marksOf(field)
    if (write) return write.entity.byAdministrators || write.route.members ? 'administrator' : 'editor'
    if (type.name === this.schema.getQueryType()?.name) return 'learner'
    return this.isEditOnly(field.name, type) ? 'editor' : undefined
  }

  /** Whether the caller of a field must be known: it writes, or the site shows it to editors only. */
  needsCaller(field: GraphQLField<unknown, unknown>, type: GraphQLNamedType): boolean {
    return marksOf(field).write !== undefined || this.isEditOnly(field.name, type)
  }

  private isEditOnly(field: string, type: GraphQLNamedType): boolean {
    if (isInterfaceType(type)) return this.schema.getPossibleTypes(type).some((object) => this.isEditOnly(field, object))
    return marksOf(type).shape?.columns[field]?.editOnly === true
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
