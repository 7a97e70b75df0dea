import { LRUCache } from 'lru-cache'
import { getOrMake } from '../maps.js'
import { type Entity, type LmsRecord, ROOT } from '../model/entity.js'
import { presentAmong, type RecordState } from '../model/records.js'
import type { PlannedEdge } from '../plan/plan.js'
import type { Query } from '../upstream/client.js'
import { LmsError } from '../upstream/errors.js'

/** Number of recent observations in a mean, and number of list lengths that are kept. */
const MEMORY = 64
const LENGTHS = 32
/** Number of lists of one step whose lengths are kept. */
const LENGTHS_PER_STEP = 16

/** The ratio of results to inputs, as a mean of recent observations. It depends on the number of inputs, so it is kept per power of two. */
class Ratio {
  private readonly means: ({ share: number; count: number } | undefined)[] = []

  add(of: number, results: number): void {
    if (of < 1) return
    const power = Math.round(Math.log2(of))
    const mean = this.means[power] ?? { share: 0, count: 0 }
    this.means[power] = mean
    if (mean.count < MEMORY) mean.count++
    mean.share += (results / of - mean.share) / mean.count
  }

  /** Returns the expected results of `of` inputs, interpolated between the nearest observations. Without observations, each input counts as `share`. */
  at(of: number, share = 1): number {
    const power = of <= 1 ? 0 : Math.log2(of)
    let [below, above] = [-1, -1]
    for (let each = 0; each < this.means.length && above < 0; each++) {
      if (!this.means[each]) continue
      if (each <= power) below = each
      else above = each
    }
    const [low, high] = [this.means[below]?.share, this.means[above]?.share]
    if (low === undefined || high === undefined) return of * (low ?? high ?? share)
    return of * (low + ((high - low) * (power - below)) / (above - below))
  }
}

/** Observed sizes of one edge. */
class EdgeSizes {
  /** Distinct keys or lists, by the number of parents. */
  readonly targets = new Ratio()
  /** Records that exist, by the number of parents, or by the number of rows of lists. */
  readonly records = new Ratio()
  /** Lengths of the last lists. */
  readonly lengths: number[] = []
}

/** A list that was read, or the reason why it was not. */
type ListResult = { readonly states: readonly unknown[]; readonly totalCount: number | null } | LmsError | undefined

/** Whether the site refused the read for this caller. */
const isRefused = (error: unknown): boolean => error instanceof LmsError && error.upstream !== undefined && error.upstream.status < 500

/** Names under which the sizes of an edge are kept. The first one includes the edge above. */
const namesOf = ({ edge, origin }: PlannedEdge, kind: string): readonly string[] => [
  `${origin?.id ?? ''} > ${edge.id}${kind}`,
  `${edge.id}${kind}`,
]

/** Returns the names of the filters of a query, on which the length of a list depends. */
function filtersOf(query: Query): string {
  let filters = ''
  for (const param in query) if (query[param] !== undefined && param !== 'orderby' && param !== 'order') filters += ` ${param}`
  return filters
}

/** Number of callers whose operations are counted, and of edges whose sizes are kept, of all callers together. */
const MAX_CALLERS = 10_000
const MAX_EDGES = 40_000
/** The first `EAGER` operations of a caller are observed, and then one in `EVERY`. */
const EAGER = 8
const EVERY = 16

/** The sizes that were observed for the callers of a gateway. The callers seen last and the edges observed last are kept. */
export class SizesByCaller {
  private readonly callers = new LRUCache<string, ObservedSizes>({ max: MAX_CALLERS })
  /** Sizes of edges, by the prefix of their caller and their name: callers differ in how many edges they follow. */
  private readonly edges = new LRUCache<string, EdgeSizes>({ max: MAX_EDGES })
  private count = 0

  of(caller: string): ObservedSizes {
    return getOrMake<string, ObservedSizes>(this.callers, caller, () => new ObservedSizes(this.edges, `${++this.count} `))
  }
}

/**
 * The sizes that were observed for one caller: records per edge, lengths of lists, and totals of types. They are used for the expected calls
 * of that caller only.
 */
export class ObservedSizes {
  private readonly totals = new Map<string, number>()
  private operations = 0

  /** `prefix` keeps the edges of a caller apart from those of others. */
  constructor(
    private readonly edges: LRUCache<string, EdgeSizes>,
    private readonly prefix: string,
  ) {}

  /** Whether to observe the next operation. */
  isDue(): boolean {
    return ++this.operations <= EAGER || this.operations % EVERY === 0
  }

  /** Returns the sizes of an edge to records of a type. */
  keysOf(planned: PlannedEdge, type: string): EdgeSizes | undefined {
    return this.first(namesOf(planned, ` ${type}`))
  }

  /** Returns the sizes of an edge to lists, with the same filters if they were observed, else without filters. */
  listsOf(planned: PlannedEdge, query: Query): EdgeSizes | undefined {
    return this.first([...namesOf(planned, filtersOf(query)), ...namesOf(planned, '')])
  }

  /** Returns the number of records of a type. */
  totalOf(type: string): number {
    return this.totals.get(type) ?? Number.POSITIVE_INFINITY
  }

  /** Observes the records that an edge led to. Called after they have been read. */
  learnKeys(planned: PlannedEdge, { name }: Entity, parents: readonly LmsRecord[], states: readonly RecordState[]): void {
    // From the root, an edge leads to the requested keys.
    const from = parents[0] === ROOT ? states.length : parents.length
    const isUnknown = states.some(({ status, error }) => status === 'failed' && !isRefused(error))
    const present = isUnknown ? null : presentAmong(states).length
    for (const edge of namesOf(planned, ` ${name}`)) {
      const sizes = this.kept(edge)
      sizes.targets.add(from, states.length)
      if (present !== null) sizes.records.add(from, present)
    }
  }

  /** Observes the lists below some parents. A list that is refused has no rows. */
  learnLists(planned: PlannedEdge, query: Query | null, results: readonly ListResult[]): void {
    if (query === null || results.length === 0) return
    const [lists, filters] = [new Set(results), filtersOf(query)]
    lists.delete(undefined)
    const [rows, lengths] = [[] as unknown[], [] as number[]]
    for (const list of lists) {
      const length = list instanceof LmsError ? (isRefused(list) ? 0 : null) : (list?.totalCount ?? null)
      if (length !== null && lengths.length < LENGTHS_PER_STEP) lengths.push(length)
      if (list && !(list instanceof LmsError)) rows.push(...list.states)
    }
    // The rows of one list are distinct.
    const distinct = lists.size > 1 ? new Set(rows).size : rows.length
    for (const edge of namesOf(planned, filters)) {
      const sizes = this.kept(edge)
      sizes.targets.add(results.length, lists.size)
      sizes.records.add(rows.length, distinct)
      sizes.lengths.push(...lengths)
      sizes.lengths.splice(0, sizes.lengths.length - LENGTHS)
    }
    const [total] = lengths
    if (planned.edge.kind === 'list' && !planned.origin && filters === '' && total) this.totals.set(planned.edge.entity.name, total)
  }

  private first(names: readonly string[]): EdgeSizes | undefined {
    return names.map((name) => this.edges.peek(this.prefix + name)).find((sizes) => sizes !== undefined)
  }

  private kept(name: string): EdgeSizes {
    return getOrMake<string, EdgeSizes>(this.edges, this.prefix + name, () => new EdgeSizes())
  }
}
