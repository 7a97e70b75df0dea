import { GraphQLError, type GraphQLLeafType, type GraphQLOutputType, getNullableType, isNonNullType } from 'graphql'
import { LmsError } from '../../upstream/errors.js'
import { type KeyEdge, type ListEdge, type LmsRecord, marksOf } from '../edges.js'
import { Connection, type Fetcher, type FollowedEdge, type KeyStep, type ListStep, type Step } from '../fetch/index.js'
import type { PlannedEdge } from '../plan.js'

/** Ends an operation whose data would have more than so many characters. */
export const answerTooLarge = (most: number): GraphQLError =>
  new GraphQLError(`The answer is too large: its data would have over ${most} characters. Ask for less at a time.`, {
    extensions: { code: 'ANSWER_TOO_LARGE', http: { status: 400, spec: true } },
  })

/** Whether the JSON of a value has more than so many characters, escapes not counted; it is looked at only so far. */
export const isLarger = (value: unknown, most: number): boolean => jsonLength(value, most) > most

/** Characters of the JSON of a value, escapes not counted; with `most`, a number above it as soon as there are more. */
export function jsonLength(value: unknown, most = Number.MAX_SAFE_INTEGER): number {
  let left = most
  const take = (part: unknown): void => {
    if (typeof part === 'string') left -= part.length + 2
    else if (typeof part !== 'object' || part === null) left -= String(part).length
    else {
      left--
      const isList = Array.isArray(part)
      for (const [key, member] of Object.entries(part)) {
        left -= isList ? 1 : key.length + 4
        if (left < 0) return
        take(member)
      }
    }
  }
  take(value)
  return most - left
}

/** Ends a compiled operation that meets anything but plain good values: the ordinary executor says what it is, and where. */
export const BAILOUT = new Error('not for a compiled operation')

/** The JSON of a value that is not null. Throws `BAILOUT` for a value the type does not take as it is. */
export type WriteLeaf = (value: unknown) => string

/** The JSON of a text. Short ones seldom need escapes, and to look is cheaper than to ask. */
export function quote(text: string): string {
  if (text.length > SHORT) return JSON.stringify(text)
  for (let i = 0; i < text.length; i++) if (isEscaped(text.charCodeAt(i))) return JSON.stringify(text)
  return `"${text}"`
}

const SHORT = 64

/** Control characters, quotes, backslashes and surrogates. */
const isEscaped = (code: number): boolean => code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)

const MAX_INT = 2_147_483_647

const bailOut = (): never => {
  throw BAILOUT
}

/** Types of the specification, for the values it shows without a change. */
const BUILT_IN: Readonly<Record<string, WriteLeaf>> = {
  String: (value) => (typeof value === 'string' ? quote(value) : bailOut()),
  ID: (value) => (typeof value === 'string' ? quote(value) : Number.isInteger(value) ? `"${value as number}"` : bailOut()),
  Int: (value) => (Number.isInteger(value) && Math.abs(value as number) <= MAX_INT ? String(value) : bailOut()),
  Float: (value) => (Number.isFinite(value) ? String(value) : bailOut()),
  Boolean: (value) => (value === true ? 'true' : value === false ? 'false' : bailOut()),
}

/** Writes values of a scalar or an enumeration. */
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
    return type.serialize(value)
  } catch {
    throw BAILOUT
  }
}

/** The JSON of a value, from what a fill has fetched. Throws `BAILOUT` for what is out of the ordinary. */
export type Write = (fill: Fetcher, value: unknown) => string

/** Writes a scalar or enumeration that is a plain property. */
export function leaf(type: GraphQLOutputType, name: string): Write {
  const write = leafWriter(getNullableType(type) as GraphQLLeafType)
  const required = isNonNullType(type)
  return (_, source) => {
    const value = (source as LmsRecord)[name]
    if (value !== null && value !== undefined) return write(value)
    if (required) throw BAILOUT
    return 'null'
  }
}

/** Null is written as such. */
export const orNull =
  (write: Write): Write =>
  (fill, value) =>
    value === null || value === undefined ? 'null' : write(fill, value)

/** Null has no place there. */
export const required =
  (write: Write): Write =>
  (fill, value) => {
    if (value === null || value === undefined) throw BAILOUT
    return write(fill, value)
  }

/** Writes a list; throws where its text has over `most` characters. */
export const list =
  (write: Write, most: number): Write =>
  (fill, values) => {
    if (!Array.isArray(values)) throw BAILOUT
    let text = '['
    for (let i = 0; i < values.length; i++) {
      text += i === 0 ? write(fill, values[i]) : `,${write(fill, values[i])}`
      if (text.length > most) throw answerTooLarge(most)
    }
    return `${text}]`
  }

/** Where a fill has come from a record along an edge. Throws `BAILOUT` where something failed, or was never fetched. */
export type Follow<T> = (fill: Fetcher, parent: LmsRecord) => T

/** `planned` is one per field node: a field whose response key is selected more than once must have fetched all at once. */
export const keyFollower =
  ({ needs }: KeyEdge, planned: readonly PlannedEdge[]): Follow<FollowedEdge> =>
  (fill, parent) => {
    refuseBadColumns(needs, parent)
    const found = stepOf<KeyStep>(fill, planned).foundFrom(parent)
    if (found !== undefined) return found
    throw BAILOUT
  }

export const listFollower =
  ({ needs }: ListEdge, planned: readonly PlannedEdge[]): Follow<Connection> =>
  (fill, parent) => {
    refuseBadColumns(needs, parent)
    const list = stepOf<ListStep>(fill, planned).group.listOf(parent)
    if (list instanceof Connection) return list
    throw BAILOUT
  }

function refuseBadColumns(needs: readonly string[], parent: LmsRecord): void {
  for (const name of needs) if (parent[name] instanceof LmsError) throw BAILOUT
}

function stepOf<S extends Step>(fill: Fetcher, planned: readonly PlannedEdge[]): S {
  const step = fill.stepOf(planned[0] as PlannedEdge)
  for (let i = 1; i < planned.length; i++) if (fill.stepOf(planned[i] as PlannedEdge) !== step) throw BAILOUT
  if (step) return step as S
  throw BAILOUT
}
