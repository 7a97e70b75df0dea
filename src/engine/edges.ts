import type DataLoader from 'dataloader'
import type { FieldNode } from 'graphql'
import type { Query } from '../upstream/client.js'
import type { ColumnSet, Shape } from '../upstream/codec/records.js'
import type { LmsError } from '../upstream/errors.js'
import type { ByKey, Key, ListRoute, Params, Route } from '../upstream/routes.js'
import type { WindowArgs } from './fetch/index.js'

/** A record in the graph: its columns stand under the names of their GraphQL fields. */
export type LmsRecord = Readonly<Record<string, unknown>>

/** A thing of the LMS with an identity: how its records look and how they are asked for. */
export interface Entity {
  /** Name of its GraphQL type. */
  readonly name: string
  /** Columns as the by-key route sends them. */
  readonly shape: Shape
  /** Property that holds the key; set on every record, loaded or not. */
  readonly key: string
  /** Nothing for an entity the interface has no route for: its records are their keys. */
  readonly byKey?: ByKey
  /** The DataLoader by which records are read that no plan has fetched: with all columns of `context=view`. */
  readonly loader?: (context: object) => DataLoader<Key, LmsRecord | null>
  /** What it is in a graph of several services: found by its keys here, or owned by another one, to whose fields this one adds. */
  readonly joined?: 'here' | 'elsewhere'
}

/** A second view on the rows of a list that belongs to the list, not to an entity. */
export interface Side {
  /** Field of the connection's edge type that shows it. */
  readonly field: string
  readonly shape: Shape
}

/** One record to be reached: `query` goes into its single read, which is then shared with nobody else. */
export interface Target {
  readonly entity: Entity
  readonly key: Key
  readonly query?: Query
  /** The key is a slug, by which the record is looked up; its own key is known only then. */
  readonly bySlug?: true
  /** Why it can't be: it is shown in place of a record, and nothing is read. */
  readonly refused?: LmsError
}

/** Arguments of a field, coerced. */
export type Args = Readonly<Record<string, unknown>>

/** What a single field of a gateway may ask for. */
export interface Limits {
  /** Largest `first` and `last`. */
  readonly rows: number
  /** Whether the graph of the gateway has a type: resources of other gateways of the process are not in it. */
  readonly hasType?: (name: string) => boolean
}

/** What arguments are read against: who asks, and how much may be asked for. */
export interface ArgumentContext {
  readonly limits: Limits
  /** Id in the LMS of the user who asks; `null` where the gateway does not know it. */
  readonly viewer: number | null
}

interface EdgeBase {
  /** `Type.field`, unique. */
  readonly id: string
  /** Columns of the parent the edge is followed from. */
  readonly needs: readonly string[]
  /** Whether equal arguments come to something else for other callers. */
  readonly perCaller?: boolean
}

/** An edge to records by their keys: batched with all others of the same wave. */
export interface KeyEdge<Prepared = unknown> extends EdgeBase {
  readonly kind: 'key'
  /** Checks the arguments once per operation; throws a `BadInputError`. */
  readonly prepare: (args: Args, asking: ArgumentContext) => Prepared
  /** Every entity the edge can lead to with these arguments. */
  readonly entities: (prepared: Prepared) => readonly Entity[]
  /** Where it leads from a parent: one record, none, or a list. Throws an `LmsError` when that can't be told. */
  readonly targets: (parent: LmsRecord, prepared: Prepared) => Target | null | readonly (Target | null)[]
  /** Whether these arguments lead to records by their slugs, which are looked up first. */
  readonly bySlug?: (prepared: Prepared) => boolean
  /** Whether a parent leads to several records, of which it is not known before how many they are. */
  readonly many?: boolean
  /** Where batches have scopes: whether all parents share one. Else each has its own. */
  readonly oneScope?: boolean
}

/** What a list edge asks for, from its arguments. */
export interface ListArgs {
  /** `null` when nothing can match: an empty list without a call. */
  readonly query: Query | null
  readonly window: WindowArgs
  /** Arguments the field has besides those of every list. */
  readonly own?: Query
}

/** An edge to a list of a route: one window per parent. */
export interface ListEdge extends EdgeBase {
  readonly kind: 'list'
  readonly entity: Entity
  readonly route: ListRoute
  /** Columns of `entity` as this list sends them. */
  readonly shape: Shape
  readonly side?: Side
  readonly prepare: (args: Args, asking: ArgumentContext) => ListArgs
  /** Path parameters and filters that stand for the parent. Equal ones are one list. Throws an `LmsError` when there is none. */
  readonly scope: (parent: LmsRecord, args: ListArgs) => { readonly params: Params; readonly query?: Query }
}

export type Edge = KeyEdge | ListEdge

/** The arguments of a field, checked. */
export class PreparedArguments {
  private named: string | undefined

  constructor(
    private readonly edge: Edge,
    readonly value: unknown,
  ) {}

  /** Equal for the same edge with equal arguments. */
  get name(): string {
    this.named ??= `${this.edge.id} ${JSON.stringify(this.value)}`
    return this.named
  }
}

/** What is wanted of a list: columns of its records and of its side, and whether rows, total and what follows are asked for at all. */
export interface ListWants {
  readonly columns: ColumnSet
  readonly side: ColumnSet
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}

/** The marks by which the planner knows types and fields; they stand in `extensions.lms`. */
export interface TypeMark {
  readonly shape?: Shape
  readonly entity?: Entity
  /** The type is a connection, or the edge of one. */
  readonly role?: 'connection' | 'edge'
  /** The type is a scalar whose values are texts, shown as they are. */
  readonly asIs?: boolean
}

/** How a mutation writes: one call. */
export interface Write {
  readonly method: 'POST' | 'DELETE'
  readonly route: Route
}

/** What the value of a computed field needs of its record. */
export interface Needs {
  readonly columns: readonly string[]
  /** Selections such as `course { title }`, which the plan fetches as if the client had selected them. */
  readonly relations: readonly FieldNode[]
}

export interface FieldMark {
  readonly edge?: Edge
  /** Of a field that needs nothing but its record: its value. */
  readonly read?: (record: LmsRecord) => unknown
  /** Of a computed field: columns of the record, and relations with columns of their records, that its value needs. */
  readonly needs?: Needs
  /** Of a mutation: name of the type of its success, which relations start from. */
  readonly payload?: string
  /** Of a mutation: the call that writes. */
  readonly write?: Write
  /** List levels at which the field is null only beside an error; 0 is the field itself, 1 its items. */
  readonly semanticNonNull?: readonly number[]
  /** Of a list of objects inside a success: how many there are, from the arguments of the mutation. */
  readonly count?: (args: Args) => number
}

/** The marks of a type or a field. */
export const marksOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): TypeMark & FieldMark =>
  (extensions.lms ?? {}) as TypeMark & FieldMark

/** Where all root edges start. */
export const ROOT: LmsRecord = Object.freeze({})

/** All entities by their type name. */
const entities = new Map<string, Entity>()

export const register = (entity: Entity): void => {
  entities.set(entity.name, entity)
}

export const entityOf = (type: string): Entity | undefined => entities.get(type)
