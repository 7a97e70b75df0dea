import { type Fact, type ProgressFacts, UNREADABLE } from './facts.js'
import { firstIncomplete, isUntouched, lastCompleted, listedSteps } from './steps.js'

/** Why the next lesson is null. */
export type NextLessonReason =
  | 'COURSE_COMPLETED'
  | 'NO_LESSONS'
  | 'ALL_LESSONS_COMPLETED'
  | 'LESSON_ORDER_UNREADABLE'
  | 'COMPLETED_STEPS_UNKNOWN'

/** The next lesson, or the reason why there is none: one of them is null. */
export type NextLesson =
  | { readonly lessonId: number; readonly reason: null }
  | { readonly lessonId: null; readonly reason: NextLessonReason }

export interface NextLessonQuestion {
  readonly progress: ProgressFacts
  /** Ids of the lessons of the course, in its order. */
  readonly lessonIds: Fact<readonly number[]>
  /** Ids of the steps that the learner has completed. Null when the site does not tell. */
  readonly completedStepIds: Fact<readonly number[]> | null
  /** Whether the site lets learners complete the lessons only in their order. */
  readonly isOrderEnforced: Fact<boolean>
}

/** The completed part of a course, from 0 to 100; null when it is not known. */
export function percent({
  status,
  stepsCompleted,
  stepsTotal,
}: Pick<ProgressFacts, 'status' | 'stepsCompleted' | 'stepsTotal'>): number | null {
  if (status === 'COMPLETED') return 100
  if (stepsTotal === null || stepsTotal <= 0 || stepsCompleted === null) return null
  return Math.min(100, Math.max(0, Math.floor((100 * stepsCompleted) / stepsTotal)))
}

const none = (reason: NextLessonReason): NextLesson => ({ lessonId: null, reason })

/** The lesson, or that all are completed. */
const lessonOrEnd = (lessonId: number | undefined): NextLesson =>
  lessonId === undefined ? none('ALL_LESSONS_COMPLETED') : { lessonId, reason: null }

/** Why there is no next step; null when there is one. `step` is the first one that the learner has not completed, else the last one. */
export function whyNoStep(
  status: ProgressFacts['status'],
  step: Fact<{ readonly status: string | null } | undefined>,
): NextLessonReason | null {
  if (status === 'COMPLETED') return 'COURSE_COMPLETED'
  if (step === UNREADABLE) return 'COMPLETED_STEPS_UNKNOWN'
  if (step === undefined) return 'NO_LESSONS'
  return step.status === 'COMPLETED' ? 'ALL_LESSONS_COMPLETED' : null
}

/** The first lesson of a course that the learner has not completed. */
export function nextLesson({ progress, lessonIds, completedStepIds, isOrderEnforced }: NextLessonQuestion): NextLesson {
  if (progress.status === 'COMPLETED') return none('COURSE_COMPLETED')
  if (lessonIds === UNREADABLE) return none('LESSON_ORDER_UNREADABLE')
  if (lessonIds.length === 0) return none('NO_LESSONS')
  const completed = listedSteps(completedStepIds)
  if (completed) return lessonOrEnd(firstIncomplete(lessonIds, completed))
  if (isUntouched(progress)) return lessonOrEnd(lessonIds[0])
  const last = isOrderEnforced === true ? lastCompleted(lessonIds, progress) : undefined
  return last === undefined ? none('COMPLETED_STEPS_UNKNOWN') : lessonOrEnd(lessonIds[last + 1])
}
