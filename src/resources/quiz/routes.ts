import { type ListRoute, postByKey } from '../../upstream/routes.js'
import { courseFilter, menuOrders, postFilters } from '../post-filters.js'

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
      description: 'Limits to the quizzes of this lesson; `course` must be given beside it.',
    },
    topic: {
      kind: 'integer',
      param: 'topic',
      least: 1,
      needs: 'course',
      description: 'Limits to the quizzes of the topic with this id; `course` must be given beside it.',
    },
    courseLevelOnly: {
      kind: 'flag',
      param: 'lesson',
      on: '0',
      needs: 'course',
      description: 'True limits to quizzes of the course as a whole; `course` must be given beside it.',
    },
  },
  orders: menuOrders,
}

export const quizByKey = postByKey(quizList)
