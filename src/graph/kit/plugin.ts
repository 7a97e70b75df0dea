import SchemaBuilder, {
  BasePlugin,
  type FieldKind,
  type InputFieldMap,
  type InputShapeFromFields,
  type PothosOutputFieldConfig,
  RootFieldBuilder,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql'
import type { LmsField } from '../../execute/computed.js'
import { resolveEdge } from '../../execute/resolve.js'
import { type Args, type ArgumentContext, type Edge, type KeyEdge, keyEdge, type Target } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import { NULL_ONLY_ON_ERROR } from '../../model/marks.js'
import { WHOLE } from '../../model/records.js'
import type { Query } from '../../upstream/client.js'
import type { Columns } from '../../upstream/codec/columns.js'
import { Shape } from '../../upstream/codec/records.js'
import type { ListRoute, Params } from '../../upstream/routes.js'
import { type ComputedOptions, computedFieldOptions, type FieldDescription } from './computed.js'
import { connectionType } from './connections.js'
import { listArguments, readListArguments } from './inputs.js'
import { columnEdge, type NeededEdge, type NeededField } from './needed-edges.js'
import { type KeyOf, type KeyType, type LmsNodeOptions, LmsNodeRef, type LmsRowOptions, LmsRowRef, type RecordOf } from './refs.js'

const pluginName = 'lms'
export default pluginName

type AnyNodeRef = LmsNodeRef<any, any, any>

/** Names of the columns of a record that hold keys, or lists of keys. */
type ColumnsWith<Parent, Value> = {
  [Name in keyof Parent & string]: [NonNullable<Parent[Name]>] extends [Value] ? Name : never
}[keyof Parent & string]

/** A relation by a column of the parent that holds the key of the target. */
export interface KeyColumn<Parent, Ref> {
  readonly key: ColumnsWith<Parent, KeyOf<Ref>>
}

/** A relation by a key that is computed from the parent and the arguments. */
export interface ComputedKey<Parent, Ref, Fields extends InputFieldMap, Read> {
  readonly args?: Fields
  /** Columns of the parent that `key` uses, in addition to the key of the parent. */
  readonly needs?: readonly (keyof Parent & string)[]
  /** Validates the arguments, once per use of the field. Throws a `BadInputError`. By default `key` receives the arguments. */
  readonly parse?: (args: InputShapeFromFields<Fields>, caller: ArgumentContext) => Read
  /** Returns the key of the target, null for no target, or a `Named` target. */
  readonly key: (parent: Parent, parsed: Read) => KeyOf<Ref> | null | Named<KeyOf<Ref>>
  /** Whether the keys of all parents have the same scope, if batches of the targets have scopes. */
  readonly oneScope?: boolean
  /** Names of the columns of the target that are known together with its key. */
  readonly knownColumns?: (caller: ArgumentContext) => readonly string[]
  /** Whether the key depends on `caller.viewer`: never, always, or with some arguments. `checked`: as for edges. */
  readonly perCaller?: boolean | 'checked' | ((args: InputShapeFromFields<Fields>) => boolean)
}

/** A record by its key or, at a root, by its slug. With `query` it is read alone, with these parameters. */
export type Named<K> = ({ readonly key: K } | { readonly slug: string }) & { readonly query?: Query | undefined }

export interface RelationsOptions<Parent, Ref> {
  readonly description: string
  /** Column of the parent that lists the keys of the records. */
  readonly keys: ColumnsWith<Parent, readonly KeyOf<Ref>[]>
}

export interface ConnectionOptions<Parent, Fields extends InputFieldMap, Read> {
  readonly description: string
  readonly list: ListRoute
  /** Path parameters of the list. */
  readonly params?: (parent: Parent, parsed: Read) => Params
  /** Query parameters that limit the list to the parent. */
  readonly query?: (parent: Parent, parsed: Read) => Query
  /** Columns of the parent that `params` and `query` use, in addition to its key. */
  readonly needs?: readonly (keyof Parent & string)[]
  /** Filters of the list that the relation sets, and that `where` must not contain. */
  readonly fixed?: readonly string[]
  /** Further arguments of the field, and the function that validates them. */
  readonly args?: Fields
  readonly parse?: (args: InputShapeFromFields<Fields>) => Read & Query
  /** Prefix of the names of the connection type and its input types, if it differs from the record type. */
  readonly name?: string
  /** Data of the list about each record, shown on the connection edge. */
  readonly edge?: { readonly ref: LmsRowRef<any, any>; readonly description: string }
  /** The same as fields of the connection edge itself. */
  readonly edgeShape?: Shape
  /** Columns of the record type as this list sends them, if they differ. */
  readonly columns?: Columns
}

export interface EdgeOptions {
  readonly type: unknown
  readonly nullable: boolean | { readonly list: boolean; readonly items: boolean }
  readonly description: string
  readonly args?: InputFieldMap | undefined
  /** List levels at which the field is null only beside an error. */
  readonly semanticNonNull?: readonly number[]
  /** Returns the edge for the id `Type.field`. */
  readonly lmsEdge: (id: string) => Edge
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      lms: LmsPlugin<Types>
    }

    export interface SchemaBuilder<Types extends SchemaTypes> {
      /** A type whose records have a key: a loadable node with a field for each column. */
      lmsNodeRef: <const C extends Columns, Name extends string = 'databaseId'>(
        name: string,
        options: LmsNodeOptions<C, Name>,
      ) => LmsNodeRef<Types, Omit<RecordOf<C>, Name> & Readonly<Record<Name, KeyType<C, Name>>>, KeyType<C, Name>>
      /** A type for the data of a list about each of its records. */
      lmsRowRef: <const C extends Columns>(
        name: string,
        options: LmsRowOptions<C>,
      ) => LmsRowRef<Types, RecordOf<C> & { readonly databaseId: number }>
    }

    export interface RootFieldBuilder<Types extends SchemaTypes, ParentShape, Kind extends FieldKind = FieldKind> {
      /** A relation to one record. */
      lmsRelation: <Ref extends AnyNodeRef, Fields extends InputFieldMap = {}, Read = InputShapeFromFields<Fields>>(
        ref: Ref,
        options: FieldDescription & (KeyColumn<ParentShape, Ref> | ComputedKey<ParentShape, Ref, Fields, Read>),
      ) => FieldRef<Types, unknown, Kind>
      /** A relation to several records by a column with their keys. */
      lmsRelations: <Ref extends AnyNodeRef>(ref: Ref, options: RelationsOptions<ParentShape, Ref>) => FieldRef<Types, unknown, Kind>
      /** A relation to a list, as a Relay connection. */
      lmsConnection: <Ref extends AnyNodeRef, Fields extends InputFieldMap = {}, Read = InputShapeFromFields<Fields>>(
        ref: Ref,
        options: ConnectionOptions<ParentShape, Fields, Read>,
      ) => FieldRef<Types, unknown, Kind>
      /** A field that is computed from columns and relations of the record, which the plan fetches. */
      lmsComputed: <
        Type extends TypeParam<Types>,
        Column extends keyof ParentShape & string = never,
        const Relations extends Readonly<Record<string, NeededField | NeededEdge>> = {},
        Fields extends InputFieldMap = {},
      >(
        options: ComputedOptions<Types, ParentShape, Type, Column, Relations, Fields>,
      ) => FieldRef<Types, unknown, Kind>
      /** A field with a custom edge, for relations that can lead to several types. */
      lmsEdge: (options: EdgeOptions) => FieldRef<Types, unknown, Kind>
      /** All records of a small list without pages. */
      lmsTable: <Ref extends AnyNodeRef>(ref: Ref, options: { readonly description: string }) => FieldRef<Types, unknown, Kind>
    }
  }
}

