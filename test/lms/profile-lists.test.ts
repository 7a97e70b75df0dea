import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { outcomeOf, Switched, totals } from './quirks.js'
import type { Json } from './world.js'

const site = new Switched()

const LONG = SAMPLES.longCourse

site.quirk('trap 1: without `course`, `include` finds quizzes of no course, or is ignored', { quizIncludeFallback: true }, async (ask) => {
  const all = totals(await ask('v1/sfwd-quiz?per_page=1&status=any'))[0]
  expect(totals(await ask('v1/sfwd-quiz?per_page=100&status=any&include=300001,300004'))[0]).toBe(all)
  const { id } = (await ask.write('POST', 'v1/sfwd-quiz', { title: 'Of no course', status: 'publish' })).body
  expect(await ask.ids(`v1/sfwd-quiz?include=300001,${id}`)).toEqual([id])
  expect(await ask.ids('v1/sfwd-quiz?status=any')).toEqual([id])
  await ask(`v1/sfwd-quiz/${id}?force=true`, 'admin', { method: 'DELETE' })
})

site.quirk('trap 2: `include` without a quiz of the course is ignored, like the course', { quizIncludeFallback: true }, async (ask) => {
  const all = Number(totals(await ask('v1/sfwd-quiz?per_page=1'))[0])
  expect(all).toBeGreaterThan(100)
  expect(Number(totals(await ask('v1/sfwd-quiz?course=10001&include=300004'))[0])).toBe(all)
  expect(await ask.ids('v1/sfwd-quiz?course=10001&include=300001,300004')).toEqual([300_001])
  expect((await ask.ids('v1/sfwd-quiz?course=10001')).length).toBe(3)
})

site.quirk('trap 3: `include` and `exclude` have no effect on a group’s courses', { groupCoursesIgnoreIds: true }, async (ask) => {
  const path = `v2/groups/${SAMPLES.largeGroup}/courses?_fields=id`
  const all = await ask.ids(path)
  expect(await ask.ids(`${path}&include=5`)).toEqual(all)
  expect(await ask.ids(`${path}&exclude=${all[0]}`)).toEqual(all)
  expect(await ask.ids(`${path}&per_page=2&page=2`)).toEqual(all.slice(2, 4))
})

site.quirk('trap 4: the site sets the page size of the lessons of a course', { lessonsPerPage: 20 }, async (ask) => {
  const path = `v2/sfwd-lessons?course=${LONG}&_fields=id`
  for (const size of [100, 5]) {
    const answer = await ask(`${path}&per_page=${size}`)
    expect([answer.body.length, ...totals(answer)]).toEqual([20, '110', '6'])
  }
  expect((await ask.ids(`${path}&per_page=100&page=6`)).length).toBe(10)
  const restored = await ask(`${path}&per_page=100&posts_per_page=100`)
  expect([restored.body.length, ...totals(restored)]).toEqual([100, '110', '2'])
  expect((await ask.ids('v2/sfwd-lessons?per_page=30')).length).toBe(30)
})

site.quirk('trap 5: an unknown course is ignored for administrators', { unknownCourseDropped: true }, async (ask) => {
  const all = totals(await ask('v2/sfwd-lessons'))[0]
  expect(totals(await ask('v2/sfwd-lessons?course=77'))[0]).toBe(all)
  expect(outcomeOf(await ask('v2/sfwd-lessons?course=77', 'learner'))).toBe('404 rest_post_invalid_id')
})

site.quirk(
  'trap 6: `include` is ignored when a leader leads none of the groups',
  { adminOnly: true, leaderIncludeFallback: true },
  async (ask) => {
    const [one, two] = SAMPLES.ledGroups
    expect((await ask.ids('v1/groups?include=1001', 'leader')).sort()).toEqual([one, two])
    expect(await ask.ids(`v1/groups?include=1001,${two}`, 'leader')).toEqual([two])
  },
)

describe('traps 7 and 8: every site', () => {
  const profiles = ['lms', 'learndash', 'learndash-5'] as const

  it.each(profiles)('as %s lists ten published records by default, also with twelve ids in `include`', async (profile) => {
    const ask = await site.set({ profile })
    const some = await ask.ids('v1/sfwd-courses?per_page=12&_fields=id')
    const include = [...some.slice(0, 11), SAMPLES.draftCourse]
    const answer = await ask(`v1/sfwd-courses?include=${include}`)
    expect([answer.body.length, ...totals(answer)]).toEqual([10, '11', '2'])
    expect(outcomeOf(await ask(`v1/sfwd-courses/${SAMPLES.draftCourse}`))).toBe('200')
    expect(totals(await ask(`v1/sfwd-courses?include=${include}&status=any&per_page=100`))[0]).toBe('12')
  })

  it.each(profiles)('as %s ignores an empty `include`', async (profile) => {
    expect(totals(await (await site.set({ profile }))('v1/sfwd-courses?include='))).toEqual(['120', '12'])
  })

  it.each(profiles)('as %s reports totals, and 0 for an offset behind the end', async (profile) => {
    const ask = await site.set({ profile })
    expect(totals(await ask('v1/sfwd-courses?offset=7&per_page=100'))).toEqual(['120', '2'])
    const behind = await ask('v1/sfwd-courses?offset=9999')
    expect([behind.text, ...totals(behind)]).toEqual(['[]', '0', '0'])
    expect(outcomeOf(await ask('v1/sfwd-courses?page=99'))).toBe('400 rest_post_invalid_page_number')
  })
})

