import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import { type SiteFacts, UNREADABLE } from '../../rules/facts.js'
import { isOrderEnforced } from '../../rules/lesson-rules.js'
import { type NextLessonReason, nextLesson, percent, whyNoStep } from '../../rules/progress.js'
import { BadInputError, LmsError } from '../../upstream/errors.js'
import { isLacking } from '../../upstream/routes.js'
import { Course } from '../course/type.js'
import { paramsOf, progressList, stepList } from '../course-progress/routes.js'
import { CourseProgress, CourseStep, courseStep } from '../course-progress/type.js'
import { builder } from '../kit/builder.js'
import { objectOf } from '../kit/expose.js'
import { type NeededEdge, toList, toOne } from '../kit/needed-edges.js'
import { Lesson } from '../lesson/type.js'
import { User } from '../user/type.js'
import { enumOf } from './access-types.js'
import {
  type CourseRecord,
  completedIn,
  idsOf,
  PROGRESS_COLUMNS,
  type ProgressRecord,
  progressFacts,
  progressStatus,
  readable,
  recordOf,
  recordsById,
  recordsOf,
  rowsOf,
} from './facts.js'
import { completedSteps, isSettled, ORDER_COLUMNS, toLessons, toSteps } from './needs.js'

const Reason = enumOf<NextLessonReason>('NextLessonReason', 'Why `nextLesson` or `nextStep` is null.', {
  COURSE_COMPLETED: 'The user has completed the course.',
  NO_LESSONS: 'The course has no lessons, or for `nextStep` no steps.',
  ALL_LESSONS_COMPLETED: 'The user has completed all lessons, but not yet the course: a quiz may be left. For `nextStep`: all steps.',
  LESSON_ORDER_UNREADABLE: 'The caller may not read the lessons of the course.',
  COMPLETED_STEPS_UNKNOWN: 'It is not known which lessons the user has completed: the site tells only the last step.',
})

/** What the next lesson needs, from a progress. `lesson` is the path of the lesson. */
const nextNeeds = (lesson: string, needed: Pick<NeededEdge, 'neededFor'> = {}) => ({
  lessons: toLessons(({ courseId, status }) => (status === 'COMPLETED' ? null : (courseId as number | null)), {
    needs: ['courseId', 'status'],
    shownAt: [lesson],
    ...needed,
  }),
  steps: completedSteps(needed),
  order: toOne(Course, (progress) => (isSettled(progress) ? null : (progress.courseId as number | null)), {
    needs: ['courseId', 'status', 'stepsCompleted', 'lastStepId'],
    // Where the site lists the completed steps, the order is not needed.
    parse: (_, { site }) => (isLacking(site, stepList) ? {} : null),
    columns: ORDER_COLUMNS,
    ...needed,
  }),
})

type LessonRecord = typeof Lesson.$inferType

interface Next {
  readonly lesson: LessonRecord | null
  readonly reason: NextLessonReason | null
}

/** The next lesson of a progress, or the reason why there is none. */
function next(progress: LmsRecord, related: Related, site: Pick<SiteFacts, 'openProgression'>): Next {
  const order = recordOf(related.order as NeededRecord | undefined)
  const { lessonId, reason } = nextLesson({
    progress: progressFacts(readable<ProgressRecord & LmsRecord>(progress, PROGRESS_COLUMNS)),
    lessonIds: idsOf(related.lessons),
    completedStepIds: completedIn(related.steps),
    isOrderEnforced: order === null || order === UNREADABLE ? UNREADABLE : isOrderEnforced(order as LmsRecord & CourseRecord, site),
  })
  const lesson = lessonId === null ? undefined : recordsById(related.lessons).get(lessonId)
  return { lesson: (lesson as LessonRecord | undefined) ?? null, reason }
}

const nextCost = 'One REST call for the lessons of each course under way, and one for its completed steps on sites that list them.'

const stepCost = 'One REST call for each 100 steps.'

/** Unlike the steps for rules, an error on sites that do not list them. */
const allSteps = toList({ entity: courseStep }, stepList, ({ key }) => ({ params: paramsOf(key as string) }), {
  pick: (rows) => rows,
  shownAt: [''],
})

/** The first step that the user has not completed, else the last one. */
const NEEDS_OF_STEP = {
  columns: ['status'],
  relations: {
    steps: toSteps(({ status }) => status !== 'COMPLETED', {
      pick: (rows) => [rows.find(({ status }) => status !== 'COMPLETED') ?? rows.at(-1)].filter((row) => row !== undefined),
      most: () => 1,
      columns: ['status'],
      shownAt: [''],
    }),
  },
} as const

type StepRecord = typeof CourseStep.$inferType

/** The next step of a progress, or the reason why there is none. */
function nextStep({ status }: Pick<ProgressRecord, 'status'>, { steps }: Related) {
  const rows = steps === undefined ? UNREADABLE : recordsOf(steps)
  const step = rows === UNREADABLE ? UNREADABLE : (rows[0]?.record as StepRecord | undefined)
  const reason = whyNoStep(progressStatus(status), step)
  return { step: reason === null ? (step as StepRecord) : null, reason }
}

