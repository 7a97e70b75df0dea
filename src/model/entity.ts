import type { Shape } from '../upstream/codec/records.js'
import type { ByKey } from '../upstream/routes.js'

/** A record in the graph, with its columns under the names of their GraphQL fields. */
export type LmsRecord = Readonly<Record<string, unknown>>

/** A type whose records have a key: how they look, and how they are read. */
export interface Entity {
  /** Name of its GraphQL type. */
  readonly name: string
  /** The columns that the by-key route sends. */
  readonly shape: Shape
  /** Property that holds the key. It is set on every record, loaded or not. */
  readonly key: string
  /** How records are read by key. Undefined for an entity without a route, whose records consist of their keys. */
  readonly byKey?: ByKey | undefined
  /** Whether a record is known by its key alone: it is read only for its columns, which are null when the site does not show it. */
  readonly byKeyAlone?: true | undefined
  /** Whether a text is a key, for keys that are neither numbers, slugs nor pairs of numbers. */
  readonly isKey?: ((text: string) => boolean) | undefined
  /** Fields that hold the parts of the key. Its parts are separated by colons. */
  readonly keyParts?: readonly string[] | undefined
  /** Its role in a federated graph: resolved by key in this subgraph, or owned by another subgraph, to which this one adds fields. */
  readonly federated?: 'here' | 'elsewhere' | undefined
  /** Whether its records are usually changed by administrators only, not by all editors. */
  readonly byAdministrators?: true | undefined
}

/** The parent of all root edges. */
export const ROOT: LmsRecord = Object.freeze({})

/** The entities of a graph by the names of their types. */
export type Entities = ReadonlyMap<string, Entity>
