import { NO_COLUMNS } from '../../upstream/codec/records.js'
import type { ListArgs, ListEdge } from '../edges.js'
import { asksInEdit } from '../fetch/completing.js'
import { ignoredIn } from '../fetch/ignored-filters.js'
import type { PlannedEdge } from '../prepare/selections.js'
import { priceList } from './list-calls.js'
import type { StepModel } from './model.js'
import { listNames } from './names.js'
import { type Amount, type Basis, outOf, type Row } from './row.js'
import type { ListSizes } from './sizes.js'

/** The lists of one step, and the rows of their windows. */
export interface ListRow {
  readonly row: Row
  readonly rows: Amount
  readonly known: ListSizes | undefined
}

/** So that nothing is divided by zero. */
const LEAST = 1e-9

/** Prices the lists below so many parents; nothing where none is asked for. */
export function listRow(
  { context, sizes }: Basis,
  edge: ListEdge,
  step: StepModel,
  { query, window: args }: ListArgs,
  parents: Amount,
  wave: number,
): ListRow | undefined {
  const { pageCap } = context.site
  if (query === null || ignoredIn(context.site, edge, query) !== undefined) return undefined
  const names = listNames(step.planned[0] as PlannedEdge, query)
  const whole = sizes.listsOf(listNames(step.planned[0] as PlannedEdge, null))
  const known = sizes.listsOf(names) ?? whole
  const window = { kind: edge.route.window, args, wants: step, cap: pageCap }
  const price = priceList(context, edge, query, window, { filtered: known?.lengths, whole: whole?.lengths })
  // A list that is asked in `edit` and refused is asked again.
  const again = asksInEdit(context, edge, step.children.get(edge.entity.name)?.columns ?? NO_COLUMNS) ? 1 : 0
  const lists = outOf(parents, known?.lists).likely
  const shown = sizes.shownOf(names)
  const row: Row = {
    wave,
    method: 'GET',
    route: edge.route.path,
    batch: Math.max(1, Math.min(price.rows.most, pageCap)),
    planned: step.planned,
    min: (parents.least ?? 0) * Math.min(1, price.max),
    max: parents.most * (price.max + again),
    permitted: parents.most * price.permitted,
    // A list that is refused is so by its first call.
    likely: lists * (shown * price.likely + (1 - shown) * Math.min(1, price.likely)),
  }
  const any = parents.any * shown * (1 - (1 - price.rows.any) ** (lists / Math.max(parents.any, LEAST)))
  return { row, rows: { most: parents.most * price.rows.most, likely: lists * price.rows.likely * shown, any }, known }
}
