import type { ObjectRef } from '@pothos/core'
import type { Columns } from '../rest/columns.js'
import { Shape } from '../rest/records.js'
import type { ByKey } from '../rest/routes.js'
import { builder, type FieldBuilder, leaf } from './builder.js'
import type { Entity, Rec, Side } from './edges.js'
import { register } from './entities.js'
import { exposeColumns } from './expose.js'
import { globalId } from './ids.js'

/** A type of the graph, for others to lead to: all they may know of it. */
export interface Handle {
  readonly ref: ObjectRef<any, any, any>
  readonly entity: Entity
}

export interface TypeOptions {
  readonly name: string
  readonly description: string
  readonly columns: Columns
  /** How records are asked for; without it there is no route, and a record is its id. */
  readonly byKey?: ByKey
  /** Property that holds the key, and how clients see it; `databaseId` unless said otherwise. */
  readonly key?: { readonly field: string; readonly description?: string }
  readonly interfaces?: readonly unknown[]
  /** Where its records are found in a graph of several services; without it they belong to what leads to them. */
  readonly joined?: 'here' | 'elsewhere'
}

/** Declares a type whose records have an identity: its columns, its global id, and how it is found again by `node`. */
export function entityType(options: TypeOptions): Handle {
  const { name, description, columns, byKey, joined, key = { field: 'databaseId' }, interfaces = [builder.nodeInterfaceRef()] } = options
  const entity: Entity = { name, shape: new Shape(name, columns), key: key.field, ...(byKey && { byKey }), ...(joined && { joined }) }
  register(entity)
  const read = (record: Rec): string => globalId(name, record[key.field] as string)
  const ref = builder.objectRef<Rec>(name)
  ref.implement({
    description,
    interfaces: interfaces as never,
    extensions: { lms: { entity, shape: entity.shape } },
    fields: (t) =>
      ({
        id: t.id({
          nullable: false,
          description: 'Global id: opaque, unique among all types, and good for `node`.',
          extensions: { lms: { read } },
          resolve: read,
        }),
        ...(key.description && !(key.field in columns) ? { [key.field]: leaf(t, key.field, 'Int', false, key.description) } : {}),
        ...exposeColumns(t as FieldBuilder, columns, [key.field]),
      }) as never,
  })
  return { ref, entity }
}

/** Declares a type whose records belong to the rows of a list. */
export function sideType(options: { name: string; description: string; columns: Columns; field: string }): {
  ref: ObjectRef<any, any, any>
  side: Side
} {
  const { name, description, columns, field } = options
  const shape = new Shape(name, columns)
  const ref = builder.objectRef<Rec>(name)
  ref.implement({
    description,
    extensions: { lms: { shape } },
    fields: (t) => exposeColumns(t as FieldBuilder, columns, ['databaseId']) as never,
  })
  return { ref, side: { field, shape } }
}
