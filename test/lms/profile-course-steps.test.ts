import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Ask, outcomeOf, Switched } from './quirks.js'
import type { Json } from './world.js'

const site = new Switched()

const PROFILES = ['lms', 'learndash-5'] as const
const LOGINS = ['anonymous', 'newcomer', 'learner', 'leader', 'admin'] as const
const TYPES = ['sfwd-lessons', 'sfwd-topic', 'sfwd-quiz'] as const

/** A course with topics, one whose order is not that of its ids, and one with over 100 lessons. */
const COURSES = [10_003, SAMPLES.sharedCourses[1], SAMPLES.longCourse]

const path = (course: number, type?: string): string => `v2/sfwd-courses/${course}/steps${type === undefined ? '' : `?type=${type}`}`
const read = async (ask: Ask, course: number, type: string): Promise<any> => (await ask(path(course, type))).body

/** All pages of a list. */
async function everyId(ask: Ask, list: string): Promise<number[]> {
  const found: number[] = []
  for (let page = 1; ; page++) {
    const ids = await ask.ids(`${list}&per_page=100&posts_per_page=100&page=${page}`)
    found.push(...ids)
    if (ids.length < 100) return found
  }
}

site.addition(
  'courseSteps: the steps of a course are a tree',
  'courseSteps',
  async (ask) => expect(Object.keys((await ask(path(10_003))).body)).toEqual(['h', 't', 'r', 'l', 'co', 'legacy', 'sections']),
  PROFILES,
)

