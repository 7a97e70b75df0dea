import { describe, expect, it } from 'vitest'
import { type Ask, outcomeOf, Switched, totals } from './quirks.js'
import type { Json } from './world.js'

const site = new Switched()
const TOPICS = 'v2/sfwd-topic'

/** The topics of all courses, by id. */
const everyTopic = async (ask: Ask): Promise<Json[]> => (await ask(`${TOPICS}?per_page=100&orderby=id`)).body

/** Checks a behaviour of the routes, and that it is absent without the switch `topics`. */
const shows = (title: string, test: (ask: Ask) => Promise<void>): void => site.addition(title, 'topics', test, ['lms'])

shows('topics: the list has topics of every course', async (ask) => {
  const topics = await everyTopic(ask)
  expect(topics).toHaveLength(63)
  expect(new Set(topics.map(({ course }) => course)).size).toBe(63)
  for (const { id, type, status, course, lesson } of topics) {
    expect([type, status]).toEqual(['sfwd-topic', 'publish'])
    expect((await ask(`v2/sfwd-lessons/${lesson}?_fields=id,course`)).body).toEqual({ id: lesson, course })
    expect((await ask(`${TOPICS}/${id}?_fields=id,course,lesson`)).body).toEqual({ id, course, lesson })
  }
})

shows('topics: a record has the fields of a lesson, and its lesson', async (ask) => {
  const [listed] = (await ask(`${TOPICS}?include=400001`)).body
  const fieldsOf = async (path: string): Promise<string[]> => {
    const names = Object.keys((await ask(path)).body).map((name) => name.replace(/^lms_(lesson|topic)_/, 'lms_'))
    return names.filter((name) => name !== 'lesson').sort()
  }
  for (const context of ['view', 'embed', 'edit']) {
    const query = `?context=${context}`
    expect(await fieldsOf(`${TOPICS}/400001${query}`)).toEqual(await fieldsOf(`v2/sfwd-lessons/100003${query}`))
  }
  const lesson = (await ask('v2/sfwd-lessons/100003')).body
  for (const name of ['content', 'materials', 'video_url', 'slug', 'link'])
    expect([name, listed[name] === lesson[name], listed[name] === '']).toEqual([name, false, false])
  expect(listed).toMatchObject({
    id: 400_001,
    course: 10_001,
    lesson: 100_003,
    slug: 'topic-400001',
    type: 'sfwd-topic',
    status: 'publish',
  })
  expect(listed.title.rendered).toMatch(/^Practice: Lesson 3: /)
  expect((await ask(`${TOPICS}/400001`)).body).toEqual(listed)
  const { body: edit } = await ask(`${TOPICS}/400001?context=edit`)
  expect([edit.title.rendered, edit.content.raw]).toEqual([listed.title.rendered, '<p>Exercises for the lesson.</p>'])
})

/** The links of administrators have further methods. */
const readable = ({ text }: { text: string }): string => text.replaceAll(/,"targetHints":\{"allow":\[[^\]]*\]\}/g, '')

shows('topics: every caller may read those of a course, administrators all of them and the edit context', async (ask) => {
  expect(outcomeOf(await ask(TOPICS, 'learner'))).toBe('400 rest_missing_callback_param')
  expect(outcomeOf(await ask(`${TOPICS}?lesson=100003`, 'learner'))).toBe('400 rest_missing_callback_param')
  expect(outcomeOf(await ask(`${TOPICS}?course=10121`, 'learner'))).toBe('403 rest_forbidden')
  for (const path of [`${TOPICS}?course=10001`, `${TOPICS}/400001`]) {
    expect(readable(await ask(path, 'anonymous'))).toBe(readable(await ask(path)))
    const edit = `${path}${path.includes('?') ? '&' : '?'}context=edit`
    expect(outcomeOf(await ask(edit, 'anonymous'))).toBe('401 rest_forbidden_context')
    expect(outcomeOf(await ask(edit, 'learner'))).toBe('403 rest_forbidden_context')
    expect(outcomeOf(await ask(edit))).toBe('200')
  }
})

