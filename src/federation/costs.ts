import { type GraphQLField, type GraphQLNamedType, type GraphQLSchema, getNullableType, isListType, isObjectType } from 'graphql'
import { DEFAULT_FIRST } from '../load/windows.js'
import type { Edge } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import { marksOf } from '../model/marks.js'
import type { NeededRelation } from '../model/needs.js'
import type { Directives } from './options.js'

/** The weight of one REST call. */
const CALL = 100

/** The weight of a record that is read in one batch with those of its level: a default page of them weighs one call. */
const IN_BATCH = CALL / DEFAULT_FIRST

/** The weight of a record that is read together with all records of its type. */
const IN_TABLE = 1

/**
 * The directives by which routers estimate the cost of operations. Weights count the REST calls of a field, as the estimate does: by the edge
 * of the field, or by those of the records that it needs.
 */
export class Costs {
  /** Names of the types whose objects are parents once: the roots, and the successes of mutations. */
  private readonly once: ReadonlySet<string | undefined>

  constructor(private readonly schema: GraphQLSchema) {
    const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
    const mutations = Object.values(mutation?.getFields() ?? {})
    this.once = new Set([query?.name, mutation?.name, ...mutations.map((field) => marksOf(field).payload)])
  }

  /** The directives of a type. A record weighs 1 by default, so that 100 rows weigh a call; objects that need no REST call weigh nothing. */
  ofType(type: GraphQLNamedType): Directives {
    return isObjectType(type) && !isRoot(type, this.schema) && !marksOf(type).entity ? { cost: [{ weight: 0 }] } : {}
  }

  /** The directives of a field: the calls for each parent, and the size of its list. */
  ofField(field: GraphQLField<unknown, unknown>, type: GraphQLNamedType): Directives {
    const { edge, needs, write } = marksOf(field)
    const weight = write
      ? CALL
      : edge
        ? weightOfEdge(edge, this.once.has(type.name))
        : needs
          ? this.ofRelations(needs.relations, type.name, 1)
          : 0
    return { ...(weight > 0 && { cost: [{ weight }] }), ...sizeOf(field, edge) }
  }

  /** The weight of the records that a computed field needs, from a number of records of one level. */
  private ofRelations(relations: readonly NeededRelation[], type: string, parents: number): number {
    return relations.reduce((total, relation) => total + this.ofRelation(relation, type, parents), 0)
  }

  private ofRelation({ edge: given, entity, relations }: NeededRelation, type: string, parents: number): number {
    const edge = typeof given === 'string' ? this.edgeOf(type, given) : given
    if (!edge) return 0
    const records = edge.kind === 'list' || edge.many ? DEFAULT_FIRST : parents
    const own = edge.kind === 'list' ? parents * CALL : records * weightOfRecord(entity, false, edge.oneScope)
    return own + this.ofRelations(relations, entity.name, records)
  }

  private edgeOf(type: string, field: string): Edge | undefined {
    const parent = this.schema.getType(type)
    const found = isObjectType(parent) ? parent.getFields()[field] : undefined
    return found && marksOf(found).edge
  }
}

const isRoot = ({ name }: GraphQLNamedType, schema: GraphQLSchema): boolean =>
  name === schema.getQueryType()?.name || name === schema.getMutationType()?.name

const weightOfEdge = (edge: Edge, isOnce: boolean): number =>
  edge.kind === 'list' ? CALL : Math.max(...edge.entities({}).map((entity) => weightOfRecord(entity, isOnce, edge.oneScope)))

function weightOfRecord({ byKey }: Entity, isOnce: boolean, oneScope: boolean | string = false): number {
  if (!byKey) return 0
  const { table, many } = byKey
  if (isOnce || (!table && (!many || (many.scoped && !oneScope)))) return CALL
  return table ? IN_TABLE : IN_BATCH
}

function sizeOf({ type }: GraphQLField<unknown, unknown>, edge: Edge | undefined): Directives {
  if (edge?.kind === 'key') return isListType(getNullableType(type)) ? { listSize: [{ assumedSize: DEFAULT_FIRST }] } : {}
  return edge ? { listSize: [CONNECTION_SIZE] } : {}
}

const CONNECTION_SIZE = {
  assumedSize: DEFAULT_FIRST,
  slicingArguments: ['first', 'last'],
  sizedFields: ['nodes', 'edges'],
  requireOneSlicingArgument: false,
}
