import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { SAMPLES, startLms } from '../../src/lms/index.js'
import { credentials, type Json, outcome, ROUTES, SITE, useLms } from './world.js'

const { get, list, ids, write, create } = useLms()

const TYPES = Object.keys(ROUTES) as (keyof typeof ROUTES)[]
const PAST = '2020-05-01T12:00:00'
const FUTURE = '2098-01-01T12:00:00'

const patch = async (path: string, body: Json): Promise<Json> => {
  const answer = await write('PATCH', path, body)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

describe.each(TYPES)('the lifecycle of a %s', (type) => {
  const route = ROUTES[type]

  it('has draft, published, trash, restored and deleted', async () => {
    const draft = await create(route, { title: 'Life & "Times"' })
    expect(draft).toMatchObject({ status: 'draft', slug: '', generated_slug: 'life-times', date: null })
    expect(draft.link).toContain('?post_type=')
    const path = `${route}/${draft.id}`
    expect((await get(path, 'anonymous')).status).toBe(401)

    const published = await patch(path, { status: 'publish' })
    expect(published).toMatchObject({ status: 'publish', slug: 'life-times', date: published.modified, date_gmt: published.modified_gmt })
    expect(published.link).toMatch(new RegExp(`^${SITE}/\\w+/life-times/$`))
    expect((await get(path, 'anonymous')).status).toBe(200)

    const trashed = await write('DELETE', path)
    expect(trashed.status).toBe(200)
    expect(trashed.body).toMatchObject({ id: draft.id, status: 'trash', slug: 'life-times__trashed', title: { raw: 'Life & "Times"' } })
    expect((await get(`${path}?context=edit`)).body).toEqual(trashed.body)
    expect(await ids(`${route}?include=${draft.id}&status=any`)).toEqual([])
    expect(await ids(`${route}?include=${draft.id}&status=trash`)).toEqual([draft.id])
    expect(outcome(await write('DELETE', path))).toBe('410 rest_already_trashed')
    expect(outcome(await write('DELETE', path, { force: false }))).toBe('410 rest_already_trashed')

    expect(await patch(path, { title: 'Life Again' })).toMatchObject({ status: 'trash', slug: 'life-times__trashed' })
    expect(await patch(path, { status: 'trash' })).toMatchObject({ status: 'trash', slug: 'life-times__trashed' })
    expect(await patch(path, { status: 'publish' })).toMatchObject({ status: 'publish', slug: 'life-times', date: published.date })

    const before = (await get(`${path}?context=edit`)).body
    const gone = await write('DELETE', `${path}?force=true`)
    expect([gone.status, gone.body]).toEqual([200, { deleted: true, previous: before }])
    for (const method of ['GET', 'PATCH', 'DELETE']) expect(outcome(await write(method, path))).toBe('404 rest_post_invalid_id')
  })

  it('can end in the trash too, with `force` in query, JSON or form', async () => {
    const ends: [string, RequestInit][] = [
      ['?force=1', {}],
      ['', { body: '{"force":true}', headers: { 'content-type': 'application/json' } }],
      ['', { body: 'force=true', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ]
    for (const [query, init] of ends) {
      const { id } = await create(route)
      await write('DELETE', `${route}/${id}`)
      const answer = await get(`${route}/${id}${query}`, 'admin', { method: 'DELETE', ...init })
      expect(answer.body).toMatchObject({ deleted: true, previous: { id, status: 'trash' } })
    }
    const { id } = await create(route)
    const refused = await write('DELETE', `${route}/${id}?force=maybe`)
    expect([outcome(refused), Object.keys(refused.body.data.details)]).toEqual(['400 rest_invalid_param', ['force']])
  })

  it('has every status', async () => {
    for (const status of ['publish', 'draft', 'pending', 'private', 'graded', 'not_graded']) {
      const made = await create(route, { status, title: `As ${status}` })
      expect(made).toMatchObject({ status, slug: /draft|pending/.test(status) ? '' : `as-${status.replace(' ', '-')}` })
      expect(made.date === null).toBe(/draft|pending/.test(status))
      expect(await ids(`${route}?include=${made.id}&status=${status}`)).toEqual([made.id])
    }
  })
})

describe('dates', () => {
  const route = ROUTES.Course

  it('in the future delay the publication of a record, and dates in the past publish it', async () => {
    const made = await create(route, { status: 'publish', date: FUTURE })
    expect(made).toMatchObject({ status: 'future', date: FUTURE, date_gmt: '2098-01-01T11:00:00' })
    const path = `${route}/${made.id}`
    expect(await patch(path, { title: 'Later' })).toMatchObject({ status: 'future' })
    expect(await patch(path, { status: 'publish' })).toMatchObject({ status: 'future' })
    expect(await patch(path, { date: PAST })).toMatchObject({ status: 'publish', date: PAST })
    expect(await patch(path, { date_gmt: FUTURE })).toMatchObject({ status: 'future' })
    expect(await patch(path, { status: 'private' })).toMatchObject({ status: 'private', date_gmt: FUTURE })
    expect((await create(route, { status: 'future', date: PAST })).status).toBe('publish')
    expect((await create(route, { status: 'draft', date: FUTURE })).status).toBe('draft')
  })

  it('publish a record when they come while the LMS runs', async () => {
    const date = new Date(Date.now() + 1500).toISOString()
    const { id, status } = await create(route, { status: 'publish', date_gmt: date, title: 'Soon' })
    expect(status).toBe('future')
    expect((await get(`${route}/${id}`, 'anonymous')).status).toBe(401)
    await new Promise((resolve) => setTimeout(resolve, 3000))
    expect((await get(`${route}/${id}`, 'anonymous')).body).toMatchObject({ status: 'publish', date_gmt: date.slice(0, 19) })
  })

  it.each([
    [{ date: '2024-07-01T10:00:00' }, '2024-07-01T10:00:00', '2024-07-01T08:00:00'],
    [{ date: '2024-07-01T10:00:00Z' }, '2024-07-01T12:00:00', '2024-07-01T10:00:00'],
    [{ date: '2024-12-01 10:00:00.500-05:00' }, '2024-12-01T16:00:00', '2024-12-01T15:00:00'],
    [{ date_gmt: '2024-07-01T10:00:00' }, '2024-07-01T12:00:00', '2024-07-01T10:00:00'],
    [{ date_gmt: '2024-07-01T10:00:00+02:00' }, '2024-07-01T10:00:00', '2024-07-01T08:00:00'],
    // `date` overrides `date_gmt`.
    [{ date: PAST, date_gmt: '2024-07-01T10:00:00' }, PAST, '2020-05-01T10:00:00'],
    [{ date: null, date_gmt: '2024-07-01T10:00:00' }, null, null],
    [{ date_gmt: null }, null, null],
  ])('%j are kept in step', async (given, date, date_gmt) => {
    const { id } = await create(route, { date: '2022-02-02T02:02:02' })
    expect(await patch(`${route}/${id}`, given)).toMatchObject({ date, date_gmt })
  })

  it('of published records cannot be removed', async () => {
    const { id } = await create(route, { status: 'publish', date: PAST })
    const after = await patch(`${route}/${id}`, { date: null })
    expect([after.date, after.date_gmt]).toEqual([after.modified, after.modified_gmt])
  })

  it('sort and filter lists', async () => {
    const [old, recent] = [await create(route, { date: '1999-01-01T00:00:00' }), await create(route, { date: '1998-01-01T00:00:00' })]
    expect(await ids(`${route}?include=${old.id},${recent.id}&status=any&orderby=date`)).toEqual([recent.id, old.id])
    expect(await ids(`${route}?before=1998-06-01T00:00:00&status=any&include=${old.id},${recent.id}`)).toEqual([recent.id])
  })
})

describe('slugs', () => {
  const route = ROUTES.Quiz

  it.each([
    ['Größe & Maß', 'grosse-mass'],
    ['  Über "Ærø": 100 % <b>Ødegård</b> -- Łódź  ', 'uber-aero-100-odegard-lodz'],
    ['snake_case stays', 'snake_case-stays'],
    ["Don't &amp; do", 'dont-do'],
  ])('are made of %j', async (title, slug) => {
    expect(await create(route, { title, status: 'publish' })).toMatchObject({ slug, generated_slug: slug })
    const given = await create(route, { slug: title })
    expect(given).toMatchObject({ status: 'draft', slug: `${slug}-2` })
  })

  it('are the id when the title has no letters', async () => {
    for (const title of ['', '???', '日本語']) {
      const { id, slug } = await create(route, { title, status: 'publish' })
      expect(slug).toBe(String(id))
    }
  })

  it('are unique within a type, also in the trash', async () => {
    const make = (body: Json, type: keyof typeof ROUTES = 'Quiz') => create(ROUTES[type], { title: 'Twin', status: 'publish', ...body })
    const twins = [await make({}), await make({}), await make({ slug: 'TWIN', status: 'draft' }), await make({ slug: 'twin-2' })]
    expect(twins.map(({ slug }) => slug)).toEqual(['twin', 'twin-2', 'twin-3', 'twin-2-2'])
    expect((await make({}, 'Course')).slug).toBe('twin')
    const path = `${route}/${twins[0]!.id}`
    expect(await patch(path, { slug: 'twin', title: 'Other' })).toMatchObject({ slug: 'twin' })
    expect(await patch(path, { slug: 'twin-3' })).toMatchObject({ slug: 'twin-3-2' })
    expect(await patch(path, { slug: '' })).toMatchObject({ slug: 'other' })
    await patch(path, { slug: 'twin' })

    await write('DELETE', path)
    const successor = await make({})
    expect(successor.slug).toBe('twin')
    expect(await patch(path, { status: 'publish' })).toMatchObject({ slug: 'twin-4' })
    await patch(path, { slug: 'again' })
    await write('DELETE', path)
    const second = await make({ slug: 'again' })
    expect((await write('DELETE', `${route}/${second.id}`)).body.slug).toBe('again__trashed-2')
    expect(await patch(`${route}/${second.id}`, { status: 'draft' })).toMatchObject({ slug: 'again' })
    expect(await patch(path, { status: 'draft', slug: 'Given Back' })).toMatchObject({ slug: 'given-back' })
  })

  it('keep their maximum length with a number', async () => {
    const slug = 's'.repeat(200)
    const made = [await create(route, { slug }), await create(route, { slug }), await create(route, { slug })]
    const found = made.map((record) => record.slug as string)
    expect(new Set(found).size).toBe(3)
    for (const one of found) expect(one.length).toBeLessThanOrEqual(200)
  })

  it('stay empty when a draft without a slug is restored from the trash', async () => {
    const { id } = await create(route, { title: 'Nameless' })
    expect((await write('DELETE', `${route}/${id}`)).body.slug).toMatch(/^__trashed/)
    expect(await patch(`${route}/${id}`, { status: 'draft' })).toMatchObject({ slug: '' })
  })

  it('find their record in lists', async () => {
    const { id, slug } = await create(route, { title: 'To Be Found', status: 'publish' })
    expect(await ids(`${route}?slug=${slug}`)).toEqual([id])
  })
})

describe('deleting also deletes', () => {
  const end = async (path: string) => expect((await write('DELETE', `${path}?force=true`)).status).toBe(200)

  it("a group's courses and members, and moves groups below it up", async () => {
    const top = await create(ROUTES.Group, { status: 'publish' })
    const middle = await create(ROUTES.Group, { status: 'publish', parent: top.id })
    const low = await create(ROUTES.Group, { status: 'publish', parent: middle.id })
    await write('POST', `/lms/v2/groups/${middle.id}/courses`, { course_ids: [10_001] })
    await end(`${ROUTES.Group}/${middle.id}`)
    expect(outcome(await get(`/lms/v2/groups/${middle.id}/courses`))).toBe('404 rest_post_invalid_id')
    expect((await get(`${ROUTES.Group}/${low.id}`)).body.parent).toBe(top.id)

    expect((await get('/lms/v2/users/3/course-progress', 'leader')).status).toBe(200)
    for (const id of SAMPLES.ledGroups) await end(`${ROUTES.Group}/${id}`)
    expect((await get('/lms/v2/users/3/course-progress', 'leader')).status).toBe(403)
  })

  it("a course's place in groups, its steps and its progress", async () => {
    const course = (await list('/lms/v2/users/3/course-progress?per_page=1'))[0]!.course as number
    const lessons = await list(`${ROUTES.Lesson}?course=${course}&_filter=id,course&status=any&per_page=100`)
    expect(lessons.length).toBeGreaterThan(0)
    await write('POST', `/lms/v2/groups/${SAMPLES.emptyGroup}/courses`, { course_ids: [course] })
    await end(`${ROUTES.Course}/${course}`)
    expect(await list(`/lms/v2/groups/${SAMPLES.emptyGroup}/courses`)).toEqual([])
    expect((await list('/lms/v2/users/3/course-progress?per_page=100')).map((row) => row.course)).not.toContain(course)
    expect(outcome(await get(`${ROUTES.Lesson}?course=${course}`))).toBe('404 rest_post_invalid_id')
    for (const { id } of lessons) expect((await get(`${ROUTES.Lesson}/${id}`)).body.course).toBe(0)
  })

  it("a lesson's and a quiz's place in courses, and its questions", async () => {
    const course = 10_011
    const [lesson] = await ids(`${ROUTES.Lesson}?course=${course}&per_page=1`)
    const quiz = (await ids(`${ROUTES.Quiz}?course=${course}&lesson=0`)).at(-1)!
    const question = `/lms/v1/sfwd-questions/${500_001 + 3 * (quiz - 300_001)}`
    expect((await get(question)).body._quizId).toBe(quiz)
    await end(`${ROUTES.Lesson}/${lesson}`)
    await end(`${ROUTES.Quiz}/${quiz}`)
    expect(await ids(`${ROUTES.Lesson}?course=${course}&per_page=100`)).not.toContain(lesson)
    expect(await ids(`${ROUTES.Quiz}?course=${course}&per_page=100`)).not.toContain(quiz)
    expect(outcome(await get(question))).toBe('404 rest_post_invalid_id')
  })

  it('every row that refers to the record', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-'))
    const data = join(folder, 'school.db')
    const lms = await startLms({ data })
    const removed = { groups: SAMPLES.largeGroup, courses: 10_001, lessons: 100_020, quizzes: 300_020 }
    const routes = { groups: ROUTES.Group, courses: ROUTES.Course, lessons: ROUTES.Lesson, quizzes: ROUTES.Quiz }
    for (const [table, id] of Object.entries(removed)) {
      const path = `${lms.url}${routes[table as keyof typeof routes]}/${id}?force=true`
      expect((await fetch(path, { method: 'DELETE', headers: credentials('admin') })).status).toBe(200)
    }
    await lms.close()
    const db = new Database(data)
    const { groups, courses, lessons, quizzes } = removed
    const rows: readonly (readonly [string, string, number])[] = [
      ...(['group_courses', 'group_users', 'group_leaders'] as const).map((table) => [table, 'group_id', groups] as const),
      ...(['group_courses', 'course_steps', 'progress', 'lessons'] as const).map((table) => [table, 'course', courses] as const),
      ...[lessons, quizzes].map((step) => ['course_steps', 'step', step] as const),
      ['course_steps', 'lesson', lessons],
      ['groups', 'parent', groups],
      ['questions', 'quiz', quizzes],
      ...Object.values(removed).map((id) => ['post_terms', 'post', id] as const),
    ]
    for (const [table, column, id] of rows) {
      const left = db.prepare(`SELECT count(*) AS left FROM ${table} WHERE ${column} = ?`).get([id]) as { left: number }
      expect([table, column, left.left]).toEqual([table, column, 0])
    }
    db.close()
    rmSync(folder, { recursive: true })
  })
})