const NEEDS_OF_NEXT = { columns: [...PROGRESS_COLUMNS, 'courseId'], relations: nextNeeds('') } as const

builder.objectFields(CourseProgress, (t) => ({
  percent: t.lmsComputed({
    type: 'Int',
    description: 'The completed part of the course, from 0 to 100. Null when the site does not send the numbers of steps.',
    needs: { columns: ['status', 'stepsCompleted', 'stepsTotal'] },
    compute: ({ status, ...steps }) => percent({ ...steps, status: progressStatus(status) }),
  }),
  nextLesson: t.lmsComputed({
    type: Lesson,
    description: `The first lesson of the course that the user has not completed. Null when there is none or it is not known: \`nextLessonReason\` tells why. ${nextCost}`,
    needs: NEEDS_OF_NEXT,
    compute: (progress, related, _, { site }) => next(progress, related, site).lesson,
  }),
  nextLessonReason: t.lmsComputed({
    type: Reason,
    description: `Why \`nextLesson\` is null. Null when there is a next lesson. ${nextCost}`,
    needs: NEEDS_OF_NEXT,
    compute: (progress, related, _, { site }) => next(progress, related, site).reason,
  }),
  steps: t.lmsComputed({
    type: [CourseStep],
    semanticNonNull: true,
    description: `The steps of the course with the status of the user, in its order. Null only beside an error. ${stepCost}`,
    needs: { relations: { steps: allSteps } },
    compute: (_, { steps }) => rowsOf(steps) as readonly StepRecord[],
  }),
  nextStep: t.lmsComputed({
    type: CourseStep,
    description: `The first step that the user has not completed. Null when there is none or it is not known: \`nextStepReason\` tells why. ${stepCost}`,
    needs: NEEDS_OF_STEP,
    compute: (progress, related) => nextStep(progress, related).step,
  }),
  nextStepReason: t.lmsComputed({
    type: Reason,
    description: `Why \`nextStep\` is null. Null when there is a next step. ${stepCost}`,
    needs: NEEDS_OF_STEP,
    compute: (progress, related) => nextStep(progress, related).reason,
  }),
}))

interface NextOfUser extends Next {
  readonly progress: LmsRecord
  readonly course: LmsRecord | null | LmsError
}

const NextLesson = objectOf<NextOfUser>(builder, 'NextLesson', 'What a user does next in a course.', {
  progress: [CourseProgress, false, 'The progress of the user in the course.'],
  course: [Course, true, 'The course. Null when the site no longer has it. One REST call for each 100 courses.'],
  lesson: [
    Lesson,
    true,
    `The first lesson of the course that the user has not completed. Null when there is none or it is not known: \`reason\` tells why. ${nextCost}`,
  ],
  reason: [Reason, true, `Why \`lesson\` is null. ${nextCost}`],
})

/** Largest number of courses of `nextLessons`. */
const MOST = 50

const DEFAULT_FIRST = 10

/** The latest started courses first. */
const byStart = (a: LmsRecord, b: LmsRecord): number => String(b.dateStarted ?? '').localeCompare(String(a.dateStarted ?? ''))

builder.objectField(User, 'nextLessons', (t) =>
  t.lmsComputed({
    type: [NextLesson],
    semanticNonNull: true,
    description: `What the user does next in the courses that are under way: the latest started ones first. Null only beside an error. One REST call for each 100 courses of the user. ${nextCost}`,
    args: {
      first: t.arg.int({ defaultValue: DEFAULT_FIRST, description: `Largest number of courses, from 1 to ${MOST}.` }),
    },
    needs: {
      relations: {
        progress: toList(
          CourseProgress,
          progressList,
          ({ databaseId }, _: { readonly first: number }) => ({ params: { user: databaseId as number } }),
          {
            parse: ({ first }) => ({ first: readFirst((first ?? DEFAULT_FIRST) as number) }),
            pick: (rows, { first }) =>
              rows
                .filter(({ status }) => status === 'IN_PROGRESS')
                .sort(byStart)
                .slice(0, first),
            most: ({ first }) => first,
            columns: [...PROGRESS_COLUMNS, 'courseId'],
            shownAt: ['progress'],
            relations: {
              ...nextNeeds('lesson', { neededFor: ['lesson', 'reason'] }),
              course: toOne(Course, 'courseId', { shownAt: ['course'], neededFor: ['course'] }),
            },
          },
        ),
      },
    },
    compute(_, { progress }, __, { site }) {
      if (progress instanceof LmsError) throw progress
      return (progress as readonly NeededRecord[]).map(({ record, related }): NextOfUser => {
        const course = related.course as NeededRecord | undefined
        return { progress: record as LmsRecord, course: course?.record ?? null, ...next(record as LmsRecord, related, site) }
      })
    },
  }),
)

function readFirst(first: number): number {
  if (first < 1 || first > MOST) throw new BadInputError(`\`first\` is ${first}; it must be from 1 to ${MOST}.`)
  return first
}
