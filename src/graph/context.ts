import type { Compiler } from './compile/compile.js'
import type { Price } from './cost/price.js'
import type { Fill } from './fill.js'
import type { Operation } from './operation.js'
import type { Plan, Planner } from './plan.js'

/** What every resolver gets. */
export interface GraphContext {
  readonly operation: Operation
  readonly planner: Planner
  /** Without it every operation is run by the ordinary executor. */
  readonly compiler?: Compiler | undefined
  /** Whether the answer is to tell what the operation costs, instead of running it or besides. */
  readonly explain?: 'plan' | 'run' | undefined
  /** What the operation was foreseen to cost. */
  price?: Price | undefined
  /** What has been fetched before the fields are resolved; without it, fields load what they need themselves. Each mutation has a fill of its own. */
  ahead?: { readonly plan: Plan; readonly variables: Readonly<Record<string, unknown>>; fill: Fill }
}
