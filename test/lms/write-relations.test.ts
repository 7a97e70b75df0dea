import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Answer, complaints, type Json, outcome, ROUTES, useLms } from './world.js'

const { get, ids, write, create } = useLms()

describe('adding courses to a group', () => {
  const ADDED = { status: 'success', code: 'lms_rest_enroll_success', message: 'The course was added to the group.' }
  const THERE = { status: 'failed', code: 'lms_rest_enroll_failed', message: 'The course is in the group already.' }
  const UNKNOWN = { status: 'failed', code: 'lms_rest_invalid_id', message: 'Invalid course ID.' }

  const newGroup = async (): Promise<string> => `/lms/v2/groups/${(await create(ROUTES.Group, { status: 'publish' })).id}/courses`

  it('returns a result for each course, in the order of the request', async () => {
    const path = await newGroup()
    const first = await write('POST', path, { course_ids: [10_003, 77, 10_001, 10_003, 1001, -1] })
    expect([first.status, first.body]).toEqual([
      200,
      [
        { course_id: 10_003, ...ADDED },
        { course_id: 77, ...UNKNOWN },
        { course_id: 10_001, ...ADDED },
        { course_id: 10_003, ...THERE },
        { course_id: 1001, ...UNKNOWN },
        { course_id: -1, ...UNKNOWN },
      ],
    ])
    expect((await write('PATCH', path, { course_ids: [10_001] })).body).toEqual([{ course_id: 10_001, ...THERE }])
    expect((await ids(path)).sort()).toEqual([10_001, 10_003])
  })

  it('accepts ids in JSON, form or query, as array or text', async () => {
    const form = (body: string): RequestInit => ({ body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    const json = (course_ids: unknown): RequestInit => ({
      body: JSON.stringify({ course_ids }),
      headers: { 'content-type': 'application/json' },
    })
    const requests: [string, RequestInit][] = [
      ['', json([10_001, '10002'])],
      ['', json('10001,10002')],
      ['', form('course_ids[]=10001&course_ids[]=10002')],
      ['', form('course_ids[0]=10001&course_ids[1]=10002')],
      ['', form('course_ids=10001,10002')],
      ['?course_ids=10001,10002', {}],
      ['?course_ids[]=10001&course_ids[]=10002', {}],
    ]
    for (const [query, init] of requests) {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const path = await newGroup()
        const { status, body } = await get(path + query, 'admin', { method, ...init })
        expect([status, body.map(({ course_id, status: end }: Json) => [course_id, end])]).toEqual([
          200,
          [
            [10_001, 'success'],
            [10_002, 'success'],
          ],
        ])
        expect(await ids(path)).toHaveLength(2)
      }
    }
    const path = await newGroup()
    expect((await write('POST', path, { course_ids: 10_001 })).body).toEqual([{ course_id: 10_001, ...ADDED }])
  })

  it('refuses requests without courses', async () => {
    const path = await newGroup()
    for (const body of [undefined, {}, { course_ids: null }]) {
      const answer = await write('POST', path, body)
      expect([outcome(answer), answer.body.data.params]).toEqual(['400 rest_missing_callback_param', ['course_ids']])
    }
    for (const none of [[], '']) expect(outcome(await write('POST', path, { course_ids: none }))).toBe('404 rest_post_invalid_id')
    for (const bad of [['x'], '10001,x', [10_001, 1.5], true, { a: 1 }, [null], [[10_001]]]) {
      const answer: Answer = await write('POST', path, { course_ids: bad })
      expect([outcome(answer), complaints(answer)]).toEqual(['400 rest_invalid_param', { course_ids: 'rest_invalid_type' }])
    }
    expect(await ids(path)).toEqual([])
  })

  it('refuses unknown groups, and callers who are not administrators', async () => {
    for (const id of [77, 10_001]) {
      expect(outcome(await write('POST', `/lms/v2/groups/${id}/courses`, { course_ids: [10_001] }))).toBe('404 rest_post_invalid_id')
    }
    const path = await newGroup()
    expect(outcome(await write('POST', path, { course_ids: [10_001] }, 'anonymous'))).toBe('401 rest_cannot_edit')
    for (const login of ['newcomer', 'learner', 'leader'] as const) {
      expect(outcome(await write('POST', path, { course_ids: [10_001] }, login))).toBe('403 rest_cannot_edit')
    }
    expect(await ids(path)).toEqual([])
  })

  it('adds drafts, which the list shows only on request', async () => {
    const path = await newGroup()
    await write('POST', path, { course_ids: [SAMPLES.draftCourse] })
    expect([await ids(path), await ids(`${path}?status=any`)]).toEqual([[], [SAMPLES.draftCourse]])
  })
})

describe("a lesson's course", () => {
  const lessonsOf = (course: number): Promise<number[]> => ids(`${ROUTES.Lesson}?course=${course}&status=any&per_page=100`)
  const give = (id: number, course: number) => write('PATCH', `${ROUTES.Lesson}/${id}`, { course })

  it('has the lesson at its end, until the lesson moves to another course or none', async () => {
    const [one, two] = [await create(ROUTES.Course, { status: 'publish' }), await create(ROUTES.Course, { status: 'publish' })]
    const first = await create(ROUTES.Lesson, { course: one.id, title: 'Z' })
    const second = await create(ROUTES.Lesson, { course: one.id, title: 'A' })
    expect(await lessonsOf(one.id)).toEqual([first.id, second.id])
    expect(await lessonsOf(two.id)).toEqual([])
    expect((await give(first.id, two.id)).body.course).toBe(two.id)
    expect([await lessonsOf(one.id), await lessonsOf(two.id)]).toEqual([[second.id], [first.id]])
    await give(first.id, one.id)
    expect(await lessonsOf(one.id)).toEqual([second.id, first.id])
    await give(second.id, one.id)
    expect(await lessonsOf(one.id)).toEqual([second.id, first.id])
    expect((await give(second.id, 0)).body.course).toBe(0)
    expect(await lessonsOf(one.id)).toEqual([first.id])
    expect((await get(`${ROUTES.Lesson}/${second.id}?course=${one.id}`)).status).toBe(404)
  })

  it('stays when other fields change', async () => {
    const before = await lessonsOf(10_012)
    await write('PATCH', `${ROUTES.Lesson}/${before[2]}`, { title: 'Renamed', menu_order: 1 })
    expect(await lessonsOf(10_012)).toEqual(before)
  })

  it('is also the course of its topics and quizzes', async () => {
    const [, second] = await lessonsOf(10_001)
    const quizzes = await ids(`${ROUTES.Quiz}?course=10001&lesson=${second}`)
    expect(quizzes).toHaveLength(1)
    const { id: course } = await create(ROUTES.Course)
    await give(second!, course)
    expect(await ids(`${ROUTES.Quiz}?course=10001&lesson=${second}`)).toEqual([])
    expect(await ids(`${ROUTES.Quiz}?course=${course}&lesson=${second}`)).toEqual(quizzes)
  })

  it('can change for a shared lesson, which stays in its courses', async () => {
    const [one, two] = SAMPLES.sharedCourses
    await give(SAMPLES.sharedLesson, 0)
    for (const course of [one, two]) expect(await lessonsOf(course)).toContain(SAMPLES.sharedLesson)
    const before = await lessonsOf(two)
    await give(SAMPLES.sharedLesson, two)
    expect(await lessonsOf(two)).toEqual(before)
    expect(await lessonsOf(one)).toContain(SAMPLES.sharedLesson)
  })

  it('can be set when the lesson is created as published', async () => {
    const { id: course } = await create(ROUTES.Course, { status: 'publish' })
    const lesson = await create(ROUTES.Lesson, { course, status: 'publish', title: 'Live' })
    expect(await ids(`${ROUTES.Lesson}?course=${course}`, 'anonymous')).toEqual([lesson.id])
  })
})
