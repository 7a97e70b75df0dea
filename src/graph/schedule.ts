import { getArgumentValues } from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../rest/records.js'
import type { Entity, ListArgs, ListEdge } from './edges.js'
import { type Fire, KeyGroup, ListGroup } from './groups.js'
import type { Operation } from './operation.js'
import type { PlannedEdge, Selection } from './plan.js'

/** The groups of one fill, by wave, and what it knows of arguments. Ends when all groups have fired. */
export class Schedule {
  private readonly groups = new Map<string, KeyGroup | ListGroup>()
  /** Columns wanted anywhere of entities that are read as a whole table: so once is enough. */
  private readonly tableColumns = new Map<Entity, ColumnSet>()
  private open = 0
  private finish: () => void = () => {}

  constructor(
    readonly operation: Operation,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  /** Calls back when all groups have fired, at once where there is none; or when one broke, which leaves the rest to the resolvers. */
  whenDone(finish: () => void): void {
    this.finish = finish
    if (this.open === 0) finish()
  }

  /** Edges of one level, together where edge and arguments are equal. Left out where arguments are wrong: the executor says so. */
  together(selections: readonly Selection[]): Iterable<{ planned: PlannedEdge[]; prepared: unknown; name: string }> {
    const groups = new Map<string, { planned: PlannedEdge[]; prepared: unknown; name: string }>()
    for (const { edges } of selections) {
      for (const each of edges) {
        const prepared = this.prepare(each)
        if (prepared === undefined) continue
        const name = `${each.edge.id} ${JSON.stringify(prepared)}`
        const group = groups.get(name)
        if (group) group.planned.push(each)
        else groups.set(name, { planned: [each], prepared, name })
      }
    }
    return groups.values()
  }

  /** Notes what a step wants of an entity. */
  want(entity: Entity, columns: ColumnSet): void {
    if (entity.byKey?.table) this.tableColumns.set(entity, this.wanted(entity, columns))
  }

  /** What is asked for when `columns` are wanted now. */
  wanted(entity: Entity, columns: ColumnSet): ColumnSet {
    return columns | (this.tableColumns.get(entity) ?? NO_COLUMNS)
  }

  keyGroup(wave: number, entity: Entity): KeyGroup {
    return this.group(`${wave} ${entity.name}`, (fire) => new KeyGroup(this.operation, fire))
  }

  listGroup(wave: number, name: string, edge: ListEdge, args: ListArgs): ListGroup {
    return this.group(`${wave} ${name}`, (fire) => new ListGroup(this.operation, fire, edge, args))
  }

  private group<G extends KeyGroup | ListGroup>(name: string, make: (fire: Fire) => G): G {
    let group = this.groups.get(name) as G | undefined
    if (!group) {
      group = make(this.fire)
      this.groups.set(name, group)
      this.open++
    }
    group.expect()
    return group
  }

  /** What goes wrong in here leaves the rest to the resolvers, which load what they miss. */
  private readonly fire: Fire = (calls, then) => {
    calls()
      .then(then)
      .then(
        () => {
          if (--this.open === 0) this.finish()
        },
        () => this.finish(),
      )
  }

  private prepare({ edge, field, node }: PlannedEdge): unknown {
    try {
      return edge.prepare(getArgumentValues(field, node, this.variables), this.operation)
    } catch {
      return undefined
    }
  }
}
