import { field, type Resource } from './field.js'
import { baseFields, ORDER_BY, orderedFields, postListParameters } from './post.js'

/** Quizzes. They belong to a course, a lesson or a topic, but only list filters show to which. */
export const quiz: Resource = {
  type: 'sfwd-quiz',
  label: 'quiz',
  route: '/lms/v1/sfwd-quiz',
  table: 'quizzes',
  path: 'quizzes',
  taxonomies: [],
  fields: [
    ...baseFields,
    ...orderedFields,
    field('quiz_materials', 'html', { column: 'materials', default: '' }),
    field('threshold', 'text', { default: '0.8' }),
    field('passingpercentage', 'text', { column: 'passing_percentage', default: '80' }),
    field('certificate', 'digits', { default: null, accepts: 'idText' }),
  ],
  listParameters: [...postListParameters, 'course', 'lesson', 'topic'],
  orderBy: [...ORDER_BY, 'menu_order'],
}