shows('topics: an unknown id, and an id of another kind of record, is 404', async (ask) => {
  for (const id of [1, 10_001, 100_001, 499_999])
    expect([id, outcomeOf(await ask(`${TOPICS}/${id}`))]).toEqual([id, '404 rest_post_invalid_id'])
})

shows('topics: the list has filters', async (ask) => {
  const topics = await everyTopic(ask)
  const sample = topics[7]!
  const cases: readonly (readonly [query: string, passes: (topic: Json) => boolean])[] = [
    [`course=${sample.course}`, ({ course }) => course === sample.course],
    [`lesson=${sample.lesson}`, ({ lesson }) => lesson === sample.lesson],
    [`course=${sample.course}&lesson=${sample.lesson}`, ({ id }) => id === sample.id],
    [`course=${topics[0]!.course}&lesson=${sample.lesson}`, () => false],
    ['include=400002,400005,10001', ({ id }) => id === 400_002 || id === 400_005],
    ['exclude=400002', ({ id }) => id !== 400_002],
    [`slug=${sample.slug},none`, ({ slug }) => slug === sample.slug],
    ['status=draft', () => false],
    ['status=any', () => true],
  ]
  for (const [query, passes] of cases) {
    const answer = await ask(`${TOPICS}?per_page=100&orderby=id&${query}`)
    const expected = topics.filter(passes)
    expect([query, answer.body]).toEqual([query, expected])
    expect([query, totals(answer)[0]]).toEqual([query, String(expected.length)])
  }
})

shows('topics: the list has the order of `orderby`', async (ask) => {
  const topics = await everyTopic(ask)
  const sorted = (value: (topic: Json) => string | number): number[] =>
    topics.toSorted((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.id - b.id)).map(({ id }) => id)
  const all = `${TOPICS}?per_page=100`
  const byTitle = await ask.ids(all)
  expect(byTitle.toSorted()).toEqual(sorted(({ id }) => id))
  expect(await ask.ids(`${all}&orderby=title`)).toEqual(byTitle)
  expect(byTitle).not.toEqual(byTitle.toSorted())
  expect(await ask.ids(`${all}&orderby=title&order=desc`)).toEqual(byTitle.toReversed())
  expect(await ask.ids(`${all}&orderby=date`)).toEqual(sorted(({ date }) => date))
  expect(await ask.ids(`${all}&orderby=id&order=desc`)).toEqual(sorted(({ id }) => -id))
  expect(await ask.ids(`${all}&orderby=include&include=400003,400001,400002`)).toEqual([400_003, 400_001, 400_002])
})

shows('topics: pages have no gaps, and have totals and links', async (ask) => {
  const everything = await ask.ids(`${TOPICS}?per_page=100`)
  const found: number[] = []
  for (const page of [1, 2, 3]) {
    const answer = await ask(`${TOPICS}?per_page=25&page=${page}`)
    expect(totals(answer)).toEqual(['63', '3'])
    const link = answer.headers.get('link') ?? ''
    expect([link.includes('rel="prev"'), link.includes('rel="next"')]).toEqual([page > 1, page < 3])
    found.push(...answer.body.map(({ id }: Json) => id))
  }
  expect(found).toEqual(everything)
  expect(await ask.ids(TOPICS)).toEqual(everything.slice(0, 10))
  expect(await ask.ids(`${TOPICS}?offset=3&per_page=4`)).toEqual(everything.slice(3, 7))
  const behind = await ask(`${TOPICS}?offset=99`)
  expect([outcomeOf(behind), behind.body, totals(behind)]).toEqual(['200', [], ['0', '0']])
  expect(outcomeOf(await ask(`${TOPICS}?page=8`))).toBe('400 rest_post_invalid_page_number')
})

