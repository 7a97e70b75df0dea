import { builder } from '../kit/builder.js'
import { readId } from '../kit/ids.js'
import { Quiz } from '../quiz/type.js'
import { listedQuestionColumns, questionColumns } from './columns.js'
import { questions } from './loader.js'
import { questionList } from './routes.js'

export const Question = builder.lmsNodeRef('Question', {
  columns: questionColumns,
  load: questions,
  keyDescription: 'Id of the post of the question, by which it is read.',
  federated: 'here',
})

Question.implement({
  description: 'A question of a quiz, with its answers. Only administrators may read it.',
  fields: (t) => ({
    quiz: t.lmsRelation(Quiz, {
      key: 'quizId',
      description: 'The quiz of the question. Null when it has none. One REST call for each 100 different quizzes of a level.',
    }),
  }),
})

builder.queryField('question', (t) =>
  t.lmsRelation(Question, {
    description: 'A question by id. Null when it does not exist. One REST call for each question: the interface cannot batch them.',
    args: { id: t.arg.id({ required: true, description: 'Global id or REST id of the question.' }) },
    parse: ({ id }) => readId('id', 'Question', id),
    key: (_, id) => id,
  }),
)

builder.objectField(Quiz, 'questions', (t) =>
  t.lmsConnection(Question, {
    list: questionList,
    query: ({ databaseId }) => ({ quiz: databaseId }),
    columns: listedQuestionColumns,
    description:
      'The questions of the quiz, in its order. Only administrators may read them. One REST call per quiz for each 100 rows, and one for each question with columns other than the id, the post title, points, hints and answers.',
  }),
)
