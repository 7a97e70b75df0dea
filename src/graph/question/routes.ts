import { recordTags } from '../../upstream/cache/record-tags.js'
import type { Route } from '../../upstream/routes.js'

/** One question, by the id of its post. There is no list. */
export const questionRoute: Route = {
  path: 'v1/sfwd-questions/:id',
  contexts: false,
  editors: true,
  tags: recordTags('Question'),
}
