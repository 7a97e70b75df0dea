import type { Sent, Written } from '../rest/client.js'
import type { Column } from '../rest/columns.js'
import { BadInputError, InvalidResponseError, isObject } from '../rest/errors.js'
import { NO_COLUMNS } from '../rest/records.js'
import type { Key, Params, Route } from '../rest/routes.js'
import { bodyOf, clearable, InputReader, inWordsOfGraph, writable } from '../rest/writing.js'
import type { Args } from './edges.js'
import { inputTypeOf } from './expose.js'
import { globalId, readDatabaseId, readFieldId } from './ids.js'
import { mutation } from './mutations.js'
import type { Operation } from './operation.js'
import { toOne } from './relations.js'
import type { Handle } from './types.js'

/** What inputs say of a column, and of null. */
const describe = (column: Column): string =>
  `${column.input ?? column.meaning} ${clearable(column) ? 'Null clears it.' : "It can't be null."}`

const columnFields = (t: any, { entity }: Handle): object =>
  Object.fromEntries(
    writable(entity.shape.columns).map(([name, column]) => [
      name,
      t.field({ type: inputTypeOf(column), required: false, description: describe(column) }),
    ]),
  )

/** The field of an input that says which record is meant. */
export const idField = (t: any, { entity }: Handle): object => ({
  id: t.id({ required: true, description: `Global id or REST id of the ${entity.name.toLowerCase()}.` }),
})

/** Reads an input; throws a `BadInputError` that names every field that is wrong. */
export function readInput<T>(read: (reader: InputReader) => T): T {
  const reader = new InputReader()
  const input = read(reader)
  reader.finish()
  return input
}

/** The id an input names, `undefined` when it is wrong, which the reader has kept. */
export const readIdField = (reader: InputReader, { entity }: Handle, { id }: Args): number | undefined =>
  reader.field('id', () => readFieldId(entity.name, id))

/** The ids an input lists, each once: 1 to `most` of them. */
export const readIdsField = (reader: InputReader, field: string, { entity }: Handle, given: unknown, most: number): number[] =>
  reader.field(field, () => {
    const ids = new Set((given as unknown[]).map((id) => readFieldId(entity.name, id)))
    if (ids.size > 0 && ids.size <= most) return [...ids]
    throw new BadInputError(`It holds ${ids.size} ids; it must hold 1 to ${most}.`)
  }) ?? []

/** Writes to the site. Refusals that name parameters come back in the words of the graph; `others` are those that are no columns. */
export async function write(
  operation: Operation,
  { entity }: Handle,
  method: 'POST' | 'DELETE',
  route: Route,
  params: Params,
  sent: Sent,
  others: Readonly<Record<string, string>> = {},
): Promise<Written> {
  try {
    return await operation.write(method, route, params, sent)
  } catch (error) {
    throw inWordsOfGraph(operation.site, entity.shape.columns, others, error)
  }
}

/** Notes that a record is there, of which nothing else is known yet. */
export function confirm(operation: Operation, { entity }: Handle, key: Key): void {
  operation.store({ entity, key }).entry(key).fill({}, operation.projection(entity, NO_COLUMNS), NO_COLUMNS)
}

/** Notes the record an answer shows, so that it need not be read again; answers its key. */
function learn(operation: Operation, { entity }: Handle, { body, location }: Written, known?: Key): Key {
  const row = isObject(body) ? body : {}
  const answered = entity.byKey?.keyOf(row, {})
  const key = known ?? answered ?? readDatabaseId(location?.match(/(\d+)\/?$/)?.[1] ?? '')
  if (key === undefined || key === null)
    throw new InvalidResponseError('The site did not say what it created. It is there: look for it before you try again.')
  if (answered === key) {
    const columns = entity.shape.shownBy(row, operation.site)
    operation.store({ entity, key }).entry(key).fill(row, operation.projection(entity, columns), columns)
  }
  return key
}

/** Adds `create<Type>`. `field` is what clients call the record. */
export const createMutation = (field: string, handle: Handle, route: Route): void =>
  saveMutation(handle, route, {
    name: `create${handle.entity.name}`,
    field,
    does: `Creates a ${field}.`,
    input: `What a new ${field} is to be. What is left out is up to the site; without \`status\` it is a draft.`,
    success: `The ${field} was created.`,
    ids: false,
  })

/** Adds `update<Type>`. */
export const updateMutation = (field: string, handle: Handle, route: Route): void =>
  saveMutation(handle, route, {
    name: `update${handle.entity.name}`,
    field,
    does: `Changes a ${field}.`,
    input: `Which ${field}, and what is to be changed. What is left out is left alone.`,
    success: `The ${field} was changed.`,
    ids: true,
  })

interface Saving {
  readonly name: string
  readonly field: string
  readonly does: string
  readonly input: string
  readonly success: string
  /** Whether the input names the record. */
  readonly ids: boolean
}

function saveMutation(handle: Handle, route: Route, { name, field, does, input, success, ids }: Saving): void {
  const { entity } = handle
  const { start } = mutation(name, {
    description: `${does} One REST call; another one where the answer does not show all that is selected of the ${field}.`,
    input: { description: input, fields: (t) => ({ ...(ids ? idField(t, handle) : {}), ...columnFields(t, handle) }) as never },
    success: { description: success },
    async write(values, operation) {
      const { id, body } = readInput((reader) => ({
        id: ids ? readIdField(reader, handle, values) : undefined,
        body: bodyOf(operation.site, entity.shape.columns, values, reader, readFieldId),
      }))
      const answer = await write(operation, handle, 'POST', route, id === undefined ? {} : { id }, { body })
      return { [entity.key]: learn(operation, handle, answer, id) }
    },
  })
  toOne(start, field, handle, entity.key, `The ${field} as it is now. Null when it can't be shown: an error says why.`)
}

/** Adds `delete<Type>`. */
export function deleteMutation(field: string, handle: Handle, route: Route): void {
  const { entity } = handle
  const force = 'True deletes it for good, past the trash.'
  const { start } = mutation(`delete${entity.name}`, {
    description: `Puts a ${field} into the trash, or deletes it for good. One REST call.`,
    input: {
      description: `Which ${field}, and how it is to be deleted.`,
      fields: (t) => ({ ...idField(t, handle), force: t.boolean({ defaultValue: false, description: force }) }) as never,
    },
    success: {
      description: `The ${field} was deleted.`,
      fields: (t) => ({
        deletedId: t.exposeID('deletedId', { nullable: false, description: `Global id of the ${field}.` }),
        trashed: t.exposeBoolean('trashed', { nullable: false, description: 'Whether it lies in the trash now, or is gone for good.' }),
      }),
    },
    async write(values, operation) {
      const id = readInput((reader) => readIdField(reader, handle, values)) as number
      const forced = values.force === true
      const answer = await write(operation, handle, 'DELETE', route, { id }, forced ? { query: { force: 'true' } } : {})
      const gone = isObject(answer.body) && 'deleted' in answer.body ? answer.body.deleted === true : forced
      if (!gone) learn(operation, handle, answer, id)
      return { deletedId: globalId(entity.name, id), trashed: !gone, [entity.key]: gone ? null : id }
    },
  })
  toOne(start, field, handle, entity.key, `The ${field} in the trash. Null when it is gone for good.`)
}
