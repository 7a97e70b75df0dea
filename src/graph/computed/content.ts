import type { ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import { isOpenSample } from '../../rules/access.js'
import { type LessonFacts, UNREADABLE } from '../../rules/facts.js'
import type { Query } from '../../upstream/client.js'
import { ForbiddenError } from '../../upstream/errors.js'
import { builder } from '../kit/builder.js'
import { toOne } from '../kit/needed-edges.js'
import { Lesson } from '../lesson/type.js'
import { Topic } from '../topic/type.js'
import { accessIn } from './access.js'
import { shownReason, shownUnknown } from './access-types.js'
import { completedIn, idsOf, LESSON_COLUMNS, learnerOf, lessonFacts, progressOf, recordOf, recordsOf, relatedOf } from './facts.js'
import { knownCourses } from './needs.js'

/** The site has accepted the password of a record that was read with one. */
const isLocked = ({ contentProtected, readWith }: LmsRecord): boolean =>
  contentProtected === true && (readWith as Query | undefined)?.password === undefined

/** The facts of a lesson, or of a topic, which follows the lesson above it. */
const factsOf = (record: LmsRecord, above: LmsRecord): LessonFacts => ({
  ...lessonFacts(above as never),
  status: (above.statusValue === 'publish' ? record : above).statusValue as string | null,
  contentProtected: isLocked(record) || isLocked(above),
})

/** Throws unless the viewer may open a lesson in one of some courses. */
function checkOpen(lesson: LessonFacts, courses: readonly NeededRecord[], caller: ArgumentContext): void {
  if (isOpenSample(lesson)) return
  const accesses = (courses.length === 0 ? [undefined] : courses).map((course) => {
    const { progress, lessons, ordered } = relatedOf(course)
    const { steps } = relatedOf(ordered)
    const order = { lessonIds: idsOf(lessons ?? steps), completedStepIds: completedIn(steps) }
    return accessIn(course, caller, { learner: learnerOf(undefined, caller), lesson, progress: progressOf(progress), ...order })
  })
  if (accesses.some(({ state }) => state === 'AVAILABLE' || (state === 'UNKNOWN' && caller.limits.showsUndecided))) return
  const reasons = new Map(accesses.flatMap((access) => access.reasons.map(({ kind }) => [kind, shownReason(kind, {}).message])))
  const unknowns = new Map(accesses.flatMap((access) => access.unknowns.map((each) => [each.missing, shownUnknown(each).message])))
  const message = reasons.size > 0 ? 'This is not open for you:' : 'It is not known whether this is open for you. What is missing:'
  const details = { reasons: [...reasons.keys()], unknowns: [...unknowns.keys()] }
  throw Object.assign(new ForbiddenError([message, ...(reasons.size > 0 ? reasons : unknowns).values()].join(' ')), { details })
}

/** The lesson of a topic: its own, or the only one whose list has shown it. */
const lessonOf = ({ lessonId, 'in lesson': ids = [] }: LmsRecord): number | null =>
  (lessonId as number | null) ?? ((ids as number[]).length === 1 ? (ids as number[])[0]! : null)
const OF_TOPIC = { lesson: toOne(Lesson, lessonOf, { leadsBack: true, needs: ['lessonId'], columns: LESSON_COLUMNS }) }

for (const ref of [Lesson, Topic] as (typeof Lesson)[])
  for (const [name, type] of Object.entries({ content: 'HTML', materials: 'HTML', videoUrl: 'String' } as const))
    builder.objectField(ref, name, (t) =>
      t.lmsComputed({
        type,
        description: `${ref.entity.shape.columns[name]?.description} Visitors and learners of a service account get it where \`access\` is AVAILABLE, and of samples; elsewhere it is null beside an error. For them, one REST call per user for each 100 courses, and the other calls of \`access\`.`,
        needs: {
          restricted: true,
          columns: [...LESSON_COLUMNS, name as 'content'],
          relations: { courses: knownCourses, ...(ref !== Lesson && OF_TOPIC) },
        },
        compute(record, related: Related, _, caller) {
          const above = ref === Lesson ? record : recordOf(related.lesson as NeededRecord)
          const courses = recordsOf(related.courses)
          checkOpen(
            factsOf(record, above === UNREADABLE || above === null ? { statusValue: null } : above),
            courses === UNREADABLE ? [] : courses,
            caller,
          )
          return record[name as 'content']
        },
      }),
    )