type Resolver = GraphQLFieldResolver<unknown, any, any>

/** Attaches edges to fields, where the planner finds them, and resolves relations from fetched records. */
export class LmsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { lmsField } = config.pothosOptions as { lmsField?: (id: string) => LmsField }
    if (lmsField) {
      const { marks, resolve } = lmsField(`${config.parentType}.${config.name}`)
      return { ...config, extensions: { ...config.extensions, lms: marks }, resolve: resolve as never }
    }
    // The relay plugin would resolve each id with a promise.
    const resolve = (config.extensions as { lms?: { resolve?: (record: LmsRecord) => unknown } } | undefined)?.lms?.resolve
    return resolve ? { ...config, resolve: resolve as never } : config
  }

  /** A property holds a value or a record, not a key, so it needs no resolver and no DataLoader. */
  override wrapResolve(resolve: Resolver, { pothosOptions }: PothosOutputFieldConfig<Types>): Resolver {
    return (pothosOptions as { lmsProperty?: true }).lmsProperty ? defaultFieldResolver : resolve
  }
}

SchemaBuilder.registerPlugin(pluginName, LmsPlugin)

const builderMethods = SchemaBuilder.prototype as PothosSchemaTypes.SchemaBuilder<SchemaTypes>
const fieldMethods = RootFieldBuilder.prototype as unknown as PothosSchemaTypes.RootFieldBuilder<SchemaTypes, LmsRecord>

