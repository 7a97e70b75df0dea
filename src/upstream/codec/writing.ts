import { BadInputError, type InvalidField, type LmsError, RejectedError } from '../errors.js'
import { type Site, wireName } from '../site/site.js'
import type { Column, Columns } from './columns.js'

/** The columns that can be written, with their names in inputs. */
export const writable = (columns: Columns): [name: string, column: Column][] =>
  Object.entries(columns).filter(([, { encode, readOnly }]) => encode !== undefined && readOnly !== true)

/** Whether null is allowed for a column, and clears it. */
export const clearable = ({ cleared, required }: Column): boolean => cleared !== undefined && required !== true

/** The wire name under which a column is written: that of the object, if the column is read from a member. */
const writtenAs = (site: Site, { wire }: Column): string => wireName(site, wire.split('.')[0] as string)

/** Validates the fields of an input one by one, and reports all errors together. */
export class InputReader {
  private readonly invalid: InvalidField[] = []

  /** Returns the value of a field, or undefined when `read` throws a `BadInputError`, which `finish` reports. */
  field<T>(field: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof BadInputError)) throw error
      this.invalid.push({ field, message: error.message })
      return undefined
    }
  }

  /** Throws when a field was invalid. */
  finish(): void {
    if (this.invalid.length > 0) throw invalidInput(this.invalid)
  }
}

/** Returns the REST id for a global id or REST id of a type. Throws a `BadInputError`. */
export type ReadReference = (type: string, value: unknown) => number

/** Encodes the values as the body of a write. Omitted values are not changed. */
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
        throw new BadInputError(`It can't be combined with \`${column.excludes}\`.`)
      return encoded(site, column, values[field], readReference)
    })
  }
  return body
}

function encoded(site: Site, column: Column, value: unknown, readReference: ReadReference): unknown {
  const { of, encode, spell, asText, cleared } = column
  // The interface uses 0 for an empty reference.
  const isNone = column.kind === 'reference' && String(value) === '0' && clearable(column)
  if (value === null || isNone) {
    if (clearable(column)) return cleared
    throw new BadInputError("It can't be null. Omit it to keep the current value.")
  }
  const read = (value: unknown): unknown => {
    if (spell) return spell(value as string, site)
    return of === undefined ? value : readReference(of, value)
  }
  // The cast: GraphQL has checked that the type of the value fits the kind of the column.
  const written = encode?.((Array.isArray(value) ? value.map(read) : read(value)) as never, column)
  return asText ? String(written) : written
}

const invalidInput = (fields: readonly InvalidField[], upstream?: LmsError['upstream']): BadInputError =>
  new BadInputError(fields.map(({ field, message }) => `\`${field}\`: ${message}`).join(' '), upstream, fields)

/** Converts a refusal with wire names into one with the names of the graph. Returns other errors unchanged. */
export function withGraphNames(site: Site, columns: Columns, others: Readonly<Record<string, string>>, error: unknown): unknown {
  if (!(error instanceof RejectedError) || Object.keys(error.params).length === 0) return error
  const names = new Map(writable(columns).map(([name, column]) => [writtenAs(site, column), name]))
  const fields = Object.entries(error.params).map(([wire, text]) => {
    const field = names.get(wire) ?? (Object.hasOwn(others, wire) ? (others[wire] as string) : wire)
    const message = text.replaceAll(wire, field)
    return { field, message: /[.!?…]$/.test(message) ? message : `${message}.` }
  })
  return invalidInput(fields, error.upstream)
}
