import type { DocumentNode, FieldNode, GraphQLField, InlineFragmentNode, OperationDefinitionNode } from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import type { WantedBelow } from './columns.js'
import type { Edge, FieldMark, PreparedArguments, Write } from './edges.js'

/** A skeleton for one operation with its directives decided. Arguments are no part of it. */
export interface Plan {
  /** The operation's own document: its field nodes are the plan's. */
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** How many selections it has. */
  readonly size: number
  readonly root: Selection
  readonly byNode: ReadonlyMap<FieldNode, readonly PlannedEdge[]>
  /** What is wanted of the success of each mutation. */
  readonly payloads: ReadonlyMap<FieldNode, Payload>
}

/** What an operation wants of the objects of one type at one place: columns, and edges to follow. */
export interface Selection extends WantedBelow {
  readonly columns: ColumnSet
  readonly edges: readonly PlannedEdge[]
  /** Lists of objects inside, with edges of their own: what those lead to is not fetched ahead, but counted. */
  readonly inside?: readonly { readonly count: NonNullable<FieldMark['count']>; readonly selection: Selection }[]
}

/** All columns that some selections want. */
export const columnsOf = (selections: readonly Selection[]): ColumnSet =>
  selections.reduce((columns, selection) => columns | selection.columns, NO_COLUMNS)

/** One field of an operation that follows an edge. */
export interface PlannedEdge {
  readonly edge: Edge
  /** The edge that leads to what it starts from; nothing at the root. */
  readonly origin: Edge | undefined
  readonly node: FieldNode
  /** Whether its arguments come to the same in every operation. */
  readonly isFixed: boolean
  /** Those arguments, once they have been checked; `null` when they are wrong. */
  fixed: PreparedArguments | null | undefined
  /** Names under which the sizes of the list are learned, without filters. */
  sizeNames: readonly string[] | undefined
  readonly field: GraphQLField<unknown, unknown>
  /** What is wanted of the records it leads to, by their type name. */
  readonly children: ReadonlyMap<string, Selection>
  /** Of a list: what is wanted of its side, and of the list itself. */
  readonly side: Selection | null
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}

/** What is wanted of the success of a mutation. */
export interface Payload extends Selection {
  readonly field: GraphQLField<unknown, unknown>
  readonly write: Write
}

/** A fragment whose fields are fetched after the rest of its operation has been answered. */
export interface DeferredPart {
  /** What it wants of the records it stands in, by their type name. */
  readonly selections: Map<string, Selection>
  /** Fields it begins with. */
  readonly fields: Set<FieldNode>
}

/** The deferred fragments of an operation, and where their fields are. */
export interface Deferral {
  /** Whether a fragment is to wait. */
  readonly waits: (fragment: InlineFragmentNode) => boolean
  readonly parts: Map<InlineFragmentNode, DeferredPart>
  readonly partOf: Map<FieldNode, DeferredPart>
}
