import type { Estimate } from '../cost/estimate.js'
import type { PreparedOperation, PreparedOperations } from '../plan/prepared-operations.js'
import type { Operation } from '../prefetch/operation.js'
import type { Prefetched } from '../prefetch/prefetch.js'
import { UnplannedSteps } from '../prefetch/unplanned.js'
import type { Emitter } from '../upstream/events.js'
import type { FallbackEvents } from './fallback.js'
import type { TOO_LONG } from './length.js'
import type { Turns } from './turns.js'

/**
 * Returns the JSON of the data of an operation, from the fetched records: nothing when graphql-js has to write it, and `TOO_LONG` when it has more
 * than `most` characters.
 */
export type ResponseWriter = (prefetched: Prefetched, most: number) => string | typeof TOO_LONG | undefined

/** Writes responses without graphql-js. */
export interface ResponseWriters {
  /** Returns the response writer of an operation, or nothing when graphql-js always writes its responses. Called in each run. */
  of(operation: PreparedOperation): ResponseWriter | undefined
}

/** A root field of a mutation that has ended. */
export interface EndedMutation {
  readonly field: string
  /** The type of its record. */
  readonly type: string
  /** The REST id of the record; null when it is not known. */
  readonly id: number | null
  /** `ok`, or the code of its error. After some errors, such as a timeout, the site may have made the change. */
  readonly outcome: string
}

/** The context value of resolvers. */
export interface GraphContext {
  readonly operation: Operation
  readonly prepared: PreparedOperations
  /** Undefined when graphql-js writes every response. */
  readonly writers?: ResponseWriters | undefined
  /** The most characters of the data of a response. */
  readonly maxAnswerSize?: number | undefined
  /** Lets operations that are ready at the same time write their responses in turns. */
  readonly turns?: Turns | undefined
  /** Explains the cost of the operation: `plan` instead of running it, `run` beside its result. */
  readonly explain?: 'plan' | 'run' | undefined
  /** Whether the explanation includes data about other callers. */
  readonly explainOthers?: boolean | undefined
  /** Called when the plan of an operation is about to be fetched, and when the response to a query is about to be written. */
  readonly onStage?: ((stage: 'fetch' | 'respond') => void) | undefined
  /** Called for each root field of a mutation when it has ended. */
  readonly onMutation?: ((ended: EndedMutation) => void) | undefined
  readonly events: Emitter<FallbackEvents>
  /** The estimate of an operation whose run is explained. */
  estimate?: Estimate | undefined
  /** What the plan has prefetched. Without it, resolvers load what they need. Each mutation field is prefetched by itself. */
  prefetched?: Prefetched
  /** The steps of fields that resolve without a plan. */
  unplanned?: UnplannedSteps
}

/** The steps of fields that resolve without a plan. */
export function unplannedIn(context: GraphContext): UnplannedSteps {
  context.unplanned ??= new UnplannedSteps(context.operation, context.prepared.planner)
  return context.unplanned
}
