import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Ask, outcomeOf, Switched, totals } from './quirks.js'
import type { Json, Login } from './world.js'

const site = new Switched()

const stepsPath = (user: number, course: number): string => `v2/users/${user}/course-progress/${course}/steps`
const progressOf = async (ask: Ask, user: number): Promise<Json[]> => (await ask(`v2/users/${user}/course-progress?per_page=100`)).body

site.quirk(
  '3.4: the steps of a course are an array in an array',
  { progressSteps: true, progressAsArray: true },
  async (ask) => {
    const { status, body, headers } = await ask(stepsPath(3, 10_061))
    expect([status, body.length, Array.isArray(body[0]), headers.get('x-wp-total')]).toEqual([200, 1, true, null])
    const [begun, ...others] = body[0] as Json[]
    expect(Object.keys(begun!)).toEqual(['step', 'post_type', 'date_started', 'date_completed', 'step_status'])
    expect(begun).toMatchObject({ step: 100_553, post_type: 'sfwd-lessons', step_status: 'completed' })
    expect(others).toHaveLength(11)
  },
  ['learndash'],
)

site.addition(
  'version 5: the steps of a course have pages',
  'progressSteps',
  async (ask) => {
    const path = stepsPath(3, 10_061)
    const first = await ask(path)
    expect([first.body.length, ...totals(first)]).toEqual([10, '12', '2'])
    const second = await ask(`${path}?page=2&_fields=step`)
    expect(second.body).toHaveLength(2)
    expect(Object.keys(second.body[0])).toEqual(['step'])
    expect((await ask(`${path}?per_page=100`)).body.map(({ step }: Json) => step).slice(10)).toEqual(
      second.body.map(({ step }: Json) => step),
    )
    expect(outcomeOf(await ask(`${path}?page=3`))).toBe('400 rest_post_invalid_page_number')
  },
  ['lms', 'learndash-5'],
)

describe.each(['learndash', 'learndash-5'] as const)('the steps of a course, by profile %s', (profile) => {
  const completed = (steps: readonly Json[]): Json[] => steps.filter(({ step_status }) => step_status === 'completed')
  const read = async (ask: Ask, user: number, course: number, login?: Login): Promise<Json[]> => {
    const { body } = await ask(`${stepsPath(user, course)}?per_page=100&page=1`, login)
    const steps = profile === 'learndash' ? body[0] : body
    if (profile === 'learndash' || steps.length < 100) return steps
    return [...steps, ...(await ask(`${stepsPath(user, course)}?per_page=100&page=2`, login)).body]
  }

  it('agree with the progress', async () => {
    const ask = await site.set({ profile })
    let rows = 0
    for (const user of [2, 3, SAMPLES.manyRowsUser]) {
      for (const row of await progressOf(ask, user)) {
        const steps = await read(ask, user, row.course)
        const done = completed(steps)
        expect([row.course, steps.length, done.length]).toEqual([row.course, row.steps_total, row.steps_completed])
        expect([row.course, done.at(-1)?.step ?? 0]).toEqual([row.course, row.last_step])
        expect(steps.slice(0, done.length)).toEqual(done)
        for (const step of done)
          expect([step.date_started, step.date_completed]).toEqual([row.date_started, row.date_completed || row.date_started])
        const left = profile === 'learndash' ? 'not-started' : 'not_started'
        for (const step of steps.slice(done.length)) expect(step).toMatchObject({ date_started: '', date_completed: '', step_status: left })
        rows++
      }
    }
    expect(rows).toBeGreaterThan(100)
  })

  it('have the order of the course: each lesson before its topics and quizzes, and the final quiz at the end', async () => {
    const ask = await site.set({ profile })
    const steps = await read(ask, 3, 10_061)
    const lessons = await ask.ids('v2/sfwd-lessons?course=10061&posts_per_page=100')
    const quizzes = await ask.ids('v1/sfwd-quiz?course=10061&per_page=100')
    const [one, two, three, ...others] = lessons
    expect(steps.map(({ post_type }) => post_type).filter((type) => type === 'sfwd-topic')).toHaveLength(1)
    const topic = steps.find(({ post_type }) => post_type === 'sfwd-topic')!.step
    const [belowLesson, belowTopic, final] = quizzes.sort()
    expect(steps.map(({ step }) => step)).toEqual([one, two, belowLesson, three, topic, belowTopic, ...others, final])
  })

  it('may be read by those who may read the progress', async () => {
    const ask = await site.set({ profile })
    const shared = 10_061
    const found: Record<string, string> = {}
    for (const login of ['anonymous', 'newcomer', 'learner', 'leader', 'admin'] as const)
      found[login] = outcomeOf(await ask(stepsPath(3, shared), login))
    expect(found).toEqual({
      anonymous: '401 ld_rest_cannot_view',
      newcomer: '403 ld_rest_cannot_view',
      learner: '200',
      leader: '200',
      admin: '200',
    })
    expect(outcomeOf(await ask(`${stepsPath(3, shared)}?context=edit`))).toBe('400 rest_invalid_param')
  })

  it('of courses in no shared group are not for leaders', async () => {
    const ask = await site.set({ profile })
    const group = await ask.ids(`v2/groups/${SAMPLES.ledGroups[0]}/courses?per_page=100`)
    // Both are courses of the learner. The second one is open.
    for (const course of [10_009, 10_095]) {
      expect(group).not.toContain(course)
      const answer = await ask(stepsPath(3, course), 'leader')
      expect([outcomeOf(answer), answer.text === '[]']).toEqual(
        profile === 'learndash' ? ['200', true] : ['403 rest_post_access_denied', false],
      )
    }
  })

  it('need an enrolment, except in open courses', async () => {
    const ask = await site.set({ profile })
    for (const course of [10_012, 99_999]) {
      const answer = await ask(stepsPath(4, course), 'newcomer')
      expect([outcomeOf(answer), answer.text === '[]']).toEqual(
        profile === 'learndash' ? ['200', true] : ['403 rest_post_access_denied', false],
      )
    }
    const open = await read(ask, 4, 10_016, 'newcomer')
    expect([open.length > 8, completed(open)]).toEqual([true, []])
  })
})

describe('the route of the steps', () => {
  it('is absent without its switch, and described by the index where it exists', async () => {
    const plain = await site.set({ switches: { progressSteps: false } })
    expect(outcomeOf(await plain(stepsPath(3, 10_061)))).toBe('404 rest_no_route')
    const ask = await site.set({ profile: 'learndash' })
    const routes = Object.keys((await ask('v2')).body.routes)
    expect(routes).toContain('/ldlms/v2/users/(?P<id>[\\d]+)/course-progress/(?P<course>[\\d]+)/steps')
  })
})
