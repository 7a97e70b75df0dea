import { FIELD_CODES, type FieldCode } from '../error-codes.js'
import { BadInputError, type InvalidField, InvalidValueError, type LmsError, RejectedError, type RejectedParam } from '../errors.js'
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

  /** Returns the value of a field or of one of its items, or undefined when `read` throws an `InvalidValueError`, which `finish` reports. */
  field<T>(field: string, read: () => T, index?: number): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      const { reason: code, limit, message } = error
      this.invalid.push({ field, path: index === undefined ? [field] : [field, String(index)], code, limit, message })
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
        throw new InvalidValueError('CONFLICT', `It can't be combined with \`${column.excludes}\`.`)
      return encoded(site, column, values[field], readReference, (read, index) => reader.field(field, read, index))
    })
  }
  return body
}

function encoded(
  site: Site,
  column: Column,
  value: unknown,
  readReference: ReadReference,
  item: (read: () => unknown, index: number) => unknown,
): unknown {
  const { of, encode, spell, asText, cleared } = column
  // The interface uses 0 for an empty reference.
  const isNone = column.kind === 'reference' && String(value) === '0' && clearable(column)
  if (value === null || isNone) {
    if (clearable(column)) return cleared
    throw new InvalidValueError('REQUIRED', "It can't be null. Omit it to keep the current value.")
  }
  const one = (value: unknown): unknown => {
    const read = spell ? spell(value as string, site) : of === undefined ? value : readReference(of, value)
    // The cast: GraphQL has checked that the type of the value fits the kind of the column.
    const written = encode?.(read as never, column)
    return asText ? String(written) : written
  }
  if (!Array.isArray(value)) return one(value)
  const items = value.map((each, index) => item(() => one(each), index))
  return column.kind === 'commaList' ? items.join(',') : items
}

const invalidInput = (fields: readonly InvalidField[], upstream?: LmsError['upstream']): BadInputError =>
  new BadInputError(
    fields.map(({ path: [field, index], message }) => `\`${field}${index === undefined ? '' : `[${index}]`}\`: ${message}`).join(' '),
    upstream,
    fields,
  )

/** Converts a refusal with wire names into one with the names of the graph. Returns other errors unchanged. */
export function withGraphNames(site: Site, columns: Columns, others: Readonly<Record<string, string>>, error: unknown): unknown {
  if (!(error instanceof RejectedError) || Object.keys(error.params).length === 0) return error
  const names = new Map(writable(columns).map(([name, column]) => [writtenAs(site, column), name]))
  const fields = Object.entries(error.params).map(([wire, param]) =>
    rejected(wire, names.get(wire) ?? (Object.hasOwn(others, wire) ? (others[wire] as string) : wire), param),
  )
  return invalidInput(fields, error.upstream)
}

const FIELD_CODE_OF = new Map<string | null, FieldCode>(
  Object.entries(FIELD_CODES).flatMap(([code, { wire }]) => wire.map((each) => [each, code as FieldCode] as const)),
)

/**
 * A rejected parameter as a field of the input, with the message in the style of the checks of the gateway. WordPress starts its messages with the
 * name of the parameter, and for an item of a list its index: "tags[1] is not of type integer."
 */
function rejected(wire: string, field: string, { code, message }: RejectedParam): InvalidField {
  const [, index, colon, rest = ''] = message.startsWith(wire) ? (/^(?:\[(\d+)\])?(:?)\s+(.+)$/.exec(message.slice(wire.length)) ?? []) : []
  const said = colon ? rest.charAt(0).toUpperCase() + rest.slice(1) : /^(is|must|has|does|can) /.test(rest) ? `It ${rest}` : message
  const text = said.replaceAll(wire, field)
  return {
    field,
    path: index === undefined ? [field] : [field, index],
    code: FIELD_CODE_OF.get(code) ?? 'REJECTED',
    limit: null,
    message: /[.!?…]$/.test(text) ? text : `${text}.`,
  }
}
