/** Estimates what an operation costs in REST calls, counts what it does cost, and explains both. */
export { admit, withExplanation } from './admission.js'
export { learnKeys, learnLists } from './learning.js'
export { Meter, Recorder, type Served } from './meter.js'
export type { CostModel } from './model.js'
export type { Sizes } from './observed-sizes.js'
export { type Price, Pricer } from './price.js'
