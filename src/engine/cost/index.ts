/** Estimates what an operation costs in REST calls, counts what it does cost, and explains both. */
export { admit, withExplanation } from './admission.js'
export { type Estimate, Estimator } from './estimate.js'
export { Meter, Recorder, type Served } from './meter.js'
export type { ObservedSizes } from './observed.js'
