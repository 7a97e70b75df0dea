import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Ask, outcomeOf, Switched } from './quirks.js'
import { type Json, SITE } from './world.js'

const site = new Switched()

const course = async (ask: Ask, id: number): Promise<Json> => (await ask(`v1/sfwd-courses/${id}`)).body
const allOf = async (ask: Ask, path: string): Promise<Json[]> => {
  const pages = await Promise.all([1, 2].map((page) => ask(`${path}per_page=100&page=${page}`)))
  return pages.flatMap(({ body }) => body)
}
/** The JSON types of a value in some records; `empty` for empty texts. */
const forms = (records: readonly Json[], name: string): string[] =>
  [
    ...new Set(records.map((record) => (record[name] === '' ? 'empty' : Array.isArray(record[name]) ? 'array' : typeof record[name]))),
  ].sort()

site.quirk('trap 9: price types are an object by slug, and empty with `_fields`', { priceTypesBySlug: true }, async (ask) => {
  const { body } = await ask('v2/price-types', 'anonymous')
  expect(Object.keys(body)).toEqual(['open', 'free', 'paynow', 'subscribe', 'closed'])
  expect(body.free).toMatchObject({ slug: 'free', name: 'Free' })
  expect((await ask('v2/price-types?_fields=slug')).text).toBe('[]')
  expect((await ask('v2/price-types/free?_fields=slug')).body).toEqual({ slug: 'free' })
})

site.quirk('trap 9: `closed` has `label` instead of `name`', { closedLabel: true }, async (ask) => {
  const closed = (await ask('v2/price-types/closed')).body
  expect([closed.label, 'name' in closed, closed.slug]).toEqual(['Closed', false, 'closed'])
  expect((await ask('v2/price-types/open')).body.name).toBe('Open')
})

site.quirk('trap 12: courses of a group have only base fields and taxonomies', { groupCoursesPlain: true }, async (ask) => {
  const [record] = (await ask(`v2/groups/${SAMPLES.largeGroup}/courses?per_page=1`)).body
  for (const name of ['id', 'slug', 'title', 'content', 'menu_order', '_links']) expect(record).toHaveProperty(name)
  expect(Object.keys(record).some((name) => /_course_tag$/.test(name))).toBe(true)
  for (const name of ['materials', 'price_type', 'prerequisites', 'points_amount', 'certificate']) expect(record).not.toHaveProperty(name)
})

site.quirk('trap 13: links point to routes of WordPress', { coreLinks: true }, async (ask) => {
  const core = `${SITE}/wp-json/wp/v2/sfwd-courses`
  const { _links } = await course(ask, 10_001)
  expect([_links.self[0].href, _links.collection[0].href]).toEqual([`${core}/10001`, core])
  const history = _links['version-history'][0].href
  expect(history).toMatch(/\/wp-json\/\w+\/v1\/sfwd-courses\/10001\/revisions$/)
  expect(outcomeOf(await ask(history.slice(SITE.length)))).toBe('404 rest_no_route')
  expect((await ask('v1/sfwd-courses?per_page=5')).headers.get('link')).toBe(`<${core}?per_page=5&page=2>; rel="next"`)
  const [progress] = (await ask('v2/users/3/course-progress')).body
  expect(progress._links.self[0].href).toMatch(/\/v2\/users\?user=3&course=\d+$/)
  const made = await ask.write('POST', 'v1/sfwd-courses', {})
  expect(made.headers.get('location')).toBe(`${core}/${made.body.id}`)
  await ask(`v1/sfwd-courses/${made.body.id}?force=true`, 'admin', { method: 'DELETE' })
})

site.quirk('trap 14: `_quizId` is not the id of a quiz', { engineQuizIds: true }, async (ask) => {
  const { _quizId, _id, question_id } = (await ask('v1/sfwd-questions/500004')).body
  expect([_quizId, question_id]).toEqual([2, 500_004])
  expect(_id).not.toBe(question_id)
  expect(outcomeOf(await ask(`v1/sfwd-quiz/${_quizId}`))).toBe('404 rest_post_invalid_id')
})

site.quirk('trap 15: `course` of lessons is 0, although the course lists them', { sharedSteps: true }, async (ask) => {
  const lessons = (await ask('v2/sfwd-lessons?course=10001')).body as Json[]
  expect(lessons.map((lesson) => lesson.course)).toEqual(lessons.map(() => 0))
  expect((await ask(`v2/sfwd-lessons/${lessons[0]!.id}?_fields=course`)).body).toEqual({ course: 0 })
})

