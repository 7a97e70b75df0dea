import { LRUCache } from 'lru-cache'

/** A mean that forgets: of the last few dozen values mostly. */
class Mean {
  value = 0
  private count = 0

  add(value: number): void {
    if (this.count < MEMORY) this.count++
    this.value += (value - this.value) / this.count
  }
}

const MEMORY = 64

/** What comes of so many: a share of them, which differs with their number. Kept by powers of two. */
class Curve {
  private readonly means: Mean[] = []

  add(of: number, result: number): void {
    if (of < 1) return
    const place = Math.round(Math.log2(of))
    this.means[place] ??= new Mean()
    this.means[place].add(result / of)
  }

  /** As many as there are while nothing is known. */
  at(of: number): number {
    const place = of <= 1 ? 0 : Math.log2(of)
    const below = this.nearest(Math.floor(place), -1)
    const above = this.nearest(Math.floor(place) + 1, 1)
    if (below === undefined || above === undefined) return of * this.share(below ?? above)
    const [low, high] = [this.share(below), this.share(above)]
    return of * (low + ((high - low) * (place - below)) / (above - below))
  }

  private share(place: number | undefined): number {
    return place === undefined ? 1 : (this.means[place] as Mean).value
  }

  private nearest(place: number, step: 1 | -1): number | undefined {
    for (let at = place; at >= 0 && (step < 0 || at < this.means.length); at += step) if (this.means[at]) return at
    return undefined
  }
}

/** How many come of so many, and whether any. */
export class Tally {
  readonly count = new Curve()
  /** As many as there were, or none. */
  readonly any = new Curve()

  add(of: number, result: number): void {
    this.count.add(of, result)
    this.any.add(of, result > 0 ? of : 0)
  }
}

/** How long lists are: the share of each length, by steps of about a third. */
export class Lengths {
  private readonly buckets: { readonly place: number; share: number; readonly mean: Mean }[] = []

  get known(): boolean {
    return this.buckets.length > 0
  }

  add(length: number): void {
    const place = length < 1 ? 0 : 1 + Math.round(3 * Math.log2(length))
    for (const bucket of this.buckets) bucket.share *= 1 - 1 / MEMORY
    let bucket = this.buckets.find((each) => each.place === place)
    if (!bucket) {
      const rare = this.buckets.findIndex(({ share }) => share < LEAST_SHARE)
      if (rare >= 0) this.buckets.splice(rare, 1)
      bucket = { place, share: 0, mean: new Mean() }
      this.buckets.push(bucket)
    }
    bucket.share++
    bucket.mean.add(length)
  }

  /** Each length, with its share of all of them. */
  each(visit: (length: number, share: number) => void): void {
    let all = 0
    for (const { share } of this.buckets) all += share
    for (const { share, mean } of this.buckets) visit(mean.value, share / all)
  }
}

const LEAST_SHARE = 1e-2

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

/** Edges under some circumstances that are remembered of one caller, and callers. */
const MAX_EDGES = 100
const MAX_CALLERS = 200

/**
 * Observed fan-outs, lengths of lists and totals of one site, as one caller was shown them. Used for the expected calls of that
 * caller's operations only. The number of edges is bounded; those observed last are kept.
 */
export class Sizes {
  private readonly keys = new Map<string, KeySizes>()
  private readonly lists = new Map<string, ListSizes>()
  /** The share of each edge that the caller was shown; an edge that was never refused has none. */
  private readonly shown = new Map<string, Mean>()
  /** By entity: the share of keys that batches left out, the share of unbatched keys that took single reads, and how many records there are. */
  private readonly strays = new Map<string, Mean>()
  private readonly singles = new Map<string, Mean>()
  private readonly totals = new Map<string, number>()
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

  shownOf(names: Names): number {
    return first(this.shown, names)?.value ?? 1
  }

  straysOf(entity: string): number {
    return this.strays.get(entity)?.value ?? 0
  }

  singlesOf(entity: string): number {
    return this.singles.get(entity)?.value ?? 0
  }

  totalOf(entity: string): number {
    return this.totals.get(entity) ?? Number.POSITIVE_INFINITY
  }

  learnKeys(names: Names, { parents, keys, reads, records }: Keys): void {
    for (const name of names) {
      const sizes = keep(this.keys, name, () => new KeySizes())
      sizes.keys.add(parents, keys)
      sizes.reads.add(parents, reads)
      if (records !== null) sizes.records.add(parents, records)
    }
  }

  learnLists(names: Names, { parents, lists, lengths, rows, records }: Lists): void {
    for (const name of names) {
      const sizes = keep(this.lists, name, () => new ListSizes())
      sizes.lists.add(parents, lists)
      for (const length of lengths) if (length !== null) sizes.lengths.add(length)
      sizes.records.add(rows, records)
    }
  }

  /** The caller was refused so many of so many. */
  learnShown(names: Names, asked: number, refused: number): void {
    if (asked === 0) return
    for (const name of names) if (refused > 0 || this.shown.has(name)) keep(this.shown, name, () => new Mean()).add(1 - refused / asked)
  }

  /** A batch of so many keys left some of them out. */
  learnStrays(entity: string, keys: number, strays: number): void {
    keep(this.strays, entity, () => new Mean()).add(strays / keys)
  }

  /** Of so many keys that could not be read in a batch, some took single reads. */
  learnSingles(entity: string, keys: number, singles: number): void {
    keep(this.singles, entity, () => new Mean()).add(singles / keys)
  }

  /** A list of all records of an entity has told its length. */
  learnTotal(entity: string, total: number): void {
    this.totals.set(entity, total)
  }
}

/** The observed sizes of each caller, by the id of their credentials. Those of the callers seen last are kept. */
export class SizesByCaller {
  private readonly callers = new LRUCache<string, Sizes>({ max: MAX_CALLERS })

  of(caller: string): Sizes {
    return this.callers.get(caller) ?? UNKNOWN
  }

  /** Where to learn from the caller's next operation; nothing where it is not to be learned from. */
  due(caller: string): Sizes | undefined {
    let sizes = this.callers.get(caller)
    if (!sizes) {
      sizes = new Sizes()
      this.callers.set(caller, sizes)
    }
    return sizes.isDue() ? sizes : undefined
  }
}

/** What is known of a caller who was never seen. */
const UNKNOWN = new Sizes()

const EAGER = 100
const EVERY = 16

function first<V>(map: ReadonlyMap<string, V>, names: Names): V | undefined {
  for (const name of names) {
    const value = map.get(name)
    if (value !== undefined) return value
  }
  return undefined
}

/** The value of a key, made where it is not there; those used last are kept. */
function keep<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make()
  map.delete(key)
  map.set(key, value)
  if (map.size > MAX_EDGES) map.delete(map.keys().next().value as string)
  return value
}
