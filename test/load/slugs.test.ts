import { type Tracer, trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { IS_PLUGIN, READER } from '../support/profile.js'
import { authorizationOf, World } from '../support/world.js'

const RECORDS = {
  course: 'v1/sfwd-courses/10001',
  second: 'v1/sfwd-courses/10002',
  draft: `v1/sfwd-courses/${SAMPLES.draftCourse}`,
  guarded: `v1/sfwd-courses/${SAMPLES.protectedCourse}`,
  lesson: 'v2/sfwd-lessons/100001',
  quiz: 'v1/sfwd-quiz/300001',
  group: 'v1/groups/1001',
}

let world: World
const slugOf: Record<string, string> = {}

beforeAll(async () => {
  world = await World.start()
  for (const [name, path] of Object.entries(RECORDS)) {
    const { text } = await world.ask(`${path}?context=edit&_filter=id,slug`)
    slugOf[name] = JSON.parse(text).slug
  }
})
afterAll(() => world.close())

describe('a record by its slug', () => {
  it.each([
    ['course', 10001, '/lms/v1/sfwd-courses'],
    ['lesson', 100001, '/lms/v2/sfwd-lessons'],
    ['quiz', 300001, '/lms/v1/sfwd-quiz'],
    ['group', 1001, '/lms/v1/groups'],
  ])('is found with one call: %s', async (field, databaseId, path) => {
    const asking = { as: 'admin', variables: { slug: slugOf[field] } } as const
    const { data, errors, calls } = await world.query(`query ($slug: String!) { ${field}(slug: $slug) { databaseId slug title } }`, asking)
    expect(errors).toEqual([])
    expect(data[field]).toEqual({ databaseId, slug: slugOf[field], title: expect.any(String) })
    expect(calls).toEqual([`${path}?per_page=1&context=view&_filter=id,slug,title.rendered&slug=${slugOf[field]}`])
  })

  it('is the same as by id, with its relations', async () => {
    const fields = '{ id title content priceType { name } prerequisites { title } lessons(first: 2) { nodes { title } } }'
    const query = `query ($slug: String) { bySlug: course(slug: $slug) ${fields} }`
    const found = await world.query(query, { as: 'admin', variables: { slug: slugOf.course } })
    const byId = await world.query(`{ byId: course(id: 10001) ${fields} }`, { as: 'admin' })
    expect(found.errors).toEqual([])
    expect(found.data.bySlug).toEqual(byId.data.byId)
    expect(found.calls).toHaveLength(byId.calls.length)
  })

  it('shares a call with others, and shares its record with reads by id', async () => {
    const query = `query ($a: String!, $b: String!) {
      a: course(slug: $a) { title } b: course(slug: $b) { databaseId } again: course(slug: $a) { slug } none: course(slug: "no-such-course") { id }
    }`
    const { data, calls } = await world.query(query, { ...READER, variables: { a: slugOf.course, b: slugOf.second } })
    expect(data).toMatchObject({ b: { databaseId: 10002 }, again: { slug: slugOf.course }, none: null })
    const path = '/lms/v1/sfwd-courses?per_page=100&context=view&_filter=id,slug,title.rendered'
    expect(calls.at(-1)).toBe(`${path}&slug=${slugOf.course},${slugOf.second},no-such-course`)
    // A missing record may be unpublished: with credentials it is requested once more.
    expect(calls.slice(0, -1)).toEqual(
      IS_PLUGIN ? ['/lms/v1/sfwd-courses?per_page=1&context=view&_filter=id,slug&slug=no-such-course&status=any'] : [],
    )
  })

  it('is null without an error if it is missing', async () => {
    const { data, errors, calls } = await world.query('{ course(slug: "no-such-course") { title } }', READER)
    expect([data, errors]).toEqual([{ course: null }, []])
    expect(calls.map((path) => path.includes('status=any'))).toEqual(IS_PLUGIN ? [true] : [false])
  })

  it('is found unpublished by callers with the right, and is null for others', async () => {
    const query = `{ course(slug: "${slugOf.draft}") { databaseId } }`
    const fresh = await World.start()
    try {
      const first = await fresh.query(query, { as: 'admin' })
      expect(first.data).toEqual({ course: { databaseId: SAMPLES.draftCourse } })
      expect(first.calls).toHaveLength(2)
      const second = await fresh.query(query, { as: 'admin' })
      expect(second.data).toEqual(first.data)
      expect(second.calls).toEqual([`/lms/v1/sfwd-courses?per_page=1&context=view&_filter=id,slug&slug=${slugOf.draft}&status=any`])
      if (!IS_PLUGIN) {
        const others = await fresh.query(query, { as: 'learner' })
        expect([others.data, others.errors]).toEqual([{ course: null }, []])
        expect((await fresh.query(query, { as: 'learner' })).calls).toHaveLength(1)
      }
    } finally {
      await fresh.close()
    }
  })

  it('is read in `edit` by its id for edit-only columns', async () => {
    const { data, errors, calls } = await world.query(`{ course(slug: "${slugOf.course}") { title titleRaw } }`, { as: 'admin' })
    expect(errors).toEqual([])
    expect(data.course).toEqual({ title: expect.any(String), titleRaw: expect.any(String) })
    expect(calls).toEqual([
      '/lms/v1/sfwd-courses/10001?context=edit&_filter=id,title.raw',
      expect.stringMatching(`^/lms/v1/sfwd-courses\\?per_page=1&context=view&_filter=id,slug,title.rendered&slug=${slugOf.course}`),
    ])
  })

  it('is read by its id with its password, which is never sent to the list', async () => {
    const query = `query ($password: String) { course(slug: "${slugOf.guarded}", password: $password) { databaseId content } }`
    const closed = await world.query(query, READER)
    expect(closed.data.course.content).toBe('')
    const open = await world.query(query, { ...READER, variables: { password: SAMPLES.password } })
    expect(open.data.course.content).not.toBe('')
    expect(open.data.course.databaseId).toBe(SAMPLES.protectedCourse)
    expect(open.calls).toHaveLength(2)
    expect(open.calls.filter((path) => path.includes('password'))).toEqual([
      expect.stringContaining(`/lms/v1/sfwd-courses/${SAMPLES.protectedCourse}?`),
    ])
    expect(open.calls.filter((path) => path.includes('slug='))).toHaveLength(1)
  })

  it('of a lesson is sent with the course', async () => {
    const query = `{ lesson(slug: "${slugOf.lesson}", course: 10001) { databaseId } }`
    const { data, calls } = await world.query(query, { as: 'learner' })
    expect(data).toEqual({ lesson: { databaseId: 100001 } })
    expect(calls).toEqual([`/lms/v2/sfwd-lessons?per_page=1&context=view&_filter=id,slug&course=10001&slug=${slugOf.lesson}`])
  })

  it('reports the missing course where only administrators may omit it', async () => {
    const { data, errors } = await world.query(`{ lesson(slug: "${slugOf.lesson}") { title } quiz(slug: "${slugOf.quiz}") { title } }`, {
      as: 'learner',
    })
    expect(data).toEqual({ lesson: null, quiz: null })
    const missing = ['BAD_USER_INPUT', expect.stringContaining('`where.course`')]
    expect(errors.map(({ path, extensions: { code }, message }) => [path?.[0], code, message])).toEqual([
      ['lesson', ...missing],
      // The plugin refuses the list of quizzes to learners.
      ['quiz', ...(IS_PLUGIN ? ['FORBIDDEN', expect.any(String)] : missing)],
    ])
  })
})

/** Records every trace while an operation runs, and returns the names of its spans. */
async function traced(run: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = []
  const startSpan = (name: string) => {
    names.push(name)
    const span = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 })
    return Object.assign(span, { isRecording: () => true })
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as Tracer })
  try {
    await run()
  } finally {
    trace.disable()
  }
  return names
}

