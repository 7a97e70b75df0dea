import type { FieldMap, InputFieldMap, ObjectRef } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphContext } from '../../execute/context.js'
import { reportFallback } from '../../execute/fallback.js'
import { isObject } from '../../maps.js'
import type { Args } from '../../model/edge.js'
import type { Entity, LmsRecord } from '../../model/entity.js'
import { NULL_ONLY_ON_ERROR, type Write } from '../../model/marks.js'
import { projectionOf } from '../../model/reads.js'
import { layOut } from '../../plan/layout.js'
import type { Writing } from '../../prefetch/operation.js'
import { Prefetch } from '../../prefetch/prefetch.js'
import type { Row, Sent, Written } from '../../upstream/client.js'
import type { Column } from '../../upstream/codec/columns.js'
import { NO_COLUMNS, Shape } from '../../upstream/codec/records.js'
import { bodyOf, clearable, InputReader, withGraphNames, writable } from '../../upstream/codec/writing.js'
import { InvalidResponseError, InvalidValueError, LmsError, SuspendedError } from '../../upstream/errors.js'
import { type BatchRead, type ByKey, idOf, type Params, type Route } from '../../upstream/routes.js'
import { wasPerhapsMade } from '../../upstream/transport/responses.js'
import { builder } from './builder.js'
import { MUTATION_ERRORS } from './errors.js'
import { exposeColumns, inputTypeOf, leaves } from './expose.js'
import { databaseIdIn, globalId, readDatabaseId, readFieldId } from './ids.js'
import { madeOnce } from './made-once.js'
import type { LmsNodeRef } from './refs.js'

type NodeRef = LmsNodeRef<any, any, number>

/** The name of the record of a type in the fields of its mutations. */
const fieldOf = ({ entity }: NodeRef): string => entity.name.toLowerCase()

/** The description of a column in inputs, with the effect of null. */
const describe = (column: Column): string =>
  `${column.input ?? column.meaning} ${clearable(column) ? 'Null clears it.' : "It can't be null."}`

/** An input field for each column that can be written. */
const columnFields = (t: any, { entity }: NodeRef): object =>
  Object.fromEntries(
    writable(entity.shape.columns).map(([name, column]) => [
      name,
      t.field({ type: inputTypeOf(t.builder, column), required: false, description: describe(column) }),
    ]),
  )

/** The input field with the id of a record. */
const idField = (t: any, ref: NodeRef, name = 'id'): object => ({
  [name]: t.id({ required: true, description: `Global id or REST id of the ${fieldOf(ref)}.` }),
})

/** Validates an input. Throws a `BadInputError` that names every invalid field. */
function readInput<T>(read: (reader: InputReader) => T): T {
  const reader = new InputReader()
  const input = read(reader)
  reader.finish()
  return input
}

/** Returns the id of an input, or 0 when it is invalid, which the reader reports. */
const readIdField = (reader: InputReader, { entity }: NodeRef, input: Args, name = 'id'): number =>
  reader.field(name, () => readFieldId(entity.name, input[name])) ?? 0

/** Returns the distinct ids of an input: 1 to `most` of them. */
const readIdsField = (reader: InputReader, field: string, { entity }: NodeRef, given: unknown, most: number): number[] =>
  reader.field(field, () => {
    const ids = new Set((given as unknown[]).map((id, index) => reader.field(field, () => readFieldId(entity.name, id), index)))
    if (ids.size > 0 && ids.size <= most) return [...ids] as number[]
    const [reason, limit] = ids.size === 0 ? (['TOO_FEW', 1] as const) : (['TOO_MANY', most] as const)
    throw new InvalidValueError(reason, `It has ${ids.size} ids; it must have 1 to ${most}.`, limit)
  }) ?? []

/** Writes to the site. Errors that name wire parameters are converted to names of the graph; `others` maps those that are not columns. */
async function write(
  writing: Writing,
  { entity }: NodeRef,
  method: 'POST' | 'DELETE',
  route: Route,
  params: Params,
  sent: Sent,
  others: Readonly<Record<string, string>> = {},
): Promise<Written> {
  try {
    return await writing.write(method, route, params, sent)
  } catch (error) {
    throw withGraphNames(writing.site, entity.shape.columns, others, error)
  }
}

