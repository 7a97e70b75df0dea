import type { explainPlan, explainRun } from '../../cost/explain.js'

/** `extensions.explain` of an operation that has run. `role` is what the caller is for a gateway with a service account. */
export type Explanation = ReturnType<typeof explainRun> & { readonly role?: string }

/** `extensions.explain` of an operation that was only planned. */
export type PlanExplanation = ReturnType<typeof explainPlan>

/** Calls that one or more fields need together. */
export type Step = PlanExplanation['steps'][number]

/** One REST call of an operation. `isHarmless`: its status is that of an error, but led to none in the response. Set by the page. */
export type Call = Explanation['calls'][number] & { readonly isHarmless?: boolean }
