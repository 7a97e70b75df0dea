import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { globalId } from '../support/global-id.js'
import { type RunningProxy, startProxy } from '../support/proxy.js'
import { type Served, serve } from '../support/served.js'
import { authorizationOf, type Login, World } from '../support/world.js'

/** A site that refuses lists with `include` with this status. */
let refusal: number
let onlyInEdit = false
let lms: RunningLms
let proxy: RunningProxy
beforeAll(async () => {
  lms = await startLms()
  proxy = await startProxy(lms.url, (path) =>
    /[?&]include=/.test(path) && (!onlyInEdit || path.includes('context=edit'))
      ? { status: refusal, body: JSON.stringify({ code: 'rest_forbidden', message: 'No lists by ids.', data: { status: refusal } }) }
      : undefined,
  )
})
afterAll(async () => {
  await proxy.close()
  await lms.close()
})

let calls: string[]
const start = (maxCalls = 300): Promise<Served> =>
  serve({
    site: { url: proxy.url },
    on: { call: ({ path }) => calls.push(path) },
    limits: { maxCalls },
    observe: { explainFor: ['everybody'] },
    protection: { retries: 0 },
  })
beforeEach(() => {
  refusal = 403
  onlyInEdit = false
  calls = []
})

async function ask(gateway: Served, query: string, as?: Login): Promise<any> {
  calls = []
  const response = await gateway.post({ query, extensions: { explain: 'run' } }, as ? { authorization: authorizationOf(as) } : {})
  const answer = (await response.json()) as any
  const codes = (answer.errors ?? []).map(({ extensions }: any) => extensions.code)
  return { ...answer, codes, predicted: answer.extensions?.explain?.predicted }
}

const nodes = (type: string, ids: readonly (number | string)[], inner: string): string =>
  `{ nodes(ids: ${JSON.stringify(ids.map((id) => globalId(type, id)))}) { ... on ${type} { ${inner} } } }`

describe.each([401, 403])('a batch that is refused as a whole, with %i,', (status) => {
  it.each<[string, readonly (number | string)[], string, Login | undefined]>([
    ['Group', [1001, 1003, 9999, 1004], 'title', undefined],
    ['Course', [10_001, 10_003, 99_999, 10_004], 'title', undefined],
    ['Lesson', [100_001, 199_999, 100_020], 'title', 'admin'],
    ['Quiz', [300_001, 300_003, 399_999], 'title', 'admin'],
    ['CourseProgress', ['3:10002', '3:99999', '3:10009'], 'status', 'learner'],
  ])('is replaced by single reads: %s', async (type, ids, inner, as) => {
    refusal = status
    const gateway = await start()
    const { data, codes, predicted } = await ask(gateway, nodes(type, ids, inner), as)
    expect(codes).toEqual([])
    expect(data.nodes.map((node: any) => node === null)).toEqual(ids.map((id) => /9999/.test(String(id))))
    const batches = calls.filter((path) => path.includes('include='))
    expect(calls.length - batches.length).toBe(ids.length)
    expect(calls.length).toBeLessThanOrEqual(predicted.max)
    // The batch is refused once.
    await ask(gateway, nodes(type, ids, inner), as)
    expect(calls.length).toBe(type === 'CourseProgress' ? 1 + ids.length : ids.length)
    await gateway.close()
  })
})

