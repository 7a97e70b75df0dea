import { batchByIds } from '../../load/by-key.js'
import { idOf } from '../../upstream/routes.js'
import { paramsOf, progressKey, progressList, progressRoute } from './routes.js'

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
