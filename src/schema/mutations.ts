import type { InputFieldMap, ObjectRef } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphContext } from '../engine/context.js'
import type { Args, LmsRecord, Write } from '../engine/edges.js'
import { reportFallback } from '../engine/fallback.js'
import { Fetcher } from '../engine/fetch/fetcher.js'
import type { Operation } from '../engine/fetch/operation.js'
import { builder } from './builder.js'
import { MUTATION_ERRORS } from './errors.js'

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
  const { ahead, operation } = context
  if (!ahead) return
  const selections = fieldNodes.flatMap((node) => ahead.plan.payloads.get(node) ?? [])
  ahead.fill = new Fetcher(operation, ahead.variables)
  await ahead.fill.run(selections, [record]).catch((cause) => reportFallback(context, 'fetch', ahead.plan.operation.name?.value, cause))
}
