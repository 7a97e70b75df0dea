import type { Finding } from './finding.js'
import type { Survey } from './survey.js'

/**
 * One check of a site. `probe` makes its calls, in the order of the checks; `judge` returns the findings after all probes. A check without
 * `probe` uses what the others have read.
 */
export interface Check<Evidence = any> {
  /** Shown as progress. */
  readonly title: string
  probe?(survey: Survey): Promise<Evidence>
  judge(survey: Survey, evidence: Evidence): readonly Finding[]
}

/** Declares a check, so that `judge` has the type of the evidence of `probe`. */
export const check = <Evidence>(definition: Check<Evidence>): Check<Evidence> => definition
