import { type FieldNode, type GraphQLLeafType, type GraphQLOutputType, getNullableType, isNonNullType } from 'graphql'
import { NeededRecords, plannedIn } from '../execute/needed.js'
import { Connection } from '../model/connection.js'
import type { LmsRecord } from '../model/entity.js'
import { marksOf } from '../model/marks.js'
import type { Needs, Related } from '../model/needs.js'
import type { FollowedEdge } from '../model/records.js'
import { outputValue } from '../plan/graphql-js.js'
import type { Plan, PlannedEdge } from '../plan/plan.js'
import type { Prefetched } from '../prefetch/prefetch.js'
import type { KeyStep, ListStep, Step } from '../prefetch/steps.js'

/** Thrown by response writers for anything but plain valid values: graphql-js then runs the operation, and reports errors with their paths. */
export const BAILOUT = new Error('The response needs graphql-js.')

/** Thrown by response writers when the JSON has more characters than it may have. */
export const OVERFLOW = new Error('The response is too long.')

/** Returns the JSON of a value that is not null. Throws `BAILOUT` for a value that the type does not accept unchanged. */
export type WriteLeaf = (value: unknown) => string

/** Returns the JSON of a string. */
export const quote = (text: string): string => (needsNoEscapes(text) ? `"${text}"` : JSON.stringify(text))

/** Whether a string is short and has no escapes in JSON, as most are. Checking that is faster than `JSON.stringify`. */
const needsNoEscapes = (text: string): boolean => text.length <= SHORT && !ESCAPED.test(text)

const SHORT = 64

/** Control characters, quotes, backslashes, and everything from the surrogates on. V8 runs the pattern faster than a loop over `charCodeAt`. */
const ESCAPED = /[^ !#-[\]-\ud7ff]/

const MAX_INT = 2_147_483_647

const bailOut = (): never => {
  throw BAILOUT
}

/** Writers of the built-in scalars, for values that need no coercion. */
const BUILT_IN: Readonly<Record<string, WriteLeaf>> = {
  String: (value) => (typeof value === 'string' ? quote(value) : bailOut()),
  ID: (value) => (typeof value === 'string' ? quote(value) : Number.isInteger(value) ? `"${value as number}"` : bailOut()),
  Int: (value) => (Number.isInteger(value) && Math.abs(value as number) <= MAX_INT ? String(value) : bailOut()),
  Float: (value) => (Number.isFinite(value) ? String(value) : bailOut()),
  Boolean: (value) => (value === true ? 'true' : value === false ? 'false' : bailOut()),
}

/** Returns the writer of a scalar or an enum. */
export function leafWriter(type: GraphQLLeafType): WriteLeaf {
  const { asIs } = marksOf(type)
  const simple = BUILT_IN[asIs ? 'String' : type.name]
  if (simple) return simple
  return (value) => {
    if (value instanceof Error) throw BAILOUT
    const shown = serialized(type, value)
    if (typeof shown === 'string') return quote(shown)
    return shown === null || shown === undefined ? bailOut() : JSON.stringify(shown)
  }
}

function serialized(type: GraphQLLeafType, value: unknown): unknown {
  try {
    return outputValue(type, value)
  } catch {
    throw BAILOUT
  }
}

/** What a response is written from, and the most characters that it may have. */
export interface Written extends Prefetched {
  readonly most: number
}

/** Returns the JSON of a value, from the fetched records. Throws `BAILOUT` for anything out of the ordinary. */
export type Write = (written: Written, value: unknown) => string

/** Writes a scalar or an enum that is a property of its record. */
export class Leaf {
  private readonly isRequired: boolean
  private readonly isText: boolean
  private readonly isInt: boolean
  private readonly any: WriteLeaf

  constructor(
    type: GraphQLOutputType,
    readonly name: string,
  ) {
    this.any = leafWriter(getNullableType(type) as GraphQLLeafType)
    this.isRequired = isNonNullType(type)
    this.isText = this.any === BUILT_IN.String
    this.isInt = this.any === BUILT_IN.Int
  }

  /** Whether the JSON of a value is the value itself between quotes. */
  isPlain(value: unknown): value is string {
    return this.isText && typeof value === 'string' && needsNoEscapes(value)
  }

  /** The most common types need no call of a function that differs by type. */
  write(value: unknown): string {
    if (this.isText && typeof value === 'string') return JSON.stringify(value)
    if (this.isInt && typeof value === 'number' && (value | 0) === value) return `${value}`
    if (value !== null && value !== undefined) return this.any(value)
    if (this.isRequired) throw BAILOUT
    return 'null'
  }
}

/** What stands before a value in an object or a list. Quotes of strings are part of it, because each piece of a text costs. */
export class Opening {
  /** Before a string. */
  readonly ofText: string
  /** After a string. */
  readonly afterText: string
  readonly betweenTexts: string

  constructor(readonly plain: string) {
    this.ofText = `${plain}"`
    this.afterText = `"${plain}`
    this.betweenTexts = `"${plain}"`
  }
}

/** Writes a nullable value. */
export const orNull =
  (write: Write): Write =>
  (written, value) =>
    value === null || value === undefined ? 'null' : write(written, value)

/** Writes a non-null value. Throws `BAILOUT` for null. */
export const required =
  (write: Write): Write =>
  (written, value) => {
    if (value === null || value === undefined) throw BAILOUT
    return write(written, value)
  }

/** Writes a list. */
export const list =
  (write: Write): Write =>
  (written, values) => {
    if (!Array.isArray(values)) throw BAILOUT
    let text = '['
    for (let i = 0; i < values.length; i++) {
      text += i === 0 ? write(written, values[i]) : `,${write(written, values[i])}`
      if (text.length > written.most) throw OVERFLOW
    }
    return `${text}]`
  }

/** Returns where an edge leads from a record. Throws `BAILOUT` when a read failed, or the edge was not followed because its column is an error. */
export type Follow<T> = (written: Written, parent: LmsRecord) => T

/** Follows an edge to records by key. `planned` has one item per field node; all nodes of a response key must share one step. */
export const keyFollower =
  (planned: readonly PlannedEdge[]): Follow<FollowedEdge> =>
  (written, parent) => {
    const found = stepOf<KeyStep>(written, planned).peek(parent)
    if (found !== undefined) return found
    throw BAILOUT
  }

export const listFollower =
  (planned: readonly PlannedEdge[]): Follow<Connection> =>
  (written, parent) => {
    const list = stepOf<ListStep>(written, planned).peek(parent)
    if (list instanceof Connection) return list
    throw BAILOUT
  }

/** Collects the records that a computed field needs. Throws `BAILOUT` when they were not all read, and when arguments are wrong. */
export function neededFollower(plan: Plan, needs: Needs, nodes: readonly FieldNode[]): Follow<Related> {
  const planned = needs.relations.length === 0 ? [] : plannedIn(plan, needs, nodes)
  if (!planned) throw BAILOUT
  return (written, record) => {
    const records = new NeededRecords(nodes, (each) => written.prefetch.stepOf(each), bailOut)
    return records.of(record, planned) as Related
  }
}

function stepOf<S extends Step>({ prefetch }: Written, planned: readonly PlannedEdge[]): S {
  const step = prefetch.stepOf(planned[0] as PlannedEdge)
  for (let i = 1; i < planned.length; i++) if (prefetch.stepOf(planned[i] as PlannedEdge) !== step) throw BAILOUT
  if (step) return step as S
  throw BAILOUT
}
