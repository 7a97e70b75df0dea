import type { Site } from '../../upstream/site/site.js'
import type { ListArgs } from '../edges.js'
import { PreparedArguments } from '../edges.js'
import type { Arguments } from '../prepare/arguments.js'
import type { Plan } from '../prepare/plan.js'
import type { PlannedEdge } from '../prepare/selections.js'
import { CostModel } from './model.js'
import { permittedCalls } from './permitted-calls.js'
import { Pricing } from './pricing.js'
import type { Basis, EstimateContext, Row } from './row.js'
import { SizesByCaller } from './sizes.js'

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
