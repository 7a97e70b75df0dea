import { LRUCache } from 'lru-cache'
import type { Query } from '../../upstream/client.js'
import { LmsError } from '../../upstream/errors.js'
import { type Entity, type LmsRecord, ROOT } from '../edges.js'
import { presentAmong, type RecordState } from '../fetch/index.js'
import type { PlannedEdge } from '../plan.js'

/** Observations that a mean, or the lengths of lists, are made of. */
const MEMORY = 64
const LENGTHS = 32
/** Lists of one step whose lengths are kept. */
const LENGTHS_PER_STEP = 16

/** How many results come of so many: a share, which changes with their number. Kept by powers of two, as a mean of recent observations. */
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

  /** Results of so many, between the nearest observations; `share` of each where there are none. */
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

/** What one edge led to. */
class EdgeSizes {
  /** Distinct keys or lists by the number of parents. */
  readonly targets = new Ratio()
  /** Records that are there: by the number of parents, or by the number of rows of lists. */
  readonly records = new Ratio()
  /** Lengths of the last lists. */
  readonly lengths: number[] = []
}

/** A list that was read, or the reason why it was not. */
type ListResult = { readonly states: readonly unknown[]; readonly totalCount: number | null } | LmsError | undefined

/** Whether the site has answered, but shows nothing to the caller. */
const isRefused = (error: unknown): boolean => error instanceof LmsError && error.upstream !== undefined && error.upstream.status < 500

/** Names under which sizes of an edge are kept. The first one depends on the edge before. */
const namesOf = ({ edge, origin }: PlannedEdge, kind: string): readonly string[] => [
  `${origin?.id ?? ''} > ${edge.id}${kind}`,
  `${edge.id}${kind}`,
]

/** Filters of a query, which the length of a list depends on. */
function filtersOf(query: Query): string {
  let filters = ''
  for (const param in query) if (query[param] !== undefined && param !== 'orderby' && param !== 'order') filters += ` ${param}`
  return filters
}

/** Edges that are kept of one caller, and callers. */
const MAX_EDGES = 200
const MAX_CALLERS = 200
/** All of the first operations of a caller are observed, and then one in so many. */
const EAGER = 100
const EVERY = 16

/**
 * Observed sizes of what one caller was shown of a site: how many records edges led to, how long lists were, and how many records there are
 * of a type. They are used for the expected calls of that caller only. The edges that were observed last are kept.
 */
export class ObservedSizes {
  private readonly edges = new Map<string, EdgeSizes>()
  private readonly totals = new Map<string, number>()
  private operations = 0

  /** Whether to observe the next operation. */
  isDue(): boolean {
    return ++this.operations <= EAGER || this.operations % EVERY === 0
  }

  /** What an edge to records of a type led to. */
  keysOf(planned: PlannedEdge, type: string): EdgeSizes | undefined {
    return this.first(namesOf(planned, ` ${type}`))
  }

  /** What an edge to lists led to: with the same filters, or else without. */
  listsOf(planned: PlannedEdge, query: Query): EdgeSizes | undefined {
    return this.first([...namesOf(planned, filtersOf(query)), ...namesOf(planned, '')])
  }

  /** Most records of a type. */
  totalOf(type: string): number {
    return this.totals.get(type) ?? Number.POSITIVE_INFINITY
  }

  /** Observes which records an edge led to, when they have been read. */
  learnKeys(planned: PlannedEdge, { name }: Entity, parents: readonly LmsRecord[], states: ReadonlySet<RecordState>): void {
    // From the root an edge leads to as many keys as are asked for.
    const from = parents[0] === ROOT ? states.size : parents.length
    const isUnknown = [...states].some(({ status, error }) => status === 'failed' && !isRefused(error))
    for (const sizes of this.keep(namesOf(planned, ` ${name}`))) {
      sizes.targets.add(from, states.size)
      if (!isUnknown) sizes.records.add(from, presentAmong(states).length)
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
    for (const sizes of this.keep(namesOf(planned, filters))) {
      sizes.targets.add(results.length, lists.size)
      sizes.records.add(rows.length, new Set(rows).size)
      sizes.lengths.push(...lengths)
      sizes.lengths.splice(0, sizes.lengths.length - LENGTHS)
    }
    const [total] = lengths
    if (planned.edge.kind === 'list' && !planned.origin && filters === '' && total) this.totals.set(planned.edge.entity.name, total)
  }

  private first(names: readonly string[]): EdgeSizes | undefined {
    for (const name of names) {
      const sizes = this.edges.get(name)
      if (sizes) return sizes
    }
    return undefined
  }

  private keep(names: readonly string[]): readonly EdgeSizes[] {
    return names.map((name) => {
      const sizes = this.edges.get(name) ?? new EdgeSizes()
      this.edges.delete(name)
      this.edges.set(name, sizes)
      const [oldest] = this.edges.keys()
      if (this.edges.size > MAX_EDGES && oldest !== undefined) this.edges.delete(oldest)
      return sizes
    })
  }
}

/** What is known of a caller who was never seen. */
const UNKNOWN = new ObservedSizes()

/** The observed sizes of the callers seen last, by the fingerprint of their credentials. */
export class SizesByCaller {
  private readonly callers = new LRUCache<string, ObservedSizes>({ max: MAX_CALLERS })

  of(caller: string): ObservedSizes {
    return this.callers.get(caller) ?? UNKNOWN
  }

  /** Where to observe the next operation of a caller; nothing where it is not observed. */
  due(caller: string): ObservedSizes | undefined {
    const sizes = this.callers.get(caller) ?? new ObservedSizes()
    this.callers.set(caller, sizes)
    return sizes.isDue() ? sizes : undefined
  }
}
