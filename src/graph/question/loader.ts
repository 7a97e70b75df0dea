import { oneByOne } from '../../load/by-key.js'
import { idOf } from '../../upstream/routes.js'
import { questionRoute } from './routes.js'

/** The record contains an id of the quiz engine (`_id`, 0 for a post that is not a question), so its key is the requested id. Lists have the id of the post. */
export const questions = oneByOne(questionRoute, {
  keyOf: (row, { id }) => (row._id === 0 || row._id === '0' ? null : (id ?? idOf(row))),
  keyColumns: ['_id'],
})
