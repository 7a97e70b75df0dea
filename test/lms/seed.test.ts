import { describe, expect, it } from 'vitest'
import { DEMO_USERS, SAMPLES } from '../../src/lms/index.js'
import { type Json, total, useLms } from './world.js'

const { get, list, ids, calls } = useLms()

async function all(path: string): Promise<Json[]> {
  const records: Json[] = []
  for (let page = 1; ; page++) {
    const more = await list(`${path}&per_page=100&page=${page}`)
    records.push(...more)
    if (more.length < 100) return records
  }
}

describe('the sample school', () => {
  it('has the documented numbers of records', async () => {
    const count = async (path: string) => total(await get(path))
    expect(await count('/lms/v1/groups')).toBeGreaterThanOrEqual(12)
    expect(await count('/lms/v1/sfwd-courses')).toBeGreaterThanOrEqual(120)
    expect(await count('/lms/v2/sfwd-lessons')).toBeGreaterThanOrEqual(1000)
    expect(await count('/lms/v1/sfwd-quiz')).toBeGreaterThanOrEqual(300)
    expect((await list('/lms/v2/price-types')).length).toBe(5)
    expect((await get('/lms/v1/sfwd-questions/500900')).status).toBe(200)
    expect((await get('/lms/v2/users/600180/course-progress')).status).toBe(200)
  })

  it('has the special records of `SAMPLES`', async () => {
    const course = async (id: number) => (await get(`/lms/v1/sfwd-courses/${id}`)).body
    const [one, two] = SAMPLES.cycle
    expect((await course(one)).course_prerequisite).toContain(two)
    expect((await course(two)).course_prerequisite).toContain(one)
    expect((await course(SAMPLES.dangling)).course_prerequisite).toContain(SAMPLES.missingCourse)
    expect((await get(`/lms/v1/sfwd-courses/${SAMPLES.missingCourse}`)).status).toBe(404)
    const statuses = ['draftCourse', 'privateCourse', 'futureCourse', 'pendingCourse', 'trashedCourse'] as const
    const found = await Promise.all(statuses.map(async (name) => (await course(SAMPLES[name])).status))
    expect(found).toEqual(['draft', 'private', 'future', 'pending', 'trash'])
    expect(total(await get(`/lms/v2/groups/${SAMPLES.largeGroup}/courses`))).toBeGreaterThan(100)
    expect(await list(`/lms/v2/groups/${SAMPLES.emptyGroup}/courses`)).toEqual([])
    expect((await ids(`/lms/v2/sfwd-lessons?course=${SAMPLES.longCourse}&per_page=100`)).length).toBe(100)
  })

  it('has a hierarchy of groups, entities and emoji', async () => {
    const groups = await all('/lms/v1/groups?status=any')
    const known = new Set(groups.map(({ id }) => id))
    const children = groups.filter(({ parent }) => parent !== 0)
    expect(children.every(({ parent }) => known.has(parent))).toBe(true)
    expect(children.length).toBeGreaterThan(groups.length / 2)
    const byId = new Map(groups.map((group) => [group.id, group]))
    expect(children.some(({ parent }) => byId.get(parent)!.parent !== 0)).toBe(true)
    const titles = (await all('/lms/v1/sfwd-courses?_filter=title')).map(({ title }) => title.rendered).join(' ')
    for (const part of ['&#038;', '&#8220;', '&#8211;', '<em>', '🌱']) expect(titles).toContain(part)
  })

  it('has references to existing records only', async () => {
    const courses = new Set((await all('/lms/v1/sfwd-courses?status=any,trash&_filter=id')).map(({ id }) => id))
    const lessons = await all('/lms/v2/sfwd-lessons?status=any&_filter=id,course')
    expect(lessons.every(({ course }) => course === 0 || courses.has(course))).toBe(true)
    for (const { course, _answerData, _answerType } of await Promise.all(
      Array.from({ length: 40 }, async (_, place) => (await get(`/lms/v1/sfwd-questions/${500_001 + place}`)).body),
    )) {
      expect(course).toBeUndefined()
      expect(_answerData.length).toBeGreaterThan(0)
      expect(_answerData[0]._gradedType === null).toBe(_answerType !== 'essay')
    }
  })

  it('has consistent progress', async () => {
    for (const user of [3, SAMPLES.manyRowsUser]) {
      for (const row of await all(`/lms/v2/users/${user}/course-progress?`)) {
        const { progress_status: status, steps_completed: done, steps_total: steps } = row
        expect(status).toBe(done === 0 ? 'not_started' : done === steps ? 'completed' : 'in_progress')
        expect([row.last_step > 0, row.date_started !== null, row.date_completed !== null]).toEqual([done > 0, done > 0, done === steps])
      }
    }
    const statuses = (await list('/lms/v2/users/3/course-progress?per_page=100')).map((row) => row.progress_status)
    expect(new Set(statuses)).toEqual(new Set(['not_started', 'in_progress', 'completed']))
  })
})

describe('reports of calls', () => {
  it('have the request, the user and the result', async () => {
    calls.length = 0
    const { text } = await get('/lms/v2/price-types?_filter=slug', 'learner')
    await get('/lms/v1/nothing', 'anonymous')
    await get('/lms/v2/price-types', 'admin', { method: 'HEAD' })
    expect(calls).toMatchObject([
      { method: 'GET', url: '/lms/v2/price-types?_filter=slug', status: 200, bytes: Buffer.byteLength(text), user: 'learner' },
      { method: 'GET', url: '/lms/v1/nothing', status: 404, user: null },
      { method: 'HEAD', url: '/lms/v2/price-types', status: 200, bytes: 0, user: 'admin' },
    ])
    for (const { startedAt, duration } of calls) expect([Math.abs(Date.now() - startedAt) < 60_000, duration >= 0]).toEqual([true, true])
  })

  it('can name a demo user of each role', async () => {
    expect(DEMO_USERS.map(({ role }) => role)).toEqual(['admin', 'leader', 'subscriber', 'subscriber'])
  })
})
