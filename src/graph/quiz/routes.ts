import { courseFilter, menuOrders } from '../post/filters.js'
import { postList } from '../post/routes.js'

export const quizList = postList('Quiz', {
  path: 'v1/sfwd-quiz',
  narrowedBy: 'course',
  // Some sites keep the place of quizzes with the lesson or topic.
  tagged: { ofLists: ['lessons', 'topics'] },
  filters: {
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
})
