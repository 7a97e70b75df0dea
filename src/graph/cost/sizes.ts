import { Lengths, Mean, Tally } from './means.js'

/** What was met of an edge to records by their keys, by the number of parents. */
class KeySizes {
  readonly keys = new Tally()
  /** Keys whose records had to be read, and that have one. */
  readonly reads = new Tally()
  readonly records = new Tally()
}

/** What was met of an edge to lists. */
export class ListSizes {
  readonly lengths = new Lengths()
  /** Of so many parents: different lists. Of so many rows: different records. */
  readonly lists = new Tally()
  readonly records = new Tally()
}

/** Where one step has led to. */
interface Keys {
  readonly parents: number
  readonly keys: number
  readonly reads: number
  /** Null where it is not known of all keys. */
  readonly records: number | null
}

/** The lists of one step. */
interface Lists {
  readonly parents: number
  readonly lists: number
  /** Null where the site did not tell. */
  readonly lengths: readonly (number | null)[]
  /** In their windows, and of how many records. */
  readonly rows: number
  readonly records: number
}

/** Names of an edge, from that of the closest circumstances to that of all. */
export type Names = readonly string[]

/** Edges under some circumstances that are remembered; callers; and edges of one of those. */
const MAX_EDGES = 2_000
const MAX_CALLERS = 500
const MAX_SHARES = 200

/**
 * How large what edges lead to turned out to be on one site, whoever asked: for what operations will probably cost. Its memory is
 * bounded: what was met last, a few dozen numbers each.
 */
export class Sizes {
  private readonly keys = new Map<string, KeySizes>()
  private readonly lists = new Map<string, ListSizes>()
  private readonly strays = new Map<string, Mean>()
  /** What share of edges callers were shown, by their credentials; nothing of callers who were shown all. */
  private readonly shown = new Map<string, Map<string, Mean>>()
  private operations = 0

  /** Whether to learn from the next operation: from all of them at first, later from some. */
  isDue(): boolean {
    return ++this.operations <= EAGER || this.operations % EVERY === 0
  }

  keysOf(names: Names): KeySizes | undefined {
    return first(this.keys, names)
  }

  listsOf(names: Names): ListSizes | undefined {
    return first(this.lists, names)
  }

  /** What share of an edge the caller with these credentials is shown. */
  shownOf(credentials: string, names: Names): number {
    const shares = this.shown.get(credentials)
    return shares ? (first(shares, names)?.value ?? 1) : 1
  }

  /** The share of an entity's keys that batches leave out. */
  straysOf(entity: string): number {
    return this.strays.get(entity)?.value ?? 0
  }

  learnKeys(names: Names, { parents, keys, reads, records }: Keys): void {
    for (const name of names) {
      const sizes = keep(this.keys, name, MAX_EDGES, () => new KeySizes())
      sizes.keys.add(parents, keys)
      sizes.reads.add(parents, reads)
      if (records !== null) sizes.records.add(parents, records)
    }
  }

  learnLists(names: Names, { parents, lists, lengths, rows, records }: Lists): void {
    for (const name of names) {
      const sizes = keep(this.lists, name, MAX_EDGES, () => new ListSizes())
      sizes.lists.add(parents, lists)
      for (const length of lengths) if (length !== null) sizes.lengths.add(length)
      sizes.records.add(rows, records)
    }
  }

  /** A caller was refused so many of so many. */
  learnShown(credentials: string, names: Names, asked: number, refused: number): void {
    if (asked === 0 || (refused === 0 && !this.shown.has(credentials))) return
    const shares = keep(this.shown, credentials, MAX_CALLERS, () => new Map<string, Mean>())
    for (const name of names) if (refused > 0 || shares.has(name)) keep(shares, name, MAX_SHARES, () => new Mean()).add(1 - refused / asked)
  }

  /** A batch of so many keys left some of them out. */
  learnStrays(entity: string, keys: number, strays: number): void {
    keep(this.strays, entity, MAX_EDGES, () => new Mean()).add(strays / keys)
  }
}

const EAGER = 500
const EVERY = 16

function first<V>(map: ReadonlyMap<string, V>, names: Names): V | undefined {
  for (const name of names) {
    const value = map.get(name)
    if (value !== undefined) return value
  }
  return undefined
}

/** The value of a key, made where it is not there; those met last are kept. */
function keep<V>(map: Map<string, V>, key: string, most: number, make: () => V): V {
  const value = map.get(key) ?? make()
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value as string)
  return value
}
