import type { Query } from '../rest/client.js'
import type { Shape } from '../rest/records.js'
import type { Key, ListRoute, Params } from '../rest/routes.js'
import { builder } from './builder.js'
import type { Args, Edge, Entity, FieldMark, KeyEdge, ListArgs, ListEdge, Rec, Side, Target } from './edges.js'
import { listArguments, readListArguments } from './inputs.js'
import { resolveEdge } from './resolve.js'
import { WHOLE } from './store.js'
import type { Handle } from './types.js'

/** What a relation starts from: a type, or the root of all queries. */
export type From = { readonly ref: unknown; readonly name: string } | 'Query'

export const from = ({ ref, entity }: Handle): From => ({ ref, name: entity.name })

interface FieldOptions {
  readonly description: string
  readonly args?: unknown
  /** List levels at which the field is null only beside an error. */
  readonly semanticNonNull?: readonly number[]
}

function addField(start: From, field: string, type: unknown, nullable: unknown, edge: Edge, given: FieldOptions): void {
  const { description, args, semanticNonNull } = given
  const mark: FieldMark = { edge, ...(semanticNonNull && { semanticNonNull }) }
  const options = { type, nullable, description, args, extensions: { lms: mark }, resolve: resolveEdge(edge) } as never
  if (start === 'Query') builder.queryField(field, (t) => t.field(options))
  else builder.objectField(start.ref as never, field, (t) => t.field(options) as never)
}

const edgeId = (start: From, field: string): string => `${start === 'Query' ? start : start.name}.${field}`

/** A relation to records by their keys, with its own reading of arguments and parent. */
export function keyRelation<Prepared>(
  start: From,
  field: string,
  options: FieldOptions & { type: unknown; nullable?: unknown; needs?: readonly string[] } & Pick<
      KeyEdge<Prepared>,
      'prepare' | 'entities' | 'targets' | 'bySlug' | 'many' | 'oneScope' | 'perCaller'
    >,
): void {
  const {
    type,
    nullable = true,
    needs = [],
    prepare,
    entities,
    targets,
    bySlug,
    many = false,
    oneScope = false,
    perCaller = false,
  } = options
  const edge: KeyEdge<Prepared> = {
    kind: 'key',
    id: edgeId(start, field),
    needs,
    prepare,
    entities,
    targets,
    ...(bySlug && { bySlug }),
    many,
    oneScope,
    perCaller,
  }
  addField(start, field, type, nullable, edge as Edge, options)
}

const nothing = (): Record<never, never> => ({})

/** A relation to the one record whose key a column of the parent holds. */
export function toOne(
  start: From,
  field: string,
  to: Handle,
  column: string,
  description: string,
  semanticNonNull?: readonly number[],
): void {
  const { entity, ref } = to
  const targets = (parent: Rec): Target | null => (parent[column] === null ? null : { entity, key: parent[column] as Key })
  keyRelation(start, field, {
    type: ref,
    ...(semanticNonNull && { semanticNonNull }),
    description,
    needs: [column],
    prepare: nothing,
    entities: () => [entity],
    targets,
  })
}

/** A relation to the records whose keys a column of the parent lists. */
export function toMany(start: From, field: string, to: Handle, column: string, description: string): void {
  const { entity, ref } = to
  const targets = (parent: Rec): Target[] => ((parent[column] ?? []) as Key[]).map((key) => ({ entity, key }))
  keyRelation(start, field, {
    type: [ref],
    nullable: { list: false, items: true },
    description,
    needs: [column],
    prepare: nothing,
    entities: () => [entity],
    targets,
    many: true,
  })
}

export interface ListOptions extends FieldOptions {
  /** Prefix of the names of its input types; the entity's name unless said otherwise. */
  readonly inputs?: string
  readonly connection: unknown
  readonly to: Handle
  readonly route: ListRoute
  /** Columns of the entity as this list sends them; those of the entity itself unless said otherwise. */
  readonly shape?: Shape
  readonly side?: Side
  readonly needs?: readonly string[]
  /** Filters the relation sets itself, by their names in `where`. */
  readonly fixed?: readonly string[]
  /** Reads arguments of its own, besides those of every list. */
  readonly read?: (args: Args) => Query
  /** What stands for the parent in path and query. */
  readonly scope?: (parent: Rec, args: ListArgs) => { params: Params; query?: Query }
}

/** A relation to a list. */
export function toList(start: From, field: string, options: ListOptions): void {
  const {
    to,
    route,
    connection,
    inputs = to.entity.name,
    shape = to.entity.shape,
    side,
    needs = [],
    fixed = [],
    read,
    scope = () => ({ params: {} }),
    description,
  } = options
  const edge: ListEdge = {
    kind: 'list',
    id: edgeId(start, field),
    needs,
    entity: to.entity,
    route,
    shape,
    ...(side ? { side } : {}),
    prepare: (args, { limits }) => {
      const prepared = readListArguments(route, args, limits, fixed)
      return read ? { ...prepared, own: read(args) } : prepared
    },
    scope,
  }
  const args = { ...(listArguments(inputs, route) as object), ...(options.args as object | undefined) }
  addField(start, field, connection, true, edge, { description, args, semanticNonNull: [0] })
}

/** A root field that shows a whole table. */
export function toTable(field: string, { ref, entity }: Handle, description: string): void {
  const targets = (): Target => ({ entity, key: WHOLE })
  keyRelation('Query', field, {
    type: [ref],
    nullable: true,
    semanticNonNull: [0],
    description,
    prepare: nothing,
    entities: () => [entity],
    targets,
  })
}

/** What the arguments of a root field name: a record by its key, or by its slug. */
export type Named = Pick<Target, 'key' | 'query' | 'bySlug'>

/** A root field that finds one record. */
export function rootByKey(field: string, to: Handle, options: FieldOptions & { read: (args: Args) => Named }): void {
  const { entity, ref } = to
  const entities = (): readonly Entity[] => [entity]
  const targets = (_: Rec, named: Named): Target => ({ entity, ...named })
  const bySlug = (named: Named): boolean => named.bySlug === true
  keyRelation('Query', field, { ...options, type: ref, prepare: options.read, entities, targets, bySlug })
}
