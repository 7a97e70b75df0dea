import type { LmsError } from '../upstream/errors.js'
import type { Edge } from './edge.js'
import type { Entity, LmsRecord } from './entity.js'

/** What a computed field needs of a record: columns, and records that edges lead to. The plan fetches them. */
export interface Needs {
  readonly columns: readonly string[]
  readonly relations: readonly NeededRelation[]
  /** Paths below the field, such as `reasons.missing`, that show these records. The columns that are selected there are read too. */
  readonly shownAt?: readonly string[]
  /** Whether restricted callers alone get what is computed: all others get the column that has the name of the field, and nothing is needed. */
  readonly restricted?: true
}

/** Records that a computed field needs, and what it needs of them. */
export interface NeededRelation extends Needs {
  /** The name under which the field receives the records. */
  readonly name: string
  /** The edge, or the name of a field that follows it. It receives the arguments of the computed field that have the names of its own. */
  readonly edge: Edge | string
  /** The entity that the edge leads to. */
  readonly entity: Entity
  /** Paths below the field that need these records. Without any of them in the selection they are not read. By default all need them. */
  readonly neededFor?: readonly string[]
}

/** A record that a computed field needs. */
export interface NeededRecord {
  /** Null when there is none, or the error that prevented the read. */
  readonly record: LmsRecord | null | LmsError
  readonly related: Related
}

/** The needed records by the names of the relations: one, several, the error of the relation, or nothing when they are not needed. */
export type Related = Readonly<Record<string, NeededRecord | readonly NeededRecord[] | LmsError | undefined>>
