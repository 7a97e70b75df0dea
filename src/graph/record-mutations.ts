import { isObject } from '../rest/errors.js'
import type { Route } from '../rest/routes.js'
import { globalId } from './ids.js'
import { mutation } from './mutations.js'
import { toOne } from './relations.js'
import type { Handle } from './types.js'
import { columnFields, idField, readBody, readIdField, readInput } from './write-inputs.js'
import { learn, write } from './writes.js'

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
    by: { method: 'POST', route },
    async write(values, operation) {
      const { id, body } = readInput((reader) => ({
        id: ids ? readIdField(reader, handle, values) : undefined,
        body: readBody(reader, handle, operation.site, values),
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
    by: { method: 'DELETE', route },
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