describe.each([
  ['with columns that the lookup reads', 'databaseId title', 1],
  ['with edit-only columns, which are read by id', 'databaseId title titleRaw', 2],
  ['with records that follow from it', 'title quizzes(course: 10001, first: 2) { nodes { title } }', 2],
])('a lesson by its slug and its course, %s', (_, fields, least) => {
  let explained: World
  let plain: Awaited<ReturnType<World['query']>>
  const query = (): string => `{ lesson(slug: "${slugOf.lesson}", course: 10001) { ${fields} } }`
  beforeAll(async () => {
    explained = await World.start({ observe: { explainFor: ['everybody'] } })
    // The first run learns what the caller may ask for.
    await explained.query(query(), { as: 'admin' })
    plain = await explained.query(query(), { as: 'admin' })
    expect(plain.errors).toEqual([])
    expect(plain.calls.length).toBeGreaterThanOrEqual(least)
  })
  afterAll(() => explained.close())

  it('is read by the same calls when its run is explained', async () => {
    explained.calls.length = 0
    const authorization = authorizationOf('admin')
    const response = await explained.gateway.post({ query: query(), extensions: { explain: 'run' } }, { authorization })
    const { data, extensions } = (await response.json()) as { data: unknown; extensions: any }
    const calls = explained.calls.map(({ path }) => path).sort()
    expect([data, calls]).toEqual([plain.data, plain.calls])
    expect(extensions.explain.actual.calls).toBe(plain.calls.length)
  })

  it('is read by the same calls when its trace is recorded', async () => {
    let answer: typeof plain | undefined
    const spans = await traced(async () => {
      answer = await explained.query(query(), { as: 'admin' })
    })
    expect([answer?.data, answer?.calls]).toEqual([plain.data, plain.calls])
    expect(spans.filter((name) => name.startsWith('GET '))).toHaveLength(plain.calls.length)
    expect(spans).toContain('wave 1')
  })
})

it.each([
  ['course', 'Set `id` or `slug`.'],
  ['course(id: null, slug: null)', 'Set `id` or `slug`.'],
  ['course(id: 10001, slug: "a")', 'Set `id` or `slug`, not both.'],
  ['group(slug: "")', '`slug` must have 1 to 200 characters'],
  ['quiz(slug: "a,b")', '`slug` must have 1 to 200 characters'],
  ['lesson(slug: "a b")', '`slug` must have 1 to 200 characters'],
  [`lesson(slug: "${'a'.repeat(201)}")`, '`slug` must have 1 to 200 characters'],
])('%s is refused before any call', async (field, message) => {
  const { data, errors, calls } = await world.query(`{ found: ${field} { title } }`, { as: 'admin' })
  expect(data).toEqual({ found: null })
  expect(errors).toMatchObject([{ path: ['found'], message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } }])
  expect(calls).toEqual([])
})
