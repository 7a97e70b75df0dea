import { type BatchRead, type ByKey, idOf, type ListRoute, type Params, type Route, recordRoute } from '../upstream/routes.js'

/** How records are read one by one: by `:id` unless it is said otherwise. */
type OneOptions = { readonly [Name in 'params' | 'keyOf' | 'keyColumns']?: ByKey[Name] | undefined }

interface BatchOptions extends OneOptions, Partial<Omit<BatchRead, 'route'>> {
  /** The route of one record. By default that of a post-like record, below the list. */
  readonly one?: Route
}

const NO_PARAMS: Params = Object.freeze({})

/** Reads records of a list in batches, by `include`, and a single one by its own route. */
export function batchByIds(list: ListRoute, options: BatchOptions = {}): ByKey & { readonly many: BatchRead } {
  const { one = recordRoute(list), params, keyOf, keyColumns, ...batch } = options
  return {
    ...oneByOne(one, { params, keyOf, keyColumns }),
    many: { route: list, scope: () => NO_PARAMS, id: Number, ...batch },
  }
}

/** Reads a small list as a whole as soon as two of its records are needed. `key` is the column and the path parameter with the key. */
export const wholeTable = (table: ListRoute, one: Route, key: string): ByKey => ({
  one,
  params: (value) => ({ [key]: value }),
  table,
  keyOf({ [key]: value }) {
    return typeof value === 'string' && value !== '' ? value : null
  },
  keyColumns: [key],
})

/** Reads each record with a call of its own. */
export const oneByOne = (one: Route, { params = (id) => ({ id }), keyOf = idOf, keyColumns = ['id'] }: OneOptions = {}): ByKey => ({
  one,
  params,
  keyOf,
  keyColumns,
})
