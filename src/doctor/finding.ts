/** Severity of a finding: fine, informative, answers have less data or cost more, or some queries fail. */
export const STATES = ['ok', 'note', 'warning', 'breaks'] as const
export type State = (typeof STATES)[number]

/** A finding, and its effect on queries. */
export interface Finding {
  /** The same in each run, such as `columns.Course`. */
  readonly id: string
  readonly title: string
  readonly state: State
  readonly found: string
  readonly meaning: string
}

/** Id of the finding that the rights of the account do not suffice to examine the whole site. */
export const LIMITED = 'credential.limits'

/** A number with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Joins texts with commas. Long lists are cut. */
export function listing(texts: readonly string[], most = 40): string {
  const shown = texts.slice(0, most)
  return texts.length > most ? `${shown.join(', ')} and ${texts.length - most} more` : shown.join(', ')
}
