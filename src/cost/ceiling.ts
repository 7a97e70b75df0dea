import { confirmedIn, idsFilteredBy } from '../load/list-filters.js'
import { mostCalls, wholeList, widthOf } from '../load/pages.js'
import { batchOf } from '../load/part-reader.js'
import { WHOLE } from '../load/records.js'
import { notInList } from '../model/columns.js'
import type { ListArgs } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import { rootTargetsOf } from '../model/targets.js'
import type { Plan, Selection } from '../plan/plan.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import type { EstimateContext } from './steps.js'

/** A record is read in at most two parts, and each again when `edit` is refused. */
const READS_IN_EDIT = 4

/**
 * Returns an upper bound of the expected calls, without observed sizes and without joining fields that share calls. For most operations it is
 * below the budget, so that they need no estimate, which would take 3 to 5 % of the CPU of an operation. Mutations whose payloads hold lists
 * of plain objects are always estimated.
 */
export function ceilingOf(context: EstimateContext, plan: Plan, variables: Readonly<Record<string, unknown>>, unpaged: number): number {
  const { root, payloads } = plan
  const mutations = [...payloads.values()]
  if (mutations.some(({ inside }) => inside)) return Number.POSITIVE_INFINITY
  const { site, limits } = context
  const given = context.argumentsUnder(variables)
  const forViewer = context.fieldsForViewer(plan, variables).length > 0 ? 1 : 0
  let [lists, reads, isEdit] = [0, 0, false]
  const read = (entity: Entity, wanted: Selection | undefined, keys: number): void => {
    const { byKey, shape } = entity
    if (wanted && (wanted.columns & shape.editOnly) !== NO_COLUMNS) isEdit = true
    const isBatched = keys > 1 && (byKey?.table || (!byKey?.many?.scoped && batchOf(context, entity)))
    if (byKey) reads += isBatched ? Math.ceil(keys / site.pageCap) : keys
  }
  const follow = ({ edges, shown = [] }: Selection, parents: number, isRoot = false): void => {
    for (const { isList, selection } of shown) follow(selection, parents * (isList ? unpaged : 1))
    for (const planned of edges) {
      const prepared = given.of(planned)
      if (!prepared) continue
      const { edge, rowData, children } = planned
      if (edge.kind === 'list') {
        const { query, window: args } = prepared.value as ListArgs
        if (query === null) continue
        const window = { kind: edge.route.window, args, wants: planned, cap: site.pageCap }
        const whole = idsFilteredBy(context, edge, query) === 'site' ? 0 : mostCalls(wholeList(window, limits.rows))
        lists += parents * (mostCalls(window) + whole + confirmedIn(site, edge, query).length)
        const followed = edge.pick?.most(prepared.value as ListArgs) ?? Number.POSITIVE_INFINITY
        const rows = planned.rows ? parents * Math.min(widthOf(args), followed) : 0
        const nodes = children.get(edge.entity.name)
        if (rowData || (nodes && notInList(context, edge, nodes.columns) !== NO_COLUMNS)) read(edge.entity, nodes, rows)
        if (nodes) follow(nodes, rows)
        if (rowData) follow(rowData, rows)
        continue
      }
      let keys = parents * (edge.many ? unpaged : 1)
      if (isRoot) {
        const targets = rootTargetsOf(edge, prepared.value)
        keys = targets[0]?.key === WHOLE ? unpaged : targets.length
        // A slug is looked up first.
        if (edge.bySlug?.(prepared.value)) lists += targets.filter(({ bySlug }) => bySlug).length
      }
      for (const entity of edge.entities(prepared.value)) {
        const records = children.get(entity.name)
        read(entity, records, keys)
        if (records) follow(records, keys)
      }
    }
  }
  if (mutations.length === 0) follow(root, 1, true)
  for (const payload of mutations) follow(payload, 1)
  return forViewer + mutations.length + lists + reads * (isEdit ? READS_IN_EDIT : 1)
}
