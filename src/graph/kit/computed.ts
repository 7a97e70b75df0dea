import type { InputFieldMap, InputShapeFromFields, SchemaTypes, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import { computedField, type LmsField } from '../../execute/computed.js'
import type { Args, ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import { NULL_ONLY_ON_ERROR } from '../../model/marks.js'
import type { NeededRelation, Related } from '../../model/needs.js'
import { LmsError } from '../../upstream/errors.js'
import type { NeededEdge, NeededField } from './needed-edges.js'
import type { LmsNodeRef } from './refs.js'

/** The records of a needed relation. */
type RelatedOf<N extends NeededField | NeededEdge> = N extends NeededEdge
  ? Related[string]
  : N['ref'] extends LmsNodeRef<any, infer Value, any>
    ? N extends { readonly list: true; readonly columns: readonly string[] }
      ? readonly (Pick<Value, N['columns'][number] & keyof Value> | null)[]
      : N extends { readonly columns: readonly string[] }
        ? Pick<Value, N['columns'][number] & keyof Value> | null
        : never
    : never

export interface FieldDescription {
  readonly description: string
  /** True by default. */
  readonly nullable?: boolean
  /** Whether the field is null only beside an error. */
  readonly semanticNonNull?: boolean
}

export interface ComputedOptions<
  Types extends SchemaTypes,
  Parent,
  Type extends TypeParam<Types>,
  Column extends string,
  Relations extends Readonly<Record<string, NeededField | NeededEdge>>,
  Fields extends InputFieldMap,
> extends FieldDescription {
  readonly type: Type
  readonly args?: Fields
  /** Whether the value is another one for each caller, although it needs no viewer. */
  readonly perCaller?: true
  readonly needs: {
    readonly columns?: readonly Column[]
    /** Relations of the same type by name, or records that edges of the field lead to. They receive its arguments. */
    readonly relations?: Relations
    /** Paths below the field that show the record itself, joined by dots. The columns that are selected there are read too. */
    readonly shownAt?: readonly string[]
    /** Whether restricted callers alone get what is computed. All others get the column that has the name of the field. */
    readonly restricted?: true
  }
  readonly compute: (
    record: Pick<Parent, Column & keyof Parent>,
    related: { readonly [Name in keyof Relations]: RelatedOf<Relations[Name]> },
    args: InputShapeFromFields<Fields>,
    caller: ArgumentContext,
  ) => ShapeFromTypeParam<Types, Type, true>
}

type AnyOptions = ComputedOptions<SchemaTypes, LmsRecord, never, string, Readonly<Record<string, NeededField | NeededEdge>>, InputFieldMap>

type AnyCompute = (record: LmsRecord, related: Readonly<Record<string, unknown>>, args: Args, caller: ArgumentContext) => unknown

/** Returns the options of a Pothos field that is computed. */
export function computedFieldOptions(options: AnyOptions): object {
  const { type, description, nullable = true, semanticNonNull, args, perCaller, needs, compute } = options
  const { columns = [], relations = {}, shownAt, restricted } = needs
  const needed = Object.entries(relations)
  const byName = new Set(needed.flatMap(([name, need]) => ('edgeOf' in need ? [] : [name])))
  const given = (related: Related): Readonly<Record<string, unknown>> =>
    byName.size === 0
      ? related
      : Object.fromEntries(Object.entries(related).map(([name, found]) => [name, byName.has(name) ? recordsOf(found) : found]))
  const lmsField = (id: string): LmsField => {
    const relations = needed.map(([name, need]) => neededRelation(id, name, need))
    const { marks, resolve } = computedField(
      { columns, relations, ...(shownAt && { shownAt }), ...(restricted && { restricted }) },
      (record, related, args, caller) => (compute as AnyCompute)(record, given(related), args, caller),
      args === undefined && !perCaller,
    )
    return {
      marks: { ...marks, ...(perCaller && { perCaller }), ...(semanticNonNull && { semanticNonNull: NULL_ONLY_ON_ERROR }) },
      resolve,
    }
  }
  return { type, nullable, description, ...(args && { args }), lmsField }
}

/** Returns the record or the records of a relation. Throws the error of one that could not be read. */
function recordsOf(found: Related[string]): unknown {
  if (found instanceof LmsError) throw found
  if (found === undefined) return null
  const records = [found].flat().map(({ record }) => record)
  const error = records.find((record) => record instanceof LmsError)
  if (error) throw error
  return Array.isArray(found) ? records : records[0]
}

function neededRelation(above: string, name: string, need: NeededField | NeededEdge): NeededRelation {
  const { entity } = need.ref
  if (!('edgeOf' in need)) return { name, edge: name, entity, columns: need.columns, relations: [] }
  const { edgeOf, columns = [], relations = {}, shownAt, neededFor } = need
  const id = `${above} > ${name}`
  return {
    name,
    edge: edgeOf(id),
    entity,
    columns,
    relations: Object.entries(relations).map(([name, need]) => neededRelation(id, name, need)),
    ...(shownAt && { shownAt }),
    ...(neededFor && { neededFor }),
  }
}
