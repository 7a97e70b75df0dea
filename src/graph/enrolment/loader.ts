import { batchByIds } from '../../load/by-key.js'
import type { Entity } from '../../model/entity.js'
import { idOf } from '../../upstream/routes.js'
import { paramsOf, progressKey } from '../course-progress/routes.js'
import { enrolmentShape } from './columns.js'
import { enrolmentList } from './routes.js'

/** The enrolment of a user in a course. It is no type of the graph. Several courses are one call for each user. */
export const CourseEnrolment: { readonly entity: Entity } = {
  entity: {
    name: 'CourseEnrolment',
    shape: enrolmentShape,
    key: 'key',
    byKey: batchByIds(enrolmentList, {
      one: enrolmentList,
      params: paramsOf,
      final: true,
      complete: true,
      scoped: true,
      scope: (key) => ({ user: paramsOf(key).user }),
      id: (key) => Number(paramsOf(key).course),
      keyOf: (row, { user }) => {
        const course = idOf(row)
        return course === null || user === undefined ? null : progressKey(user, course)
      },
    }),
  },
}
