import type { Args, ArgumentContext, Edge, ListEdge } from '../../model/edge.js'
import type { Entity, LmsRecord } from '../../model/entity.js'
import { isOpen } from '../../rules/enrolment.js'
import type { SiteFacts } from '../../rules/facts.js'
import { isOrderEnforced } from '../../rules/lesson-rules.js'
import { isUntouched } from '../../rules/steps.js'
import * as c from '../../upstream/codec/columns.js'
import { reference } from '../../upstream/codec/kinds.js'
import { Shape } from '../../upstream/codec/records.js'
import type { Key } from '../../upstream/routes.js'
import { Course } from '../course/type.js'
import { paramsOf, progressKey, progressList, stepList } from '../course-progress/routes.js'
import { CourseProgress } from '../course-progress/type.js'
import type { NeededEdge } from '../kit/computed.js'
import { keyEdge, listEdge, MAX_ROWS } from '../kit/needed-edges.js'
import { lessonList } from '../lesson/routes.js'
import { Lesson } from '../lesson/type.js'
import { PriceType } from '../price-type/type.js'
import { type CourseRecord, learnerOf, PROGRESS_COLUMNS, type ProgressRecord, progressFacts } from './facts.js'

/** The user whose progress decides; null for visitors, who have none, and for users who bypass the rules. */
type User = number | null

export interface Asked extends Pick<SiteFacts, 'openProgression'> {
  readonly user: User
}

/** Reads the argument `user`. */
export function asked({ user }: Args, caller: ArgumentContext): Asked {
  const learner = learnerOf(user, caller)
  const { openProgression, bypassingUsers } = caller.site
  return { openProgression, user: typeof learner === 'number' && !bypassingUsers.includes(learner) ? learner : null }
}

/** Edges of fields with an argument `user` depend on the viewer unless it is set. */
export const isPerCaller = ({ user }: Args): boolean => user === null || user === undefined

const ownUser = (args: Args, caller: ArgumentContext) => {
  const { user } = asked(args, caller)
  return user === null ? {} : { user }
}

/** The enforced prerequisites of a course. */
export const enforcedPrerequisites = ({ prerequisiteEnabled, prerequisiteIds }: LmsRecord): readonly number[] =>
  prerequisiteEnabled === true && Array.isArray(prerequisiteIds) ? prerequisiteIds : []

/** The progress of the user in the course that `courseOf` returns, or in none. */
export const progressEdge = <Prepared extends Pick<Asked, 'user'>>(
  id: string,
  needs: readonly string[],
  prepare: (args: Args, caller: ArgumentContext) => Prepared,
  courseOf: (parent: LmsRecord, prepared: Prepared) => Key | null,
): Edge =>
  keyEdge<Prepared>({
    id,
    needs,
    parse: prepare,
    entities: () => [CourseProgress.entity],
    targets(parent, prepared) {
      const course = courseOf(parent, prepared)
      return course === null || prepared.user === null ? null : { entity: CourseProgress.entity, key: progressKey(prepared.user, course) }
    },
    oneScope: true,
    perCaller: isPerCaller,
  })

/** The relations that the rules of a course need, and that its reasons show. */
export const courseNeeds = {
  prerequisites: {
    ref: Course,
    edge: keyEdge<Asked>({
      id: 'Access.prerequisites',
      needs: ['prerequisiteEnabled', 'prerequisiteIds'],
      parse: asked,
      entities: () => [Course.entity],
      targets: (course, { user }) => (user === null ? [] : enforcedPrerequisites(course).map((key) => ({ entity: Course.entity, key }))),
      many: true,
      perCaller: isPerCaller,
    }),
    shownAt: ['reasons.missing', 'reasons.completed'],
  },
  prerequisiteProgress: {
    ref: CourseProgress,
    edge: keyEdge<Asked>({
      id: 'Access.prerequisiteProgress',
      needs: ['prerequisiteEnabled', 'prerequisiteIds'],
      parse: asked,
      entities: () => [CourseProgress.entity],
      targets: (course, { user }) =>
        user === null ? [] : enforcedPrerequisites(course).map((id) => ({ entity: CourseProgress.entity, key: progressKey(user, id) })),
      many: true,
      oneScope: true,
      perCaller: isPerCaller,
    }),
    columns: PROGRESS_COLUMNS,
  },
  earned: {
    ref: CourseProgress,
    edge: listEdge(
      {
        id: 'Access.earned',
        entity: CourseProgress.entity,
        route: progressList,
        needs: ['pointsEnabled', 'pointsAccess'],
        scope: ({ pointsEnabled, pointsAccess }, { scopeArguments }) =>
          pointsEnabled === true && (pointsAccess as number) > 0 && scopeArguments?.user !== undefined
            ? { params: { user: scopeArguments.user as number } }
            : null,
        pick: { from: (records) => records.filter(({ status }) => status === 'COMPLETED'), most: () => MAX_ROWS },
        perCaller: isPerCaller,
      },
      ownUser,
    ),
    columns: ['status', 'courseId'],
    relations: { course: { ref: Course, columns: ['pointsEnabled', 'points'] } },
  },
  priceType: {
    ref: PriceType,
    edge: keyEdge({
      id: 'Access.priceType',
      needs: ['priceTypeSlug'],
      parse: () => ({}),
      entities: () => [PriceType.entity],
      targets: ({ priceTypeSlug }) => (priceTypeSlug === null ? null : { entity: PriceType.entity, key: priceTypeSlug as string }),
    }),
    shownAt: ['reasons.priceType'],
    neededFor: ['reasons.priceType'],
  },
} as const satisfies Readonly<Record<string, NeededEdge>>

