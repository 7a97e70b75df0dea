import { field, type Resource } from './field.js'

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