/** Stores the record of an answer, so that it need not be read again. Returns its id. */
function storeAnswer(writing: Writing, { entity }: NodeRef, { body, location }: Written, known?: number): number {
  const row = isObject(body) ? body : {}
  const answered = entity.byKey?.keyOf(row, {})
  const id = known ?? (typeof answered === 'number' ? answered : readDatabaseId(location?.match(/(?<!\d)(\d{1,10})\/?$/)?.[1] ?? ''))
  if (id === undefined)
    throw new InvalidResponseError('The site did not send the id of the new record. The record exists: look for it before you try again.')
  if (answered === id) {
    const columns = entity.shape.shownBy(row, writing.site)
    writing.records.stateOf({ entity, key: id }).fill(row, projectionOf(writing, entity, columns), columns)
  }
  return id
}

type InputFields = Parameters<typeof builder.inputType>[1] extends { fields: (t: infer T) => unknown } ? (t: T) => InputFieldMap : never

/** The type of a success with the REST id of a record, from which relations can start. */
type SuccessRef = ObjectRef<TypesOf<typeof builder>, Success>

type Success = { readonly databaseId: number | null }

type TypesOf<B> = B extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never

interface MutationOptions {
  readonly description: string
  readonly input: { readonly description: string; readonly fields: InputFields }
  readonly success: { readonly description: string; readonly fields?: (t: any) => FieldMap }
  /** The REST calls of the mutation. */
  readonly by: Write
  /** Name of the input field with the id of the record. */
  readonly idField?: string
  /** Validates the input, writes, and returns the object of the success. Rejects with an `LmsError`. */
  readonly write: (input: Args, writing: Writing) => Promise<Success & LmsRecord>
}

/** Adds a mutation with one input that returns a union of its success and the errors. */
function mutation(name: string, { description, input, success, by, idField = 'id', write }: MutationOptions): SuccessRef {
  const prefix = name.charAt(0).toUpperCase() + name.slice(1)
  const inputType = builder.inputType(`${prefix}Input`, input)
  const successName = `${prefix}Success`
  const ref = builder.objectRef<Success>(successName).implement({ ...success, fields: success.fields ?? (() => ({})) })
  builder.mutationField(name, (t) =>
    t.field({
      type: ref,
      nullable: true,
      description,
      args: { input: t.arg({ type: inputType, required: true, description: 'The input of the mutation.' }) },
      errors: {
        directResult: true,
        types: MUTATION_ERRORS,
        union: { name: `${prefix}Result`, description: `Result of \`${name}\`: the success or an error.` },
      },
      extensions: { lms: { payload: successName, write: by, semanticNonNull: NULL_ONLY_ON_ERROR } },
      resolve: async (_: unknown, args: Args, context: GraphContext, info: GraphQLResolveInfo) => {
        const input = args.input as Args
        const record = await reported(context, name, by.entity, input[idField], () =>
          write(input, context.operation.writing(info.fieldNodes)),
        )
        await prefetchPayload(context, info, record)
        return record
      },
    }),
  )
  return ref
}

/** Runs a mutation, and reports its outcome. */
async function reported<Record extends Success>(
  { onMutation }: GraphContext,
  field: string,
  { name: type }: Entity,
  given: unknown,
  write: () => Promise<Record>,
): Promise<Record> {
  const ended = (outcome: string, id = databaseIdIn(type, given)): void => onMutation?.({ field, type, id: id ?? null, outcome })
  try {
    const record = await write()
    ended('ok', record.databaseId ?? undefined)
    return record
  } catch (error) {
    ended(error instanceof LmsError ? error.code : 'INTERNAL_SERVER_ERROR')
    throw error
  }
}

/** Prefetches the selections of a payload, as for queries. */
async function prefetchPayload(context: GraphContext, { fieldNodes }: GraphQLResolveInfo, record: LmsRecord): Promise<void> {
  const { prefetched, operation } = context
  if (!prefetched) return
  const { plan, given } = prefetched
  try {
    const layout = layOut(
      fieldNodes.flatMap((node) => plan.payloads.get(node) ?? []),
      given,
    )
    prefetched.prefetch = new Prefetch(operation, layout)
    await prefetched.prefetch.run([record])
  } catch (cause) {
    reportFallback(context, 'fetch', plan.operation.name?.value, cause)
  }
}

