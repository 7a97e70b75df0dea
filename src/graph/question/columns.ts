import * as c from '../../upstream/codec/columns.js'

const answerType: c.Enumeration = {
  name: 'AnswerType',
  description: 'How a question is answered.',
  members: {
    SINGLE: { wire: ['single'], description: 'One answer is selected.' },
    MULTIPLE: { wire: ['multiple'], description: 'Any number of answers is selected.' },
    FREE_ANSWER: { wire: ['free_answer'], description: 'A short text, compared with the answers.' },
    SORT_ANSWER: { wire: ['sort_answer'], description: 'Answers are put in order.' },
    MATRIX_SORT_ANSWER: { wire: ['matrix_sort_answer'], description: 'Answers are matched with criteria.' },
    CLOZE_ANSWER: { wire: ['cloze_answer'], description: 'Gaps in a text are filled in.' },
    ESSAY: { wire: ['essay'], description: 'A long text or a file, graded by a person.' },
    ASSESSMENT_ANSWER: { wire: ['assessment_answer'], description: 'A value on a scale.' },
  },
}

/** One answer of a question. */
export const answerColumns = {
  answer: c.textOrHtml('_answer', '_html', 'Text of the answer: HTML when `html` is true, else plain text with entities decoded.'),
  html: c.toggle('_html', 'Whether `answer` is HTML.'),
  points: c.integer('_points', 'Points for this answer.'),
  correct: c.toggle('_correct', 'Whether the answer is correct.'),
  sortString: c.textOrHtml(
    '_sortString',
    '_sortStringHtml',
    'Criterion that the answer must be matched with: HTML when `sortStringHtml` is true, else plain text with entities decoded.',
  ),
  sortStringHtml: c.toggle('_sortStringHtml', 'Whether `sortString` is HTML.'),
  graded: c.toggle('_graded', 'Whether the answer is graded by a person.'),
  gradingProgression: c.text('_gradingProgression', 'Grading status on submission, in the words of the site.'),
  gradedType: c.word('_gradedType', 'How an essay is submitted, such as `text` or `upload`.', { none: 'Null for all other answers.' }),
}

const answers = { name: 'Answer', description: 'One answer of a question.', columns: answerColumns }

/** A question as `v1/sfwd-questions/<id>` sends it. */
export const questionColumns = {
  internalId: c.integer('_id', "Id of the question in the site's quiz engine, which no route accepts.", {
    none: 'Null when the site does not send it.',
  }),
  quizId: c.reference('_quizId', 'Id of the quiz the question belongs to.'),
  sort: c.integer('_sort', 'Position in the quiz.'),
  title: c.plainText('_title', 'Title as plain text: no tags, entities decoded.'),
  titleHtml: c.html('_title', 'Title as stored by the site, with tags and entities.'),
  question: c.html('_question', 'The question itself, as HTML.', { heavy: true }),
  correctMsg: c.html('_correctMsg', 'Message for a correct answer, as HTML; empty for none.'),
  incorrectMsg: c.html('_incorrectMsg', 'Message for an incorrect answer, as HTML; empty for none.'),
  correctSameText: c.toggle('_correctSameText', 'Whether `correctMsg` is shown for incorrect answers as well.'),
  tipEnabled: c.toggle('_tipEnabled', 'Whether there is a hint.'),
  tipMsg: c.html('_tipMsg', 'The hint, as HTML; empty for none.'),
  points: c.points('_points', 'Points for a correct answer.'),
  showPointsInBox: c.toggle('_showPointsInBox', 'Whether learners see the points.'),
  answerPointsActivated: c.toggle('_answerPointsActivated', 'Whether each answer has its own points.'),
  ...c.openEnumeration('answerType', answerType, '_answerType', 'How the question is answered.'),
  answerPointsDiffModusActivated: c.toggle('_answerPointsDiffModusActivated', 'Whether different points per answer are in use.'),
  disableCorrect: c.toggle('_disableCorrect', 'Whether that mode ignores the difference between correct and incorrect answers.'),
  matrixSortAnswerCriteriaWidth: c.integer('_matrixSortAnswerCriteriaWidth', 'Width of the criteria column of a matrix, in percent.'),
  answers: c.records(answers, '_answerData', 'The answers, in the order of the question.', { heavy: true }),
  postId: c.reference('question_id', 'Post id of the question.', { none: 'Null when the site does not send it.' }),
  postTitle: c.plainText('question_post_title', 'Title of the post of the question as plain text: no tags, entities decoded.'),
  postTitleHtml: c.html('question_post_title', 'Title of the post of the question as the site sends it, with tags and entities.'),
}

/** The columns that the list of version 2 sends with the same meaning. Texts are rendered there, so that others are read by id. */
export const listedQuestionColumns = {
  answerPointsActivated: c.toggle('points_per_answer', ''),
  ...c.openEnumeration('answerType', answerType, 'question_type', ''),
  answers: c.records(answers, 'answer_sets', '', { heavy: true }),
  points: c.points('points', ''),
  postId: c.reference('id', ''),
  postTitle: c.plainText('title.rendered', ''),
  postTitleHtml: c.html('title.rendered', ''),
  tipEnabled: c.toggle('hints_enabled', ''),
}
