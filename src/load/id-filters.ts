import type { ListEdge, WindowArgs, WindowWants } from '../model/edge.js'
import type { ReadContext } from '../model/reads.js'
import type { Caller } from '../upstream/call-scope.js'
import type { Query, Row } from '../upstream/client.js'
import { html } from '../upstream/codec/kinds.js'
import { BadInputError, InvalidResponseError } from '../upstream/errors.js'
import { needsPassword, searchesWithheld } from '../upstream/roles.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import { EXCLUDE, INCLUDE, idsFilteredBy, missingWithIds } from './list-filters.js'
import { folded } from './lookups.js'
import { wholeList } from './pages.js'
import { cut, fetchWindow, type ListRequest, type Window } from './windows.js'

/** What the rows of a list must fulfil. */
interface RowFilter {
  /** The ids to which the list is limited, and the ids that it leaves out. */
  readonly wanted: readonly unknown[] | undefined
  readonly unwanted: readonly unknown[]
  /** The id of a row, as `include` takes it. */
  readonly idOf: (row: Row) => unknown
  /** Whether records that need a password are left out. */
  readonly withheld: boolean
  /** Words that titles must have. */
  readonly words: readonly string[] | undefined
}

const NONE: readonly unknown[] = []

/**
 * Reads a window of a list. Some sites ignore or drop filters by id and return other rows. This is detected by the ids and remembered, and
 * the whole list is read and filtered here.
 */
export async function readWindow(
  context: ReadContext,
  edge: ListEdge,
  request: ListRequest,
  args: WindowArgs,
  wants: WindowWants,
): Promise<Window> {
  const { client, call, capabilities } = context
  const filter = filterOf(context, edge, request)
  if (!filter) return fetchWindow({ client, request, call }, args, wants)
  const missing = missingWithIds(context.site, edge, request.query)
  if (missing !== undefined)
    throw new BadInputError(
      `This site does not support \`where.id\` alone on this list. Add \`where.${missing}\`, or request the records with \`nodes\`.`,
    )
  if (idsFilteredBy(context, edge, request.query) !== 'gateway') {
    const window = await fetchWindow({ client, request, call }, args, wants)
    if (honours(window, filter)) return window
    capabilities.refuse(call.caller.credentials, CAPABILITIES.ids(edge.route))
  }
  return filterHere(context, request, args, filter)
}

function filterOf({ call }: ReadContext, edge: ListEdge, { query, keyOf }: ListRequest): RowFilter | undefined {
  const { entity, route } = edge
  const wanted = query[INCLUDE] as readonly unknown[] | undefined
  const unwanted = (query[EXCLUDE] ?? NONE) as readonly unknown[]
  const id = entity.byKey?.many?.id
  const withheld = searchesWithheld(call.caller, route, query)
  if (!withheld && (!id || (!wanted && unwanted.length === 0))) return undefined
  const idOf = (row: Row): unknown => {
    const key = keyOf(row)
    return key === null || !id ? key : id(key as number)
  }
  return { wanted, unwanted, idOf, withheld, words: titleWords(call.caller, edge, query) }
}

/** Returns the words that the titles of a list must hold, when the caller must not find words of other texts; undefined when it may. */
export function titleWords(caller: Caller, { entity, route }: ListEdge, query: Query): readonly string[] | undefined {
  // A field of the graph decides whether the caller gets a content that is a hidden column. Words to exclude are words as well.
  const isTitles = searchesWithheld(caller, route, query) && entity.shape.columns.content?.hidden === true
  return isTitles ? (folded(String(query.search)).match(/[\p{L}\p{N}]+/gu) ?? []) : undefined
}

const passes = ({ wanted, unwanted, idOf, withheld, words }: RowFilter, row: Row): boolean => {
  const id = idOf(row)
  return (
    (wanted === undefined || wanted.includes(id)) &&
    !unwanted.includes(id) &&
    !(withheld && needsPassword(row)) &&
    (words?.every((word) => titleOf(row).includes(word)) ?? true)
  )
}

const titleOf = ({ title }: Row): string => folded(String(html(title)))

/** Whether a window holds only rows that pass the filter, and its total is not above the number of ids. */
const honours = ({ rows, total }: Window, filter: RowFilter): boolean =>
  rows.every((row) => filter.idOf(row) === null || passes(filter, row)) &&
  (filter.wanted === undefined || (total ?? 0) <= filter.wanted.length)

async function filterHere(context: ReadContext, request: ListRequest, args: WindowArgs, filter: RowFilter): Promise<Window> {
  const { client, call, limits } = context
  if (filter.words?.length === 0) return cut([], args)
  const { [INCLUDE]: _wanted, [EXCLUDE]: _unwanted, ...others } = request.query
  const byIds = others.orderby === INCLUDE
  // The relevance depends on texts as well.
  const isUnordered = byIds || (filter.words && others.orderby === 'relevance')
  const { orderby: _by, order: _order, ...unordered } = others
  const search = filter.words && { search: filter.words.join(' ') }
  const asked = { ...request, query: { ...(isUnordered ? unordered : others), ...search } }
  const whole = wholeList(limits.rows)
  const { rows, hasNext } = await fetchWindow({ client, request: asked, call }, whole.args, whole.wants)
  if (hasNext && others.search !== undefined)
    throw new BadInputError(
      `The gateway filters what this search finds, and it finds more than ${limits.rows} records. Search for more words, or for a longer text.`,
    )
  if (hasNext)
    throw new InvalidResponseError(
      `The gateway filters ${request.route.path} itself, and the whole list has more than ${limits.rows} rows.`,
    )
  const found = rows.filter((row) => passes(filter, row))
  if (byIds) found.sort((a, b) => (filter.wanted ?? []).indexOf(filter.idOf(a)) - (filter.wanted ?? []).indexOf(filter.idOf(b)))
  return cut(found, args)
}
