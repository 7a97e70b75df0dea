import { type InterfaceParam, ObjectFieldBuilder, ObjectRef, type SchemaTypes } from '@pothos/core'
import { ImplementableLoadableNodeRef } from '@pothos/plugin-dataloader'
import type { GraphContext } from '../../execute/context.js'
import type { RowData } from '../../model/edge.js'
import type { Entity, LmsRecord } from '../../model/entity.js'
import type { Column, Columns } from '../../upstream/codec/columns.js'
import { Shape } from '../../upstream/codec/records.js'
import type { ByKey, Key } from '../../upstream/routes.js'
import { exposeColumns, leaves } from './expose.js'
import { globalId } from './ids.js'

/** A record as resolvers receive it: a property for each column. Each can be null, since sites omit fields. */
export type RecordOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer Value> ? Value | null : unknown
}

export interface LmsNodeOptions<C extends Columns, Name extends string> {
  /** The columns of the records. Each becomes a field with the same name. */
  readonly columns: C
  /** How records are read by key. Without it, a record consists of its key. */
  readonly load?: ByKey
  /** Property that holds the key. `databaseId` by default. */
  readonly key?: Name
  /** Description of the field for the key. Needed when the key is not a column and is to be a field. */
  readonly keyDescription?: string
  /** Fields that hold the parts of a key with several parts. */
  readonly keyParts?: readonly string[]
  /** Whether a text is a key, for keys that are neither numbers, slugs nor pairs of numbers. */
  readonly isKey?: (text: string) => boolean
  /** Whether a record is known by its key alone: it is read only for its columns, which are null when the site does not show it. */
  readonly byKeyAlone?: true
  /** Whether the records are usually changed by administrators only, not by all editors. */
  readonly byAdministrators?: true
  /** In a federated graph: `here` when other subgraphs can refer to the records, `elsewhere` when another subgraph owns them. */
  readonly federated?: 'here' | 'elsewhere'
}

/**
 * A type whose records have a key. It is a loadable node: columns that the plan has not fetched are read through its DataLoader, which
 * reads all columns of the records, in batches.
 */
export class LmsNodeRef<Types extends SchemaTypes, Value extends object, K extends Key> extends ImplementableLoadableNodeRef<
  Types,
  K | Value,
  Value,
  string,
  K,
  K
> {
  readonly entity: Entity

  constructor(builder: PothosSchemaTypes.SchemaBuilder<Types>, name: string, options: LmsNodeOptions<Columns, string>) {
    const { columns, load: byKey, key = 'databaseId', keyDescription, ...others } = options
    const entity: Entity = { name, shape: new Shape(name, columns), key, byKey, ...others }
    const resolve = (record: unknown): string => globalId(name, (record as LmsRecord)[key] as string)
    super(builder, name, {
      id: { resolve, extensions: { lms: { resolve } } } as never,
      load: (keys: K[], context: Types['Context']) => this.getDataloader(context).loadMany(keys),
    })
    // Operations hold their DataLoaders. Those of the plugin are values of a `WeakMap`, which survive scavenges with all that they refer to.
    // `delete` is required by the type, and has nothing to do: these DataLoaders keep no records.
    const getDataloader = (context: object) => (context as GraphContext).operation.loaders.byIdOf(entity) as never
    this.getDataloader = Object.assign(getDataloader, { delete: (_: object) => {} })
    this.entity = entity
    this.updateConfig((config) => ({ ...config, extensions: { ...config.extensions, lms: { entity, shape: entity.shape } } }))
    this.addFields(() => {
      const t = new ObjectFieldBuilder<Types, LmsRecord>(builder)
      const keyField = keyDescription === undefined ? {} : leaves({ [key]: ['Int', false, keyDescription] })(t)
      return { ...keyField, ...exposeColumns(t, columns, [key, 'databaseId']) }
    })
  }
}

/** A type for the data of a list about each of its records. */
export class LmsRowRef<Types extends SchemaTypes, Value extends object> extends ObjectRef<Types, Value> {
  readonly rowData: RowData & { readonly field: string }

  constructor(
    private readonly builder: PothosSchemaTypes.SchemaBuilder<Types>,
    name: string,
    { columns, field }: LmsRowOptions<Columns>,
  ) {
    super(name)
    const shape = new Shape(name, columns)
    this.rowData = { field, shape }
    this.updateConfig((config) => ({ ...config, extensions: { ...config.extensions, lms: { shape } } }))
    this.addFields(() => exposeColumns(new ObjectFieldBuilder<Types, LmsRecord>(builder), columns, ['databaseId']))
  }

  implement<const Interfaces extends InterfaceParam<Types>[]>(
    options: Parameters<PothosSchemaTypes.SchemaBuilder<Types>['objectType']>[1] & { interfaces?: Interfaces },
  ): this {
    this.builder.objectType(this as never, options as never)
    return this
  }
}

export interface LmsRowOptions<C extends Columns> {
  readonly columns: C
  /** Field of the connection edges that returns the row. */
  readonly field: string
}

/** The type of a key: that of its column. A key that is not a column is a REST id, or a text of several ids. */
export type KeyType<C extends Columns, Name extends string> = Name extends keyof C
  ? C[Name] extends Column<infer Value>
    ? Value & Key
    : Key
  : Name extends 'databaseId'
    ? number
    : string

/** The key of the records of a ref. */
export type KeyOf<Ref> = Ref extends LmsNodeRef<any, any, infer K> ? K : Key
