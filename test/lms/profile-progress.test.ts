import { describe, expect, it } from 'vitest'
import { type Ask, outcomeOf, Switched } from './quirks.js'
import type { Json } from './world.js'

const site = new Switched()

site.quirk(
  'trap 10: progress in one course is an array with one record or none',
  { progressAsArray: true },
  async (ask) => {
    const [{ course: id }] = (await ask('v2/users/3/course-progress')).body
    expect((await ask(`v2/users/3/course-progress/${id}`)).body).toEqual([expect.objectContaining({ course: id })])
    const none = await ask('v2/users/4/course-progress/10002')
    expect([none.status, none.text]).toEqual([200, '[]'])
  },
  ['learndash'],
)

describe('trap 10: version 5', () => {
  it('returns an object or an error', async () => {
    const ask = await site.set({ profile: 'learndash-5' })
    const [{ course: id }] = (await ask('v2/users/3/course-progress')).body
    expect((await ask(`v2/users/3/course-progress/${id}`)).body.course).toBe(id)
    expect(outcomeOf(await ask('v2/users/4/course-progress/10002'))).toBe('404 rest_post_not_found')
  })
})

const statuses = async (ask: Ask): Promise<string[]> =>
  [...new Set((await ask('v2/users/3/course-progress?per_page=100')).body.map((row: Json) => row.progress_status))].sort() as string[]

site.quirk(
  'trap 11: statuses have hyphens',
  { hyphenStatuses: true },
  async (ask) => expect(await statuses(ask)).toEqual(['completed', 'in-progress', 'not-started']),
  ['learndash'],
)

describe('trap 11: version 5', () => {
  it('has statuses with underscores', async () => {
    expect(await statuses(await site.set({ profile: 'learndash-5' }))).toEqual(['completed', 'in_progress', 'not_started'])
  })
})

site.quirk('3.4: missing dates of progress are empty texts', { blankDates: true }, async (ask) => {
  const rows = (await ask('v2/users/3/course-progress?per_page=100')).body as Json[]
  expect(rows.find(({ steps_completed }) => steps_completed === 0)).toMatchObject({ date_started: '', date_completed: '' })
  expect(rows.some((row) => row.date_started === null || row.date_completed === null)).toBe(false)
})

const startOf = async (ask: Ask): Promise<Json> =>
  (await ask('v2/users/3/course-progress?per_page=100')).body.find(({ date_started }: Json) => date_started)

site.quirk(
  '3.4: dates of progress are UTC',
  { utcDates: true },
  async (ask) => {
    const { course: id, date_started } = await startOf(ask)
    const [local] = (await (await site.set())(`v2/users/3/course-progress?include=${id}`)).body
    const hours = (Date.parse(`${local.date_started}Z`) - Date.parse(`${date_started}Z`)) / 3_600_000
    expect([1, 2]).toContain(hours)
  },
  ['learndash'],
)

site.quirk(
  '3.4: version 5 has dates of progress in site time and in GMT',
  { gmtDates: true },
  async (ask) => {
    const { date_started, date_started_gmt } = await startOf(ask)
    expect([1, 2]).toContain((Date.parse(`${date_started}Z`) - Date.parse(`${date_started_gmt}Z`)) / 3_600_000)
  },
  ['learndash-5'],
)

site.quirk('1.1: progress accepts only the context `view`', { progressViewOnly: true }, async (ask) => {
  expect(outcomeOf(await ask('v2/users/3/course-progress?context=embed'))).toBe('400 rest_invalid_param')
  expect(outcomeOf(await ask('v2/users/3/course-progress?context=view'))).toBe('200')
})

const enrolment = async (ask: Ask): Promise<Json> =>
  (await ask('v2/users/3/course-progress?per_page=100')).body.find(({ course }: Json) => course === 10_072)

site.quirk(
  'progress has the time of enrolment, before the start',
  { enrolmentDates: true },
  async (ask) => {
    const { access_from, date_started } = await enrolment(ask)
    expect(Number.isInteger(access_from)).toBe(true)
    const days = (Date.parse(`${date_started}Z`) / 1000 - access_from) / 86_400
    expect(days).toBeGreaterThan(0)
    expect(days).toBeLessThan(31)
  },
  [],
)

describe('the time of enrolment', () => {
  it('is in no profile', async () => {
    for (const profile of ['lms', 'learndash', 'learndash-5'] as const) {
      const ask = await site.set({ profile })
      expect([profile, Object.keys(await enrolment(ask)).includes('access_from')]).toEqual([profile, false])
    }
  })

  it('is null in open courses that a user has not begun', async () => {
    const ask = await site.set({ switches: { enrolmentDates: true, openCourses: 'all' } })
    const rows = (await ask('v2/users/4/course-progress')).body as Json[]
    expect(rows.map(({ access_from }) => access_from)).toEqual(Array(10).fill(null))
  })
})
