import { type Args, type ArgumentContext, type Edge, type KeyEdge, keyEdge, type ListEdge, type Target } from '../../model/edge.js'
import type { Entity, LmsRecord } from '../../model/entity.js'
import type { Query } from '../../upstream/client.js'
import type { Key, ListRoute, Params } from '../../upstream/routes.js'
import type { KeyOf, LmsNodeRef } from './refs.js'

type AnyNodeRef = LmsNodeRef<any, any, any>

/** Records that need not have a type in the graph. */
type Keyed = { readonly entity: Entity }

/** A relation that a computed field needs: a relation by key of the same type. */
export interface NeededField {
  readonly ref: AnyNodeRef
  /** Whether the relation leads to a list. */
  readonly list?: true
  /** Columns of its records that are needed. */
  readonly columns: readonly string[]
}

/** What a computed field needs of the records of an edge, and where it shows them. */
interface NeededOf {
  /** Columns of the records that are needed. */
  readonly columns?: readonly string[]
  /** What is needed of each of the records in turn. */
  readonly relations?: Readonly<Record<string, NeededField | NeededEdge>>
  /** Paths below the field that show the records. The columns that are selected there are read too. */
  readonly shownAt?: readonly string[]
  /** Paths below the field that need the records. They are read only when one of them is selected. By default all need them. */
  readonly neededFor?: readonly string[]
}

/**
 * Records that a computed field needs and that no relation of its type leads to: `toOne`, `toMany` and `toList` make it. The field receives
 * them as a `NeededRecord`, or several.
 */
export interface NeededEdge extends NeededOf {
  readonly ref: Keyed
  /** Returns the edge. Fields that need the same `NeededEdge` follow one edge, with the id of the first of them. */
  readonly edgeOf: (id: string) => Edge
}

interface ArgumentOptions<Parsed> {
  /** Columns of the parent that the function reads, in addition to its key. */
  readonly needs?: readonly string[]
  /** Checks the arguments of the field, once per operation: null if nothing is needed. Throws a `BadInputError`. By default they are not used. */
  readonly parse?: (args: Args, caller: ArgumentContext) => Parsed
  /** Whether equal arguments can have different results for different callers: never, always, or with some arguments. */
  readonly perCaller?: boolean | ((args: Args) => boolean)
}

export interface ToKeyOptions<Parsed> extends NeededOf, ArgumentOptions<Parsed | null> {
  /** Whether the keys of all parents have the same scope, if batches of the records have scopes, or its name, when edges share it. */
  readonly oneScope?: true | string
  /** Whether few parents lead to records, for estimates. */
  readonly isSeldom?: true
  /** Whether most of the records are those whose lists show the parents, for estimates. */
  readonly leadsBack?: true
}

export interface ToListOptions<Parsed> extends NeededOf, ArgumentOptions<Parsed | null> {
  /** Selects the rows that the field needs, and from which further edges are followed. All by default. */
  readonly pick?: (rows: readonly LmsRecord[], parsed: Parsed) => readonly LmsRecord[]
  /** Whether few parents have a list, for estimates. */
  readonly isSeldom?: (parsed: Parsed) => boolean
  /** How many rows `pick` selects at most. */
  readonly most?: (parsed: Parsed) => number
}

/** The needed record whose key is in a column of the parent. */
export function toOne(ref: AnyNodeRef, column: string, options?: NeededOf): NeededEdge
/** The needed record whose key a function returns; null for none. */
export function toOne<Ref extends Keyed, Parsed = unknown>(
  ref: Ref,
  keyOf: (parent: LmsRecord, parsed: Parsed) => KeyOf<Ref> | null,
  options?: ToKeyOptions<Parsed>,
): NeededEdge
export function toOne<Parsed>(ref: Keyed, by: string | KeysOf<Parsed>, options: ToKeyOptions<Parsed> = {}): NeededEdge {
  return toKeys(ref, by, options, false)
}

