import type { GraphQLSchema } from 'graphql'
import type { Shape } from '../upstream/codec/records.js'
import type { Route } from '../upstream/routes.js'
import type { Args, ArgumentContext, Edge } from './edge.js'
import type { Entities, Entity, LmsRecord } from './entity.js'
import type { Needs, Related } from './needs.js'

/** The marks by which the planner recognises types. They are stored in `extensions.lms`. */
export interface TypeMark {
  readonly shape?: Shape
  readonly entity?: Entity
  /** The type is a connection, or the edge of one. */
  readonly role?: 'connection' | 'edge'
  /** Whether the type is a scalar whose values are strings that are written unchanged. */
  readonly asIs?: boolean
}

/** The calls with which a mutation writes. */
export interface Write {
  readonly method: 'POST' | 'DELETE'
  readonly route: Route
  /** The entity whose record is written. */
  readonly entity: Entity
  /** Returns how many calls there are at most, one after the other, from the arguments of the mutation. One without it. */
  readonly calls?: (args: Args) => number
}

export interface FieldMark {
  readonly edge?: Edge
  /** Returns the value of a field that needs only its record. */
  readonly resolve?: (record: LmsRecord) => unknown
  /** The columns and relations that a computed field needs. */
  readonly needs?: Needs
  /** Returns the value of a computed field that has arguments or needs relations, or the error that prevents it. */
  readonly compute?: (record: LmsRecord, related: Related, args: Args, caller: ArgumentContext) => unknown
  /** Whether the value is another one for each caller, although it needs no viewer. */
  readonly perCaller?: true
  /** Name of the success type of a mutation. */
  readonly payload?: string
  /** The call of a mutation. */
  readonly write?: Write
  /** List levels at which the field is null only together with an error: 0 is the field itself, 1 its items. */
  readonly semanticNonNull?: readonly number[]
  /** Returns the length of a list of objects in a success type, from the arguments of the mutation. */
  readonly count?: (args: Args) => number
}

/** `semanticNonNull` of a field that is null only together with an error, whatever its items are. */
export const NULL_ONLY_ON_ERROR: readonly number[] = [0]

/** Returns the marks of a type or a field. */
export const marksOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): TypeMark & FieldMark =>
  (extensions.lms ?? {}) as TypeMark & FieldMark

/** Returns the entities of a schema. */
export const entitiesIn = (schema: GraphQLSchema): Entities =>
  new Map(
    Object.values(schema.getTypeMap())
      .flatMap((type) => marksOf(type).entity ?? [])
      .map((entity) => [entity.name, entity]),
  )
