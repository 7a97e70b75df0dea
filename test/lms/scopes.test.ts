import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Json, total, useLms } from './world.js'

const { get, list, ids } = useLms()

describe('lists within a course', () => {
  const lessons = '/lms/v2/sfwd-lessons'
  const quizzes = '/lms/v1/sfwd-quiz'

  it('have the order of the course, and can be reversed or sorted', async () => {
    const own = await list(`${lessons}?course=${SAMPLES.longCourse}&per_page=100`)
    expect(own.map(({ title }) => Number(/\d+/.exec(title.rendered)![0]))).toEqual(own.map((_, index) => index + 1))
    expect(total(await get(`${lessons}?course=${SAMPLES.longCourse}`))).toBe(110)
    const some = await ids(`${lessons}?course=10001`)
    expect(await ids(`${lessons}?course=10001&order=desc`)).toEqual(some.toReversed())
    expect(await ids(`${lessons}?course=10001&orderby=id&order=desc`)).toEqual(some.toSorted((a, b) => b - a))
  })

  it('have a shared lesson in both of its courses', async () => {
    for (const course of SAMPLES.sharedCourses) expect(await ids(`${lessons}?course=${course}`)).toContain(SAMPLES.sharedLesson)
    expect((await get(`${lessons}/${SAMPLES.sharedLesson}`)).body.course).toBe(0)
  })

  it('limit quizzes to a lesson, a topic or the course itself', async () => {
    const inCourse = await ids(`${quizzes}?course=10001&status=any`)
    const [lessonQuiz, topicQuiz, courseQuiz] = [300_001, 300_002, 300_003]
    expect(inCourse).toEqual([lessonQuiz, topicQuiz, courseQuiz])
    expect(await ids(`${quizzes}?course=10001&lesson=0`)).toEqual([courseQuiz])
    const [, second, third] = await ids(`${lessons}?course=10001`)
    expect(await ids(`${quizzes}?course=10001&lesson=${second}`)).toEqual([lessonQuiz])
    expect(await ids(`${quizzes}?course=10001&lesson=${third}`)).toEqual([])
    expect(await ids(`${quizzes}?course=10001&topic=400001`)).toEqual([topicQuiz])
    expect(await ids(`${quizzes}?course=10001&lesson=${third}&topic=400001`)).toEqual([topicQuiz])
    expect(await ids(`${quizzes}?course=10003&topic=400001`)).toEqual([])
  })

  it('need an existing course for the filters lesson and topic', async () => {
    for (const query of ['lesson=0', 'topic=400001']) {
      const { status, body } = await get(`${quizzes}?${query}`)
      expect([status, body.code, body.data.params]).toEqual([400, 'rest_missing_callback_param', ['course']])
    }
    const unknown = await get(`${lessons}?course=77`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'rest_post_invalid_id'])
  })

  it('have the parameter course also for a single lesson', async () => {
    const path = `${lessons}/100001?_filter=id&course=`
    expect((await get(`${path}10001`)).body).toEqual({ id: 100_001 })
    expect((await get(`${path}10002`)).status).toBe(404)
  })
})

describe('progress lists', () => {
  const path = `/lms/v2/users/${SAMPLES.manyRowsUser}/course-progress`

  it('have pages, include and exclude', async () => {
    const first = await get(`${path}?per_page=100`)
    expect([total(first), first.headers.get('x-wp-totalpages')]).toEqual([108, '2'])
    const courses = [...first.body, ...(await list(`${path}?per_page=100&page=2`))].map(({ course }: Json) => course)
    expect(new Set(courses).size).toBe(108)
    const some = [courses[5], courses[50]]
    const of = async (query: string) => (await list(`${path}?_filter=course&per_page=100&${query}`)).map(({ course }) => course)
    expect((await of(`include=${some},5`)).sort()).toEqual(some.sort())
    expect(await of(`include=${some}&exclude=${some[0]}`)).toEqual([some[1]])
    expect(await of(`exclude[]=${courses[0]}`)).toEqual(courses.slice(1, 101))
    expect(await of('include=')).toEqual(courses.slice(0, 100))
    expect((await get(`${path}?page=3&per_page=100`)).body.code).toBe('rest_post_invalid_page_number')
    expect(Object.keys((await list(`${path}?context=embed`))[0]!)).toEqual(['course', 'progress_status', 'last_step', '_links'])
  })

  it('exist for users with no, one and many rows', async () => {
    const count = async (user: number) => total(await get(`/lms/v2/users/${user}/course-progress`))
    expect([await count(4), await count(SAMPLES.oneRowUser), await count(SAMPLES.manyRowsUser)]).toEqual([0, 1, 108])
  })
})

describe('the LMS', () => {
  it('answers identical URLs identically', async () => {
    for (const path of ['/lms/v1/groups', '/lms/v1/sfwd-courses', '/lms/v1/sfwd-quiz', '/lms/v2/sfwd-lessons']) {
      expect((await get(`${path}?orderby=author&page=1`)).text).toBe((await get(`${path}?orderby=author&page=1`)).text)
    }
  })

  it('answers HEAD with headers only', async () => {
    const got = await get('/lms/v1/sfwd-courses?per_page=7')
    const head = await get('/lms/v1/sfwd-courses?per_page=7', 'admin', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['x-wp-total', 'x-wp-totalpages', 'link', 'content-type']) expect(head.headers.get(name)).toBe(got.headers.get(name))
  })

  it('accepts paths with a trailing slash and below /wp-json', async () => {
    const { text } = await get('/lms/v1/groups/1001')
    for (const path of ['/lms/v1/groups/1001/', '/wp-json/lms/v1/groups/1001', '/wp-json/lms/v1/groups/1001/'])
      expect((await get(path)).text).toBe(text)
    expect((await get('/lms/v1/groups/')).status).toBe(200)
  })
})
