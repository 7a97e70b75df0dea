import type { MissingFact } from '../../src/rules/access.js'
import type { CourseQuestion, LessonQuestion } from '../../src/rules/facts.js'
import { Random } from '../support/random.js'
import { factsOf, ROLES, type Role, type View, viewOf } from './views.js'
import { CHANGES, openWorld, type World } from './worlds.js'

/** A question with the world it is about. */
export interface Case {
  readonly name: string
  readonly world: World
  readonly view: View
  readonly question: CourseQuestion | LessonQuestion
}

/** Only people inside a course read its lessons with credentials of their own, but for samples. */
function mayAsk(role: Role, { lesson, learner, course, otherTypeNeedsEnrolment }: World): boolean {
  if (role !== 'OWN_READ') return true
  const isKnownFree = course.priceTypeSlug === 'open' || (course.priceTypeSlug === 'paynow' && !Number(course.price ?? 0))
  const isOther = course.priceTypeSlug === null || course.priceTypeSlug === 'membership'
  return (
    lesson !== null && (lesson.isSample === true || learner.enrolledAt !== null || isKnownFree || (isOther && !otherTypeNeedsEnrolment))
  )
}

function makeCase(random: Random, about: 'COURSE' | 'LESSON', role: Role, changes: readonly string[], isOdd: boolean): Case | null {
  const world = openWorld(random, about)
  for (const change of changes) CHANGES[change]!(world, random)
  if (!mayAsk(role, world)) return null
  const view = viewOf(role, world, random, isOdd)
  return { name: `${about} ${role} ${changes.join('+') || 'unchanged'}`, world, view, question: factsOf(world, view) }
}

/** Each change alone for each role, then changes together: the same ones for the same seed. */
export function makeCases(seed: number, count: number): Case[] {
  const random = new Random(seed)
  const names = Object.keys(CHANGES)
  const cases: Case[] = []
  const add = (about: 'COURSE' | 'LESSON', role: Role, changes: readonly string[], isOdd: boolean): void => {
    const made = makeCase(random, about, role, changes, isOdd)
    if (made) cases.push(made)
  }
  for (const about of ['COURSE', 'LESSON'] as const)
    for (const role of ROLES)
      for (const change of names)
        for (const isOdd of [false, false, true]) {
          add(about, role, [change], isOdd)
          if (about === 'LESSON') add(about, role, ['sample', change], isOdd)
        }
  while (cases.length < count)
    add(random.pick(['COURSE', 'LESSON', 'LESSON']), random.pick(ROLES), random.some(names, random.int(0, 4)), random.chance(0.5))
  return cases
}

/** What a view sees with one more fact. Null when no fact of the world would tell. */
export function withFact({ world, view }: Pick<Case, 'world' | 'view'>, missing: MissingFact): Pick<Case, 'world' | 'view'> | null {
  const see = (more: Partial<View>): Pick<Case, 'world' | 'view'> => ({ world, view: { ...view, ...more } })
  const { learner, course } = world
  switch (missing) {
    case 'LEARNER':
      return see({ role: 'LEARNER' })
    case 'COURSE':
    case 'COURSE_OF_LESSON':
      return see({ course: 'READ' })
    case 'PRICE_TYPE': {
      const price = world.otherTypeNeedsEnrolment ? { priceTypeSlug: 'closed' } : { priceTypeSlug: 'paynow', price: '' }
      return { view, world: { ...world, course: { ...course, ...price } } }
    }
    case 'PROGRESS':
      return see({
        progress: 'READ',
        earnedPoints: 'READ',
        hidesProgressStatus: false,
        prerequisites: view.prerequisites === 'LEFT_OUT' ? 'READ' : view.prerequisites,
      })
    case 'PREREQUISITE':
      return see({ prerequisites: 'READ' })
    case 'ENROLMENT_DATE':
      return learner.enrolledAt === null
        ? null
        : see({ progress: 'READ', hidesProgressStatus: false, sendsEnrolments: true, role: 'LEARNER' })
    case 'POINTS_AWARDED_BY_HAND': {
      const coursePoints = learner.coursePoints + learner.pointsByHand
      return coursePoints < (course.pointsAccess ?? 0) ? null : { view, world: { ...world, learner: { ...learner, coursePoints } } }
    }
    case 'TIME_ZONE':
      return see({ knowsZone: true })
    case 'LESSON_ORDER':
      return see({ order: 'READ' })
    case 'COMPLETED_STEPS':
      return see({ steps: 'LIST' })
    case 'STATUS':
      return see({ hidesStatus: false, hidesCourseStatus: false })
    case 'SITE_BEHAVIOR':
      return view.knowsOrder && view.knowsPrerequisites ? null : see({ knowsOrder: true, knowsPrerequisites: true })
  }
}
