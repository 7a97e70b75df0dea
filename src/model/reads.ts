import type { CallScope } from '../upstream/call-scope.js'
import type { Client } from '../upstream/client.js'
import type { ColumnSet, Projection, Projections } from '../upstream/codec/records.js'
import type { CapabilityCache } from '../upstream/site/capabilities.js'
import type { Site } from '../upstream/site/site.js'
import type { ListState } from './connection.js'
import type { Limits, ListEdge, ListWants, PreparedArguments, Target } from './edge.js'
import type { Entities, Entity } from './entity.js'
import type { RecordState, Records } from './records.js'

/** What reads need: the site, what is known of it, the caller, and the records that the operation has read so far. */
export interface ReadContext {
  readonly site: Site
  readonly client: Client
  readonly capabilities: CapabilityCache
  readonly projections: Projections
  readonly limits: Limits
  /** By their type names. */
  readonly entities: Entities
  readonly records: Records
  readonly call: CallScope
}

/** Records of one entity, and the columns that are needed of each. */
export interface KeyRead {
  readonly states: readonly RecordState[]
  readonly columns: ColumnSet
  /** Columns that are read in addition of records that are read anyway. */
  readonly ahead: ColumnSet
}

/** A record that is looked up by its slug, with the columns that are needed of it. */
export interface Lookup {
  readonly target: Target
  readonly columns: ColumnSet
}

export type SlugRead = readonly Lookup[]

/** Lists of one edge with equal arguments, and what is needed of each. */
export interface ListRead {
  readonly edge: ListEdge
  readonly args: PreparedArguments
  readonly lists: readonly ListState[]
  readonly wants: ListWants
}

/** The end of all reads of a batch, or the end of each. */
export type BatchEnds = Promise<unknown> | readonly Promise<unknown>[]

/**
 * Makes the REST calls of several reads together, and fills the states of their records and lists. It rejects only for an exception of the gateway
 * itself: errors of the site are in the states.
 */
export type BatchFunction<Read> = (reads: readonly Read[], context: ReadContext) => BatchEnds

/** Returns the projection that decodes some columns of an entity, and the columns that hold its key. */
export const projectionOf = (
  { projections }: Pick<ReadContext, 'projections'>,
  { shape, key, byKey }: Entity,
  columns: ColumnSet,
): Projection => projections.of(shape, columns, byKey?.keyColumns ?? [], key)
