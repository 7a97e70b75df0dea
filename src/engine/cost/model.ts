import { type FieldNode, Kind, type SelectionSetNode } from 'graphql'
import type { Query } from '../../upstream/client.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Site } from '../../upstream/site/site.js'
import { lacking, shownThrough } from '../columns.js'
import { type Edge, type Entity, entityOf, type FieldMark, type ListEdge } from '../edges.js'
import type { Plan } from '../plan.js'
import { columnsOf, type Payload, type PlannedEdge, type Selection } from '../plan.js'
import type { Names } from './observed-sizes.js'

/** Where each field of an operation stands in the answer: response keys with dots, without places in lists. */
export function pathsOf(plan: Plan): ReadonlyMap<FieldNode, string> {
  const paths = new Map<FieldNode, string>()
  visit(plan.operation.selectionSet, '', paths)
  return paths
}

/** Fragments have been spread in place. */
function visit(set: SelectionSetNode, prefix: string, paths: Map<FieldNode, string>): void {
  for (const node of set.selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, prefix, paths)
    if (node.kind !== Kind.FIELD) continue
    const path = `${prefix}${(node.alias ?? node.name).value}`
    paths.set(node, path)
    if (node.selectionSet) visit(node.selectionSet, `${path}.`, paths)
  }
}

/** An edge behind the one that leads to it: it matters where its parents come from. */
const behind = ({ edge, origin }: PlannedEdge): string => `${origin?.id ?? ''} > ${edge.id}`

/** The names under which it is remembered where an edge leads to, of records of one type. */
export const keyNames = (planned: PlannedEdge, type: string): Names => [`${behind(planned)} ${type}`, `${planned.edge.id} ${type}`]

/** The same for lists: under other filters they are others. */
export function listNames(planned: PlannedEdge, query: Query | null): Names {
  let filters = ''
  for (const param in query) if (query[param] !== undefined && param !== 'orderby' && param !== 'order') filters += ` ${param}`
  const { id } = planned.edge
  if (filters === '') {
    planned.sizeNames ??= [behind(planned), id]
    return planned.sizeNames
  }
  return [behind(planned) + filters, id + filters, `${id} *`]
}

/** Whether these are the names of a list without filters. */
export const isUnfiltered = (planned: PlannedEdge, names: Names): boolean => names[0] === behind(planned)

/** What can be said of one level of a plan before its arguments are known: as `Level` sees it when it runs. */
export interface LevelModel {
  readonly columns: ColumnSet
  /** Columns that are read by id once the rows are there. */
  readonly late: ColumnSet
  readonly edges: readonly EdgeModel[]
  readonly inside: readonly { readonly count: NonNullable<FieldMark['count']>; readonly level: LevelModel }[]
}

/** The fields of a level that follow one edge. Those with equal arguments are one step. */
export interface EdgeModel {
  readonly edge: Edge
  readonly planned: readonly PlannedEdge[]
  /** When it starts: with the keys of the level's records, with their columns, or after the late ones. */
  readonly starts: 'keys' | 'rows' | 'late'
  /** The step of all its fields; `stepOf` is for some of them. */
  readonly step: StepModel
  readonly stepOf: (planned: readonly PlannedEdge[]) => StepModel
}

/** One edge under one set of arguments. */
export interface StepModel {
  readonly planned: readonly PlannedEdge[]
  /** By the type of the records it leads to. */
  readonly children: ReadonlyMap<string, ChildModel>
  readonly side: LevelModel | null
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}

/** What is wanted of the records of one type, and under which names it is remembered how many there are. */
export interface ChildModel extends LevelModel {
  readonly names: Names
}

/** A mutation, with what is wanted of its success by all fields of its key. */
export interface MutationModel {
  readonly node: FieldNode
  readonly payload: Payload
  readonly level: LevelModel
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

/** An edge of which the arguments count, and whether there is no other that could come to the same. */
export interface Open {
  readonly planned: PlannedEdge
  readonly isAlone: boolean
}

/** What can be said of an operation's cost before its arguments are known. */
export class CostModel {
  /** Most calls of callers who may do everything, by their circumstances. */
  readonly permitted = new Map<string, number>()
  /** The edges whose arguments count for that. */
  open: readonly Open[] | undefined
  readonly root: LevelModel
  readonly mutations: readonly MutationModel[]
  /** Sets of columns the records of an entity are read with, anywhere in the operation. */
  readonly reads = new Map<Entity, Set<ColumnSet>>()

