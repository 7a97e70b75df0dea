import { batchByIds, oneByOne } from '../../load/by-key.js'
import { reference } from '../../upstream/codec/kinds.js'
import { type ByKey, idOf, type ListRoute, type Route } from '../../upstream/routes.js'
import { paramsOf, progressKey, progressList, progressRoute, stepList } from './routes.js'

/** Reads what a list has of a user in several courses with one call for each user. `column` is the wire name of the id of the course. */
export const ofUserInCourses = (list: ListRoute, one: Route, column: string, final?: true): ByKey =>
  batchByIds(list, {
    one,
    params: paramsOf,
    complete: true,
    scoped: true,
    ...(final && { final }),
    scope: (key) => ({ user: paramsOf(key).user }),
    id: (key) => Number(paramsOf(key).course),
    keyOf: (row, { user }) => {
      const course = idOf({ id: row[column] })
      return course === null || user === undefined ? null : progressKey(user, course)
    },
    keyColumns: [column],
  })

export const courseProgress = ofUserInCourses(progressList, progressRoute, 'course')

/** No route reads one step: they have keys so that rows can be told apart. */
export const courseSteps = oneByOne(stepList, {
  params: () => ({}),
  keyOf: ({ step }, { user, course }) => {
    const id = reference(step)
    return typeof id === 'number' ? `${user}:${course}:${id}` : null
  },
  keyColumns: ['step'],
})
