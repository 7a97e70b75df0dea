import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ByKey } from '../../upstream/routes.js'

/**
 * Questions are read one by one, by the id of their post. The record contains an id of the quiz engine instead (`_id`, 0 for a post that is
 * not a question), so its key is the requested id.
 */
export const questionByKey: ByKey = {
  one: { path: 'v1/sfwd-questions/:id', contexts: false, administrators: true, tags: recordTags('Question') },
  params: (id) => ({ id }),
  keyOf: (row, { id }) => (row._id === 0 || row._id === '0' ? null : (id ?? null)),
  keyColumns: ['_id'],
}
