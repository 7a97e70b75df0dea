import { isObject } from '../upstream/errors.js'
import type { Route } from '../upstream/routes.js'
import { builder } from './builder.js'
import { globalId } from './ids.js'
import { mutation, type SuccessRef } from './mutations.js'
import type { LmsNodeRef } from './refs.js'
import { columnFields, idField, readBody, readIdField, readInput } from './write-inputs.js'
import { learn, write } from './writes.js'

/** Adds `create<Type>`. `field` is what clients call the record. */
export const createMutation = (field: string, ref: NodeRef, route: Route): void =>
  saveMutation(ref, route, {
    name: `create${ref.entity.name}`,
    field,
    does: `Creates a ${field}.`,
    input: `What a new ${field} is to be. What is left out is up to the site; without \`status\` it is a draft.`,
    done: `The ${field} was created.`,
    ids: false,
  })

/** Adds `update<Type>`. */
export const updateMutation = (field: string, ref: NodeRef, route: Route): void =>
  saveMutation(ref, route, {
    name: `update${ref.entity.name}`,
    field,
    does: `Changes a ${field}.`,
    input: `Which ${field}, and what is to be changed. What is left out is left alone.`,
    done: `The ${field} was changed.`,
    ids: true,
  })

type NodeRef = LmsNodeRef<any, any, number>

interface Saving {
  readonly name: string
  readonly field: string
  readonly does: string
  readonly input: string
  readonly done: string
  /** Whether the input names the record. */
  readonly ids: boolean
}

function saveMutation(ref: NodeRef, route: Route, { name, field, does, input, done, ids }: Saving): void {
  const { entity } = ref
  const success = mutation(name, {
    description: `${does} One REST call; another one where the answer does not show all that is selected of the ${field}.`,
    input: { description: input, fields: (t) => ({ ...(ids ? idField(t, ref) : {}), ...columnFields(t, ref) }) },
    success: { description: done },
    by: { method: 'POST', route },
    async write(values, operation) {
      const { id, body } = readInput((reader) => ({
        id: ids ? readIdField(reader, ref, values) : undefined,
        body: readBody(reader, ref, operation.site, values),
      }))
      const answer = await write(operation, ref, 'POST', route, id === undefined ? {} : { id }, { body })
      return { [entity.key]: learn(operation, ref, answer, id) }
    },
  })
  addRecord(success, field, ref, `The ${field} as it is now. Null when it can't be shown: an error says why.`)
}

/** Adds `delete<Type>`. */
export function deleteMutation(field: string, ref: NodeRef, route: Route): void {
  const { entity } = ref
  const force = 'True deletes it for good, past the trash.'
  const success = mutation(`delete${entity.name}`, {
    description: `Puts a ${field} into the trash, or deletes it for good. One REST call.`,
    input: {
      description: `Which ${field}, and how it is to be deleted.`,
      fields: (t) => ({ ...idField(t, ref), force: t.boolean({ defaultValue: false, description: force }) }) as never,
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
      const id = readInput((reader) => readIdField(reader, ref, values)) as number
      const forced = values.force === true
      const answer = await write(operation, ref, 'DELETE', route, { id }, forced ? { query: { force: 'true' } } : {})
      const gone = isObject(answer.body) && 'deleted' in answer.body ? answer.body.deleted === true : forced
      if (!gone) learn(operation, ref, answer, id)
      return { deletedId: globalId(entity.name, id), trashed: !gone, [entity.key]: gone ? null : id }
    },
  })
  addRecord(success, field, ref, `The ${field} in the trash. Null when it is gone for good.`)
}

/** Adds the field of a success that shows the record. */
function addRecord(success: SuccessRef, field: string, ref: NodeRef, description: string): void {
  builder.objectField(success, field, (t) => t.lmsRelation(ref, { key: 'databaseId', description }))
}
