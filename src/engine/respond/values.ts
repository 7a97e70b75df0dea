import { type GraphQLLeafType, type GraphQLOutputType, getNullableType, isNonNullType } from 'graphql'
import type { LmsRecord } from '../edges.js'
import type { Fetcher } from '../fetch/fetcher.js'
import { BAILOUT, leafWriter } from './leaves.js'
import { answerTooLarge } from './response-size.js'

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
