import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { basic, type Login, useLms } from './world.js'

const { get, list } = useLms()

const LOGINS: readonly Login[] = ['anonymous', 'newcomer', 'learner', 'leader', 'admin']

/** Path, then the status and error code for anonymous, newcomer, learner, leader and admin. */
const MATRIX: readonly (readonly [string, ...string[]])[] = [
  ['/lms/v1/groups', '200', '200', '200', '200', '200'],
  ['/lms/v1/groups/1001', '200', '200', '200', '200', '200'],
  ['/lms/v1/sfwd-courses', '200', '200', '200', '200', '200'],
  ['/lms/v1/sfwd-courses/10001', '200', '200', '200', '200', '200'],
  ['/lms/v2/groups/1001/courses', '200', '200', '200', '200', '200'],
  ['/lms/v2/sfwd-lessons?course=10001', '200', '200', '200', '200', '200'],
  ['/lms/v2/sfwd-lessons/100001', '200', '200', '200', '200', '200'],
  ['/lms/v1/sfwd-quiz?course=10001', '200', '200', '200', '200', '200'],
  ['/lms/v1/sfwd-quiz/300001', '200', '200', '200', '200', '200'],
  ['/lms/v2/price-types', '200', '200', '200', '200', '200'],
  ...['/lms/v2/sfwd-lessons', '/lms/v1/sfwd-quiz'].map(
    (path) => [path, ...Array(4).fill('400 rest_missing_callback_param'), '200'] as const,
  ),
  ...[
    `/lms/v1/sfwd-courses/${SAMPLES.draftCourse}`,
    `/lms/v1/sfwd-courses/${SAMPLES.privateCourse}`,
    `/lms/v1/sfwd-courses/${SAMPLES.futureCourse}`,
    `/lms/v1/sfwd-courses/${SAMPLES.pendingCourse}`,
    `/lms/v1/sfwd-courses/${SAMPLES.trashedCourse}`,
    `/lms/v1/groups/${SAMPLES.draftGroup}`,
    `/lms/v2/groups/${SAMPLES.draftGroup}/courses`,
    `/lms/v2/sfwd-lessons/${SAMPLES.draftLesson}`,
    `/lms/v1/sfwd-quiz/${SAMPLES.draftQuiz}`,
    `/lms/v2/sfwd-lessons?course=${SAMPLES.draftCourse}`,
    `/lms/v1/sfwd-quiz?course=${SAMPLES.privateCourse}`,
    '/lms/v1/sfwd-questions/500001',
  ].map((path) => [path, '401 rest_forbidden', ...Array(3).fill('403 rest_forbidden'), '200'] as const),
  ...[
    '/lms/v1/groups?context=edit',
    '/lms/v1/sfwd-courses/10001?context=edit',
    '/lms/v2/sfwd-lessons?context=edit&course=10001',
    '/lms/v1/sfwd-quiz/300001?context=edit',
    '/lms/v2/groups/1001/courses?context=edit',
    '/lms/v2/price-types?context=edit',
  ].map((path) => [path, '401 rest_forbidden_context', ...Array(3).fill('403 rest_forbidden_context'), '200'] as const),
  ...['draft', 'any', 'publish,private', 'trash'].map(
    (status) => [`/lms/v1/sfwd-courses?status=${status}`, ...Array(4).fill('400 rest_invalid_param'), '200'] as const,
  ),
  // The leader leads a group of the learner.
  ['/lms/v2/users/3/course-progress', '401 rest_user_cannot_view', '403 rest_user_cannot_view', '200', '200', '200'],
  ['/lms/v2/users/4/course-progress', '401 rest_user_cannot_view', '200', '403 rest_user_cannot_view', '403 rest_user_cannot_view', '200'],
  ['/lms/v2/users/2/course-progress', '401 rest_user_cannot_view', '403 rest_user_cannot_view', '403 rest_user_cannot_view', '200', '200'],
  [
    '/lms/v2/users/99/course-progress',
    '401 rest_user_cannot_view',
    ...Array(3).fill('403 rest_user_cannot_view'),
    '404 rest_user_invalid_id',
  ],
  ['/lms/v1/sfwd-courses/77', ...Array(5).fill('404 rest_post_invalid_id')],
  ['/lms/v1/groups/10001', ...Array(5).fill('404 rest_post_invalid_id')],
  ['/lms/v2/groups/77/courses', ...Array(5).fill('404 rest_post_invalid_id')],
]

