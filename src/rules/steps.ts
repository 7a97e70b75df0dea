import { type Fact, type ProgressFacts, UNREADABLE } from './facts.js'

/** Whether a learner has done something in a course. */
export const hasActivity = ({ status, stepsCompleted, dateStarted }: ProgressFacts): boolean =>
  status === 'IN_PROGRESS' || status === 'COMPLETED' || (stepsCompleted ?? 0) > 0 || dateStarted !== null

/** Whether a learner has certainly completed no step of a course. */
export const isUntouched = ({ status, stepsCompleted, lastStepId }: ProgressFacts): boolean =>
  status === 'NOT_STARTED' && (stepsCompleted ?? 0) === 0 && lastStepId === null

/** The completed steps, when the site lists them. */
export const listedSteps = (completedStepIds: Fact<readonly number[]> | null): readonly number[] | undefined =>
  completedStepIds === null || completedStepIds === UNREADABLE ? undefined : completedStepIds

export const firstIncomplete = (lessonIds: readonly number[], completed: readonly number[]): number | undefined => {
  const isCompleted = new Set(completed)
  return lessonIds.find((id) => !isCompleted.has(id))
}

/** The index of the last completed lesson; undefined when the last step is not a lesson. */
export function lastCompleted(lessonIds: readonly number[], { lastStepId }: ProgressFacts): number | undefined {
  const index = lastStepId === null ? -1 : lessonIds.indexOf(lastStepId)
  return index < 0 ? undefined : index
}
