import type { Args } from '../engine/edges.js'
import type { Column } from '../upstream/codec/columns.js'
import { bodyOf, clearable, InputReader, writable } from '../upstream/codec/writing.js'
import { BadInputError } from '../upstream/errors.js'
import type { Site } from '../upstream/site/site.js'
import { inputTypeOf } from './expose.js'
import { readFieldId } from './ids.js'
import type { LmsNodeRef } from './refs.js'

type NodeRef = Pick<LmsNodeRef<any, any, any>, 'entity'>

/** What inputs say of a column, and of null. */
const describe = (column: Column): string =>
  `${column.input ?? column.meaning} ${clearable(column) ? 'Null clears it.' : "It can't be null."}`

/** A field for each column that can be written. */
export const columnFields = (t: any, { entity }: NodeRef): object =>
  Object.fromEntries(
    writable(entity.shape.columns).map(([name, column]) => [
      name,
      t.field({ type: inputTypeOf(t.builder, column), required: false, description: describe(column) }),
    ]),
  )

/** The field of an input that says which record is meant. */
export const idField = (t: any, { entity }: NodeRef): object => ({
  id: t.id({ required: true, description: `Global id or REST id of the ${entity.name.toLowerCase()}.` }),
})

/** Reads an input; throws a `BadInputError` that names every field that is wrong. */
export function readInput<T>(read: (reader: InputReader) => T): T {
  const reader = new InputReader()
  const input = read(reader)
  reader.finish()
  return input
}

/** The body an input asks for. */
export const readBody = (reader: InputReader, { entity }: NodeRef, site: Site, values: Args): Readonly<Record<string, unknown>> =>
  bodyOf(site, entity.shape.columns, values, reader, readFieldId)

/** The id an input names, `undefined` when it is wrong, which the reader has kept. */
export const readIdField = (reader: InputReader, { entity }: NodeRef, { id }: Args): number | undefined =>
  reader.field('id', () => readFieldId(entity.name, id))

/** The ids an input lists, each once: 1 to `most` of them. */
export const readIdsField = (reader: InputReader, field: string, { entity }: NodeRef, given: unknown, most: number): number[] =>
  reader.field(field, () => {
    const ids = new Set((given as unknown[]).map((id) => readFieldId(entity.name, id)))
    if (ids.size > 0 && ids.size <= most) return [...ids]
    throw new BadInputError(`It holds ${ids.size} ids; it must hold 1 to ${most}.`)
  }) ?? []
