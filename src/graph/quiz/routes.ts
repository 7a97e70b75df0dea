import { type ListRoute, postByKey } from '../../upstream/routes.js'
import { courseFilter, menuOrders, postFilters } from '../post/filters.js'

export const quizList: ListRoute = {
  path: 'v1/sfwd-quiz',
  window: 'offset',
  anyStatus: true,
  narrowedBy: 'course',
  filters: {
    ...postFilters('Quiz'),
    course: courseFilter,
    lesson: {
      kind: 'id',
      of: 'Lesson',
      param: 'lesson',
      needs: 'course',
      description: 'Selects the quizzes of this lesson. Requires `course`.',
    },
    topic: {
      kind: 'integer',
      param: 'topic',
      least: 1,
      needs: 'course',
      description: 'Selects the quizzes of the topic with this id. Requires `course`.',
    },
    courseLevelOnly: {
      kind: 'flag',
      param: 'lesson',
      on: '0',
      needs: 'course',
      description: 'True selects the quizzes of the course itself, not those of its lessons. Requires `course`.',
    },
  },
  orders: menuOrders,
}

export const quizByKey = postByKey(quizList)
