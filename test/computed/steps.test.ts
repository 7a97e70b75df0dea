import { afterAll, describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, World } from '../support/world.js'

const ROUTES = ['users/course-progress/steps', 'sfwd-topic', 'sfwd-question'] as const

const worlds: World[] = []
async function start(profile: 'lms' | 'learndash' | 'learndash-5', names: SiteNames): Promise<World> {
  const world = await World.start({}, { profile, switches: { topics: true } }, { ...names, routes: ROUTES })
  worlds.push(world)
  return world
}
afterAll(() => Promise.all(worlds.map((world) => world.close())))

const STEPS = 'steps { stepId type status statusValue startedAt completedAt step { __typename databaseId title } }'
const NEXT = 'nextStep { stepId type status step { databaseId title } } nextStepReason'
const TYPES: Readonly<Record<string, string>> = { 'sfwd-lessons': 'Lesson', 'sfwd-topic': 'Topic', 'sfwd-quiz': 'Quiz' }

interface Row {
  readonly step: number
  readonly post_type: string
  readonly step_status: string
}

/** The steps of the demo learner in a course, as the site sends them: version 4 in a list in a list. */
async function listed({ lms }: World, namespace: string, course: number): Promise<readonly Row[]> {
  const response = await fetch(`${lms.url}/${namespace}/v2/users/3/course-progress/${course}/steps?per_page=100`, {
    headers: { authorization: authorizationOf('admin') },
  })
  return [await response.json()].flat(2) as Row[]
}

describe.each([
  ['lms', 'lms', PRESETS.lms],
  ['learndash', 'ldlms', PRESETS.learndash],
  ['learndash-5', 'ldlms', PRESETS.learndash],
] as const)('the steps of a progress on %s', (profile, namespace, names) => {
  it('are those of the site in its order, with their records, and the next one is the first that is not completed', async () => {
    const world = await start(profile, names)
    const found = { next: 0, completed: 0, topics: 0 }
    const { data } = await world.query('{ user(id: 3) { courseProgress(first: 100) { nodes { courseId status stepsTotal } } } }', {
      as: 'admin',
    })
    const short = data.user.courseProgress.nodes.filter(({ stepsTotal }: any) => stepsTotal < 50)
    const isDone = ({ status }: any): boolean => status === 'COMPLETED'
    for (const { courseId: id } of [...short.filter(isDone).slice(0, 2), ...short.filter((each: any) => !isDone(each)).slice(0, 5)]) {
      const answer = await world.query(`{ user(id: 3) { progressIn(course: ${id}) { courseId status ${STEPS} ${NEXT} } } }`, {
        as: 'admin',
      })
      expect(answer.errors).toEqual([])
      const { courseId, status, steps, nextStep, nextStepReason } = answer.data.user.progressIn
      const rows = await listed(world, namespace, courseId)
      expect(steps.map(({ stepId, type, statusValue }: any) => [stepId, type, statusValue])).toEqual(
        rows.map(({ step, post_type, step_status }) => [step, post_type, step_status]),
      )
      for (const { stepId, type, status: own, step, startedAt } of steps) {
        expect([step.__typename, step.databaseId, step.title !== '']).toEqual([TYPES[type], stepId, true])
        if (type === 'sfwd-topic') found.topics++
        if (own === 'NOT_STARTED') expect(startedAt).toBe(null)
      }
      const next = steps.find(({ status: own }: any) => own !== 'COMPLETED')
      if (status === 'COMPLETED') {
        found.completed++
        expect([nextStep, nextStepReason]).toEqual([null, 'COURSE_COMPLETED'])
      } else if (next) {
        found.next++
        const { stepId, type, status: own, step } = next
        const { databaseId, title } = step
        expect([nextStep, nextStepReason]).toEqual([{ stepId, type, status: own, step: { databaseId, title } }, null])
      } else expect([nextStep, nextStepReason]).toEqual([null, 'ALL_LESSONS_COMPLETED'])
    }
    expect([found.next > 0, found.completed > 0, found.topics > 0]).toEqual([true, true, true])
  })

  it('reads one list for the next step, and its record only where it is selected', async () => {
    const world = await start(profile, names)
    const open = (await world.query('{ user(id: 3) { courseProgress(first: 50) { nodes { courseId status } } } }', { as: 'admin' })).data
    const courses = open.user.courseProgress.nodes
    const under = courses.find(({ status }: any) => status === 'IN_PROGRESS').courseId
    const ask = async (fields: string) => {
      const { calls, errors } = await world.query(`{ user(id: 3) { progressIn(course: ${under}) { ${fields} } } }`, { as: 'admin' })
      expect(errors).toEqual([])
      return calls.length
    }
    expect(await ask('nextStepReason nextStep { stepId type }')).toBe(2)
    expect(await ask('nextStep { step { title } }')).toBe(3)
    expect(await ask('steps { stepId }')).toBe(2)
    const done = courses.find(({ status }: any) => status === 'COMPLETED').courseId
    const { data, calls } = await world.query(`{ user(id: 3) { progressIn(course: ${done}) { nextStepReason } } }`, { as: 'admin' })
    expect([data.user.progressIn.nextStepReason, calls.length]).toEqual(['COURSE_COMPLETED', 1])
  })
})

