import { builder } from '../../graph/builder.js'
import { readId } from '../../graph/ids.js'
import { from, rootByKey, toOne } from '../../graph/relations.js'
import { entityType } from '../../graph/types.js'
import { Quiz } from '../quiz/type.js'
import { questionColumns } from './record.js'
import { questionByKey } from './routes.js'

const Question = entityType({
  name: 'Question',
  description: 'A question of a quiz, with its answers. Sites show it to administrators only.',
  columns: questionColumns,
  byKey: questionByKey,
  joined: 'here',
  key: { field: 'databaseId', description: 'Id by which the question is asked for: that of its post.' },
})

rootByKey('question', Question, {
  description: 'A question by id. Null when there is none. One REST call each: the interface has no batch for questions.',
  args: builder.args((t) => ({ id: t.id({ required: true, description: 'Global id or REST id of the question.' }) })),
  read: ({ id }) => ({ key: readId('id', 'Question', id) }),
})

toOne(
  from(Question),
  'quiz',
  Quiz,
  'quizId',
  'The quiz of the question. Null when there is none. One REST call for each 100 different quizzes of a level.',
)
