import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
} from 'graphql'
import { neededFollower } from '../execute/needed.js'
import type { RecordState } from '../load/records.js'
import type { Edge } from '../model/edge.js'
import { type LmsRecord, ROOT } from '../model/entity.js'
import { marksOf } from '../model/marks.js'
import { fieldsOf } from '../plan/document.js'
import type { Plan, PlannedEdge } from '../plan/plan.js'
import type { Fetcher } from '../prefetch/fetcher.js'
import {
  BAILOUT,
  keyFollower,
  Leaf,
  leafWriter,
  list,
  listFollower,
  Opening,
  orNull,
  quote,
  required,
  TOO_LONG,
  viewerOf,
  type Write,
} from './field-writers.js'

/**
 * Returns the JSON of the data of an operation, from the fetched records, or nothing when graphql-js has to write the response. Throws `TOO_LONG`
 * as soon as it has more characters than `fetcher.mostCharacters`.
 */
export type ResponseWriter = (fetcher: Fetcher) => string | undefined

/** Makes the response writers of queries. */
export class ResponseWriters {
  constructor(private readonly schema: GraphQLSchema) {}

  /** Returns nothing for operations that need graphql-js, such as mutations and introspection. */
  of(plan: Plan): ResponseWriter | undefined {
    const { operation } = plan
    const query = this.schema.getQueryType()
    if (operation.operation !== OperationTypeNode.QUERY || !query) return undefined
    const write = attempt(() => new Writers(this.schema, plan).object(query, [{ selectionSet: operation.selectionSet } as FieldNode]))
    return write && ((fetcher) => attempt(() => write(fetcher, ROOT)))
  }
}

const isTypename = ([node]: readonly FieldNode[]): boolean => node?.name.value === '__typename'

function fieldOf(type: GraphQLObjectType, [node]: readonly FieldNode[]): GraphQLField<unknown, unknown> {
  const field = type.getFields()[node?.name.value ?? '']
  if (field) return field
  throw BAILOUT
}

/** Returns the writer of a scalar or an enum that is a property of its record. */
function leafOf(field: GraphQLField<unknown, unknown>): Leaf | undefined {
  const { edge, resolve } = marksOf(field)
  return !edge && !resolve && !field.resolve && isLeafType(getNullableType(field.type)) ? new Leaf(field.type, field.name) : undefined
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error === BAILOUT) return undefined
    throw error
  }
}