site.quirk('trap 16: courses of version 1 spell `paynow` as `buynow`', { buyNow: true }, async (ask) => {
  const types = new Set((await allOf(ask, 'v1/sfwd-courses?')).map(({ course_price_type }) => course_price_type))
  expect([types.has('buynow'), types.has('paynow')]).toEqual([true, false])
  expect(outcomeOf(await ask('v2/price-types/buynow'))).toBe('404 rest_price_type_invalid')
  const written = await ask.write('POST', 'v1/sfwd-courses', { course_price_type: 'buynow' })
  expect([written.status, written.body.course_price_type]).toEqual([201, 'buynow'])
  const refused = await ask.write('POST', 'v1/sfwd-courses', { course_price_type: 'paynow' })
  expect([refused.status, refused.body.data.params.course_price_type]).toEqual([400, expect.stringContaining('buynow')])
})

site.quirk('1.4: values of courses have several types', { looseCourses: true }, async (ask) => {
  const courses = await allOf(ask, 'v1/sfwd-courses?')
  expect(forms(courses, 'course_prerequisite_enabled')).toEqual(['boolean', 'empty', 'string'])
  for (const name of ['course_points_enabled', 'expire_access', 'course_disable_lesson_progression'])
    expect(new Set(courses.map((record) => record[name]))).toEqual(new Set(['', 'on', true, false]))
  for (const name of ['course_points', 'course_points_access', 'expire_access_days', 'course_price'])
    expect(forms(courses, name)).toEqual(['empty', 'number', 'string'])
  expect(forms(courses, 'course_prerequisite')).toEqual(['array', 'empty'])
  const items = courses.flatMap(({ course_prerequisite: ids }) => (Array.isArray(ids) ? ids : []))
  expect(new Set(items.map((id) => typeof id))).toEqual(new Set(['number', 'string']))
  expect(items).toContain('')
})

describe('1.4: values in several types', () => {
  it('mean the same as those of the specification', async () => {
    const plain = await allOf(await site.set(), 'v1/sfwd-courses?')
    const loose = await allOf(await site.set({ switches: { looseCourses: true } }), 'v1/sfwd-courses?')
    for (const [place, { course_price, course_points, course_points_enabled, course_prerequisite }] of plain.entries()) {
      const same = loose[place]!
      expect([String(same.course_price), String(same.course_points)]).toEqual([course_price, course_points])
      expect([true, 'on'].includes(same.course_points_enabled)).toBe(course_points_enabled === 'on')
      expect([same.course_prerequisite].flat().filter(Boolean).map(Number)).toEqual(course_prerequisite)
    }
  })
})

site.quirk('1.4: values of lessons have several types', { looseLessons: true }, async (ask) => {
  const lessons = await allOf(ask, 'v2/sfwd-lessons?')
  expect(new Set(lessons.map(({ video_auto_complete_delay: delay }) => delay).filter((delay) => !delay || delay === '0'))).toEqual(
    new Set([0, '0']),
  )
  const dates = lessons.map(({ visible_after_specific_date: date }) =>
    /^\d{4}-/.test(date) ? 'day' : typeof date === 'number' ? 'seconds' : date,
  )
  expect(new Set(dates)).toEqual(new Set(['', '0', 'day', 'seconds']))
})

site.quirk('1.5: `_graded` may be text', { looseQuestions: true }, async (ask) => {
  const [answer] = (await ask('v1/sfwd-questions/500007')).body._answerData
  expect(answer._graded).toBe('1')
})

site.quirk(
  '1.3: records that the LMS never saved have empty settings',
  { unsaved: true },
  async (ask) => {
    const { body } = await ask('v1/sfwd-courses?include=10003,10004&orderby=id')
    const blanks = ['course_price_type', 'course_prerequisite_compare', 'course_prerequisite', 'course_points', 'expire_access_days']
    expect(blanks.map((name) => body[0][name])).toEqual(blanks.map(() => ''))
    expect(body[1].course_price_type).not.toBe('')
    expect((await ask('v1/sfwd-quiz/300006')).body).toMatchObject({ threshold: '', passingpercentage: '' })
    expect((await ask('v2/sfwd-lessons/100002')).body).toMatchObject({ forced_timer_amount: '', visible_after: '' })
  },
  [],
)

