/** How much a finding matters: nothing, good to know, answers are poorer or dearer, or some queries can't be answered at all. */
export const STATES = ['ok', 'note', 'warning', 'breaks'] as const
export type State = (typeof STATES)[number]

/** What was found, and what it means for queries. */
export interface Finding {
  /** Stays the same from run to run, such as `columns.Course`. */
  readonly id: string
  readonly title: string
  readonly state: State
  readonly found: string
  readonly meaning: string
}

/** Texts as a list within a sentence; long ones are cut. */
export function listing(texts: readonly string[], most = 40): string {
  const shown = texts.slice(0, most)
  return texts.length > most ? `${shown.join(', ')} and ${texts.length - most} more` : shown.join(', ')
}
