import { CHANGE_TYPES } from '../../graph/schema.js'
import { type Check, must, wrong } from '../../options.js'
import { CHANGE_KINDS, type SiteChange } from '../../upstream/cache/tags.js'
import { isObject } from '../../upstream/errors.js'

/** Changes in one delivery. */
export const MAX_CHANGES = 1_000

const oneOf = (values: readonly unknown[]): Check => must((value) => values.includes(value), `one of ${values.join(', ')}`)
const anId = must((value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number from 1')

const areColumns = must((value) => Array.isArray(value) && value.every((name) => typeof name === 'string'), 'an array of names of columns')

const aType = oneOf(CHANGE_TYPES)
const aKind = oneOf(CHANGE_KINDS)

/** The changes in the body of a delivery: one object, or an array of them. A text says what is wrong, and where. */
export function changesIn(body: Uint8Array): readonly SiteChange[] | string {
  const value = parsed(body)
  if (value === undefined) return 'The body is not JSON.'
  if (!Array.isArray(value)) return isObject(value) ? readAll([value], () => '') : wrong(value, 'body', 'an object or an array of objects')
  if (value.length === 0 || value.length > MAX_CHANGES)
    return `The body is an array of ${value.length} changes; it must have 1 to ${MAX_CHANGES}.`
  return readAll(value, (index) => `[${index}]`)
}

function readAll(values: readonly unknown[], placeOf: (index: number) => string): readonly SiteChange[] | string {
  const changes: SiteChange[] = []
  for (const [index, value] of values.entries()) {
    const place = placeOf(index)
    const prefix = place === '' ? '' : `${place}.`
    if (!isObject(value)) return wrong(value, place, 'an object')
    const { type, id, kind, columns } = value
    const [complaint] = [
      ...aType(type, `${prefix}type`),
      ...(id === undefined ? [] : anId(id, `${prefix}id`)),
      ...aKind(kind, `${prefix}kind`),
      ...(columns === undefined ? [] : areColumns(columns, `${prefix}columns`)),
    ]
    if (complaint !== undefined) return complaint
    changes.push({ type, kind, ...(id !== undefined && { id }), ...(columns !== undefined && { columns }) } as SiteChange)
  }
  return changes
}

function parsed(body: Uint8Array): unknown {
  try {
    // The decoder drops a byte order mark.
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
