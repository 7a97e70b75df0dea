import type { ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import { type Access, isOpenSample, lessonAccess } from '../../rules/access.js'
import { type LessonFacts, UNREADABLE } from '../../rules/facts.js'
import type { Query } from '../../upstream/client.js'
import { WithheldError } from '../../upstream/errors.js'
import { isLacking } from '../../upstream/routes.js'
import { Course } from '../course/type.js'
import { paramsOf, progressKey, stepList } from '../course-progress/routes.js'
import { courseStep } from '../course-progress/step.js'
import { builder } from '../kit/builder.js'
import { toList, toMany } from '../kit/needed-edges.js'
import { lessonColumns } from '../lesson/columns.js'
import { Lesson } from '../lesson/type.js'
import { courseQuestion } from './access.js'
import { shownReason, shownUnknown } from './access-types.js'
import {
  COURSE_COLUMNS,
  type CourseRecord,
  completedIn,
  courseFacts,
  idsOf,
  LESSON_COLUMNS,
  type LessonRecord,
  learnerOf,
  lessonFacts,
  lessonsIn,
  progressOf,
  readable,
  recordOf,
  recordsOf,
} from './facts.js'
import { type Asked, courseNeeds, ORDER_COLUMNS, ofUser, orderedCourse, toLessons, toProgress } from './needs.js'

/** Reads for the viewer: the fields have no argument `user`. */
const ofViewer = { parse: ofUser.parse, perCaller: true } as const

/** Which list tells the order of the lessons of a course: that of the steps of the learner, which has what is completed too, where the site has it. */
const orderFrom = (list: 'steps' | 'lessons') => ({
  ...ofViewer,
  needs: ORDER_COLUMNS,
  parse: (_: unknown, caller: ArgumentContext) =>
    isLacking(caller.site, stepList) === (list === 'lessons') ? ofUser.parse({}, caller) : null,
})

const NEEDED = [...LESSON_COLUMNS, 'courseId'] as const

/** The facts of a lesson. The site has accepted the password of one that was read with a password. */
const factsOf = ({ readWith, ...lesson }: LmsRecord): LessonFacts => ({
  ...lessonFacts(lesson as LessonRecord & LmsRecord),
  ...((readWith as Query | undefined)?.password !== undefined && { contentProtected: false }),
})

/** The courses in which a record is known to be: its own, and those to which lists that have shown it were limited. */
const coursesOf = ({ courseId, inCourse }: LmsRecord): number[] =>
  [...new Set([courseId, ...((inCourse ?? []) as number[])])].filter((id) => typeof id === 'number')

/** What decides in each course whether the viewer may open a lesson of it. */
const toCourses = toMany(Course, (lesson) => (isOpenSample(factsOf(lesson)) ? [] : coursesOf(lesson)), {
  usual: 1,
  needs: NEEDED,
  columns: COURSE_COLUMNS,
  relations: {
    ...courseNeeds,
    progress: toProgress((course) => course.databaseId as number, ofViewer),
    lessons: toLessons<Asked>(orderedCourse, orderFrom('lessons')),
    steps: toList<Asked>(
      { entity: courseStep },
      stepList,
      (course, site) => {
        const id = orderedCourse(course, site)
        return id === null ? null : { params: paramsOf(progressKey(site.user as number, id)) }
      },
      { ...orderFrom('steps'), columns: ['stepId', 'status', 'type'] },
    ),
  },
})

const NONE: NeededRecord = { record: null, related: {} }

/** The access of the viewer to a lesson in a course, or in none that is known. */
function accessIn(found: NeededRecord, lesson: LessonFacts, caller: ArgumentContext): Access {
  const { related } = found
  const record = recordOf(found)
  const course = record === null || record === UNREADABLE ? undefined : readable<CourseRecord & LmsRecord>(record, COURSE_COLUMNS)
  return lessonAccess({
    site: caller.site,
    now: Date.now(),
    learner: learnerOf(undefined, caller),
    lesson,
    course: course ? courseFacts(course) : (record as null | typeof UNREADABLE),
    progress: progressOf(related.progress),
    ...courseQuestion(course ?? {}, related, caller),
    lessonIds: isLacking(caller.site, stepList) ? idsOf(related.lessons) : lessonsIn(related.steps),
    completedStepIds: completedIn(related.steps),
    isOwnRead: false,
  })
}

/** Throws unless the viewer may open a lesson in one of the courses in which it is known to be. */
function checkOpen(lesson: LessonFacts, courses: Related[string], caller: ArgumentContext): void {
  if (isOpenSample(lesson)) return
  const found = recordsOf(courses)
  const known = found === UNREADABLE || found.length === 0 ? [NONE] : found
  const accesses = known.map((course) => accessIn(course, lesson, caller))
  if (accesses.some(({ state }) => state === 'AVAILABLE' || (state === 'UNKNOWN' && caller.showsUndecided))) return
  const reasons = new Map(accesses.flatMap((access) => access.reasons.map(({ kind }) => [kind, shownReason(kind, {}).message])))
  const unknowns = new Map(accesses.flatMap((access) => access.unknowns.map((each) => [each.missing, shownUnknown(each).message])))
  const message =
    reasons.size > 0
      ? `This is not open: ${[...reasons.values()].join(' ')}`
      : `It is not known whether this is open. What is missing: ${[...unknowns.values()].join(' ')}`
  throw new WithheldError(message, [...reasons.keys()], [...unknowns.keys()])
}

/** A text of a lesson, which everybody gets to whom the site shows it, except that visitors and learners of a service account get only what is open. */
const restricted = (text: string): string =>
  `${text} Visitors and learners of a service account get it only where \`access\` is AVAILABLE, and of samples: at most three REST calls for each course, and those of its prerequisites. Otherwise it is null beside an error.`

builder.objectFields(Lesson, (t) => {
  const field = <Name extends 'content' | 'materials' | 'videoUrl'>(name: Name, type: 'HTML' | 'String') =>
    t.lmsComputed({
      type,
      description: restricted(lessonColumns[name].description),
      restricted: true,
      needs: { columns: [...NEEDED, name], relations: { courses: toCourses } },
      compute(lesson, { courses }, _, caller) {
        checkOpen(factsOf(lesson), courses, caller)
        return lesson[name]
      },
    })
  return { content: field('content', 'HTML'), materials: field('materials', 'HTML'), videoUrl: field('videoUrl', 'String') }
})
