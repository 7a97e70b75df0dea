import { field, type Resource, shown, VIEW } from './field.js'
import { baseFields, ORDER_BY, orderedFields, postListParameters } from './post.js'

/** The kinds of answer a question takes. */
export const ANSWER_TYPES = [
  'single',
  'multiple',
  'free_answer',
  'sort_answer',
  'matrix_sort_answer',
  'cloze_answer',
  'essay',
  'assessment_answer',
] as const

/** Questions. The id in the path is the post id (`question_id`). `_id` is an id of the quiz engine. */
export const question: Resource = {
  type: 'sfwd-question',
  label: 'question',
  route: '/lms/v1/sfwd-questions',
  table: 'questions',
  path: 'questions',
  taxonomies: [],
  fields: [
    field('_id', 'integer', { readOnly: true, column: 'internal_id' }),
    field('_quizId', 'integer', { readOnly: true, column: 'quiz' }),
    field('_sort', 'integer', { column: 'position' }),
    field('_title', 'text', { column: 'title' }),
    field('_question', 'html', { column: 'question' }),
    field('_correctMsg', 'html', { column: 'correct_message' }),
    field('_incorrectMsg', 'html', { column: 'incorrect_message' }),
    field('_correctSameText', 'boolean', { column: 'same_message' }),
    field('_tipEnabled', 'boolean', { column: 'hint_enabled' }),
    field('_tipMsg', 'html', { column: 'hint' }),
    field('_points', 'integer', { column: 'points' }),
    field('_showPointsInBox', 'boolean', { column: 'points_in_box' }),
    field('_answerPointsActivated', 'boolean', { column: 'answer_points' }),
    field('_answerType', 'text', { column: 'answer_type', values: ANSWER_TYPES }),
    field('_answerPointsDiffModusActivated', 'boolean', { column: 'different_points' }),
    field('_disableCorrect', 'boolean', { column: 'disable_correct' }),
    field('_matrixSortAnswerCriteriaWidth', 'integer', { column: 'criteria_width' }),
    field('_answerData', 'json', { column: 'answers' }),
    field('question_id', 'integer', { readOnly: true, column: 'id' }),
    field('question_post_title', 'text', { column: 'title' }),
  ],
  listParameters: [],
  orderBy: [],
}

/** SQL of questions as records, which are published, with the author and the dates of their quiz. SQLite takes the first of columns with the same name. */
const QUESTIONS = `(
  SELECT q.*, lower(q.title) AS title_folded, q.question AS content, NULL AS content_folded, '' AS excerpt, NULL AS excerpt_folded,
    'question-' || q.id AS slug, 'publish' AS status, '' AS password, q.position AS menu_order, 0 AS featured_media, z.*
  FROM questions q JOIN quizzes z ON z.id = q.quiz)`

/** Questions in version 2, which can be listed by quiz. The specification does not have them. */
export const listedQuestion: Resource = {
  ...question,
  route: '/lms/v2/sfwd-question',
  table: QUESTIONS,
  fields: [
    ...baseFields,
    ...orderedFields,
    ...shown(VIEW, 'integer', 'quiz', 'points'),
    ...shown(VIEW, 'html', 'correct_message', 'incorrect_message'),
    field('question_type', 'text', { readOnly: true, column: 'answer_type', values: ANSWER_TYPES }),
    field('points_per_answer', 'boolean', { readOnly: true, column: 'answer_points' }),
    field('hints_enabled', 'boolean', { readOnly: true, column: 'hint_enabled' }),
    field('hints_message', 'html', { readOnly: true, column: 'hint' }),
    // [guess] The members of an answer are those of version 1.
    field('answer_sets', 'json', { readOnly: true, column: 'answers' }),
  ],
  listParameters: [...postListParameters, 'quiz'],
  singleIds: ['quiz'],
  orderBy: [...ORDER_BY, 'menu_order'],
  // [guess] The order of the list is that of the quiz.
  defaults: { orderby: 'menu_order' },
}