/** Adds `create<Type>` by the list route of a type, and `update<Type>` by the route of one record. */
export function saveMutations(ref: NodeRef): void {
  const { one, many } = ref.entity.byKey as ByKey & { many: BatchRead }
  const field = fieldOf(ref)
  saveMutation(ref, many.route, {
    verb: 'create',
    input: `Values of the new ${field}. The site sets omitted fields; without \`status\` the ${field} is a draft.`,
  })
  saveMutation(ref, one, { verb: 'update', input: `The ${field} and its new values. Omitted fields keep their values.` })
}

/** What each mutation that saves does, and has done. */
const SAVED = { create: ['Creates', 'created'], update: ['Changes', 'changed'] } as const

function saveMutation(ref: NodeRef, route: Route, { verb, input }: { readonly verb: keyof typeof SAVED; readonly input: string }): void {
  const field = fieldOf(ref)
  const hasId = verb === 'update'
  const [does, done] = SAVED[verb]
  const success = mutation(`${verb}${ref.entity.name}`, {
    description: `${does} a ${field}. One REST call; another one when the answer does not contain all selected columns of the ${field}.`,
    input: { description: input, fields: (t) => ({ ...(hasId ? idField(t, ref) : {}), ...columnFields(t, ref) }) },
    success: { description: `The ${field} was ${done}.` },
    by: { method: 'POST', route, entity: ref.entity },
    async write(values, writing) {
      const { id, body } = readInput((reader) => ({
        id: hasId ? readIdField(reader, ref, values) : undefined,
        body: bodyOf(writing.site, ref.entity.shape.columns, values, reader, readFieldId),
      }))
      const answer = await write(writing, ref, 'POST', route, id === undefined ? {} : { id }, { body })
      return { databaseId: storeAnswer(writing, ref, answer, id) }
    },
  })
  addRecord(success, ref, `The ${field} as it is now. Null when it can't be shown: an error says why.`)
}

/** Adds `delete<Type>`. */
export function deleteMutation(ref: NodeRef): void {
  const { entity } = ref
  const { one: route } = entity.byKey as ByKey
  const field = fieldOf(ref)
  const force = 'True deletes it permanently, without the trash.'
  const success = mutation(`delete${entity.name}`, {
    description: `Moves a ${field} to the trash, or deletes it permanently. One REST call.`,
    input: {
      description: `The ${field}, and how to delete it.`,
      fields: (t) => ({ ...idField(t, ref), force: t.boolean({ defaultValue: false, description: force }) }),
    },
    success: {
      description: `The ${field} was deleted.`,
      fields: leaves({
        deletedId: ['ID', false, `Global id of the ${field}.`],
        trashed: ['Boolean', false, 'True when it is in the trash now, false when it is deleted permanently.'],
      }),
    },
    by: { method: 'DELETE', route, entity },
    async write(values, writing) {
      const id = readInput((reader) => readIdField(reader, ref, values))
      const forced = values.force === true
      const answer = await write(writing, ref, 'DELETE', route, { id }, forced ? { query: { force: 'true' } } : {})
      const isDeleted = isObject(answer.body) && 'deleted' in answer.body ? answer.body.deleted === true : forced
      if (!isDeleted) storeAnswer(writing, ref, answer, id)
      return { deletedId: globalId(entity.name, id), trashed: !isDeleted, databaseId: isDeleted ? null : id }
    },
  })
  addRecord(success, ref, `The ${field} in the trash. Null when it is deleted permanently.`)
}

/** Adds the field of a success that returns the record. By default it is null only beside an error. */
function addRecord(success: SuccessRef, ref: NodeRef, description?: string): void {
  const shown = `The ${fieldOf(ref)} as it is now. Null when it can't be shown: an error says why.`
  const semanticNonNull = description === undefined
  builder.objectField(success, fieldOf(ref), (t) =>
    t.lmsRelation(ref, { key: 'databaseId', semanticNonNull, description: description ?? shown }),
  )
}

/** A mutation that adds items to a record, or removes them, with a result for each of them. */
interface ItemsOptions {
  readonly description: string
  readonly method: Write['method']
  readonly route: Route
  readonly record: NodeRef
  readonly items: NodeRef
  /** Names of the ids of the record and of the items in the input, and of the results in the success. */
  readonly fields: readonly [record: string, items: string, results: string]
  /** The type of the results. Their first column is the id of the item, and `item` is the description of the field with the item itself. */
  readonly result: NonNullable<Column['members']> & { readonly item: string }
  /** Names of the ids in the body, and of the id in each result of the answer. */
  readonly wire: readonly [ids: string, id: string]
  /** Most items of the mutation, and of one call. */
  readonly most: number
  readonly atOnce: number
  /** The status with which sites refuse all items of a record. It is a result too. */
  readonly refusal?: number
}

