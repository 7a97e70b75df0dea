import { oneByOne } from '../../load/by-key.js'
import { keyEdge } from '../../model/edge.js'
import type { Entity } from '../../model/entity.js'
import * as c from '../../upstream/codec/columns.js'
import { reference } from '../../upstream/codec/kinds.js'
import { builder } from '../kit/builder.js'
import { Lesson } from '../lesson/type.js'
import { LmsContent } from '../post/type.js'
import { Quiz } from '../quiz/type.js'
import { Topic } from '../topic/type.js'
import { progressStatus } from './columns.js'
import { paramsOf, stepList } from './routes.js'

const NO_TIME = 'Null when the user has not, or when the site sends no time in UTC and its time zone is not known.'

/** A step of a course with the status of a user. No route reads one alone. */
export const CourseStep = builder.lmsRowRef('CourseStep', {
  field: 'step',
  columns: {
    stepId: c.reference('step', 'Id of the lesson, topic or quiz.'),
    type: c.word('post_type', 'Post type of the step: `sfwd-lessons`, `sfwd-topic` or `sfwd-quiz`.'),
    ...c.openEnumeration('status', progressStatus, 'step_status', 'Status of the user in the step.'),
    startedAt: c.moment('date_started', 'date_started_gmt', 'When the user started it.', { none: NO_TIME }),
    completedAt: c.moment('date_completed', 'date_completed_gmt', 'When the user completed it.', { none: NO_TIME }),
  },
})

const ENTITIES = new Map<unknown, Entity>([
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
          entities: () => [...ENTITIES.values()],
          targets: ({ key, stepId, type }) => {
            const [entity, course] = [ENTITIES.get(type), Number(paramsOf(key as string).course)]
            return entity && stepId ? { entity, key: stepId as number, within: { course } } : null
          },
        }),
    }),
  }),
})

export const courseStep: Entity = {
  name: CourseStep.name,
  shape: CourseStep.rowData.shape,
  key: 'key',
  byKey: oneByOne(stepList, {
    params: () => ({}),
    keyOf: ({ step }, { user, course }) => {
      const id = reference(step)
      return typeof id === 'number' ? `${user}:${course}:${id}` : null
    },
    keyColumns: ['step'],
  }),
}