/** Makes the writers for the places of one operation. Everything that does not depend on data is decided here, once. */
class Writers {
  private places = 0

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly plan: Plan,
  ) {}

  object(type: GraphQLObjectType, nodes: readonly FieldNode[]): Write {
    if (type.isTypeOf) throw BAILOUT
    const fields: (Leaf | Write)[] = []
    const openings: Opening[] = []
    for (const [key, same] of this.byResponseKey(type, nodes)) {
      openings.push(new Opening(`${openings.length === 0 ? '{' : ','}${quote(key)}:`))
      fields.push(this.field(type, same))
    }
    return (fetcher, record) => {
      if (typeof record !== 'object' || record instanceof Error) throw BAILOUT
      let text = ''
      let isAfterText = false
      for (let i = 0; i < fields.length; i++) {
        const field = fields[i] as Leaf | Write
        const opening = openings[i] as Opening
        const value = field instanceof Leaf ? (record as LmsRecord)[field.name] : undefined
        if (field instanceof Leaf && field.isPlain(value)) {
          text += isAfterText ? opening.betweenTexts : opening.ofText
          text += value
          isAfterText = true
        } else {
          text += isAfterText ? opening.afterText : opening.plain
          text += field instanceof Leaf ? field.write(value) : field(fetcher, record)
          isAfterText = false
        }
        if (text.length > fetcher.mostCharacters) throw TOO_LONG
      }
      return text === '' ? '{}' : isAfterText ? `${text}"}` : `${text}}`
    }
  }

  private byResponseKey(type: GraphQLObjectType, nodes: readonly FieldNode[]): Map<string, FieldNode[]> {
    const fields = new Map<string, FieldNode[]>()
    for (const node of fieldsOf(nodes, (name) => this.applies(type, name), {}, {})) {
      const key = (node.alias ?? node.name).value
      const same = fields.get(key)
      if (same) same.push(node)
      else fields.set(key, [node])
    }
    return fields
  }

  private applies(type: GraphQLObjectType, name: string): boolean {
    if (name === type.name) return true
    const condition = this.schema.getType(name)
    return condition !== undefined && isAbstractType(condition) && this.schema.isSubType(condition, type)
  }

  private field(type: GraphQLObjectType, nodes: readonly FieldNode[]): Leaf | Write {
    if (isTypename(nodes)) {
      const text = quote(type.name)
      return () => text
    }
    const field = fieldOf(type, nodes)
    const { edge, resolve, resolveFor, needs, compute } = marksOf(field)
    if (edge) return this.edge(edge, field.type, nodes)
    const leaf = leafOf(field)
    if (leaf) return leaf
    const write = this.value(field.type, nodes)
    if (compute && needs) {
      const follow = neededFollower(this.plan, needs, nodes)
      const [node] = nodes as [FieldNode]
      return (fetcher, source) => {
        const args = fetcher.arguments.coerced(field, node)
        return write(fetcher, compute(source as LmsRecord, follow(fetcher, source as LmsRecord), args, fetcher.operation))
      }
    }
    if (resolve) return (fetcher, source) => write(fetcher, resolve(source as LmsRecord))
    if (resolveFor) return (fetcher, source) => write(fetcher, resolveFor(source as LmsRecord, viewerOf(fetcher)))
    if (field.resolve) throw BAILOUT
    return (fetcher, source) => write(fetcher, (source as LmsRecord)[field.name])
  }

  private edge(edge: Edge, type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    const planned = nodes.map((node) => this.planned(node, edge))
    if (edge.kind === 'list') {
      const [write, follow] = [this.value(type, nodes), listFollower(planned)]
      return (fetcher, source) => write(fetcher, follow(fetcher, source as LmsRecord))
    }
    const [write, follow] = [this.found(type, nodes), keyFollower(planned)]
    return (fetcher, source) => write(fetcher, follow(fetcher, source as LmsRecord))
  }

  /** Writes the records that a key edge leads to: one, or a list. A whole table is one record state with several records. */
  private found(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    const inner = getNullableType(type)
    if (!isListType(inner)) return this.record(this.value(type, nodes))
    // Made once for both cases: otherwise the work would double with each level.
    const item = this.value(inner.ofType as GraphQLOutputType, nodes)
    const whole = list(item)
    const single = this.record(isNonNullType(type) ? required(whole) : orNull(whole))
    const many = list(this.record(item))
    return (fetcher, found) => (Array.isArray(found) ? many(fetcher, found) : single(fetcher, found))
  }

  /** Writes a record reached by its key. Several parents often lead to the same record, which is written once. */
  private record(write: Write): Write {
    const place = this.places++
    return (fetcher, state) => {
      if (state === null) return write(fetcher, null)
      const reached = state as RecordState
      const known = reached.textOf(place)
      if (known !== undefined) return known
      const text = write(fetcher, reached.value)
      reached.keepText(place, text)
      return text
    }
  }

  private planned(node: FieldNode, edge: PlannedEdge['edge']): PlannedEdge {
    const planned = this.plan.byNode.get(node)?.find((each) => each.edge === edge)
    if (planned) return planned
    throw BAILOUT
  }

  private value(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    return isNonNullType(type) ? required(this.present(type.ofType, nodes)) : orNull(this.present(type, nodes))
  }

  private present(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    if (isListType(type)) return list(this.value(type.ofType as GraphQLOutputType, nodes))
    return this.named(type as GraphQLNamedType, nodes)
  }

  private named(type: GraphQLNamedType, nodes: readonly FieldNode[]): Write {
    if (isLeafType(type)) {
      const write = leafWriter(type)
      return (_, value) => write(value)
    }
    if (isObjectType(type)) return this.object(type, nodes)
    if (!isAbstractType(type)) throw BAILOUT
    const writers = new Map(this.schema.getPossibleTypes(type).map((each) => [each.name, this.object(each, nodes)]))
    return (fetcher, value) => {
      const write = writers.get((value as { __typename?: string }).__typename ?? '')
      if (!write) throw BAILOUT
      return write(fetcher, value)
    }
  }
}