describe('single reads in place of a refused batch', () => {
  const GROUPS = Array.from({ length: 14 }, (_, index) => 1_001 + index)

  it('may be more than for ids that a batch omits', async () => {
    const gateway = await start()
    const { data, codes } = await ask(gateway, nodes('Group', GROUPS, 'databaseId'))
    expect(codes).toEqual([])
    expect(data.nodes.map(({ databaseId }: any) => databaseId)).toEqual(GROUPS)
    await gateway.close()
  })

  it('end at the budget of the operation', async () => {
    const gateway = await start(10)
    const { data, codes } = await ask(gateway, nodes('Group', GROUPS, 'databaseId title'))
    expect(calls).toHaveLength(10)
    expect(codes).toEqual(GROUPS.slice(0, 5).map(() => 'CALL_BUDGET_EXCEEDED'))
    expect(data.nodes.filter((node: any) => node !== null)).toHaveLength(9)
    await gateway.close()
  })

  it('are made for relations too', async () => {
    const gateway = await start()
    const query = `{ courses(first: 3, where: { id: { notIn: [] } }) { nodes { prerequisites { title } } } }`
    const { codes, predicted } = await ask(gateway, query)
    expect(codes).toEqual([])
    expect(calls.length).toBeLessThanOrEqual(predicted.max)
    await gateway.close()
  })

  it('read edit-only columns for callers with the right', async () => {
    const gateway = await start()
    const { data, codes, predicted } = await ask(gateway, nodes('Group', [1001, 1003], 'title titleRaw'), 'admin')
    expect(codes).toEqual([])
    expect(data.nodes.every(({ titleRaw }: any) => typeof titleRaw === 'string')).toBe(true)
    expect(calls.length).toBeLessThanOrEqual(predicted.max)
    await gateway.close()
  })

  it('are not made if only `edit` is refused', async () => {
    onlyInEdit = true
    const gateway = await start()
    const { data, codes } = await ask(gateway, nodes('Group', [1001, 1003], 'title titleRaw'), 'admin')
    expect(codes).toEqual(['FORBIDDEN', 'FORBIDDEN'])
    expect(data.nodes.every(({ title }: any) => typeof title === 'string')).toBe(true)
    expect(calls).toHaveLength(2)
    await gateway.close()
  })

  it('are not made for records of a user that are all refused', async () => {
    const gateway = await start()
    const { codes } = await ask(gateway, nodes('CourseProgress', ['4:10002', '4:10003', '4:10009'], 'status'), 'learner')
    expect([codes, calls.length]).toEqual([['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'], 2])
    await gateway.close()
  })
})

describe('lessons of a caller who must name the course', () => {
  let world: World
  let lessons: number[]
  beforeAll(async () => {
    world = await World.start({ observe: { explainFor: ['everybody'] } }, {}, {})
    const { data } = await world.query(`{ course(id: ${SAMPLES.longCourse}) { lessons(first: 120) { nodes { databaseId } } } }`, {
      as: 'admin',
    })
    lessons = data.course.lessons.nodes.map(({ databaseId }: any) => databaseId)
  })
  afterAll(() => world.close())

  it('are read by the list of their course, which the first lesson names', async () => {
    expect(lessons.length).toBeGreaterThan(101)
    const query = nodes('Lesson', lessons, 'databaseId title')
    const first = await world.query(query, { as: 'learner' })
    expect(first.errors).toEqual([])
    expect(first.data.nodes.map(({ databaseId }: any) => databaseId)).toEqual(lessons)
    const again = await world.query(query, { as: 'learner' })
    expect(again.data).toEqual(first.data)
    // One single read, and a list for each 100 others.
    expect(again.calls).toHaveLength(1 + Math.ceil((lessons.length - 1) / 100))
    expect(again.calls.filter((call) => call.includes(`course=${SAMPLES.longCourse}&include=`))).toHaveLength(again.calls.length - 1)
    // Each batch is refused with and without `status=any`, and has its own first lesson.
    expect(first.calls.length).toBeLessThanOrEqual(again.calls.length + 3 * Math.ceil(lessons.length / 100))
  })

  it('are read by id if they share no course, after at most one useless list', async () => {
    const { data } = await world.query('{ lessons(first: 400, orderBy: { field: ID }) { nodes { databaseId courseId } } }', { as: 'admin' })
    const byCourse = new Map<number, number>()
    for (const { databaseId, courseId } of data.lessons.nodes) if (courseId !== null) byCourse.set(courseId, databaseId)
    const ids = [...byCourse.values()].slice(0, 8)
    expect(ids.length).toBeGreaterThan(5)
    await world.query(nodes('Lesson', ids.slice(0, 2), 'title'), { as: 'learner' })
    const { errors, calls } = await world.query(nodes('Lesson', ids, 'title'), { as: 'learner' })
    expect(errors.length).toBe(0)
    expect(calls.length).toBeLessThanOrEqual(ids.length + 1)
  })

  it('of two courses are two lists', async () => {
    const of = async (course: number): Promise<number[]> => {
      const { data } = await world.query(`{ course(id: ${course}) { lessons(first: 5) { nodes { databaseId courseId } } } }`, {
        as: 'admin',
      })
      return data.course.lessons.nodes.filter(({ courseId }: any) => courseId === course).map(({ databaseId }: any) => databaseId)
    }
    const [a, b] = [await of(10_001), await of(10_003)]
    expect(Math.min(a.length, b.length)).toBeGreaterThan(3)
    const { errors, calls, data } = await world.query(nodes('Lesson', [...a, ...b], 'databaseId title'), { as: 'learner' })
    expect([errors, data.nodes.map(({ databaseId }: any) => databaseId)]).toEqual([[], [...a, ...b]])
    expect(calls).toHaveLength(4)
  })
})