builderMethods.lmsNodeRef = function lmsNodeRef(name, options) {
  return new LmsNodeRef(this, name, options) as never
}

builderMethods.lmsRowRef = function lmsRowRef(name, options) {
  return new LmsRowRef(this, name, options) as never
}

fieldMethods.lmsEdge = function lmsEdge({ semanticNonNull, lmsEdge: edgeOf, ...options }) {
  const lmsField = (id: string): LmsField => {
    const edge = edgeOf(id)
    return { marks: { edge, ...(semanticNonNull && { semanticNonNull }) }, resolve: resolveEdge(edge) }
  }
  return (this as unknown as { field: (options: object) => never }).field({ ...options, lmsField })
}

fieldMethods.lmsRelation = function lmsRelation(ref, options) {
  const { description, nullable = true, semanticNonNull = false } = options
  const { entity } = ref
  const field = { type: ref, nullable, description, ...(semanticNonNull && { semanticNonNull: NULL_ONLY_ON_ERROR }) }
  if (typeof options.key === 'string') {
    const column = options.key
    return this.lmsEdge({ ...field, lmsEdge: (id) => columnEdge(id, entity, column, false) })
  }
  const computed = options as unknown as ComputedKey<LmsRecord, AnyNodeRef, InputFieldMap, unknown>
  const { args, needs = [], parse = (args: unknown) => args, key, oneScope = false, perCaller = false, knownColumns } = computed
  const isSlug = (found: unknown): found is { slug: string } => typeof found === 'object' && found !== null && 'slug' in found
  const targets = (parent: LmsRecord, prepared: unknown): Target | null => {
    const found = key(parent, prepared)
    if (found === null || found === undefined) return null
    if (typeof found !== 'object') return { entity, key: found }
    const { query } = found
    return { entity, ...(isSlug(found) ? { key: found.slug, bySlug: true } : { key: found.key }), ...(query && { query }) }
  }
  const edge = { needs, parse, entities: () => [entity], targets, bySlug: isSlug, oneScope, perCaller, knownColumns } as Omit<
    KeyEdge,
    'kind' | 'id'
  >
  return this.lmsEdge({ ...field, args, lmsEdge: (id) => keyEdge(id, edge) })
}

fieldMethods.lmsRelations = function lmsRelations(ref, { keys, description }) {
  const { entity } = ref
  return this.lmsEdge({
    type: [ref],
    nullable: { list: false, items: true },
    description,
    lmsEdge: (id) => columnEdge(id, entity, keys, true),
  })
}

fieldMethods.lmsConnection = function lmsConnection(ref, options) {
  const { description, list, edge: row, edgeShape, name = ref.entity.name, columns, fixed = [], needs = [], args, params, query } = options
  const { entity } = ref
  const { builder } = this as unknown as { builder: PothosSchemaTypes.SchemaBuilder<any> }
  const parse = options.parse as ((args: Args) => Query) | undefined
  const rowData = edgeShape ? { shape: edgeShape } : row?.ref.rowData
  const shape = columns ? new Shape(name, columns, entity.shape.names) : entity.shape
  return this.lmsEdge({
    type: connectionType(builder, name, ref, row, edgeShape),
    nullable: true,
    semanticNonNull: NULL_ONLY_ON_ERROR,
    description,
    args: { ...listArguments(builder, name, list), ...args },
    lmsEdge: (id) => ({
      kind: 'list',
      id,
      needs,
      entity,
      route: list,
      shape,
      ...(rowData && { rowData }),
      parse: (args, { limits }) => {
        const parsed = readListArguments(list, args, limits, fixed)
        return parse ? { ...parsed, scopeArguments: parse(args) } : parsed
      },
      scope: (parent, { scopeArguments }) => ({
        params: params?.(parent, scopeArguments as never) ?? {},
        ...(query && { query: query(parent, scopeArguments as never) }),
      }),
    }),
  })
}

fieldMethods.lmsComputed = function lmsComputed(options) {
  return (this as unknown as { field: (options: object) => never }).field(computedFieldOptions(options as never))
}

fieldMethods.lmsTable = function lmsTable(ref, { description }) {
  const { entity } = ref
  return this.lmsEdge({
    type: [ref],
    nullable: true,
    semanticNonNull: NULL_ONLY_ON_ERROR,
    description,
    lmsEdge: (id) => keyEdge(id, { entities: () => [entity], targets: () => ({ entity, key: WHOLE }) }),
  })
}
