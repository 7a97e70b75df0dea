import { z } from 'zod'
import { complaintsIn, must, wrong } from '../../checks.js'
import { CHANGE_TYPES } from '../../graph/schema.js'
import { isObject, jsonIn } from '../../maps.js'
import type { Entities } from '../../model/entity.js'
import { CHANGE_KINDS, type SiteChange } from '../../upstream/cache/tags.js'

/** Changes in one delivery. */
export const MAX_CHANGES = 1_000

const oneOf = (values: readonly unknown[]) => must((value) => values.includes(value), `one of ${values.join(', ')}`)

/** The types that changes can name: those of the specification, and those of the resources from outside. */
export const changeTypesOf = (entities: Entities): readonly string[] => [
  ...new Set([...CHANGE_TYPES, ...Array.from(entities.values(), ({ byKey }) => byKey?.one.tags?.change ?? [])].flat()),
]

const changeOf = (types: readonly string[]) =>
  z.object(
    {
      type: oneOf(types),
      kind: oneOf(CHANGE_KINDS),
      id: must((value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number from 1').optional(),
      columns: must(
        (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
        'an array of names of columns',
      ).optional(),
    },
    { error: ({ input }) => wrong(input, 'an object') },
  )

/** The changes in the body of a delivery: one object, or an array of them. A text says what is wrong, and where. */
export function changesIn(body: Uint8Array, types: readonly string[]): readonly SiteChange[] | string {
  // The decoder drops a byte order mark.
  const value = jsonIn(new TextDecoder().decode(body))
  if (value === undefined) return 'The body is not JSON.'
  if (!Array.isArray(value) && !isObject(value)) return `\`body\` ${wrong(value, 'an object or an array of objects')}`
  if (Array.isArray(value) && (value.length === 0 || value.length > MAX_CHANGES))
    return `The body is an array of ${value.length} changes; it must have 1 to ${MAX_CHANGES}.`
  const change = changeOf(types)
  const { data, error } = Array.isArray(value) ? z.array(change).safeParse(value) : change.transform((one) => [one]).safeParse(value)
  return error ? (complaintsIn(error, 'The body')[0] as string) : (data as SiteChange[])
}