  constructor(
    readonly plan: Plan,
    readonly site: Site,
  ) {
    this.root = this.level([plan.root])
    const byKey = new Map<string, [FieldNode, Payload][]>()
    for (const each of plan.payloads) getOrMake(byKey, keyOf(each[0]), () => [] as [FieldNode, Payload][]).push(each)
    this.mutations = [...byKey.values()].map((same) => {
      const [node, payload] = same[0] as [FieldNode, Payload]
      return { node, payload, level: this.level(same.map(([, each]) => each)) }
    })
  }

  private level(selections: readonly Selection[], shape?: Shape, { entity, late = NO_COLUMNS }: Partial<Late> = {}): LevelModel {
    const byEdge = new Map<Edge, PlannedEdge[]>()
    for (const { edges } of selections) for (const each of edges) getOrMake(byEdge, each.edge, () => [] as PlannedEdge[]).push(each)
    const inside = selections.flatMap((each) => each.inside ?? [])
    return {
      columns: columnsOf(selections),
      late,
      edges: [...byEdge].map(([edge, planned]) => this.edge(edge, planned, startOf(edge, shape, entity, late))),
      inside: inside.map(({ count, selection }) => ({ count, level: this.level([selection]) })),
    }
  }

  private edge(edge: Edge, planned: readonly PlannedEdge[], starts: EdgeModel['starts']): EdgeModel {
    const singles = new Map<PlannedEdge, StepModel>()
    const step = this.step(edge, planned)
    // Several of many with equal arguments are rare, and not kept.
    const stepOf = (some: readonly PlannedEdge[]): StepModel => {
      if (some.length === planned.length) return step
      return some.length === 1 ? getOrMake(singles, some[0] as PlannedEdge, () => this.step(edge, some)) : this.step(edge, some)
    }
    return { edge, planned, starts, step, stepOf }
  }

  private step(edge: Edge, planned: readonly PlannedEdge[]): StepModel {
    const types = new Set(planned.flatMap(({ children }) => [...children.keys()]))
    const sides = planned.flatMap(({ side }) => side ?? [])
    const through = edge.kind === 'list' ? shownThrough(this, edge, columnsOf(sides)) : NO_COLUMNS
    return {
      planned,
      children: new Map([...types].map((type) => [type, this.child(edge, planned, type, through)])),
      side:
        edge.kind === 'list' && edge.side && sides.length > 0
          ? this.level(sides, edge.side.shape, { entity: edge.entity, late: through })
          : null,
      rows: planned.some(({ rows }) => rows),
      total: planned.some(({ total }) => total),
      next: planned.some(({ next }) => next),
    }
  }

  private child(edge: Edge, planned: readonly PlannedEdge[], type: string, through: ColumnSet): ChildModel {
    const selections = planned.flatMap(({ children }) => children.get(type) ?? [])
    const names = keyNames(planned[0] as PlannedEdge, type)
    if (edge.kind === 'list') return { ...this.rows(edge, [...selections, { columns: through, edges: [] }]), names }
    const entity = entityOf(type)
    const level = this.level(selections, entity?.shape)
    if (entity) this.note(entity, level.columns)
    return { ...level, names }
  }

  /** What is wanted of the records of a list. */
  private rows(edge: ListEdge, selections: readonly Selection[]): LevelModel {
    const { entity } = edge
    const columns = columnsOf(selections)
    const late = lacking(this, edge, columns)
    this.note(entity, columns & ~late)
    if (late !== NO_COLUMNS) this.note(entity, late)
    return this.level(selections, entity.shape, { entity, late })
  }

  private note(entity: Entity, columns: ColumnSet): void {
    getOrMake(this.reads, entity, () => new Set<ColumnSet>()).add(columns)
  }
}

/** Columns that are read by id once the rows are there, and of which entity. */
interface Late {
  readonly entity: Entity
  readonly late: ColumnSet
}

function startOf({ needs }: Edge, shape: Shape | undefined, entity: Entity | undefined, late: ColumnSet): EdgeModel['starts'] {
  if (entity && (entity.shape.set(needs) & late) !== NO_COLUMNS) return 'late'
  return (shape?.set(needs) ?? NO_COLUMNS) === NO_COLUMNS ? 'keys' : 'rows'
}
