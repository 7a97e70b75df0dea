import type { Finding } from './finding.js'
import type { Survey } from './survey.js'

/**
 * One question put to a site: `probe` asks it, in the order of the checks; `judge` tells what was found once all have asked. A check
 * without calls of its own looks at what the others have seen.
 */
export interface Check<Evidence = any> {
  /** What is looked at, for people who wait. */
  readonly title: string
  probe?(survey: Survey): Promise<Evidence>
  judge(survey: Survey, evidence: Evidence): readonly Finding[]
}

/** A check whose `judge` takes what its `probe` answers. */
export const check = <Evidence>(made: Check<Evidence>): Check<Evidence> => made
