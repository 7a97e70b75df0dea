import type { Query } from '../upstream/client.js'
import type { ColumnSet, Shape } from '../upstream/codec/records.js'
import type { LmsError } from '../upstream/errors.js'
import type { Role } from '../upstream/roles.js'
import type { Key, ListRoute, Params } from '../upstream/routes.js'
import type { Site } from '../upstream/site/site.js'
import type { Entities, Entity, LmsRecord } from './entity.js'

/** A second record type of the rows of a list. It belongs to the list, not to an entity. */
export interface RowData {
  /** Field of the connection's edge type that holds it. Without it, its columns are fields of the edge type. */
  readonly field?: string
  readonly shape: Shape
}

/** A record that an edge leads to. `query` are parameters of its single read, such as a password; such a read is not shared. */
export interface Target {
  readonly entity: Entity
  readonly key: Key
  readonly query?: Query
  /** Whether the key is a slug. The record is then looked up by it. */
  readonly bySlug?: true
  /** Records to which the record belongs, as query parameters. */
  readonly within?: Query
  /** An error that takes the place of the record, which is then not read. */
  readonly refused?: LmsError
}

/** The coerced arguments of a field. */
export type Args = Readonly<Record<string, unknown>>

/** Limits of a single field. */
export interface Limits {
  /** Largest `first` and `last`. */
  readonly rows: number
  /** The most records to which a relation without pages is assumed to lead: its number is not known before. */
  readonly unpaged: number
  /** Whether a field shows content that it is not known whether access allows. */
  readonly showsUndecided?: boolean
}

/** The caller, the site, and the limits against which arguments are checked. */
export interface ArgumentContext {
  readonly limits: Limits
  /** The entities of the graph of this gateway. Other gateways in the process may have other resources. */
  readonly entities: Entities
  readonly site: Site
  /** Whether the caller sent no credentials, and the gateway has none of its own. */
  readonly isAnonymous: boolean
  /** Whether the caller can write nothing: without credentials, or because the gateway refuses it. */
  readonly isReader: boolean
  /** Whether the site last let the caller read what only editors of records of a type may read; null when it has not been asked. */
  mayEdit(entity: Entity): boolean | null
  /** What the caller is for a gateway with a service account. Undefined for callers with credentials of their own. */
  readonly role: Role | undefined
  /** Whether the site is read with credentials of the caller, not with those of the gateway. */
  readonly readsAsViewer: boolean
  /** The caller's user id in the LMS; `null` when it is not known. Throws the `LmsError` that kept the gateway from learning it. */
  readonly viewer: number | null
}

interface EdgeBase {
  /** `Type.field`, unique. */
  readonly id: string
  /** Columns of the parent that are needed to follow the edge. */
  readonly needs: readonly string[]
  /** Whether equal arguments can have different results for different callers. `checked`: always, and credentials are checked in any case. */
  readonly perCaller?: boolean | 'checked' | ((args: Args) => boolean)
}

/** An edge to records by key. They are read in a batch with all others of the same wave. */
export interface KeyEdge<Prepared = unknown> extends EdgeBase {
  readonly kind: 'key'
  /** Checks the arguments once per operation; throws a `BadInputError`. */
  readonly parse: (args: Args, asking: ArgumentContext) => Prepared
  /** The entities that the edge can lead to with these arguments. */
  readonly entities: (prepared: Prepared) => readonly Entity[]
  /** Returns the records that a parent names. Throws an `LmsError` when they cannot be determined. Only `targets.ts` calls it. */
  readonly targets: (parent: LmsRecord, prepared: Prepared) => Target | null | readonly (Target | null)[]
  /**
   * The column of the parent that has the key of the record, or a list of keys, for edges to one entity whose `targets` read nothing else. `keysIn` of
   * `targets.ts` reads it instead of them.
   */
  readonly column?: string
  /** Whether these arguments identify records by slug, which is looked up first. */
  readonly bySlug?: (prepared: Prepared) => boolean
  /** Whether a parent leads to several records, whose number is not known before. */
  readonly many?: boolean
  /** Whether few parents lead to records, for estimates. */
  readonly isSeldom?: boolean
  /** Whether most of the records are those whose lists show the parents, for estimates. */
  readonly leadsBack?: boolean
  /** Whether all parents share one scope, for batches with scopes, or its name, when edges share it too. Otherwise each parent has its own. */
  readonly oneScope?: boolean | string
  /** Names of the columns of the record that are known together with its key. */
  readonly knownColumns?: (asking: ArgumentContext) => readonly string[]
}

