import type { Row } from '../../upstream/client.js'
import { NotFoundError } from '../../upstream/errors.js'
import { idOf } from '../../upstream/routes.js'
import { check } from '../check.js'
import { errorOf, got } from '../prober.js'
import { QUESTION, QUIZ } from '../resources.js'
import type { Survey } from '../survey.js'

type Kind = 'id' | 'engine' | 'untold'

interface Evidence {
  readonly kind: Kind
  readonly how: string
}

/** Distances to further questions: their ids mostly follow each other. */
const DISTANCES = [1, 3, 7, 15, 31]

const quizIdOf = ({ _quizId }: Row): number | undefined => (typeof _quizId === 'number' && _quizId > 0 ? _quizId : undefined)

async function measure(survey: Survey): Promise<Evidence> {
  const [question] = survey.rowsOf(QUESTION).filter((row) => quizIdOf(row) !== undefined)
  if (!question) return { kind: 'untold', how: 'no question is visible to this caller' }
  const quizId = quizIdOf(question) as number
  const listed = survey.listedQuestions.find(({ id }) => id === question.question_id)?.quiz
  if (typeof listed === 'number' && listed > 0)
    return { kind: listed === quizId ? 'id' : 'engine', how: 'version 2 of the interface names the same question’s quiz' }
  const first = await isQuiz(survey, quizId)
  if (first === undefined) return { kind: 'untold', how: 'quizzes can’t be read by this caller' }
  if (!first) return { kind: 'engine', how: 'no quiz has that id' }
  // An id of the engine may by chance be that of a quiz, but hardly two of them.
  const own = idOf({ id: question.question_id })
  for (const distance of own === null ? [] : DISTANCES) {
    const id = (own as number) + distance
    const query = { context: 'view' }
    const other = got(
      await survey.ask('another question', QUESTION.one, (client, session) => client.get(QUESTION.one, { id }, query, session)),
    )
    const otherQuiz = other && quizIdOf(other)
    if (otherQuiz === undefined || otherQuiz === quizId) continue
    const second = await isQuiz(survey, otherQuiz)
    if (second === true) return { kind: 'id', how: 'two questions name quizzes that are there' }
    return { kind: 'untold', how: 'one question names a quiz that is there, another one does not' }
  }
  return { kind: 'untold', how: 'questions of one quiz only were found; name one by `--question ID`' }
}

/** Whether there is a quiz of that id; undefined where that can't be told. */
async function isQuiz(survey: Survey, id: number): Promise<boolean | undefined> {
  const query = survey.only(QUIZ.one, 'id')
  const quiz = await survey.ask('the quiz of a question', QUIZ.one, (client, session) => client.get(QUIZ.one, { id }, query, session))
  if (got(quiz)) return true
  const areRead = survey.outcomes.get(QUIZ.one.path)?.some((outcome) => got(outcome) !== undefined)
  return errorOf(quiz) instanceof NotFoundError && areRead ? false : undefined
}

/** Whether the quiz a question names is one that can be asked for, or an id inside the quiz engine of the site. */
export const quizOfQuestion = check<Evidence>({
  title: 'Looking for the quiz of a question',
  async probe(survey) {
    const evidence = await measure(survey)
    const { Question = [], ...others } = survey.site.unusable
    const columns = Question.filter((column) => column !== 'quizId')
    if (evidence.kind === 'engine') survey.learn({ unusable: { ...others, Question: [...columns, 'quizId'] } })
    if (evidence.kind === 'id') survey.learn({ unusable: columns.length > 0 ? { ...others, Question: columns } : others })
    return evidence
  },
  judge(survey, { kind, how }) {
    const base = { id: 'questions.quiz', title: 'Quiz of a question' }
    const expected = survey.known.unusable?.Question?.includes('quizId') ? 'engine' : 'id'
    const isEngine = survey.site.unusable.Question?.includes('quizId') === true
    const meaning = isEngine ? '`Question.quiz` and `quizId` are null: no route takes that id.' : '`Question.quiz` is answered.'
    if (kind === 'untold')
      return [{ ...base, state: 'note', found: `not told: ${how}`, meaning: `As the preset \`${survey.preset}\` says: ${meaning}` }]
    const found = isEngine ? `named by an id inside the quiz engine of the site: ${how}` : `is a quiz of the site: ${how}`
    return [{ ...base, state: isEngine ? (expected === 'engine' ? 'note' : 'warning') : 'ok', found, meaning }]
  },
})