/** The needed records whose keys a column of the parent lists. */
export function toMany(ref: AnyNodeRef, column: string, options?: NeededOf): NeededEdge
/** The needed records whose keys a function returns. */
export function toMany<Ref extends Keyed, Parsed = unknown>(
  ref: Ref,
  keysOf: (parent: LmsRecord, parsed: Parsed) => readonly (KeyOf<Ref> | Placed)[],
  options?: ToKeyOptions<Parsed>,
): NeededEdge
export function toMany<Parsed>(ref: Keyed, by: string | KeysOf<Parsed>, options: ToKeyOptions<Parsed> = {}): NeededEdge {
  return toKeys(ref, by, options, true)
}

/** Most rows that a computed field reads of a list. */
export const MAX_ROWS = 1000

/**
 * The needed rows of a list: all, up to 1,000. `scope` returns the path parameters and filters that stand for the parent, or null when no list
 * is needed.
 */
export function toList<Parsed extends Query = Query>(
  ref: Keyed,
  list: ListRoute,
  scope: (parent: LmsRecord, parsed: Parsed) => { readonly params?: Params; readonly query?: Query } | null,
  options: ToListOptions<Parsed> = {},
): NeededEdge {
  const { needs = [], parse = () => ({}), perCaller = false, pick, most = () => MAX_ROWS, isSeldom = () => false, ...needed } = options
  const { entity } = ref
  const edge = (id: string): ListEdge => ({
    kind: 'list',
    id,
    needs,
    entity,
    route: list,
    shape: entity.shape,
    perCaller,
    parse(args, caller) {
      const scopeArguments = parse(args, caller)
      const window = { start: 0, end: null, first: MAX_ROWS, last: null }
      return { query: scopeArguments && {}, window, isWhole: true, ...(scopeArguments && { scopeArguments }) }
    },
    scope(parent, { scopeArguments }) {
      const found = scopeArguments === undefined ? null : scope(parent, scopeArguments as Parsed)
      return found && { params: {}, ...found }
    },
    isSeldom: ({ scopeArguments }) => isSeldom(scopeArguments as Parsed),
    ...(pick && {
      pick: {
        from: (rows, { scopeArguments }) => pick(rows, scopeArguments as Parsed),
        most: ({ scopeArguments }) => most(scopeArguments as Parsed),
      },
    }),
  })
  return { ref, edgeOf: once(edge), ...needed }
}

/** The key of a record, and to which records it belongs. */
type Placed = Pick<Target, 'key' | 'within'>
type KeysOf<Parsed> = (parent: LmsRecord, parsed: Parsed) => Key | null | readonly (Key | Placed)[]

function toKeys<Parsed>(ref: Keyed, by: string | KeysOf<Parsed>, options: ToKeyOptions<Parsed>, many: boolean): NeededEdge {
  const { needs = [], parse = () => ({}), perCaller = false, oneScope = false, isSeldom = false, leadsBack = false, ...needed } = options
  const { entity } = ref
  if (typeof by === 'string') return { ref, edgeOf: once((id) => columnEdge(id, entity, by, many)), ...needed }
  const target = (key: Key | Placed) => (typeof key === 'object' ? { entity, ...key } : { entity, key })
  const entities: KeyEdge['entities'] = (parsed) => (parsed === null ? [] : [entity])
  const targets: KeyEdge['targets'] = (parent, parsed) => {
    const found = parsed === null ? null : by(parent, parsed as Parsed)
    if (many) return ((found ?? []) as readonly (Key | Placed)[]).map(target)
    return found === null ? null : target(found as Key)
  }
  // A list that shows a parent leads it to one record.
  const edge = { needs, many: many && !leadsBack, isSeldom, leadsBack, perCaller, oneScope, parse, entities, targets }
  return { ref, edgeOf: once((id) => keyEdge(id, edge)), ...needed }
}

/** An edge by a column of the parent that holds the key of a record, or lists the keys of several. */
export const columnEdge = (id: string, entity: Entity, column: string, many: boolean): KeyEdge =>
  keyEdge(id, {
    needs: [column],
    entities: () => [entity],
    targets: many
      ? (parent) => ((parent[column] ?? []) as readonly Key[]).map((key) => ({ entity, key }))
      : (parent) => (parent[column] == null ? null : { entity, key: parent[column] as Key }),
    column,
    many,
  })

function once(make: (id: string) => Edge): (id: string) => Edge {
  let edge: Edge | undefined
  return (id) => (edge ??= make(id))
}
