import type { LmsError } from '../rest/errors.js'
import { getOrMake } from '../rest/maps.js'
import type { ColumnSet } from '../rest/records.js'
import type { ListArgs, ListEdge, ListWants, Rec } from './edges.js'
import { type Connection, joinWants, ListLoader, type Scope } from './listing.js'
import { joinedLookups, type Lookup, lookUp } from './lookups.js'
import type { Operation } from './operation.js'
import type { Entry, Store } from './store.js'
import { scopeOf } from './targets.js'

/** Runs the calls of a group, then what follows from them. */
export type Fire = (calls: () => Promise<unknown>, then: () => void) => void

/** Edges that share their calls. Fires when every one of them has reported, even those that came out without parents. */
abstract class Group {
  private expected = 0
  private reported = 0
  private readonly followers: (() => void)[] = []

  constructor(
    protected readonly operation: Operation,
    private readonly fire: Fire,
  ) {}

  expect(): void {
    this.expected++
  }

  protected reportOne(then: () => void): void {
    this.followers.push(then)
    if (++this.reported < this.expected) return
    this.fire(
      () => this.calls(),
      () => {
        for (const follow of this.followers) follow()
      },
    )
  }

  protected abstract calls(): Promise<unknown>
}

/** All records of one entity that are read by key in one wave. */
export class KeyGroup extends Group {
  private readonly wants = new Map<Store, Map<Entry, ColumnSet>>()

  report(entries: Iterable<Entry>, want: ColumnSet, then: () => void): void {
    let store: Store | undefined
    let wanted = new Map<Entry, ColumnSet>()
    for (const entry of entries) {
      if (entry.store !== store) {
        store = entry.store
        wanted = getOrMake(this.wants, store, () => new Map<Entry, ColumnSet>())
      }
      const before = wanted.get(entry)
      wanted.set(entry, before === undefined ? want : before | want)
    }
    this.reportOne(then)
  }

  protected calls(): Promise<unknown> {
    return Promise.all([...this.wants].map(([store, wanted]) => this.operation.load(store, wanted)))
  }
}

/** All records of one entity that are looked up by their slugs in one wave. */
export class LookupGroup extends Group {
  private readonly lookups: Lookup[] = []

  report(lookups: readonly Lookup[], then: () => void): void {
    this.lookups.push(...lookups)
    this.reportOne(then)
  }

  protected calls(): Promise<unknown> {
    return lookUp(this.operation, joinedLookups(this.lookups))
  }
}

/** All lists of one edge with the same arguments in one wave, one per scope. */
export class ListGroup extends Group {
  private readonly scopes = new Map<string, Scope>()
  private readonly lists = new Map<string, Connection | LmsError>()
  private wants: ListWants | undefined

  constructor(
    operation: Operation,
    fire: Fire,
    private readonly edge: ListEdge,
    private readonly args: ListArgs,
  ) {
    super(operation, fire)
  }

  report(parents: readonly Rec[], wants: ListWants, then: () => void): void {
    this.wants = this.wants ? joinWants(this.wants, wants) : wants
    for (const parent of parents) {
      const scope = scopeOf(this.edge, parent, this.args)
      if (scope) this.scopes.set(nameOf(scope), scope)
    }
    this.reportOne(then)
  }

  /** The list below a parent; nothing when it was not fetched. */
  listOf(parent: Rec): Connection | LmsError | undefined {
    const scope = scopeOf(this.edge, parent, this.args)
    return scope && this.lists.get(nameOf(scope))
  }

  protected calls(): Promise<unknown> {
    const loader = new ListLoader(this.operation, this.edge, this.args, this.wants as ListWants)
    const loads: Promise<void>[] = []
    for (const [name, scope] of this.scopes) loads.push(loader.load(scope).then((list) => void this.lists.set(name, list)))
    return Promise.all(loads)
  }
}

const nameOf = ({ params, query }: Scope): string => {
  let name = ''
  for (const key in params) name += `${params[key]}/`
  for (const key in query) name += `${key}=${query[key]}&`
  return name
}