site.quirk('3.2: the courses of a group are published ones', { groupCoursesPublished: true }, async (ask) => {
  const path = `v2/groups/${SAMPLES.emptyGroup}/courses`
  await ask.write('POST', path, { course_ids: [SAMPLES.draftCourse, 10_001] })
  expect(await ask.ids(`${path}?status=any`)).toEqual([10_001])
})

site.quirk('3.2: an unknown group has an empty list of courses', { unknownGroupEmpty: true }, async (ask) => {
  for (const id of [77, 10_001]) expect((await ask(`v2/groups/${id}/courses`)).text).toBe('[]')
})

site.quirk('3.2: an exact search compares each word with the whole field', { exactByWord: true }, async (ask) => {
  const title = 'Exact Matter'
  const { id } = (await ask.write('POST', 'v1/groups', { title, status: 'publish' })).body
  const word = (await ask.write('POST', 'v1/groups', { title: 'Exactly', status: 'publish' })).body
  const found = await ask.ids(`v1/groups?search=${title}&search_semantics=exact`)
  const byWord = await ask.ids('v1/groups?search=exactly&search_semantics=exact')
  for (const made of [id, word.id]) await ask(`v1/groups/${made}?force=true`, 'admin', { method: 'DELETE' })
  expect([found, byWord]).toEqual([[], [word.id]])
})

site.quirk('3.2: an empty list of progress has no totals', { progressTotalsOmitted: true }, async (ask) => {
  const none = await ask('v2/users/4/course-progress')
  expect([none.text, ...totals(none)]).toEqual(['[]', null, null])
  const { body, headers } = await ask('v2/users/3/course-progress?per_page=100')
  expect([headers.get('x-wp-total'), headers.get('x-wp-totalpages')]).toEqual([String(body.length), '1'])
})

site.quirk('3.4: an unknown user has open courses, without a status', { openCourses: 'unknown' }, async (ask) => {
  const path = 'v2/users/99/course-progress'
  const rows = (await ask(`${path}?per_page=100`)).body as Json[]
  expect(rows.length).toBeGreaterThan(10)
  expect(new Set(rows.map(({ progress_status }) => progress_status))).toEqual(new Set(['']))
  const open = (await ask(`v1/sfwd-courses?per_page=100&include=${rows.map(({ course }) => course)}`)).body as Json[]
  expect(new Set(open.map(({ course_price_type }) => course_price_type))).toEqual(new Set(['open']))
  expect((await ask(`${path}?include=${rows[0]!.course},77`)).body).toHaveLength(1)
  expect((await ask('v2/users/4/course-progress')).body).toEqual([])
})

site.quirk(
  'openCourses=all: every user has open courses',
  { openCourses: 'all' },
  async (ask) => {
    const rows = (await ask('v2/users/4/course-progress?per_page=100', 'newcomer')).body as Json[]
    expect(new Set(rows.map(({ progress_status }) => progress_status))).toEqual(new Set(['not_started']))
    const learner = (await ask('v2/users/3/course-progress?per_page=100')).body as Json[]
    expect(learner.length).toBeGreaterThan(12)
    expect(new Set(learner.map(({ course }) => course)).size).toBe(learner.length)
    expect((await ask(`v2/users/4/course-progress/${rows[0]!.course}`)).body.steps_total).toBeGreaterThan(0)
  },
  [],
)

site.quirk('progress lists courses of groups that a user has not begun', { groupProgress: true }, async (ask) => {
  const path = 'v2/users/3/course-progress?per_page=100'
  const group = (await ask(`v2/groups/${SAMPLES.ledGroups[0]}/courses?per_page=100`)).body as Json[]
  const rows = (await ask(path)).body as Json[]
  const added = rows.filter(({ course }) => !BEGUN.includes(course))
  expect(rows.map(({ course }) => course).sort()).toEqual([...new Set([...BEGUN, ...group.map(({ id }) => id)])].sort())
  expect(added.length).toBeGreaterThan(15)
  for (const row of added) expect([row.steps_completed, row.last_step, row.steps_total > 7]).toEqual([0, 0, true])
  const [one] = [(await ask(`v2/users/3/course-progress/${added[0]!.course}`)).body].flat()
  expect(one).toEqual(added[0])
})

/** Courses that the demo learner has begun, or is enrolled in alone. */
const BEGUN: readonly number[] = [10_002, 10_009, 10_021, 10_023, 10_025, 10_031, 10_036, 10_041, 10_061, 10_072, 10_073, 10_095]

describe('progress in courses of groups', () => {
  it('has the date of the group as the date of enrolment, and lists open courses once', async () => {
    const ask = await site.set({ switches: { groupProgress: true, enrolmentDates: true, openCourses: 'all' } })
    const group = (await ask(`v1/groups/${SAMPLES.ledGroups[0]}`)).body
    const rows = (await ask('v2/users/3/course-progress?per_page=100')).body as Json[]
    expect(new Set(rows.map(({ course }) => course)).size).toBe(rows.length)
    for (const course of [10_001, 10_010])
      expect(rows.find((row) => row.course === course)).toMatchObject({
        progress_status: 'not_started',
        access_from: Date.parse(`${group.date_gmt}Z`) / 1000,
      })
  })
})
