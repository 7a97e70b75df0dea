import type { FieldNode } from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Entity, ListArgs, ListEdge, PreparedArguments } from '../edges.js'
import type { PlannedEdge, Selection } from '../plan.js'
import type { Arguments } from './arguments.js'
import { KeyBatch, ListBatch, LookupBatch, type RunBatch } from './batches.js'
import type { Operation } from './operation.js'

type AnyGroup = KeyBatch | ListBatch | LookupBatch

/** The groups of one fill, by wave, and what it knows of arguments. Ends when all groups have fired. */
export class Schedule {
  private readonly groups = new Map<string, AnyGroup>()
  /** Columns wanted by key anywhere of entities that are read as a whole table, or that one list shows all of: so once is enough. */
  private readonly wholeColumns = new Map<Entity, ColumnSet>()
  /** Lists that may hold records which are also read by key, by their wave and route. */
  private readonly completeLists = new Map<string, ListBatch[]>()
  /** The fields each group is for, where that is to be told. */
  private readonly served: Map<AnyGroup, FieldNode[]> | undefined
  private readonly arguments: Arguments
  private open = 0
  private finish: (fault?: unknown) => void = () => {}

  constructor(
    readonly operation: Operation,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.arguments = operation.argumentsUnder(variables)
    this.served = operation.recorder && new Map()
  }

  /** Calls back when all batches have ended, at once when there are none; or with the exception that one of them threw. */
  whenDone(finish: (fault?: unknown) => void): void {
    this.finish = finish
    if (this.open === 0) finish()
  }

  /** Edges of one level, together where edge and arguments are equal. Left out where arguments are wrong: the executor says so. */
  together(selections: readonly Selection[]): Iterable<{ planned: PlannedEdge[]; prepared: PreparedArguments }> {
    const groups = new Map<string, { planned: PlannedEdge[]; prepared: PreparedArguments }>()
    for (const { edges } of selections) {
      for (const each of edges) {
        const prepared = this.arguments.of(each)
        if (!prepared) continue
        const group = groups.get(prepared.name)
        if (group) group.planned.push(each)
        else groups.set(prepared.name, { planned: [each], prepared })
      }
    }
    return groups.values()
  }

  /** Notes what a step wants of an entity. */
  want(entity: Entity, columns: ColumnSet): void {
    const { table, many } = entity.byKey ?? {}
    if (table || many?.complete) this.wholeColumns.set(entity, columns | (this.wholeColumns.get(entity) ?? NO_COLUMNS))
  }

  /** Notes whether edges below a level lead back to its entity. */
  leadsBack(entity: Entity, { ahead }: { readonly ahead: ColumnSet | undefined }): void {
    if (ahead !== undefined) this.operation.store({ entity, key: 0 }).isReadAhead = true
  }

  /** What is asked for when `columns` are wanted now. */
  wanted(entity: Entity, columns: ColumnSet): ColumnSet {
    return entity.byKey?.table ? columns | (this.wholeColumns.get(entity) ?? NO_COLUMNS) : columns
  }

  /** `planned` are the fields the group is for, to be told of its calls. */
  keyGroup(wave: number, entity: Entity, planned: readonly PlannedEdge[]): KeyBatch {
    return this.group(
      `${wave} ${entity.name}`,
      planned,
      (operation, fire) => new KeyBatch(operation, fire, () => this.listsOf(wave, entity)),
      entity,
    )
  }

  lookupGroup(wave: number, entity: Entity, planned: readonly PlannedEdge[]): LookupBatch {
    return this.group(`${wave} slug ${entity.name}`, planned, (operation, fire) => new LookupBatch(operation, fire))
  }

  listGroup(wave: number, name: string, edge: ListEdge, args: ListArgs, planned: readonly PlannedEdge[]): ListBatch {
    return this.group(`${wave} ${name}`, planned, (operation, fire) => {
      const group = new ListBatch(operation, fire, edge, args, this.wholeColumns)
      if (edge.entity.byKey?.many?.complete) getOrMake(this.completeLists, `${wave} ${edge.entity.name}`, (): ListBatch[] => []).push(group)
      return group
    })
  }

  /** Lists of the same wave that may hold records of an entity; nothing where the interface has no list of all of them. */
  private listsOf(wave: number, { name }: Entity): readonly ListBatch[] | undefined {
    return this.completeLists.get(`${wave} ${name}`)
  }

  private group<G extends AnyGroup>(
    name: string,
    planned: readonly PlannedEdge[],
    make: (operation: Operation, fire: RunBatch) => G,
    entity?: Entity,
  ): G {
    let group = this.groups.get(name) as G | undefined
    if (!group) {
      const fields: FieldNode[] = []
      group = make(this.operation.serving({ fields, entity }), this.fire)
      this.served?.set(group, fields)
      this.groups.set(name, group)
      this.open++
    }
    this.served?.get(group)?.push(...planned.map(({ node }) => node))
    group.expect()
    return group
  }

  /** Batches handle the errors of the site: what is thrown in here is an exception of the gateway. */
  private readonly fire: RunBatch = (calls, then) => {
    calls()
      .then(then)
      .then(
        () => {
          if (--this.open === 0) this.finish()
        },
        (fault) => this.finish(fault ?? new Error('A batch failed.')),
      )
  }
}
