import { oneByOne } from '../../load/by-key.js'
import { questionRoute } from './routes.js'

/** The record contains an id of the quiz engine (`_id`, 0 for a post that is not a question), so its key is the requested id. */
export const questions = oneByOne(questionRoute, {
  keyOf: (row, { id }) => (row._id === 0 || row._id === '0' ? null : (id ?? null)),
  keyColumns: ['_id'],
})
