import type { ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord } from '../../model/needs.js'
import { isOpenSample } from '../../rules/access.js'
import { type LessonFacts, UNREADABLE } from '../../rules/facts.js'
import type { Query } from '../../upstream/client.js'
import { ForbiddenError } from '../../upstream/errors.js'
import { isLacking } from '../../upstream/routes.js'
import { Course } from '../course/type.js'
import { stepList } from '../course-progress/routes.js'
import { courseStep } from '../course-progress/step.js'
import { builder } from '../kit/builder.js'
import { toList, toMany } from '../kit/needed-edges.js'
import { lessonColumns } from '../lesson/columns.js'
import { Lesson } from '../lesson/type.js'
import { accessIn } from './access.js'
import { shownReason, shownUnknown } from './access-types.js'
import { COURSE_COLUMNS, completedIn, idsOf, LESSON_COLUMNS, learnerOf, lessonFacts, progressOf, recordsOf } from './facts.js'
import { type Asked, courseNeeds, ORDER_COLUMNS, ofUser, orderedCourse, toLessons, toProgress } from './needs.js'

const NEEDED = [...LESSON_COLUMNS, 'courseId'] as const

/** The facts of a lesson. The site has accepted the password of one that was read with a password. */
const factsOf = (lesson: LmsRecord): LessonFacts => ({
  ...lessonFacts(lesson as never),
  ...((lesson.readWith as Query | undefined)?.password !== undefined && { contentProtected: false }),
})

/** The courses in which a lesson is known to be: its own, and those whose lists have shown it. */
const coursesOf = ({ courseId, inCourse }: LmsRecord): readonly number[] => [
  ...new Set([courseId ?? [], inCourse ?? []].flat() as number[]),
]

/** Returns the options of the list that tells the order of the lessons of a course: the steps, with what is completed, where the site lists them. */
const orderFrom = (list: 'steps' | 'lessons') => ({
  perCaller: true,
  needs: ORDER_COLUMNS,
  parse: (_: unknown, caller: ArgumentContext) =>
    isLacking(caller.site, stepList) === (list === 'lessons') ? ofUser.parse({}, caller) : null,
})

/** The courses of a lesson, with what decides in each whether the viewer may open it. */
const courses = toMany(Course, (lesson) => (isOpenSample(factsOf(lesson)) ? [] : coursesOf(lesson)), {
  isSeldom: true,
  needs: NEEDED,
  columns: COURSE_COLUMNS,
  relations: {
    ...courseNeeds,
    progress: toProgress(({ databaseId }) => databaseId as number, { parse: ofUser.parse }),
    lessons: toLessons(orderedCourse, orderFrom('lessons')),
    steps: toList<Asked>(
      { entity: courseStep },
      stepList,
      (course, site) =>
        orderedCourse(course, site) === null ? null : { params: { user: site.user as number, course: course.databaseId as number } },
      { ...orderFrom('steps'), columns: ['stepId', 'type', 'status'] },
    ),
  },
})

/** Throws unless the viewer may open a lesson in one of the courses in which it is known to be. */
function checkOpen(lesson: LessonFacts, courses: readonly NeededRecord[], caller: ArgumentContext): void {
  if (isOpenSample(lesson)) return
  const accesses = (courses.length === 0 ? [undefined] : courses).map((course) =>
    accessIn(course, caller, {
      learner: learnerOf(undefined, caller),
      lesson,
      progress: progressOf(course?.related.progress),
      lessonIds: idsOf(course?.related.steps ?? course?.related.lessons),
      completedStepIds: completedIn(course?.related.steps),
      isOwnRead: false,
    }),
  )
  if (accesses.some(({ state }) => state === 'AVAILABLE' || (state === 'UNKNOWN' && caller.limits.showsUndecided))) return
  const reasons = new Map(accesses.flatMap((access) => access.reasons.map(({ kind }) => [kind, shownReason(kind, {}).message])))
  const unknowns = new Map(accesses.flatMap((access) => access.unknowns.map((each) => [each.missing, shownUnknown(each).message])))
  const message = reasons.size > 0 ? 'This is not open for you:' : 'It is not known whether this is open for you. What is missing:'
  const details = { reasons: [...reasons.keys()], unknowns: [...unknowns.keys()] }
  throw new ForbiddenError([message, ...(reasons.size > 0 ? reasons : unknowns).values()].join(' '), undefined, details)
}

const RESTRICTED =
  'Visitors and learners of a service account get it where `access` is AVAILABLE, and of samples; elsewhere it is null beside an error. For them, at most three REST calls for each course, and those for its prerequisites.'

builder.objectFields(Lesson, (t) => {
  const field = <Name extends 'content' | 'materials' | 'videoUrl'>(name: Name, type: 'HTML' | 'String') =>
    t.lmsComputed({
      type,
      description: `${lessonColumns[name].description} ${RESTRICTED}`,
      restricted: true,
      needs: { columns: [...NEEDED, name], relations: { courses } },
      compute(lesson, { courses }, _, caller) {
        const found = recordsOf(courses)
        checkOpen(factsOf(lesson), found === UNREADABLE ? [] : found, caller)
        return lesson[name]
      },
    })
  return { content: field('content', 'HTML'), materials: field('materials', 'HTML'), videoUrl: field('videoUrl', 'String') }
})
