import { type Entity, type KeyEdge, type ListArgs, ROOT, type Target } from '../edges.js'
import { INCLUDE } from '../fetch/ignored-filters.js'
import { targetsOf } from '../fetch/targets.js'
import type { Arguments } from '../prepare/arguments.js'
import type { Plan } from '../prepare/plan.js'
import type { PlannedEdge } from '../prepare/selections.js'
import type { CostModel, Open } from './model.js'
import type { EstimateContext } from './row.js'

/** Bounds that are kept of one plan. */
const MOST = 64

/**
 * Most calls of a caller who may do everything that is tried first. It is kept by everything it depends on: not by the ids that are asked
 * for, but by their number, by pages and filters, and by what the caller is refused. `price` computes it where it is not known.
 */
export function permittedCalls(model: CostModel, given: Arguments, context: EstimateContext, price: () => number): number {
  const { plan, permitted } = model
  if (plan.payloads.size > 0) return price()
  model.open ??= openIn(plan)
  const circumstances = circumstancesOf(model.open, given, context)
  let most = permitted.get(circumstances)
  if (most === undefined) {
    most = price()
    if (permitted.size >= MOST) permitted.clear()
    permitted.set(circumstances, most)
  }
  return most
}

/** Fixed ones count where they may come to the same as others: fields of one edge, and all at the root that lead to records by their keys. */
function openIn({ byNode }: Plan): Open[] {
  const all = [...new Set([...byNode.values()].flat())]
  const isRootKey = ({ edge, origin }: PlannedEdge): boolean => edge.kind === 'key' && origin === undefined
  const meets = (one: PlannedEdge, other: PlannedEdge): boolean =>
    one !== other && (one.edge === other.edge || (isRootKey(one) && isRootKey(other)))
  return all
    .filter((planned) => !planned.isFixed || all.some((each) => !each.isFixed && meets(planned, each)))
    .map((planned) => ({ planned, isAlone: !all.some((each) => meets(planned, each)) }))
}

/** What counts of the caller and of the arguments: what is equal among them, not what it is. */
function circumstancesOf(open: readonly Open[], given: Arguments, { session: { credentials }, capabilities }: EstimateContext): string {
  const numbers = new Map<string, number>()
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? numbers.size
    return numbers.set(name, number) && number
  }
  let text = (credentials.anonymous ? '' : 'known ') + capabilities.refusals(credentials)
  for (const { planned, isAlone } of open) {
    const prepared = given.of(planned)
    if (prepared === null) text += ';!'
    else if (planned.edge.kind === 'list') text += `;${isAlone ? '' : numberOf(prepared.name)} ${ofList(prepared.value as ListArgs)}`
    else if (planned.origin !== undefined) text += `;${isAlone ? '' : numberOf(prepared.name)} ${ofEntities(planned.edge, prepared.value)}`
    else text += `;${ofTargets(planned.edge, prepared.value, numberOf)}`
  }
  return text
}

const ofEntities = (edge: KeyEdge, prepared: unknown): string => {
  const entities = edge.entities(prepared)
  return entities.length === 1 ? (entities[0] as Entity).name : entities.map(({ name }) => name).join()
}

/** The records an edge of the root leads to. */
function ofTargets(edge: KeyEdge, prepared: unknown, numberOf: (name: string) => number): string {
  const targets = targetsOf(edge, ROOT, prepared)
  if (!targets) return targets === null ? '0' : '!'
  if (!Array.isArray(targets)) return ofTarget(targets as Target, numberOf)
  return targets.map((target) => target && ofTarget(target, numberOf)).join()
}

function ofTarget({ entity: { name, byKey }, key, query, bySlug }: Target, numberOf: (name: string) => number): string {
  const many = byKey?.many
  const scope = many?.scoped ? numberOf(JSON.stringify(many.scope(key))) : ''
  return `${bySlug ? `slug ${query?.password === undefined ? '' : 'password '}` : ''}${name} ${numberOf(`${name} ${key}`)} ${query ? numberOf(JSON.stringify(query)) : ''} ${scope}`
}

function ofList({ query, window: { start, end, first, last } }: ListArgs): string {
  if (query === null) return '0'
  let text = `${start},${end},${first},${last}`
  for (const param in query) {
    const value = query[param]
    if (value !== undefined) text += ` ${param === INCLUDE ? (value as readonly unknown[]).length : param}`
  }
  return text
}
