import type { ColumnSet } from '../../upstream/codec/records.js'
import { LmsError } from '../../upstream/errors.js'
import { type Entity, type ListArgs, type ListEdge, type LmsRecord, ROOT } from '../edges.js'
import { Connection, type Operation, presentAmong, type RecordState } from '../fetch/index.js'
import type { PlannedEdge } from '../plan.js'
import { isUnfiltered, keyNames, listNames } from './model.js'

/** Lists of one step whose lengths are noted. */
const MOST_LENGTHS = 16

/** The site has answered, but not shown it. */
const isRefused = (error: unknown): boolean => error instanceof LmsError && error.upstream !== undefined && error.upstream.status < 500

/**
 * Notes where an edge has led to, before those records are read; answers what is to be told which of them there are. Nothing where
 * nothing is to be learned.
 */
export function learnKeys(
  { sizes }: Operation,
  planned: PlannedEdge,
  entity: Entity,
  parents: readonly LmsRecord[],
  entries: ReadonlySet<RecordState>,
  want: ColumnSet,
): (() => void) | undefined {
  if (!sizes || parents.length === 0) return undefined
  let reads = 0
  for (const entry of entries) if (!entry.settles(want)) reads++
  return () => {
    const errors = [...entries].filter(({ state }) => state === 'failed').map(({ error }) => error)
    const names = keyNames(planned, entity.name)
    // From the root it is known where an edge leads, though not whether there is anything.
    const from = parents[0] === ROOT ? entries.size : parents.length
    sizes.learnKeys(names, { parents: from, keys: entries.size, reads, records: errors.length === 0 ? presentAmong(entries).length : null })
    sizes.learnShown(names, entries.size, errors.filter(isRefused).length)
  }
}

/** Notes how long lists turned out to be. */
export function learnLists(
  { sizes }: Operation,
  planned: PlannedEdge,
  { query }: ListArgs,
  parents: readonly LmsRecord[],
  listOf: (parent: LmsRecord) => unknown,
): void {
  if (!sizes || parents.length === 0 || query === null) return
  const lists = new Set(parents.map(listOf))
  lists.delete(undefined)
  const read = [...lists].filter((list) => list instanceof Connection)
  const entries = read.flatMap((list) => list.states)
  const lengths = read.slice(0, MOST_LENGTHS).map(({ totalCount }) => totalCount)
  const names = listNames(planned, query)
  sizes.learnLists(names, { parents: parents.length, lists: lists.size, lengths, rows: entries.length, records: new Set(entries).size })
  sizes.learnShown(names, lists.size, [...lists].filter(isRefused).length)
  const [total] = lengths
  const { entity } = planned.edge as ListEdge
  if (planned.origin === undefined && isUnfiltered(planned, names) && typeof total === 'number') sizes.learnTotal(entity.name, total)
}
