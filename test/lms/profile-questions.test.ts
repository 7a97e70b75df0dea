import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { outcomeOf, Switched, totals } from './quirks.js'
import type { Json } from './world.js'

const site = new Switched()

const PROFILES = ['lms', 'learndash-5'] as const
const LOGINS = ['anonymous', 'newcomer', 'learner', 'leader', 'admin'] as const
const QUESTIONS = 'v2/sfwd-question'

site.addition(
  'questionList: the questions of a quiz are listed in the order of the quiz',
  'questionList',
  async (ask) => {
    for (const quiz of [300_001, 300_003, SAMPLES.draftQuiz]) {
      const answer = await ask(`${QUESTIONS}?quiz=${quiz}`)
      expect([answer.body.map((question: Json) => question.quiz), totals(answer)[0]]).toEqual([[quiz, quiz, quiz], '3'])
      expect(answer.body.map(({ menu_order }: Json) => menu_order)).toEqual([1, 2, 3])
      for (const question of answer.body) expect((await ask(`${QUESTIONS}/${question.id}`)).body).toEqual(question)
    }
  },
  PROFILES,
)

describe.each(PROFILES)('questions in version 2 by profile %s', (profile) => {
  it('are the questions of version 1, with other names', async () => {
    const ask = await site.set({ profile })
    const questions = (await ask(`${QUESTIONS}?per_page=100`)).body as Json[]
    expect(questions).toHaveLength(100)
    for (const listed of questions.slice(0, 30)) {
      const one = (await ask(`v1/sfwd-questions/${listed.id}`)).body
      expect(listed).toMatchObject({
        type: 'sfwd-question',
        status: 'publish',
        title: { rendered: one.question_post_title },
        content: { rendered: one._question },
        points: one._points,
        points_per_answer: one._answerPointsActivated,
        question_type: one._answerType,
        correct_message: one._correctMsg,
        incorrect_message: one._incorrectMsg,
        hints_enabled: one._tipEnabled,
        hints_message: one._tipMsg,
      })
      expect(listed.answer_sets.map(({ _answer }: Json) => _answer)).toEqual(one._answerData.map(({ _answer }: Json) => _answer))
    }
  })

  it('are listed by pages, and a quiz without questions has an empty list', async () => {
    const ask = await site.set({ profile })
    const [first, second] = [await ask(`${QUESTIONS}?quiz=300001&per_page=2`), await ask(`${QUESTIONS}?quiz=300001&per_page=2&page=2`)]
    expect([first.body.length, second.body.length, totals(first)]).toEqual([2, 1, ['3', '2']])
    expect(await ask.ids(`${QUESTIONS}?include=500001,500009,1`)).toHaveLength(2)
    expect(await ask.ids(`${QUESTIONS}?quiz=300001&include=500009`)).toEqual([])
    for (const quiz of [99, 10_001]) expect(await ask.ids(`${QUESTIONS}?quiz=${quiz}`)).toEqual([])
    expect(outcomeOf(await ask(`${QUESTIONS}?quiz=one`))).toBe('400 rest_invalid_param')
    expect(outcomeOf(await ask(`${QUESTIONS}/10001`))).toBe('404 rest_post_invalid_id')
    expect(outcomeOf(await ask.write('POST', QUESTIONS, {}))).toBe('404 rest_no_route')
  })

  it('are for administrators, because they have the answers', async () => {
    const ask = await site.set({ profile })
    const code = profile === 'lms' ? 'rest_forbidden' : 'ld_rest_cannot_view'
    for (const [path, last] of [
      [`${QUESTIONS}?quiz=300001`, '200'],
      [`${QUESTIONS}/500001`, '200'],
      [`${QUESTIONS}/99`, '404 rest_post_invalid_id'],
    ] as const) {
      const found = []
      for (const login of LOGINS) found.push(outcomeOf(await ask(path, login)))
      expect(found).toEqual([...[401, 403, 403, 403].map((status) => `${status} ${code}`), last])
    }
  })
})

describe('the list of questions', () => {
  it('does not exist in version 4, and is described by the index', async () => {
    const old = await site.set({ profile: 'learndash' })
    for (const path of [`${QUESTIONS}?quiz=300001`, `${QUESTIONS}/500001`]) expect(outcomeOf(await old(path))).toBe('404 rest_no_route')
    const ask = await site.set({ profile: 'learndash-5' })
    const { routes } = (await ask('v2')).body
    expect(Object.keys(routes['/ldlms/v2/sfwd-question'].endpoints[0].args)).toContain('quiz')
    expect(routes['/ldlms/v2/sfwd-question/(?P<id>[\\d]+)'].methods).toEqual(['GET'])
  })
})
