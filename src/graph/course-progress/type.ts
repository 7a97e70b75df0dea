import { keyEdge } from '../../model/edge.js'
import type { Entity } from '../../model/entity.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { readId } from '../kit/ids.js'
import { Lesson } from '../lesson/type.js'
import { LmsContent } from '../post/type.js'
import { Quiz } from '../quiz/type.js'
import { Topic } from '../topic/type.js'
import { User } from '../user/type.js'
import { courseProgressColumns, courseStepColumns } from './columns.js'
import { courseProgress, courseSteps } from './loader.js'
import { paramsOf, progressKey, progressList } from './routes.js'

export const CourseProgress = builder.lmsNodeRef('CourseProgress', {
  columns: courseProgressColumns,
  load: courseProgress,
  key: 'key',
  keyParts: ['userId', 'courseId'],
  federated: 'here',
})

const userOf = ({ key }: { readonly key: string }): number => Number(key.split(':')[0])

CourseProgress.implement({
  description: 'The progress of a user in a course.',
  fields: (t) => ({
    course: t.lmsRelation(Course, {
      key: 'courseId',
      description: 'The course. Null when the site no longer has it. One REST call for each 100 different courses of a level.',
    }),
    user: t.lmsRelation(User, {
      semanticNonNull: true,
      description: 'The user. Null only beside an error. No REST call for the id alone; else one for each 100 different users of a level.',
      key: userOf,
    }),
    userId: t.field({
      type: 'Int',
      nullable: false,
      description: 'Id of the user.',
      extensions: { lms: { resolve: userOf } },
      resolve: userOf,
    }),
  }),
})

builder.objectField(User, 'courseProgress', (t) =>
  t.lmsConnection(CourseProgress, {
    list: progressList,
    params: ({ databaseId }) => ({ user: databaseId }),
    description: 'The progress of the user in all their courses. One REST call for each 100 rows.',
  }),
)

const cost = 'One REST call per user for each 100 different courses of a level.'

builder.objectField(User, 'progressIn', (t) =>
  t.lmsRelation(CourseProgress, {
    description: `The progress of the user in one course. Null when the user is not enrolled in it. ${cost}`,
    args: { course: t.arg.id({ required: true, description: 'Global id or REST id of the course.' }) },
    parse: ({ course }) => readId('course', 'Course', course),
    key: ({ databaseId }, course) => progressKey(databaseId, course),
  }),
)

builder.objectField(Course, 'progress', (t) =>
  t.lmsRelation(CourseProgress, {
    description: `The progress of one user in the course. Null when the user is not enrolled in the course, or when \`user\` is omitted and the gateway does not know the viewer. ${cost}`,
    args: { user: t.arg.id({ description: 'Global id or REST id of the user. The viewer by default.' }) },
    parse: ({ user }, { viewer }) => (user == null ? viewer : readId('user', 'User', user)),
    key: ({ databaseId }, user) => (user === null ? null : progressKey(user, databaseId)),
    oneScope: true,
    perCaller: ({ user }) => user == null,
  }),
)

/** A row of the steps of a course. */
export const CourseStep = builder.lmsRowRef('CourseStep', { field: 'step', columns: courseStepColumns })

export const courseStep: Entity = { name: CourseStep.name, shape: CourseStep.rowData.shape, key: 'key', byKey: courseSteps }

const STEPS = new Map<unknown, Entity>([
  ['sfwd-lessons', Lesson.entity],
  ['sfwd-topic', Topic.entity],
  ['sfwd-quiz', Quiz.entity],
])

CourseStep.implement({
  description: 'A step of a course with the status of a user in it.',
  fields: (t) => ({
    step: t.lmsEdge({
      type: LmsContent,
      nullable: true,
      description: 'The lesson, topic or quiz. Null when it does not exist. One REST call for each 100 of a type.',
      lmsEdge: (id) =>
        keyEdge(id, {
          needs: ['stepId', 'type'],
          entities: () => [...STEPS.values()],
          targets: ({ key, stepId, type }) => {
            const [entity, course] = [STEPS.get(type), Number(paramsOf(key as string).course)]
            return entity && stepId ? { entity, key: stepId as number, within: { course } } : null
          },
        }),
    }),
  }),
})
