import * as c from '../../rest/columns.js'

const answerType: c.Enumeration = {
  name: 'AnswerType',
  description: 'How a question is answered.',
  members: {
    SINGLE: { wire: ['single'], description: 'One of several answers.' },
    MULTIPLE: { wire: ['multiple'], description: 'Any of several answers.' },
    FREE_ANSWER: { wire: ['free_answer'], description: 'A short text that is compared with the answers.' },
    SORT_ANSWER: { wire: ['sort_answer'], description: 'Answers to be put in order.' },
    MATRIX_SORT_ANSWER: { wire: ['matrix_sort_answer'], description: 'Answers to be matched with criteria.' },
    CLOZE_ANSWER: { wire: ['cloze_answer'], description: 'Gaps to be filled in.' },
    ESSAY: { wire: ['essay'], description: 'A long text or a file, graded by a person.' },
    ASSESSMENT_ANSWER: { wire: ['assessment_answer'], description: 'A place on a scale.' },
  },
}

const said = 'Null when the site does not say.'

/** One answer of a question. */
export const answerColumns = {
  answer: c.text('_answer', 'Text of the answer. Null when the site does not send it.'),
  html: c.toggle('_html', `Whether the text is HTML. ${said}`),
  points: c.integer('_points', 'Points for this answer. Null when not set.'),
  correct: c.toggle('_correct', `Whether the answer is correct. ${said}`),
  sortString: c.text('_sortString', 'What the answer is to be matched with. Null when the site does not send it.'),
  sortStringHtml: c.toggle('_sortStringHtml', `Whether \`sortString\` is HTML. ${said}`),
  graded: c.toggle('_graded', `Whether the answer is graded by a person. ${said}`),
  gradingProgression: c.text(
    '_gradingProgression',
    'How far grading has come when the answer is handed in, as the site writes it. Null when the site does not send it.',
  ),
  gradedType: c.word('_gradedType', 'How an essay is handed in, such as `text` or `upload`. Null for all other answers.'),
}

/** A question as `v1/sfwd-questions/<id>` sends it. */
export const questionColumns = {
  internalId: c.integer(
    '_id',
    'Id of the question inside the quiz engine of the site; not the one questions are asked for by. Null when the site does not send it.',
  ),
  quizId: c.reference('_quizId', 'Id of the quiz the question belongs to. Null when there is none.'),
  sort: c.integer('_sort', 'Place in the quiz. Null when not set.'),
  title: c.text('_title', 'Title as the site holds it. Null when the site does not send it.'),
  question: c.html('_question', 'The question itself, as HTML. Null when the site does not send it.', { heavy: true }),
  correctMsg: c.html('_correctMsg', 'Message for a correct answer, as HTML; empty for none. Null when the site does not send it.'),
  incorrectMsg: c.html('_incorrectMsg', 'Message for an incorrect answer, as HTML; empty for none. Null when the site does not send it.'),
  correctSameText: c.toggle('_correctSameText', `Whether \`correctMsg\` is shown for incorrect answers as well. ${said}`),
  tipEnabled: c.toggle('_tipEnabled', `Whether there is a hint. ${said}`),
  tipMsg: c.html('_tipMsg', 'The hint, as HTML; empty for none. Null when the site does not send it.'),
  points: c.points('_points', 'Points that can be obtained. Null when not set.'),
  showPointsInBox: c.toggle('_showPointsInBox', `Whether learners see the points. ${said}`),
  answerPointsActivated: c.toggle('_answerPointsActivated', `Whether each answer has points of its own. ${said}`),
  ...c.openEnumeration('answerType', answerType, '_answerType', 'How the question is answered. Null when not set.'),
  answerPointsDiffModusActivated: c.toggle('_answerPointsDiffModusActivated', `Whether different points for answers are in use. ${said}`),
  disableCorrect: c.toggle('_disableCorrect', `Whether correct and incorrect are told apart in that mode (false) or not (true). ${said}`),
  matrixSortAnswerCriteriaWidth: c.integer(
    '_matrixSortAnswerCriteriaWidth',
    'Width of the criteria column of a matrix, in percent. Null when not set.',
  ),
  answers: c.records(
    { name: 'Answer', description: 'One answer of a question.', columns: answerColumns },
    '_answerData',
    'The answers, in the order of the question. Null when the site does not send them.',
    { heavy: true },
  ),
  postId: c.reference('question_id', 'Post id of the question. Null when the site does not send it.'),
  postTitle: c.text('question_post_title', 'Title of the post of the question. Null when the site does not send it.'),
}
