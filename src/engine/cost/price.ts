import type { Site } from '../../upstream/site/site.js'
import { type Entity, type KeyEdge, type ListArgs, PreparedArguments, ROOT, type Target } from '../edges.js'
import { type Arguments, INCLUDE, targetsOf } from '../fetch/index.js'
import type { Plan, PlannedEdge } from '../plan.js'
import { CostModel, type Open } from './model.js'
import { SizesByCaller } from './observed-sizes.js'
import { Pricing } from './pricing.js'
import type { Basis, EstimateContext, Row } from './row.js'

/** Bounds that are kept of one plan. */
const MOST = 64

/**
 * Most calls of a caller who may do everything that is tried first. It is kept by everything it depends on: not by the ids that are asked
 * for, but by their number, by pages and filters, and by what the caller is refused. `price` computes it where it is not known.
 */
function permittedCalls(model: CostModel, given: Arguments, context: EstimateContext, price: () => number): number {
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

/** What an operation costs in REST calls, as it is known before the first one is sent. */
export interface Price {
  /** Calls that are made whatever the site holds. */
  readonly min: number
  /** Most calls, on a site that is as it is described. Nothing that was learned of sizes goes into it. */
  readonly max: number
  /** The same for a caller who may do all that is tried first. */
  readonly permitted: number
  /** Calls to be expected, by what was observed for the same credentials. */
  readonly expected: number
  /** Rounds of calls of which each needs what those before have brought. Further pages of a list are of its round. */
  readonly waves: number
  readonly rows: readonly Row[]
}

type Variables = Readonly<Record<string, unknown>>

/** What is known of the operation itself. */
export interface Priced extends EstimateContext {
  argumentsUnder(variables: Variables): Arguments
}

/** Prices the operations of one site. What edges lead to is learned in `sizes`. */
export class Pricer {
  readonly sizes = new SizesByCaller()

  constructor(
    private readonly site: Site,
    /** Records that a relation without pages is taken to lead to at most. */
    private readonly unpaged: number,
  ) {}

  /** What is known of the cost of a plan, whoever runs it. */
  modelOf(plan: Plan): CostModel {
    return new CostModel(plan, this.site)
  }

  /**
   * Most calls of a caller who may do all that is tried first: `permitted` of the price, without the work of pricing what was met before.
   * An operation is not expected to need more.
   */
  permitted(model: CostModel, variables: Variables, operation: Priced): number {
    return permittedCalls(model, operation.argumentsUnder(variables), operation, () => this.price(model, variables, operation).permitted)
  }

  /** `widths` prices some lists as if they were asked for that few rows. */
  price(model: CostModel, variables: Variables, operation: Priced, widths?: ReadonlyMap<PlannedEdge, number>): Price {
    const basis: Basis = { context: operation, model, sizes: this.sizes.of(operation.session.credentials.id), unpaged: this.unpaged }
    const given = operation.argumentsUnder(variables)
    const pricing = new Pricing(basis, (planned) => narrowed(planned, given.of(planned), widths?.get(planned)))
    if (model.mutations.length === 0) pricing.root(model.root)
    for (const mutation of model.mutations) pricing.mutation(mutation, variables)
    return totalOf(pricing.settle())
  }
}

/** A list that is asked for fewer rows. */
function narrowed({ edge }: PlannedEdge, prepared: PreparedArguments | null, width: number | undefined): PreparedArguments | null {
  if (width === undefined || prepared === null) return prepared
  const { window, ...others } = prepared.value as ListArgs
  return new PreparedArguments(edge, { ...others, window: { ...window, ...(window.last === null ? { first: width } : { last: width }) } })
}

function totalOf(rows: readonly Row[]): Price {
  let [min, max, permitted, likely, waves] = [0, 0, 0, 0, 0]
  for (const row of rows) {
    min += row.min
    max += row.max
    permitted += row.permitted
    likely += row.likely
    if (row.max > 0 && row.wave > waves) waves = row.wave
  }
  return { min, max, permitted: permitted, expected: Math.max(min, Math.min(max, likely)), waves, rows }
}