describe('the steps of a progress', () => {
  it('are an error on a site without their route, where the next step is not known', async () => {
    const world = await World.start({}, { profile: 'lms' }, { ...PRESETS.lms, routes: [] })
    worlds.push(world)
    const { data, errors, calls } = await world.query(
      '{ user(id: 3) { courseProgress(first: 1) { nodes { steps { stepId } nextStepReason } } } }',
      {
        as: 'admin',
      },
    )
    expect(data.user.courseProgress.nodes).toEqual([{ steps: null, nextStepReason: 'COMPLETED_STEPS_UNKNOWN' }])
    expect([errors.map(({ extensions }) => extensions.code), calls.length]).toEqual([['NOT_AVAILABLE'], 1])
  })

  it('tell times in UTC only where the site does, or where its time zone is known', async () => {
    const row = { step: 5, post_type: 'sfwd-lessons', step_status: 'completed', date_started: '2026-03-01T09:00:00', date_completed: '' }
    const gmt = { date_started_gmt: '2026-03-01T08:00:00', date_completed_gmt: '' }
    const site = await FakeSite.start(({ url = '' }, response) =>
      url.includes('/steps')
        ? json(response, url.includes('/8/') ? [{ ...row, ...gmt }] : [[row]])
        : json(response, { course: url.includes('/8') ? 8 : 7 }),
    )
    const started = async (options: SiteNames, course: number, preset: 'lms' | 'learndash') => {
      const { timeZone } = options
      const gateway = await serve({
        site: { url: site.url, preset, routes: ['users/course-progress/steps'], ...(timeZone ? { timeZone } : {}) },
      })
      try {
        const response = await gateway.post({
          query: `{ user(id: 3) { progressIn(course: ${course}) { steps { startedAt completedAt } } } }`,
        })
        return ((await response.json()) as any).data.user.progressIn.steps[0]
      } finally {
        await gateway.close()
      }
    }
    try {
      expect(await started({ timeZone: 'Europe/Berlin' }, 7, 'lms')).toEqual({ startedAt: '2026-03-01T08:00:00Z', completedAt: null })
      expect(await started({}, 7, 'lms')).toEqual({ startedAt: null, completedAt: null })
      // Version 4 sends times in UTC without saying so.
      expect(await started({ timeZone: 'Europe/Berlin' }, 7, 'learndash')).toEqual({ startedAt: null, completedAt: null })
      expect(await started({}, 8, 'learndash')).toEqual({ startedAt: '2026-03-01T08:00:00Z', completedAt: null })
    } finally {
      await site.close()
    }
  })
})

describe('the questions of a quiz', () => {
  it.each([
    ['lms', PRESETS.lms],
    ['learndash-5', PRESETS.learndash],
  ] as const)('on %s are those that are read by id, with one call unless other columns are selected', async (profile, names) => {
    const world = await start(profile, names)
    const listed = 'id databaseId postId postTitle postTitleHtml points answerType answerTypeValue answerPointsActivated tipEnabled'
    const answers = 'answers { answer html points correct sortString }'
    const others = 'title question correctMsg incorrectMsg tipMsg sort'
    for (const quiz of [300_001, 300_007, 300_008]) {
      const ask = async (fields: string) =>
        await world.query(`{ quiz(id: ${quiz}) { questions { totalCount nodes { ${fields} } } } }`, { as: 'admin' })
      const { data, errors, calls } = await ask(`${listed} ${answers}`)
      const { totalCount, nodes } = data.quiz.questions
      expect([errors, totalCount, nodes.length, calls.length]).toEqual([[], 3, 3, 2])
      const whole = await ask(`${listed} ${answers} ${others}`)
      expect([whole.errors, whole.calls.length]).toEqual([[], 5])
      for (const [index, node] of whole.data.quiz.questions.nodes.entries()) {
        const alone = await world.query(`{ question(id: ${node.databaseId}) { ${listed} ${answers} ${others} } }`, { as: 'admin' })
        expect(node).toEqual(alone.data.question)
        expect(nodes[index]).toEqual(Object.fromEntries(Object.entries(node).filter(([name]) => !others.split(' ').includes(name))))
      }
      const sorts = whole.data.quiz.questions.nodes.map(({ sort }: any) => sort)
      expect(sorts).toEqual(sorts.toSorted((a: number, b: number) => a - b))
    }
  })

  it('are for administrators', async () => {
    const world = await start('learndash-5', PRESETS.learndash)
    const { data, errors } = await world.query('{ course(id: 10011) { quizzes { nodes { questions { nodes { id } } } } } }', {
      as: 'learner',
    })
    for (const { questions } of data?.course?.quizzes?.nodes ?? []) expect(questions).toBe(null)
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['FORBIDDEN']))
  })

  it('are not available on a site without their list', async () => {
    const world = await World.start({}, { profile: 'lms' }, { ...PRESETS.lms, routes: [] })
    worlds.push(world)
    const { data, errors, calls } = await world.query('{ quiz(id: 300001) { questions { nodes { id } } } }', { as: 'admin' })
    expect([data, errors.map(({ extensions }) => extensions.code), calls.length]).toEqual([
      { quiz: { questions: null } },
      ['NOT_AVAILABLE'],
      1,
    ])
  })
})