describe.each(PROFILES)('the steps of a course by profile %s', (profile) => {
  it('have the steps that the lists have, drafts too, in their order', async () => {
    const ask = await site.set({ profile })
    for (const course of COURSES) {
      const byType = await read(ask, course, 't')
      expect(Object.keys(byType)).toEqual([...TYPES])
      expect(byType['sfwd-lessons']).toEqual(await everyId(ask, `v2/sfwd-lessons?course=${course}&status=any`))
      expect(byType['sfwd-quiz'].toSorted()).toEqual((await everyId(ask, `v1/sfwd-quiz?course=${course}&status=any`)).sort())
      const linear = await read(ask, course, 'l')
      const names = TYPES.flatMap((type) => byType[type].map((id: number) => `${type}:${id}`))
      expect(linear.toSorted()).toEqual(names.sort())
    }
  })

  it('have the order of the page as text, which is not that of the ids', async () => {
    const ask = await site.set({ profile })
    const [, course] = COURSES
    const { text } = await ask(path(course!, 'h'))
    const written = [...text.matchAll(/"(\d+)":/g)].map(([, id]) => Number(id))
    const linear = (await read(ask, course!, 'l')).map((name: string) => Number(name.split(':')[1]))
    expect(written).toEqual(linear)
    expect(written).not.toEqual(written.toSorted((a, b) => a - b))
  })

  it('nest quizzes below topics below lessons, with `[]` for every empty object', async () => {
    const ask = await site.set({ profile })
    const { text, body: tree } = await ask(path(10_003, 'h'))
    expect(text).not.toContain('{}')
    const lessons = await everyId(ask, 'v2/sfwd-lessons?course=10003')
    const [one, two, three] = lessons
    const quizzes = await everyId(ask, 'v1/sfwd-quiz?course=10003&status=any')
    const [ofLesson, ofTopic, final] = quizzes.sort()
    const topic = (await read(ask, 10_003, 't'))['sfwd-topic'][0]
    const none = { 'sfwd-topic': [], 'sfwd-quiz': [] }
    expect(tree).toEqual({
      'sfwd-lessons': {
        ...Object.fromEntries(lessons.map((id) => [id, none])),
        [one!]: none,
        [two!]: { 'sfwd-topic': [], 'sfwd-quiz': { [ofLesson!]: [] } },
        [three!]: { 'sfwd-topic': { [topic]: { 'sfwd-quiz': { [ofTopic!]: [] } } }, 'sfwd-quiz': [] },
      },
      'sfwd-quiz': { [final!]: [] },
    })
    const names = { three: `sfwd-lessons:${three}`, topic: `sfwd-topic:${topic}`, quiz: `sfwd-quiz:${ofTopic}` }
    const reverse = await read(ask, 10_003, 'r')
    expect([reverse[names.quiz], reverse[names.topic], reverse[names.three]]).toEqual([[names.topic, names.three], [names.three], []])
    const completion = await read(ask, 10_003, 'co')
    const places = [names.quiz, names.topic, names.three].map((name) => completion.indexOf(name))
    expect(places).toEqual([places[0], places[0]! + 1, places[0]! + 2])
    expect(completion.toSorted()).toEqual((await read(ask, 10_003, 'l')).sort())
    const legacy = await read(ask, 10_003, 'legacy')
    expect([legacy.total, legacy.lessons[one!], legacy.topics[one!], legacy.topics[three!]]).toEqual([12, 0, [], { [topic]: 0 }])
  })

  it('have sections in some courses: lessons before the first heading are in none, and a section may be empty', async () => {
    const ask = await site.set({ profile })
    let empty = 0
    for (const course of [10_003, 10_006, SAMPLES.longCourse]) {
      const lessons: number[] = (await read(ask, course, 't'))['sfwd-lessons']
      const sections = (await read(ask, course, 'sections')) as Json[]
      expect(sections.map(({ post_title }) => post_title)).toEqual(['Getting Started', 'Practice & Review', 'What Comes Next'])
      expect(sections.flatMap(({ steps }) => steps)).toEqual(lessons.slice(1))
      // The place of a heading counts the headings before it.
      const page: unknown[] = [...lessons]
      for (const { order, ID } of sections) page.splice(order, 0, ID)
      const shown = sections.flatMap(({ ID, steps }) => [ID, ...steps])
      expect(page).toEqual([lessons[0], ...shown])
      for (const section of sections)
        expect([Object.keys(section), section.type]).toEqual([['order', 'ID', 'post_title', 'type', 'steps'], 'section-heading'])
      empty += sections.filter(({ steps }) => steps.length === 0).length
    }
    expect(empty).toBeGreaterThan(0)
    expect(await read(ask, 10_004, 'sections')).toEqual([])
  })

  it('are `[]` for a course without steps', async () => {
    const ask = await site.set({ profile })
    const created = (await ask.write('POST', 'v1/sfwd-courses', { title: 'Empty', status: 'publish' })).body
    const { body } = await ask(path(created.id))
    expect(body.h).toEqual({ 'sfwd-lessons': [], 'sfwd-quiz': [] })
    expect(body.t).toEqual({ 'sfwd-lessons': [], 'sfwd-topic': [], 'sfwd-quiz': [] })
    for (const type of ['r', 'l', 'co', 'legacy', 'sections']) expect([type, body[type]]).toEqual([type, []])
  })

  it('have one representation for each `type`, or all', async () => {
    const ask = await site.set({ profile })
    const { body: all } = await ask(path(10_003))
    expect((await ask(path(10_003, 'all'))).body).toEqual(all)
    for (const type of Object.keys(all)) expect([type, await read(ask, 10_003, type)]).toEqual([type, all[type]])
    const wrong = await ask(path(10_003, 'tree'))
    expect([outcomeOf(wrong), wrong.body.data.details.type.code]).toEqual(['400 rest_invalid_param', 'rest_not_in_enum'])
  })

  it('are for administrators, not for enrolled learners either', async () => {
    const ask = await site.set({ profile })
    const code = profile === 'lms' ? 'rest_forbidden' : 'ld_rest_cannot_view'
    const refusals = [401, 403, 403, 403].map((status) => `${status} ${code}`)
    for (const [course, last] of [
      [10_009, '200'],
      [99, '404 rest_post_invalid_id'],
      [SAMPLES.draftCourse, '200'],
    ] as const) {
      const found = []
      for (const login of LOGINS) found.push(outcomeOf(await ask(path(course), login)))
      expect(found).toEqual([...refusals, last])
    }
  })
})

describe('the route of the steps of a course', () => {
  it('does not exist in version 4, and is described by the index with its parameter', async () => {
    const old = await site.set({ profile: 'learndash' })
    expect(outcomeOf(await old(path(10_003)))).toBe('404 rest_no_route')
    const ask = await site.set({ profile: 'learndash-5' })
    const described = (await ask('v2')).body.routes['/ldlms/v2/sfwd-courses/(?P<id>[\\d]+)/steps']
    expect([described.methods, Object.keys(described.endpoints[0].args)]).toEqual([['GET'], ['id', 'context', 'type']])
  })

  it('follows writes of lessons: a course can have 200 steps', async () => {
    const ask = await site.set()
    const course = SAMPLES.longCourse
    const before = ((await read(ask, course, 'l')) as string[]).length
    const made: number[] = []
    while (before + made.length < 200) {
      const lesson = await ask.write('POST', 'v2/sfwd-lessons', { title: `More ${made.length}`, status: 'publish', course })
      made.push(lesson.body.id)
    }
    const linear = (await read(ask, course, 'l')) as string[]
    expect(linear).toHaveLength(200)
    // The final quiz remains the last step.
    expect(linear.slice(-made.length - 1, -1)).toEqual(made.map((id) => `sfwd-lessons:${id}`))
  })
})
