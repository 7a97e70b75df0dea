import type { Entity } from '../engine/edges.js'
import { stepList } from '../resources/course-progress/routes.js'
import * as c from '../upstream/codec/columns.js'
import { reference } from '../upstream/codec/kinds.js'
import { Shape } from '../upstream/codec/records.js'

const stepColumns = {
  stepId: c.reference('step', 'Id of the lesson, topic or quiz.'),
  stepStatus: c.word('step_status', 'Status of the user in the step.'),
}

/** A step of a course with a user's progress. It is no type of the graph. */
export const courseStep: Entity = {
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
