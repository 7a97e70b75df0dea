import { batchByIds, oneByOne } from '../../load/by-key.js'
import { reference } from '../../upstream/codec/kinds.js'
import { idOf } from '../../upstream/routes.js'
import { paramsOf, progressKey, progressList, progressRoute, stepList } from './routes.js'

/** The progress in several courses is one call for each user. */
export const courseProgress = batchByIds(progressList, {
  one: progressRoute,
  params: paramsOf,
  complete: true,
  scoped: true,
  scope: (key) => ({ user: paramsOf(key).user }),
  id: (key) => Number(paramsOf(key).course),
  keyOf: (row, { user }) => {
    const course = idOf({ id: row.course })
    return course === null || user === undefined ? null : progressKey(user, course)
  },
  keyColumns: ['course'],
})

/** No route reads one step: they have keys so that rows can be told apart. */
export const courseSteps = oneByOne(stepList, {
  params: () => ({}),
  keyOf: ({ step }, { user, course }) => {
    const id = reference(step)
    return typeof id === 'number' ? `${user}:${course}:${id}` : null
  },
  keyColumns: ['step'],
})
