import { BadInputError, type InvalidField, type LmsError, RejectedError } from '../errors.js'
import { type Site, wireName } from '../site/site.js'
import type { Column, Columns } from './columns.js'

/** Columns that can be written, by the names their inputs have. */
export const writable = (columns: Columns): [name: string, column: Column][] =>
  Object.entries(columns).filter(([, { encode, readOnly }]) => encode !== undefined && readOnly !== true)

/** Whether null is taken for a column, and clears it. */
export const clearable = ({ cleared, required }: Column): boolean => cleared !== undefined && required !== true

/** A column is written under the name of the whole, also where it is read from a member. */
const writtenAs = (site: Site, { wire }: Column): string => wireName(site, wire.split('.')[0] as string)

/** Reads the fields of an input one by one, and then says of all that are wrong what is wrong with them. */
export class InputReader {
  private readonly invalid: InvalidField[] = []

  /** The value of a field; nothing when `read` throws a `BadInputError`, which is kept. */
  field<T>(field: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof BadInputError)) throw error
      this.invalid.push({ field, message: error.message })
      return undefined
    }
  }

  /** Throws when a field was wrong. */
  finish(): void {
    if (this.invalid.length > 0) throw invalidInput(this.invalid)
  }
}

/** The REST id behind a reference to a record of a type. Throws a `BadInputError`. */
export type ReadReference = (type: string, given: unknown) => number

/** The body that writes these values; left out ones are left alone. */
export function bodyOf(
  site: Site,
  columns: Columns,
  values: Readonly<Record<string, unknown>>,
  reader: InputReader,
  readReference: ReadReference,
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [field, column] of writable(columns)) {
    if (values[field] === undefined) continue
    body[writtenAs(site, column)] = reader.field(field, () => {
      if (column.excludes !== undefined && values[column.excludes] !== undefined)
        throw new BadInputError(`It can't be given together with \`${column.excludes}\`.`)
      return encoded(site, column, values[field], readReference)
    })
  }
  return body
}

function encoded(site: Site, column: Column, value: unknown, readReference: ReadReference): unknown {
  const { of, encode, spell, asText, cleared } = column
  // The interface writes 0 for a reference to nothing.
  const isNone = column.kind === 'reference' && String(value) === '0' && clearable(column)
  if (value === null || isNone) {
    if (clearable(column)) return cleared
    throw new BadInputError("It can't be null: leave it out to leave it alone.")
  }
  const read = (given: unknown): unknown => {
    if (spell) return spell(given as string, site)
    return of === undefined ? given : readReference(of, given)
  }
  const written = encode?.((Array.isArray(value) ? value.map(read) : read(value)) as never, column)
  return asText ? String(written) : written
}

const invalidInput = (fields: readonly InvalidField[], upstream?: LmsError['upstream']): BadInputError =>
  new BadInputError(fields.map(({ field, message }) => `\`${field}\`: ${message}`).join(' '), upstream, fields)

/** A refusal that names parameters of the site, with the names the input has for them; other errors as they are. */
export function inWordsOfGraph(site: Site, columns: Columns, others: Readonly<Record<string, string>>, error: unknown): unknown {
  if (!(error instanceof RejectedError) || Object.keys(error.params).length === 0) return error
  const names = new Map(writable(columns).map(([name, column]) => [writtenAs(site, column), name]))
  const fields = Object.entries(error.params).map(([wire, said]) => {
    const field = names.get(wire) ?? (Object.hasOwn(others, wire) ? (others[wire] as string) : wire)
    const message = said.replaceAll(wire, field)
    return { field, message: /[.!?…]$/.test(message) ? message : `${message}.` }
  })
  return invalidInput(fields, error.upstream)
}
