import type { Price } from './cost/index.js'
import type { Fallback } from './fallback.js'
import type { Fetcher, Operation } from './fetch/index.js'
import type { Plan } from './plan.js'
import type { PreparedOperations } from './prepare/index.js'
import type { ResponseWriters } from './respond/index.js'

/** What every resolver gets. */
export interface GraphContext {
  readonly operation: Operation
  readonly prepared: PreparedOperations
  /** Without it every operation is run by the ordinary executor. */
  readonly compiler?: ResponseWriters | undefined
  /** Whether the answer is to tell what the operation costs, instead of running it or besides. */
  readonly explain?: 'plan' | 'run' | undefined
  /** Called when an exception of the gateway itself ends the fast path of an operation. */
  readonly onFallback?: ((fallback: Fallback) => void) | undefined
  /** What the operation was foreseen to cost. */
  price?: Price | undefined
  /** What has been fetched before the fields are resolved; without it, fields load what they need themselves. Each mutation has a fill of its own. */
  ahead?: { readonly plan: Plan; readonly variables: Readonly<Record<string, unknown>>; fill: Fetcher }
}
