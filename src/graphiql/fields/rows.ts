import { type Entry, entriesOf, type Parsed, rootScope, type Scope, type Target } from './scope.js'

/** A visible line of the tree. */
export interface Row {
  readonly id: string
  readonly path: readonly string[]
  readonly entry: Entry
  readonly isTicked: boolean
  /** Whether it can be neither ticked nor unticked, because it belongs to a fragment. */
  readonly isFixed: boolean
  /** Undefined when there is nothing inside. */
  readonly isExpanded: boolean | undefined
  /** Whether a search found it. */
  readonly isFound: boolean
  readonly position: number
  readonly size: number
}

/** Most fields that a search finds. */
const MOST = 200

export const idOf = (path: readonly string[]): string => path.join('/')

/**
 * The visible lines of a tree, in order. Selected fields are expanded unless `toggled` says otherwise. Of the fields at one path, those that are
 * selected when it is first shown come first; `order` keeps their keys. A search shows the fields whose names contain the text,
 * in all that is selected and in each other type at its shortest path.
 */
export function rowsOf(
  parsed: Parsed,
  target: Target,
  toggled: ReadonlyMap<string, boolean>,
  search: string,
  order: Map<string, readonly string[]> = new Map(),
): { rows: readonly Row[]; isCut: boolean } {
  const found = search === '' ? undefined : find(parsed, target, search.toLowerCase())
  const rows: Row[] = []
  const list = (scope: Scope, path: readonly string[], isFixed: boolean, only: Found | undefined): void => {
    const all = entriesOf(parsed, scope)
    const entries = only ? sorted(all, path, only) : selectedFirst(all, path, order)
    for (const [index, entry] of entries.entries()) {
      const row = rowOf(entry, [...path, entry.key], isFixed)
      const leads = only?.leading.has(row.id) ? only : undefined
      const isExpanded = entry.inside && (toggled.get(row.id) ?? (only ? leads !== undefined : row.isTicked))
      rows.push({ ...row, isExpanded, isFound: only?.matching.has(row.id) ?? false, position: index + 1, size: entries.length })
      if (isExpanded && entry.inside) list(entry.inside, row.path, row.isFixed, leads)
    }
  }
  const root = rootScope(parsed, target)
  if (root) list(root, [], false, found)
  return { rows, isCut: found !== undefined && found.matching.size >= MOST }
}

function rowOf(entry: Entry, path: readonly string[], isInFixed: boolean): Pick<Row, 'id' | 'path' | 'entry' | 'isTicked' | 'isFixed'> {
  const isTicked = isSelected(entry)
  return { id: idOf(path), path, entry, isTicked, isFixed: entry.own.length === 0 && (isTicked || isInFixed) }
}

const isSelected = ({ own, fragments }: Entry): boolean => own.length > 0 || fragments.length > 0

/** The entries with those on top that are selected when the path is first shown. */
function selectedFirst(entries: readonly Entry[], path: readonly string[], order: Map<string, readonly string[]>): Entry[] {
  const top = order.get(idOf(path)) ?? entries.filter(isSelected).map(({ key }) => key)
  order.set(idOf(path), top)
  return [...entries].sort((a, b) => Number(top.includes(b.key)) - Number(top.includes(a.key)))
}

/** The entries that a search shows: what it found, then what is selected and leads to more, then what else leads to more. */
function sorted(entries: readonly Entry[], path: readonly string[], { matching, leading }: Found): Entry[] {
  const ranked: Entry[][] = [[], [], []]
  for (const entry of entries) {
    const id = idOf([...path, entry.key])
    const rank = matching.has(id) ? 0 : !leading.has(id) ? undefined : isSelected(entry) ? 1 : 2
    if (rank !== undefined) ranked[rank]?.push(entry)
  }
  return ranked.flat()
}

interface Found {
  /** Ids of what was found, and of what leads there. */
  readonly matching: Set<string>
  readonly leading: Set<string>
}

function find(parsed: Parsed, target: Target, text: string): Found {
  const found: Found = { matching: new Set(), leading: new Set() }
  const root = rootScope(parsed, target)
  const selected: ScopeAtPath[] = root ? [{ scope: root, path: [] }] : []
  const others: ScopeAtPath[] = []
  const searched = new Set<unknown>()
  const look = ({ scope, path }: ScopeAtPath): void => {
    searched.add(scope.type)
    for (const entry of entriesOf(parsed, scope)) {
      const { key, name, inside } = entry
      const here = [...path, key]
      if (found.matching.size < MOST && (name.toLowerCase().includes(text) || key.toLowerCase().includes(text))) {
        found.matching.add(idOf(here))
        for (let length = path.length; length > 0; length--) found.leading.add(idOf(path.slice(0, length)))
      }
      if (inside) (isSelected(entry) ? selected : others).push({ scope: inside, path: here })
    }
  }
  for (const each of selected) look(each)
  for (const each of others) if (!searched.has(each.scope.type)) look(each)
  return found
}

/** A scope, and the path that leads to it. */
interface ScopeAtPath {
  readonly scope: Scope
  readonly path: readonly string[]
}
