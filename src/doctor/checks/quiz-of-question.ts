import { NotFoundError } from '../../rest/errors.js'
import { check } from '../check.js'
import { errorOf, got, type Outcome } from '../prober.js'
import { QUESTION, QUIZ } from '../resources.js'

/** Whether the quiz a question names is one that can be asked for, or an id inside the quiz engine of the site. */
export const quizOfQuestion = check<Outcome<unknown> | undefined>({
  title: 'Looking for the quiz of a question',
  async probe(survey) {
    const [id] = survey.rowsOf(QUESTION).flatMap(({ _quizId }) => (typeof _quizId === 'number' && _quizId > 0 ? [_quizId] : []))
    if (id === undefined || survey.known.unusable?.Question?.includes('quizId')) return undefined
    const query = survey.only(QUIZ.one, 'id')
    const quiz = await survey.ask('the quiz of a question', QUIZ.one, (client, session) => client.get(QUIZ.one, { id }, query, session))
    if (errorOf(quiz) instanceof NotFoundError && survey.outcomes.get(QUIZ.one.path)?.some((outcome) => got(outcome) !== undefined))
      survey.learn({ unusable: { ...survey.site.unusable, Question: ['quizId'] } })
    return quiz
  },
  judge(survey, quiz) {
    const base = { id: 'questions.quiz', title: 'Quiz of a question' }
    if (survey.site.unusable.Question?.includes('quizId')) {
      const known = survey.known.unusable?.Question?.includes('quizId')
      const meaning = '`Question.quiz` and `quizId` are null: no route takes that id.'
      const found = `named by an id inside the quiz engine of the site${known ? ', as on all sites of this kind' : ''}`
      return [{ ...base, state: known ? 'note' : 'warning', found, meaning }]
    }
    return got(quiz) === undefined
      ? []
      : [{ ...base, state: 'ok', found: 'is a quiz of the site', meaning: '`Question.quiz` is answered.' }]
  },
})