site.quirk(
  '1.2: an empty object is an array',
  { emptyAsArray: true },
  async (ask) => {
    const made = (await ask.write('POST', 'v1/groups', {})).body
    await ask(`v1/groups/${made.id}?force=true`, 'admin', { method: 'DELETE' })
    expect(made.meta).toEqual([])
    expect((await ask('v1/groups/1001')).body.meta).toHaveProperty('room')
  },
  [],
)

/** Switches that remove fields: the fields, and the routes of the records. */
const ABSENT = [
  ['withoutCategories', ['categories', 'tags'], ['v1/sfwd-courses', 'v2/sfwd-lessons', `v2/groups/${SAMPLES.largeGroup}/courses`]],
  ['withoutMeta', ['meta'], ['v1/groups', 'v1/sfwd-courses', 'v2/sfwd-lessons']],
  ['withoutDiscussion', ['comment_status', 'ping_status'], ['v2/sfwd-lessons', `v2/groups/${SAMPLES.largeGroup}/courses`]],
  ['withoutHierarchy', ['parent'], ['v1/groups']],
] as const

for (const [name, fields, paths] of ABSENT) {
  site.quirk(`1.2: ${name}`, { [name]: true }, async (ask) => {
    for (const path of paths) {
      const [record] = (await ask(`${path}?per_page=1&context=edit`)).body
      for (const field of fields) expect([path, field, field in record]).toEqual([path, field, false])
    }
  })
}

site.quirk('1.2: filters by categories exist only for types with categories', { withoutCategories: true }, async (ask) => {
  const all = (await ask('v1/sfwd-courses')).headers.get('x-wp-total')
  expect((await ask('v1/sfwd-courses?categories=1')).headers.get('x-wp-total')).toBe(all)
  expect((await ask('v1/groups?categories=1')).headers.get('x-wp-total')).toBe('0')
})

site.quirk('1.3: records have unknown fields', { extraFields: true }, async (ask) => {
  expect((await ask('v2/sfwd-lessons/100001')).body).toMatchObject({ is_external: false, external_type: '' })
  expect((await ask('v1/sfwd-questions/500001')).body).toMatchObject({ _questionPostId: 0, _previousId: 0 })
  expect((await ask('v1/sfwd-quiz/300001')).body.class_list).toContain('type-sfwd-quiz')
  expect((await ask('v1/groups/1001')).body._links.self[0].targetHints.allow).toContain('DELETE')
})

site.quirk('3.5: courses have links also when they are not requested', { courseLinksAlways: true }, async (ask) => {
  expect(Object.keys((await ask('v1/sfwd-courses/10001?_fields=id')).body)).toEqual(['id', '_links'])
  expect((await ask('v1/groups/1001?_fields=id')).body).toEqual({ id: 1001 })
})

site.quirk('3.3: the id of another record is a blank question, an unknown id is forbidden', { blankQuestions: true }, async (ask) => {
  for (const id of [1001, 10_001, 100_001, 300_001])
    expect((await ask(`v1/sfwd-questions/${id}`)).body).toMatchObject({ _id: 0, _title: '', _answerData: [] })
  expect((await ask('v1/sfwd-questions/10001?_fields=_id')).body).toEqual({ _id: 0 })
  expect(outcomeOf(await ask('v1/sfwd-questions/77'))).toBe('403 rest_forbidden')
  expect(outcomeOf(await ask('v1/sfwd-questions/77', 'anonymous'))).toBe('401 rest_forbidden')
})

site.quirk(
  'courses have dates of start and end, and a limit of seats',
  { courseDates: true },
  async (ask) => {
    const dates = async (id: number): Promise<unknown[]> => {
      const { body } = await ask(`v1/sfwd-courses/${id}`)
      return ['course_start_date', 'course_end_date', 'course_seats_limit'].map((name) => body[name])
    }
    expect(await dates(10_041)).toEqual([Date.UTC(2099, 0, 4, 9) / 1000, null, null])
    expect(await dates(10_073)).toEqual([Date.UTC(2024, 0, 1) / 1000, Date.UTC(2025, 5, 30, 22) / 1000, null])
    expect(await dates(10_082)).toEqual([null, null, 20])
    expect(await dates(10_001)).toEqual([null, null, null])
    const { body } = await ask.write('PATCH', 'v1/sfwd-courses/10001', { course_start_date: 1 })
    expect(body.course_start_date).toBeNull()
  },
  ['learndash-5'],
)
