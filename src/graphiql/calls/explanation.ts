/** One REST call of an operation. Times are in milliseconds, and null if the call was not sent. */
export interface Call {
  method: string
  /** Template of the path, such as `v1/groups/:id`. */
  route: string
  /** Values of the parameters of the route. */
  params: Readonly<Record<string, unknown>>
  /** The ids of a batch. */
  ids?: readonly unknown[]
  /** Null when the call is not in the plan. */
  wave: number | null
  /** 2 and more for retries. */
  attempt?: number
  /** When the gateway needed the call, since the start of the operation. */
  start: number
  /** From `start` until the call was sent. Absent unless the caller is an operator. */
  queued?: number | null
  /** Until the first byte of the response: after `queued`, or from `start`. */
  waiting: number | null
  /** Until the last byte of the response. */
  receiving: number | null
  /** From `start` to the end. Also of a call that failed before it was sent; null if another operation made the call. */
  duration: number | null
  status: number | null
  bytes: number | null
  /** Age in seconds of the kept answer that was used instead. */
  cached?: number
  /** Whether another operation needed the call at the same time. Absent unless the caller is an operator. */
  shared?: boolean
  /** Response paths of the fields that the call serves, without positions in lists. */
  paths: readonly string[]
  /** Whether its status is that of an error, but led to none in the response. Set by the page. */
  isHarmless?: boolean
}

/** Estimated REST calls. */
export interface Predicted {
  min: number
  expected: number
  max: number
  waves: number
}

/** Calls that one or more fields need together. */
export interface Step {
  wave: number
  method: string
  route: string
  batch: number
  min: number
  expected: number
  max: number
  paths: readonly string[]
}

/** `extensions.explain` of an operation that has run. */
export interface Explanation {
  /** What the caller is for a gateway with a service account. */
  role?: string
  /** Null if the operation could not be planned. */
  predicted: Predicted | null
  actual: {
    /** Retries are not included. */
    calls: number
    waves: number
    /** Calls of a gateway without batching and reuse. */
    unbatched: number
    retries: number
    /** Null for visitors and learners of a service account. */
    bytes: number | null
    duration: number
    /** Reads that the cache answered. Absent from older gateways. */
    cached?: number
    /** Absent unless the caller is an operator. */
    shared?: number
  }
  maxCalls: number
  calls: readonly Call[]
}

/** `extensions.explain` of an operation that was only planned. */
export interface PlanExplanation {
  predicted: Predicted
  maxCalls: number
  /** Why the operation would be refused. */
  refusal?: string
  steps: readonly Step[]
}