type OwnEdge = Pick<ListEdge, 'id' | 'needs' | 'scope' | 'perCaller'>

/** The lessons of a course, in its order. */
export const lessonOrder = (edge: OwnEdge, scopeArguments: Parameters<typeof listEdge>[1], shownAt: readonly string[]): NeededEdge => ({
  ref: Lesson,
  edge: listEdge({ ...edge, entity: Lesson.entity, route: lessonList }, scopeArguments),
  columns: ['databaseId'],
  shownAt,
})

const stepColumns = {
  stepId: c.reference('step', 'Id of the lesson, topic or quiz.'),
  stepStatus: c.word('step_status', 'Status of the user in the step.'),
}

/** A step of a course with a user's progress. It is no type of the graph. */
const courseStep: Entity = {
  name: 'CourseStep',
  shape: new Shape('CourseStep', stepColumns),
  key: 'key',
  byKey: {
    one: { path: stepList.path },
    params: () => ({}),
    keyOf: ({ step }, { user, course }) => {
      const id = reference(step)
      return typeof id === 'number' ? `${user}:${course}:${id}` : null
    },
    keyColumns: ['step'],
  },
}

/** The steps of a course with the status of a user, when the progress of the user does not show which are completed. */
export const completedSteps = (id: string, neededFor?: readonly string[]): NeededEdge => ({
  ref: { entity: courseStep },
  edge: listEdge(
    {
      id,
      entity: courseStep,
      route: stepList,
      needs: ['status', 'stepsCompleted', 'lastStepId'],
      scope: (progress, { scopeArguments }) =>
        scopeArguments?.steps === 1 && !isSettled(progress) ? { params: paramsOf(progress.key as Key) } : null,
    },
    (_, { site }) => ({ steps: site.progressSteps ? 1 : 0 }),
  ),
  columns: ['stepId', 'stepStatus'],
  ...(neededFor && { neededFor }),
})

/** Whether a progress shows that all steps are completed, or none. */
export const isSettled = (progress: LmsRecord): boolean => {
  const facts = progressFacts(progress as ProgressRecord)
  return facts.status === 'COMPLETED' || isUntouched(facts)
}

/** Columns that tell whether the lessons have an order. */
export const ORDER_COLUMNS = ['disableLessonProgression', 'priceTypeSlug']

/** What the rules of a lesson need of its course, in addition to those of the course. */
export const orderNeeds = {
  lessons: lessonOrder(
    {
      id: 'Access.lessons',
      needs: ORDER_COLUMNS,
      scope: (course, { scopeArguments }) =>
        scopeArguments?.user === undefined ||
        isOrderEnforced(course as CourseRecord, { openProgression: scopeArguments.openProgression as SiteFacts['openProgression'] }) ===
          false
          ? null
          : { params: {}, query: { course: course.databaseId as number } },
      perCaller: isPerCaller,
    },
    (args, caller) => ({ ...ownUser(args, caller), openProgression: caller.site.openProgression }),
    ['reasons.lesson'],
  ),
  ordered: {
    ref: CourseProgress,
    edge: progressEdge('Access.ordered', ORDER_COLUMNS, asked, (course, site) =>
      isOrderEnforced(course as CourseRecord, site) === false ? null : (course.databaseId as number),
    ),
    columns: PROGRESS_COLUMNS,
    relations: { steps: completedSteps('Access.steps') },
  },
} as const satisfies Readonly<Record<string, NeededEdge>>

/** The progress of the user in a course that requires enrolment. */
export const progressWhereRequired: NeededEdge = {
  ref: CourseProgress,
  edge: progressEdge('Course.access.progress', ['priceTypeSlug', 'price'], asked, (course) =>
    isOpen(course as CourseRecord) ? null : (course.databaseId as number),
  ),
  columns: PROGRESS_COLUMNS,
}
