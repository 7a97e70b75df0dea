import type { GraphQLLeafType } from 'graphql'
import { marksOf } from '../edges.js'

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
