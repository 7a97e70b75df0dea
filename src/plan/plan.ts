import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { type ColumnsById, notInList, type OnSite, takenFromRecord, type WantedBelow } from '../model/columns.js'
import type { Edge, ListEdge, PreparedArguments } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import type { FieldMark, Write } from '../model/marks.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'

/** What one operation needs: columns by type, and edges to follow. It depends on the values of directives, not on arguments. */
export interface Plan {
  /** The copy of the document whose field nodes the plan refers to. */
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Number of selections. */
  readonly size: number
  /** The selections with `@defer` or `@stream`, in the document of the request. */
  readonly parts: readonly SelectionNode[]
  readonly root: Selection
  readonly byNode: ReadonlyMap<FieldNode, readonly PlannedEdge[]>
  /** The selections on the success types of mutations. */
  readonly payloads: ReadonlyMap<FieldNode, Payload>
  /** Whether it has what decides on content, for roles that get content only where access allows it. */
  readonly restricted: boolean
  /** The edges that depend on the viewer, or may with their arguments. */
  readonly perCaller: readonly PlannedEdge[]
  /** The deferred fragments, by each field in them. Empty for plans of whole responses. */
  readonly deferred: ReadonlyMap<FieldNode, DeferredPart>
}

/** What an operation needs of the objects of one type at one place: columns, and edges to follow. */
export interface Selection extends WantedBelow {
  readonly columns: ColumnSet
  readonly edges: readonly PlannedEdge[]
  /** Lists of plain objects inside, with edges of their own. Their records are not fetched ahead, but are part of the estimate. */
  readonly inside?: readonly { readonly count: NonNullable<FieldMark['count']>; readonly selection: Selection }[]
  /** Selections on records that computed fields show. Edges below them are followed while the response is written, and are part of the estimate. */
  readonly shown?: readonly ShownRecords[]
}

/** A selection on records that a computed field shows: one per record of the field, or a list. */
export interface ShownRecords {
  readonly isList: boolean
  readonly entity: Entity
  readonly selection: Selection
}

/** Returns all columns of some selections. */
export const columnsOf = (selections: readonly Selection[]): ColumnSet =>
  selections.reduce((columns, selection) => columns | selection.columns, NO_COLUMNS)

/** One field of an operation that follows an edge. */
export interface PlannedEdge {
  readonly edge: Edge
  /** The edge that leads to the parent; undefined at the root. */
  readonly origin: Edge | undefined
  readonly node: FieldNode
  /** Whether its arguments have the same value in every run. */
  readonly isFixed: boolean
  /** The checked arguments of a field with `isFixed`; `null` when they are invalid. */
  fixed: PreparedArguments | null | undefined
  readonly field: GraphQLField<unknown, unknown>
  /** The name under which a computed field receives the records that it needs. */
  readonly neededAs?: string
  /** Selections on the records that the edge leads to, by type name. */
  readonly children: ReadonlyMap<string, Selection>
  /** Of a list: the selection on its row data, and whether rows, the total and the existence of a next page are needed. */
  readonly rowData: Selection | null
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}

/** What a field needs that leads to records by key: nothing of a list. */
export const OF_RECORDS = { rowData: null, rows: true, total: false, next: false } as const

/** What the fields of one step want of a list: of its records, of its row data, and of the list itself. */
export interface WantedOfList extends Pick<PlannedEdge, 'rows' | 'total' | 'next'> {
  readonly nodes: readonly Selection[]
  readonly columns: ColumnSet
  /** Columns of the records that are read by id after the list. */
  readonly readById: ColumnsById
  readonly rowData: readonly Selection[]
  /** Columns of the row data that the list does not carry: they are taken from the records. */
  readonly rowDataReadById: ColumnsById
}

export function wantedOfList(context: OnSite, edge: ListEdge, planned: readonly PlannedEdge[]): WantedOfList {
  const { entity } = edge
  const rowData = planned.flatMap(({ rowData }) => rowData ?? [])
  const through = takenFromRecord(context, edge, columnsOf(rowData))
  const nodes = [...planned.flatMap(({ children }) => children.get(entity.name) ?? []), { columns: through, edges: [] }]
  const columns = columnsOf(nodes)
  return {
    nodes,
    columns,
    readById: { entity, columns: notInList(context, edge, columns) },
    rowData,
    rowDataReadById: { entity, columns: through },
    rows: planned.some(({ rows }) => rows),
    total: planned.some(({ total }) => total),
    next: planned.some(({ next }) => next),
  }
}

/** The selection on the success type of a mutation. */
export interface Payload extends Selection {
  readonly field: GraphQLField<unknown, unknown>
  readonly write: Write
}

/** A deferred fragment: its fields are fetched after the rest of the operation was sent. */
export interface DeferredPart {
  /** Its selections, by the type name of the record. */
  readonly selections: Map<string, Selection>
  /** The fields of the fragment itself, without nested ones. */
  readonly fields: Set<FieldNode>
}

/** Paths of the fields of an operation in its response: response keys with dots, without positions in lists. */
export type Paths = ReadonlyMap<FieldNode | undefined, string>

/** The paths of a plan, whose fragments have been spread in place. */
export function pathsOf({ operation }: Plan): Paths {
  const paths = new Map<FieldNode, string>()
  const visit = (set: SelectionSetNode, prefix: string): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, prefix)
      if (node.kind !== Kind.FIELD) continue
      const path = `${prefix}${(node.alias ?? node.name).value}`
      paths.set(node, path)
      if (node.selectionSet) visit(node.selectionSet, `${path}.`)
    }
  }
  visit(operation.selectionSet, '')
  return paths
}
