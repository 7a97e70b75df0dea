import type { InputFieldMap, ObjectRef } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphContext } from '../engine/context.js'
import type { Args, LmsRecord, Write } from '../engine/edges.js'
import { reportFallback } from '../engine/fallback.js'
import { Fetcher, type Operation } from '../engine/fetch/index.js'
import type { Sent, Written } from '../upstream/client.js'
import type { Column } from '../upstream/codec/columns.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import { bodyOf, clearable, InputReader, withGraphNames, writable } from '../upstream/codec/writing.js'
import { BadInputError, InvalidResponseError, isObject } from '../upstream/errors.js'
import type { Key, Params, Route } from '../upstream/routes.js'
import type { Site } from '../upstream/site/site.js'
import { builder } from './builder.js'
import { MUTATION_ERRORS } from './errors.js'
import { inputTypeOf } from './expose.js'
import { globalId, readDatabaseId, readFieldId } from './ids.js'
import type { LmsNodeRef } from './refs.js'

type NodeRef = LmsNodeRef<any, any, number>

/** What inputs say of a column, and of null. */
const describe = (column: Column): string =>
  `${column.input ?? column.meaning} ${clearable(column) ? 'Null clears it.' : "It can't be null."}`

/** A field for each column that can be written. */
const columnFields = (t: any, { entity }: NodeRef): object =>
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
const readBody = (reader: InputReader, { entity }: NodeRef, site: Site, values: Args): Readonly<Record<string, unknown>> =>
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

/** Writes to the site. Refusals that name parameters come back in the words of the graph; `others` are those that are no columns. */
export async function write(
  operation: Operation,
  { entity }: NodeRef,
  method: 'POST' | 'DELETE',
  route: Route,
  params: Params,
  sent: Sent,
  others: Readonly<Record<string, string>> = {},
): Promise<Written> {
  try {
    return await operation.write(method, route, params, sent)
  } catch (error) {
    throw withGraphNames(operation.site, entity.shape.columns, others, error)
  }
}

/** Notes that a record is there, of which nothing else is known yet. */
export function confirm(operation: Operation, { entity }: NodeRef, key: Key): void {
  operation.store({ entity, key }).stateOf(key).fill({}, operation.projection(entity, NO_COLUMNS), NO_COLUMNS)
}

/** Notes the record an answer shows, so that it need not be read again; answers its key. */
function learn(operation: Operation, { entity }: NodeRef, { body, location }: Written, known?: Key): Key {
  const row = isObject(body) ? body : {}
  const answered = entity.byKey?.keyOf(row, {})
  const key = known ?? answered ?? readDatabaseId(location?.match(/(?<!\d)(\d{1,10})\/?$/)?.[1] ?? '')
  if (key === undefined || key === null)
    throw new InvalidResponseError('The site did not say what it created. It is there: look for it before you try again.')
  if (answered === key) {
    const columns = entity.shape.shownBy(row, operation.site)
    operation.store({ entity, key }).stateOf(key).fill(row, operation.projection(entity, columns), columns)
  }
  return key
}

type InputFields = Parameters<typeof builder.inputType>[1] extends { fields: (t: infer T) => unknown } ? (t: T) => InputFieldMap : never

const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The type of a success that holds the REST id of a record: relations can start from it. */
export type SuccessRef = ObjectRef<TypesOf<typeof builder>, { readonly databaseId: number | null }>

type TypesOf<B> = B extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never

interface MutationOptions {
  readonly description: string
  readonly input: { readonly description: string; readonly fields: InputFields }
  readonly success: { readonly description: string; readonly fields?: (t: any) => object }
  /** The call by which it writes. */
  readonly by: Write
  /** Checks the input, writes, and answers the record of the success. Rejects with an `LmsError`. */
  readonly write: (input: Args, operation: Operation) => Promise<LmsRecord>
}

/** A mutation with one input, answered by its success or by why there is none. */
export function mutation(name: string, { description, input, success, by, write }: MutationOptions): SuccessRef {
  const prefix = upperFirst(name)
  const inputType = builder.inputType(`${prefix}Input`, input as never)
  const successName = `${prefix}Success`
  const ref = builder
    .objectRef<{ readonly databaseId: number | null }>(successName)
    .implement({ ...success, fields: success.fields ?? (() => ({})) } as never)
  builder.mutationField(name, (t) =>
    t.field({
      type: ref,
      nullable: true,
      description,
      args: { input: t.arg({ type: inputType, required: true, description: 'What is to be done.' }) },
      errors: {
        directResult: true,
        types: MUTATION_ERRORS as never,
        union: { name: `${prefix}Result`, description: `How \`${name}\` ended.` },
      },
      extensions: { lms: { payload: successName, write: by, semanticNonNull: [0] } },
      resolve: async (_: unknown, args: Args, context: GraphContext, info: GraphQLResolveInfo) => {
        const record = await write(args.input as Args, context.operation.serving({ fields: info.fieldNodes }))
        await fetchPayload(context, info, record)
        return record
      },
    } as never),
  )
  return ref
}

/** Fetches what is selected on a payload, as it is done for queries. */
async function fetchPayload(context: GraphContext, { fieldNodes }: GraphQLResolveInfo, record: LmsRecord): Promise<void> {
  const { fetched, operation } = context
  if (!fetched) return
  const selections = fieldNodes.flatMap((node) => fetched.plan.payloads.get(node) ?? [])
  fetched.fetcher = new Fetcher(operation, fetched.variables)
  await fetched.fetcher
    .run(selections, [record])
    .catch((cause) => reportFallback(context, 'fetch', fetched.plan.operation.name?.value, cause))
}

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
