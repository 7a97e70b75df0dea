import type { Row } from '../../upstream/client.js'
import { NotFoundError } from '../../upstream/errors.js'
import { idOf } from '../../upstream/routes.js'
import { check } from '../check.js'
import { errorOf, resultOf } from '../prober.js'
import { QUESTION, QUIZ } from '../resources.js'
import type { Survey } from '../survey.js'

/** The column that may be an id of the quiz engine. */
const QUIZ_ID = 'Question.quizId'

type Kind = 'id' | 'engine' | 'unknown'

interface Evidence {
  readonly kind: Kind
  readonly how: string
}

/** Distances to the ids of other questions, which are usually close. */
const DISTANCES = [1, 3, 7, 15, 31]

const quizIdOf = ({ _quizId }: Row): number | undefined => (typeof _quizId === 'number' && _quizId > 0 ? _quizId : undefined)

async function measure(survey: Survey): Promise<Evidence> {
  const [question] = survey.rowsOf(QUESTION).filter((row) => quizIdOf(row) !== undefined)
  if (!question) return { kind: 'unknown', how: 'no visible question names its quiz' }
  const quizId = quizIdOf(question) as number
  const listed = survey.listedQuestions.find(({ id }) => id === question.question_id)?.quiz
  if (typeof listed === 'number' && listed > 0)
    return { kind: listed === quizId ? 'id' : 'engine', how: 'compared with the same question in version 2 of the interface' }
  const first = await isQuiz(survey, quizId)
  if (first === undefined) return { kind: 'unknown', how: 'the caller cannot read quizzes' }
  if (!first) return { kind: 'engine', how: 'no quiz has this id' }
  // An id of the engine may equal that of a quiz by chance, but hardly two of them.
  const own = idOf({ id: question.question_id })
  for (const distance of own === null ? [] : DISTANCES) {
    const id = (own as number) + distance
    const query = { context: 'view' }
    const other = resultOf(
      await survey.ask('another question', QUESTION.one, (client, call) => client.get(QUESTION.one, { id }, query, call)),
    )
    const otherQuiz = other && quizIdOf(other)
    if (otherQuiz === undefined || otherQuiz === quizId) continue
    const second = await isQuiz(survey, otherQuiz)
    if (second === true) return { kind: 'id', how: 'the quizzes of two questions exist' }
    return { kind: 'unknown', how: 'the quiz of one question exists, that of another does not' }
  }
  return { kind: 'unknown', how: 'only questions of one quiz were found; set `--question ID`' }
}

/** Whether a quiz has this id; undefined when unknown. */
async function isQuiz(survey: Survey, id: number): Promise<boolean | undefined> {
  const query = survey.limitFields(QUIZ.one, 'id')
  const quiz = await survey.ask('the quiz of a question', QUIZ.one, (client, call) => client.get(QUIZ.one, { id }, query, call))
  if (resultOf(quiz)) return true
  const canRead = survey.outcomes.get(QUIZ.one.path)?.some((outcome) => resultOf(outcome) !== undefined)
  return errorOf(quiz) instanceof NotFoundError && canRead ? false : undefined
}

/** Tests whether `_quizId` of a question is the id of a quiz, or an id of the site's quiz engine. */
export const quizOfQuestion = check<Evidence>({
  title: 'Checking the quiz of a question',
  async probe(survey) {
    const evidence = await measure(survey)
    const others = survey.site.unusableColumns.filter((column) => column !== QUIZ_ID)
    if (evidence.kind === 'engine') survey.learn({ unusableColumns: [...others, QUIZ_ID] })
    if (evidence.kind === 'id') survey.learn({ unusableColumns: others })
    return evidence
  },
  judge(survey, { kind, how }) {
    const base = { id: 'questions.quiz', title: 'Quiz of a question' }
    const expected = survey.known.unusableColumns?.includes(QUIZ_ID) ? 'engine' : 'id'
    const isEngine = survey.site.unusableColumns.includes(QUIZ_ID)
    const meaning = isEngine ? '`Question.quiz` and `quizId` are null: no route accepts that id.' : '`Question.quiz` has data.'
    if (kind === 'unknown')
      return [{ ...base, state: 'note', found: `unknown: ${how}`, meaning: `This is the setting of ${survey.source}: ${meaning}` }]
    const found = isEngine ? `its id belongs to the quiz engine of the site: ${how}` : `its id is that of a quiz: ${how}`
    return [{ ...base, state: isEngine ? (expected === 'engine' ? 'note' : 'warning') : 'ok', found, meaning }]
  },
})