describe('access to', () => {
  it.each(MATRIX)('%s', async (path, ...expected) => {
    const found: string[] = []
    for (const login of LOGINS) {
      const { status, body } = await get(path, login)
      found.push(status === 200 ? '200' : `${status} ${body.code}`)
      if (status !== 200) expect(body).toMatchObject({ message: expect.any(String), data: { status } })
    }
    expect(found).toEqual(expected)
  })

  it('a forbidden status is an error of the parameter', async () => {
    for (const [login, status] of [
      ['anonymous', 401],
      ['learner', 403],
    ] as const) {
      const { body } = await get('/lms/v1/groups?status=publish,draft', login)
      expect(body.data.details.status).toMatchObject({ code: 'rest_forbidden_status', data: { status } })
    }
    expect((await get('/lms/v1/groups?status=publish', 'anonymous')).status).toBe(200)
  })

  it('drafts are listed for administrators only', async () => {
    const drafts = await list('/lms/v2/sfwd-lessons?course=10002&status=any')
    expect(drafts.some(({ status }) => status === 'draft')).toBe(true)
    expect((await list('/lms/v2/sfwd-lessons?course=10002', 'anonymous')).every(({ status }) => status === 'publish')).toBe(true)
  })
})

describe('credentials', () => {
  const ask = (authorization: string) => get('/lms/v1/sfwd-questions/500001', 'anonymous', { headers: { authorization } })

  it('are application passwords with or without spaces, and logins in any case', async () => {
    expect((await ask(basic('admin', 'admin-demo'))).status).toBe(200)
    expect((await ask(basic('ADMIN', 'admi n-de mo'))).status).toBe(200)
  })

  it('are refused when they are wrong, also where none are needed', async () => {
    const wrong = await get('/lms/v2/price-types', 'anonymous', { headers: { authorization: basic('admin', 'nope') } })
    expect([wrong.status, wrong.body.code]).toEqual([401, 'incorrect_password'])
    expect((await ask(basic('nobody', 'admin-demo'))).body.code).toBe('invalid_username')
    expect((await ask(basic('teacher1', ''))).body.code).toBe('incorrect_password')
  })

  it('of another kind are ignored', async () => {
    for (const other of ['Bearer abc', 'Basic', 'Basic !!!', 'Basic eA==']) {
      expect((await ask(other)).body.code).toBe('rest_forbidden')
    }
  })

  it('make responses uncacheable for shared caches', async () => {
    expect((await get('/lms/v2/price-types', 'learner')).headers.get('cache-control')).toContain('no-store')
    expect((await get('/lms/v2/price-types', 'anonymous')).headers.get('cache-control')).toBeNull()
  })
})

describe('password-protected records', () => {
  const paths = [
    `/lms/v1/groups/${SAMPLES.protectedGroup}`,
    `/lms/v1/sfwd-courses/${SAMPLES.protectedCourse}`,
    `/lms/v1/sfwd-quiz/${SAMPLES.protectedQuiz}`,
    `/lms/v2/sfwd-lessons/${SAMPLES.protectedLesson}`,
  ]

  it.each(paths)('%s shows the text only with the password or to administrators', async (path) => {
    const password = `password=${encodeURIComponent(SAMPLES.password)}`
    for (const login of LOGINS) {
      expect((await get(path, login)).body.content).toEqual({ rendered: '', protected: true })
      const opened = (await get(`${path}?${password}`, login)).body.content
      expect(opened).toEqual({ rendered: expect.stringContaining('<p>'), protected: true })
      const wrong = await get(`${path}?password=sesame`, login)
      expect([wrong.status, wrong.body.code]).toEqual([403, 'rest_post_incorrect_password'])
    }
    const { content, password: shown } = (await get(`${path}?context=edit`)).body
    expect([content.rendered.length > 0, shown]).toEqual([true, SAMPLES.password])
  })

  it('hide their texts in lists too', async () => {
    const [record] = await list(`/lms/v1/sfwd-courses?include=${SAMPLES.protectedCourse}`)
    expect(record!.content).toEqual({ rendered: '', protected: true })
  })

  it('are found by searches of administrators only', async () => {
    const query = `/lms/v1/sfwd-courses?search=glossary&_filter=id&per_page=100&include=${SAMPLES.protectedCourse}`
    const counts = await Promise.all(LOGINS.map(async (login) => (await list(query, login)).length))
    const [raw] = await list(`/lms/v1/sfwd-courses?include=${SAMPLES.protectedCourse}&context=edit`)
    expect(counts).toEqual([0, 0, 0, 0, raw!.content.raw.includes('glossary') ? 1 : 0])
    expect(await list(query.replace('glossary', 'learn'), 'admin')).toEqual([{ id: SAMPLES.protectedCourse }])
    expect(await list(query.replace('glossary', 'learn'), 'learner')).toEqual([])
  })

  it('refuse a password for a record that has none', async () => {
    const { status, body } = await get('/lms/v1/sfwd-courses/10001?password=x')
    expect([status, body.code]).toEqual([403, 'rest_post_incorrect_password'])
    expect((await get('/lms/v1/sfwd-courses/10001?password=')).status).toBe(200)
  })
})