/** Adds a mutation of items. Its calls are made one after the other. */
export function itemsMutation(name: string, options: ItemsOptions): void {
  const { description, method, route, record, items, fields, result, wire, most, atOnce } = options
  const { entity } = record
  const [recordField, itemsField, resultsField] = fields
  const shape = new Shape(result.name, result.columns)
  const [item, idName] = [fieldOf(items), shape.names[0] as string]
  const count = ({ input }: Args): number => (isObject(input) && Array.isArray(input[itemsField]) ? input[itemsField].length : 0)
  const success = mutation(name, {
    description,
    input: {
      description: `The ${fieldOf(record)} and the ${item}s.`,
      fields: (t) => ({
        ...idField(t, record, recordField),
        [itemsField]: t.idList({ required: true, description: `Global ids or REST ids of the ${item}s: 1 to ${most} of them.` }),
      }),
    },
    success: {
      description: `The site processed each ${item} separately: see \`${resultsField}\`.`,
      fields: (t) => ({
        [resultsField]: t.expose(resultsField, {
          type: [resultType(options, item, idName)],
          nullable: false,
          extensions: { lms: { count } },
          description: `One result for each distinct ${item} of the input, in the order of the input.`,
        }),
      }),
    },
    by: { method, route, entity, calls: (args) => Math.ceil(count(args) / atOnce) },
    idField: recordField,
    async write(input, writing) {
      const { id, ids } = readInput((reader) => ({
        id: readIdField(reader, record, input, recordField),
        ids: readIdsField(reader, itemsField, items, input[itemsField], most),
      }))
      const rows = await sendItems(options, ids, (batch) =>
        write(writing, record, method, route, { id }, { body: { [wire[0]]: batch } }, { [wire[0]]: itemsField }),
      )
      // The record exists. None of its columns are known.
      writing.records.stateOf({ entity, key: id }).fill({}, projectionOf(writing, entity, NO_COLUMNS), NO_COLUMNS)
      const { decode } = writing.projections.of(shape, shape.set(shape.names), [])
      const results = ids.map((each, index) => {
        const found: Record<string, unknown> = {}
        decode(rows[index] ?? {}, found)
        return Object.assign(found, { [idName]: each })
      })
      return { databaseId: id, [resultsField]: results }
    },
  })
  addRecord(success, record)
}

const resultType = ({ items, result: { name, description, columns, item } }: ItemsOptions, field: string, idName: string) =>
  madeOnce(builder, name, () =>
    builder.objectRef<LmsRecord>(name).implement({
      description,
      fields: (t: any) => ({
        ...exposeColumns(t, columns, [idName]),
        [field]: t.lmsRelation(items, { key: idName, description: item }),
      }),
    }),
  )

/**
 * Sends some ids at a time, and returns a row for each id. After a call that failed, no further one is sent. Rejects when the first call failed,
 * unless it may have changed something and was not the only one, or the site refused all items.
 */
async function sendItems(
  { wire: [, id], atOnce, refusal }: ItemsOptions,
  ids: readonly number[],
  send: (ids: readonly number[]) => Promise<Written>,
): Promise<(Row | undefined)[]> {
  const rows: (Row | undefined)[] = []
  while (rows.length < ids.length) {
    const batch = ids.slice(rows.length, rows.length + atOnce)
    try {
      const { body } = await send(batch)
      const sent = new Map((Array.isArray(body) ? body.filter(isObject) : []).map((row) => [idOf({ id: row[id] }), row]))
      rows.push(...batch.map((each) => sent.get(each)))
    } catch (error) {
      if (!(error instanceof LmsError)) throw error
      const { message, code, upstream } = error
      const isOpen = wasPerhapsMade(error) && !(error instanceof SuspendedError)
      if (rows.length === 0 && !(isOpen && ids.length > atOnce) && (!upstream || upstream.status !== refusal)) throw error
      const failed = { status: isOpen ? 'in_doubt' : upstream ? 'failed' : 'not_sent', code: upstream?.code ?? code, message }
      const notSent = { status: 'not_sent', message: 'It was not sent, because an earlier call failed.' }
      rows.push(...batch.map(() => failed))
      rows.push(...ids.slice(rows.length).map(() => notSent))
    }
  }
  return rows
}
