import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
} from 'graphql'
import type { ResponseWriter, ResponseWriters } from '../execute/context.js'
import { TOO_LONG } from '../execute/length.js'
import { getOrMake } from '../maps.js'
import type { Edge } from '../model/edge.js'
import { type LmsRecord, ROOT } from '../model/entity.js'
import { marksOf } from '../model/marks.js'
import type { RecordState } from '../model/records.js'
import { fieldsOf } from '../plan/document.js'
import type { Plan, PlannedEdge } from '../plan/plan.js'
import type { PreparedOperation } from '../plan/prepared-operations.js'
import {
  BAILOUT,
  keyFollower,
  Leaf,
  leafWriter,
  list,
  listFollower,
  neededFollower,
  Opening,
  OVERFLOW,
  orNull,
  quote,
  required,
  type Write,
  type Written,
} from './field-writers.js'

/** Makes the response writers of queries, and keeps each with its operation. */
export class CompiledWriters implements ResponseWriters {
  constructor(private readonly schema: GraphQLSchema) {}

  of(operation: PreparedOperation): ResponseWriter | undefined {
    if (operation.memo === undefined) operation.memo = this.compile(operation.plan) ?? null
    return (operation.memo as ResponseWriter | null) ?? undefined
  }

  /** Returns nothing for operations that need graphql-js, such as mutations and introspection. */
  private compile(plan: Plan): ResponseWriter | undefined {
    const { operation } = plan
    const query = this.schema.getQueryType()
    if (operation.operation !== OperationTypeNode.QUERY || !query) return undefined
    const write = attempt(() => new Writers(this.schema, plan).object(query, [{ selectionSet: operation.selectionSet } as FieldNode]))
    return write && ((prefetched, most) => textOf(write, { ...prefetched, most }))
  }
}

function textOf(write: Write, written: Written): ReturnType<ResponseWriter> {
  try {
    return attempt(() => write(written, ROOT))
  } catch (error) {
    if (error === OVERFLOW) return TOO_LONG
    throw error
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

/** Writes a record reached by its key. Several parents often lead to the same record, which is written once. */
function record(place: number, write: Write): Write {
  return (written, state) => {
    if (state === null) return write(written, null)
    const reached = state as RecordState
    const known = textAt(place, reached)
    if (known !== undefined) return known
    const text = write(written, reached.value)
    keepText(place, reached, text)
    return text
  }
}

/** The JSON of a record at several places of the response, or at one that is not the first place of its type. */
class Texts {
  private others: (string | undefined)[] | undefined

  constructor(
    private readonly place: number,
    private readonly text: string,
  ) {}

  at(place: number): string | undefined {
    return place === this.place ? this.text : this.others?.[place]
  }

  keep(place: number, text: string): void {
    this.others ??= []
    this.others[place] = text
  }
}

/** What the memo of a record state holds: the JSON at the first place of its type, where most records are, or that at several places. */
type Memo = string | Texts | undefined

function textAt(place: number, state: RecordState): string | undefined {
  const memo = state.memo as Memo
  if (typeof memo === 'string') return place === 0 ? memo : undefined
  return memo?.at(place)
}

function keepText(place: number, state: RecordState, text: string): void {
  const memo = state.memo as Memo
  if (memo instanceof Texts) memo.keep(place, text)
  else if (memo === undefined) state.memo = place === 0 ? text : new Texts(place, text)
  else {
    const texts = new Texts(0, memo)
    texts.keep(place, text)
    state.memo = texts
  }
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
  /** The types whose records are reached by their keys at places so far. */
  private readonly reached = new Set<GraphQLNamedType>()

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
    return (written, record) => {
      if (typeof record !== 'object' || record instanceof Error) throw BAILOUT
      let text = ''
      let isAfterText = false
      for (let i = 0; i < fields.length; i++) {
        const field = fields[i] as Leaf | Write
        const opening = openings[i] as Opening
        const leaf = field instanceof Leaf ? field : undefined
        const value = leaf && (record as LmsRecord)[leaf.name]
        if (leaf?.isPlain(value)) {
          text += isAfterText ? opening.betweenTexts : opening.ofText
          text += value
          isAfterText = true
        } else {
          text += isAfterText ? opening.afterText : opening.plain
          text += leaf ? leaf.write(value) : (field as Write)(written, record)
          isAfterText = false
        }
        if (text.length > written.most) throw OVERFLOW
      }
      return text === '' ? '{}' : isAfterText ? `${text}"}` : `${text}}`
    }
  }

  private byResponseKey(type: GraphQLObjectType, nodes: readonly FieldNode[]): Map<string, FieldNode[]> {
    const fields = new Map<string, FieldNode[]>()
    for (const node of fieldsOf(type, nodes, { schema: this.schema, fragments: {}, variables: {} })) {
      const key = (node.alias ?? node.name).value
      getOrMake(fields, key, (): FieldNode[] => []).push(node)
    }
    return fields
  }

  private field(type: GraphQLObjectType, nodes: readonly FieldNode[]): Leaf | Write {
    if (isTypename(nodes)) {
      const text = quote(type.name)
      return () => text
    }
    const field = fieldOf(type, nodes)
    const { edge, resolve, needs, compute } = marksOf(field)
    if (edge) return this.edge(edge, field.type, nodes)
    const leaf = needs?.restricted && !this.plan.restricted ? new Leaf(field.type, field.name) : leafOf(field)
    if (leaf) return leaf
    const write = this.value(field.type, nodes)
    if (compute && needs) {
      const follow = neededFollower(this.plan, needs, nodes)
      const [node] = nodes as [FieldNode]
      return (written, source) => {
        const args = written.given.coerced(field, node)
        return write(written, compute(source as LmsRecord, follow(written, source as LmsRecord), args, written.prefetch.operation))
      }
    }
    if (resolve) return (written, source) => write(written, resolve(source as LmsRecord))
    if (field.resolve) throw BAILOUT
    return (written, source) => write(written, (source as LmsRecord)[field.name])
  }

  private edge(edge: Edge, type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    const planned = nodes.map((node) => this.planned(node, edge))
    if (edge.kind === 'list') {
      const [write, follow] = [this.value(type, nodes), listFollower(planned)]
      return (written, source) => write(written, follow(written, source as LmsRecord))
    }
    const [write, follow] = [this.found(type, nodes), keyFollower(planned)]
    return (written, source) => write(written, follow(written, source as LmsRecord))
  }

  /** Writes the records that a key edge leads to: one, or a list. A whole table is one record state with several records. */
  private found(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    const inner = getNullableType(type)
    const place = this.placeOf(getNamedType(inner))
    if (!isListType(inner)) return record(place, this.value(type, nodes))
    // Made once for both cases: otherwise the work would double with each level.
    const item = this.value(inner.ofType as GraphQLOutputType, nodes)
    const whole = list(item)
    const single = record(++this.places, isNonNullType(type) ? required(whole) : orNull(whole))
    const many = list(record(place, item))
    return (written, found) => (Array.isArray(found) ? many(written, found) : single(written, found))
  }

  /** Returns the number of a place at which records of a type are reached by their keys: 0 at the first one of each type. */
  private placeOf(type: GraphQLNamedType): number {
    const types = isAbstractType(type) ? this.schema.getPossibleTypes(type) : [type]
    const isFirst = !types.some((each) => this.reached.has(each))
    for (const each of types) this.reached.add(each)
    return isFirst ? 0 : ++this.places
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
    return (written, value) => {
      const write = writers.get((value as { __typename?: string }).__typename ?? '')
      if (!write) throw BAILOUT
      return write(written, value)
    }
  }
}
