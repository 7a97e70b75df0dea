import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ListRoute, Route } from '../../upstream/routes.js'

/** One question, by the id of its post. */
export const questionRoute: Route = {
  path: 'v1/sfwd-questions/:id',
  contexts: false,
  editors: true,
  tags: recordTags('Question'),
}

/** The questions of a quiz in version 2, in the order of the quiz. */
export const questionList: ListRoute = {
  path: 'v2/sfwd-question',
  optional: 'sfwd-question',
  editors: true,
  window: 'offset',
  keyColumns: ['id'],
  filters: {},
  orders: {},
  tags: recordTags('Question', { ofLists: ['quizzes'] }),
}