/** Returns an edge to records by key. By default it has no arguments, and needs no columns of its parent. */
export const keyEdge = <Prepared = unknown>(
  id: string,
  edge: Pick<KeyEdge<Prepared>, 'entities' | 'targets'> & Partial<KeyEdge<Prepared>>,
): KeyEdge => ({ kind: 'key', id, needs: [], parse: () => ({}), ...edge }) as KeyEdge

/** A part of a list by position: from `start` up to `end`, and of that the first or last rows. Positions start at 0. */
export interface WindowArgs {
  readonly start: number
  readonly end: number | null
  readonly first: number | null
  readonly last: number | null
}

/** Returns the largest number of rows of a window. */
export function widthOf({ start, end, first, last }: WindowArgs): number {
  const bounded = end === null ? Number.POSITIVE_INFINITY : Math.max(0, end - start)
  return Math.min(bounded, first ?? bounded, last ?? bounded)
}

/** What is needed of a window: its rows, the length of the list, and whether there are rows after it. */
export interface WindowWants {
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}

/** The checked arguments of a list edge. */
export interface ListArgs {
  /** Filters and order. `null` when no row can match: the list is empty without a call. */
  readonly query: Query | null
  readonly window: WindowArgs
  /** Whether the whole list is wanted, and `window` is only its bound. */
  readonly isWhole?: true
  /** Query parameters from arguments that only this field has. */
  readonly scopeArguments?: Query
}

/** An edge to a list: one window per parent. */
export interface ListEdge extends EdgeBase {
  readonly kind: 'list'
  readonly entity: Entity
  readonly route: ListRoute
  /** The columns of `entity` that this list sends. */
  readonly shape: Shape
  readonly rowData?: RowData
  readonly parse: (args: Args, asking: ArgumentContext) => ListArgs
  /**
   * Returns the path parameters and filters that stand for the parent, or null when no list is needed. Equal ones share a list. Throws an
   * `LmsError` when the parent has no list.
   */
  readonly scope: (parent: LmsRecord, args: ListArgs) => { readonly params: Params; readonly query?: Query } | null
  /** Whether few parents have a list with these arguments, for estimates. */
  readonly isSeldom?: (args: ListArgs) => boolean
  /** Selects the records of a list from which further edges are followed, and how many they are at most. All by default. */
  readonly pick?: {
    readonly from: (records: readonly LmsRecord[], args: ListArgs) => readonly LmsRecord[]
    readonly most: (args: ListArgs) => number
  }
}

export type Edge = KeyEdge | ListEdge

/** Whether an edge with these arguments depends on the viewer. */
export const isPerCaller = ({ perCaller = false }: Edge, args: Args): boolean =>
  typeof perCaller === 'function' ? perCaller(args) : perCaller !== false

/** The checked arguments of a field. */
export class PreparedArguments {
  private named: string | undefined

  constructor(
    private readonly edge: Edge,
    readonly value: unknown,
    /** Whether the edge depends on the viewer with them. */
    readonly isPerCaller: boolean,
  ) {}

  /** A name that is equal for the same edge with equal arguments. */
  get name(): string {
    this.named ??= `${this.edge.id} ${JSON.stringify(this.value)}`
    return this.named
  }
}

/** What is needed of a list: of its window, and the columns of its records and of its row data. */
export interface ListWants extends WindowWants {
  readonly columns: ColumnSet
  readonly rowData: ColumnSet
}

/** What two reads together want of a list. */
export const joinWants = (a: ListWants, b: ListWants): ListWants => ({
  columns: a.columns | b.columns,
  rowData: a.rowData | b.rowData,
  rows: a.rows || b.rows,
  total: a.total || b.total,
  next: a.next || b.next,
})