shows('topics: invalid parameters are named', async (ask) => {
  for (const [query, code] of [
    ['course=0', 'rest_out_of_bounds'],
    ['lesson=-1', 'rest_out_of_bounds'],
    ['per_page=101', 'rest_out_of_bounds'],
    ['orderby=count', 'rest_not_in_enum'],
    ['include=one', 'rest_invalid_type'],
  ] as const) {
    const answer = await ask(`${TOPICS}?${query}`)
    const name = query.split('=')[0]!
    expect([query, outcomeOf(answer), answer.body.data.details[name].code]).toEqual([query, '400 rest_invalid_param', code])
  }
  expect(outcomeOf(await ask(`${TOPICS}?course=99999`))).toBe('404 rest_post_invalid_id')
  expect(outcomeOf(await ask(`${TOPICS}?orderby=include`))).toBe('400 rest_orderby_include_missing_include')
})

shows('topics: there is no route to write them', async (ask) => {
  expect(outcomeOf(await ask(`${TOPICS}/400001`))).toBe('200')
  for (const [method, path] of [
    ['POST', TOPICS],
    ['POST', `${TOPICS}/400001`],
    ['DELETE', `${TOPICS}/400001`],
  ] as const)
    expect([method, outcomeOf(await ask.write(method, path, {}))]).toEqual([method, '404 rest_no_route'])
})

describe('topics', () => {
  it('have no routes without the switch, and in version 4', async () => {
    for (const profile of ['lms', 'learndash', 'learndash-5'] as const) {
      const ask = await site.set({ profile, switches: profile === 'learndash' ? {} : { topics: false } })
      for (const path of [TOPICS, `${TOPICS}?course=10001`, `${TOPICS}/400001`])
        expect([profile, path, outcomeOf(await ask(path))]).toEqual([profile, path, '404 rest_no_route'])
    }
  })

  it('are for administrators and enrolled learners in version 5, with no course and no lesson', async () => {
    const ask = await site.set({ profile: 'learndash-5' })
    const outcomes = async (path: string): Promise<string[]> => {
      const found = []
      for (const login of ['anonymous', 'newcomer', 'learner', 'admin'] as const) found.push(outcomeOf(await ask(path, login)))
      return found
    }
    const refused = (status: number): string => `${status} ld_rest_cannot_view`
    for (const path of [`${TOPICS}?course=10061`, `${TOPICS}/400031`])
      expect(await outcomes(path)).toEqual([refused(401), refused(403), '200', '200'])
    for (const path of [`${TOPICS}?course=10003`, `${TOPICS}/400002`, TOPICS])
      expect(await outcomes(path)).toEqual([refused(401), refused(403), refused(403), '200'])
    const [topic] = (await ask(`${TOPICS}?course=10061`, 'learner')).body
    expect([topic.id, topic.course, topic.lesson, topic.ld_topic_category]).toEqual([400_031, 0, 0, []])
  })

  it('have the password of their lesson, with texts for callers who send it', async () => {
    const ask = await site.set()
    const password = (given: string) => ask.write('PATCH', 'v2/sfwd-lessons/100003', { password: given })
    const read = (query = '') => ask(`${TOPICS}/400001${query}`, 'learner')
    await password('sesame')
    expect((await read()).body.content).toEqual({ rendered: '', protected: true })
    expect(outcomeOf(await read('?password=wrong'))).toBe('403 rest_post_incorrect_password')
    expect((await read('?password=sesame')).body.content.rendered).toBe('<p>Exercises for the lesson.</p>')
    await password('')
    expect((await read()).body.content).toEqual({ rendered: '<p>Exercises for the lesson.</p>', protected: false })
  })

  it('are described by the index of the site with the switch', async () => {
    const routes = async (topics: boolean): Promise<string[]> => {
      const ask = await site.set({ switches: { topics } })
      return Object.keys((await ask('v2')).body.routes).filter((route) => route.includes('sfwd-topic'))
    }
    expect(await routes(false)).toEqual([])
    expect(await routes(true)).toEqual(['/lms/v2/sfwd-topic', '/lms/v2/sfwd-topic/(?P<id>[\\d]+)'])
  })
})
