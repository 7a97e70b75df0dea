import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { globalId } from '../support/global-id.js'
import { READER } from '../support/profile.js'
import { startProxy } from '../support/proxy.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, World } from '../support/world.js'

// Operations in which the gateway saves calls because of what it has learned or already fetched.

describe('an edit-only column of a list', () => {
  const QUERY = '{ courses(first: 3) { nodes { title titleRaw } } }'

  it('is read with the list', async () => {
    const world = await World.start()
    const first = await world.query(QUERY, { as: 'admin' })
    expect([first.errors, first.data.courses.nodes.map(({ titleRaw }: any) => typeof titleRaw)]).toEqual([
      [],
      ['string', 'string', 'string'],
    ])
    expect(first.calls).toEqual([expect.stringMatching(/^\/lms\/v1\/sfwd-courses\?per_page=3&context=edit&_filter=id,title/)])
    // Below other records, with other windows, and with relations.
    const deep = await world.query('{ courses(last: 2) { nodes { titleRaw password priceType { name } prerequisites { titleRaw } } } }', {
      as: 'admin',
    })
    expect(deep.errors).toEqual([])
    expect(deep.calls.filter((call) => call.includes('context=view') && call.includes('sfwd-courses'))).toEqual([])
    expect((await world.query('{ groups(first: 3) { nodes { titleRaw } } }', { as: 'admin' })).calls).toHaveLength(1)
    await world.close()
  })

  it.each([
    ['learner', 'FORBIDDEN', 1],
    [undefined, 'UNAUTHENTICATED', 0],
  ] as const)('is asked of the list at most once for callers who may not read it: %s', async (as, code, times) => {
    const world = await World.start()
    const asked: string[] = []
    for (let run = 0; run < 2; run++) {
      const { errors, data, calls } = await world.query(QUERY, as && { as })
      expect(errors.map(({ extensions }) => extensions.code)).toEqual([code, code, code])
      expect(data.courses.nodes).toEqual(Array(3).fill({ title: expect.any(String), titleRaw: null }))
      asked.push(...calls.filter((call) => call.includes('context=edit') && !call.includes('include=')))
    }
    expect(asked).toHaveLength(times)
    await world.close()
  })

  it('is read in a separate call next to guarded columns, whose values stay the same', async () => {
    const world = await World.start()
    await world.query(QUERY, { as: 'admin' })
    const ids = `where: { id: { in: [${SAMPLES.protectedCourse}] } }`
    const alone = await world.query(`{ courses(${ids}) { nodes { content } } }`, { as: 'admin' })
    const both = await world.query(`{ courses(${ids}) { nodes { content titleRaw } } }`, { as: 'admin' })
    expect(both.data.courses.nodes[0].content).toBe(alone.data.courses.nodes[0].content)
    expect(both.calls).toHaveLength(2)
    await world.close()
  })

  it('is null with an error at its path after the right was revoked', async () => {
    const lms: RunningLms = await startLms()
    let refuses = false
    const proxy = await startProxy(lms.url, (path) =>
      refuses && path.includes('context=edit')
        ? { status: 403, body: JSON.stringify({ code: 'rest_forbidden_context', message: 'No.', data: { status: 403 } }) }
        : undefined,
    )
    const calls: string[] = []
    const gateway = await serve({
      site: { url: proxy.url },
      on: {
        call: ({ path }) => calls.push(path),
      },
      observe: { explainFor: ['everybody'] },
      protection: { retries: 0 },
    })
    const ask = async (): Promise<any> => {
      calls.length = 0
      const response = await gateway.post({ query: QUERY, extensions: { explain: 'run' } }, { authorization: authorizationOf('admin') })
      return response.json()
    }
    const { data } = await ask()
    await ask()
    expect(calls).toHaveLength(1)
    refuses = true
    const refused = await ask()
    expect(refused.data.courses.nodes).toEqual(data.courses.nodes.map(({ title }: any) => ({ title, titleRaw: null })))
    expect(refused.errors.map(({ path, extensions }: any) => [path.join('.'), extensions.code])).toEqual(
      [0, 1, 2].map((index) => [`courses.nodes.${index}.titleRaw`, 'FORBIDDEN']),
    )
    expect(calls.length).toBeLessThanOrEqual(refused.extensions.explain.predicted.max)
    await ask()
    expect(calls[0]).toContain('context=view')
    await gateway.close()
    await proxy.close()
    await lms.close()
  })
})

describe('relations back to records that are already known', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  it('read each record once, with the columns of all levels', async () => {
    const { data, errors, calls } = await world.query(
      `{ course(id: ${SAMPLES.cycle[0]}) { title prerequisites { slug prerequisites { title slug points status } } } }`,
      READER,
    )
    expect(errors).toEqual([])
    expect(data.course.prerequisites[0].prerequisites[0]).toMatchObject({ title: data.course.title, slug: expect.any(String) })
    const others = new Set(
      calls.flatMap((call) => /include=([\d,]+)/.exec(call)?.[1]?.split(',') ?? /sfwd-courses\/(\d+)/.exec(call)?.[1] ?? []),
    )
    // No course is in two calls.
    expect(
      calls.flatMap((call) => /include=([\d,]+)/.exec(call)?.[1]?.split(',') ?? /sfwd-courses\/(\d+)/.exec(call)?.[1] ?? []),
    ).toHaveLength(others.size)
  })

  it('read no records that the list above has', async () => {
    const { errors, calls } = await world.query(
      `{ courses(where: { id: { in: [${SAMPLES.cycle}] } }) { nodes { title prerequisites { slug points } } } }`,
      READER,
    )
    expect([errors, calls]).toEqual([[], [expect.stringMatching(/^\/lms\/v1\/sfwd-courses\?per_page=10&context=view&/)]])
  })

  it('read no records that are reached through another type', async () => {
    const { errors, calls, data } = await world.query(
      '{ course(id: 10001) { title lessons(first: 3) { nodes { title course { slug points } } } } }',
      READER,
    )
    expect([errors, calls.length]).toEqual([[], 2])
    expect(data.course.lessons.nodes[0].course.slug).toEqual(expect.any(String))
  })

  it('read heavy columns only of the records for which they are selected', async () => {
    const { calls } = await world.query('{ courses(first: 20) { nodes { title prerequisites { content } } } }', READER)
    expect(calls.find((call) => call.includes('per_page=20'))).not.toContain('content')
  })
})

describe('a record that a list of an earlier wave has shown', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  it.each(['title', 'title priceType { name }'])('is not read again: %s', async (shown) => {
    const { data, errors, calls } = await world.query(
      `{ courses(first: 20, orderBy: { field: ID }) { nodes { databaseId ${shown} } } lesson(id: 100001) { course { databaseId title } } }`,
    )
    const { course } = data.lesson
    const listed = data.courses.nodes.find(({ databaseId }: any) => databaseId === course.databaseId)
    expect([errors, listed.title]).toEqual([[], course.title])
    expect(calls.filter((call) => call.includes('/sfwd-courses'))).toHaveLength(1)
  })
})

describe('progress in one course next to the list of progress', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  it('is read from the list', async () => {
    const { data, errors, calls } = await world.query(
      '{ user(id: 3) { courseProgress(first: 100) { nodes { courseId status } } progressIn(course: 10002) { stepsTotal } } }',
      { as: 'learner' },
    )
    expect([errors, calls.length]).toEqual([[], 1])
    expect(calls[0]).toMatch(/^\/lms\/v2\/users\/3\/course-progress\?/)
    const alone = await world.query('{ user(id: 3) { progressIn(course: 10002) { stepsTotal } } }', { as: 'learner' })
    expect(data.user.progressIn).toEqual(alone.data.user.progressIn)
    expect(data.user.progressIn.stepsTotal).toEqual(expect.any(Number))
  })

  it('is read from the list in either order of selection, and for several courses', async () => {
    const { errors, calls, data } = await world.query(
      '{ user(id: 3) { a: progressIn(course: 10002) { stepsTotal } b: progressIn(course: 10009) { status } courseProgress(first: 100) { nodes { courseId } } } }',
      { as: 'learner' },
    )
    expect([errors, calls.length]).toEqual([[], 1])
    expect(data.user.b).not.toBeNull()
  })

  it('is null if the complete list lacks it', async () => {
    const list = await world.query('{ user(id: 3) { courseProgress(first: 1000) { totalCount nodes { courseId } } } }', { as: 'learner' })
    const taken = list.data.user.courseProgress.nodes.map(({ courseId }: any) => courseId)
    const other = Array.from({ length: 120 }, (_, index) => 10_001 + index).find((id) => !taken.includes(id))
    const { data, errors, calls } = await world.query(
      `{ user(id: 3) { courseProgress(first: 100) { totalCount nodes { courseId } } progressIn(course: ${other ?? 99_999}) { status } } }`,
      { as: 'learner' },
    )
    expect([errors, data.user.progressIn, calls.length]).toEqual([[], null, 1])
  })

  it('is read separately if the window ends before it', async () => {
    const list = await world.query('{ user(id: 3) { courseProgress(first: 100) { nodes { courseId status } } } }', { as: 'learner' })
    const last = list.data.user.courseProgress.nodes.at(-1)
    const { data, errors, calls } = await world.query(
      `{ user(id: 3) { courseProgress(first: 1) { nodes { courseId } } progressIn(course: ${last.courseId}) { status } } }`,
      { as: 'learner' },
    )
    expect([errors, calls.length]).toEqual([[], 2])
    expect(data.user.progressIn).toEqual({ status: last.status })
  })

  it('of two users takes one list and one single read', async () => {
    const { errors, calls } = await world.query(
      '{ a: user(id: 3) { courseProgress(first: 100) { nodes { courseId } } } b: user(id: 600001) { progressIn(course: 10002) { status } } }',
      { as: 'admin' },
    )
    expect([errors, calls.length]).toEqual([[], 2])
  })

  it('of a hidden course takes no call besides the list', async () => {
    const id = globalId('CourseProgress', '3:10002')
    const { errors, calls } = await world.query(
      `{ node(id: "${id}") { ... on CourseProgress { status } } user(id: 3) { courseProgress(first: 100) { nodes { stepsTotal } } } }`,
      { as: 'learner' },
    )
    expect([errors, calls.length]).toEqual([[], 1])
  })
})

describe('progress in one course next to progress in the courses of a list', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  const LIST = 'courses(first: 3, orderBy: { field: ID }) { nodes { progress(user: 3) { status stepsTotal } } }'
  const progressCalls = (calls: readonly string[]) =>
    calls.filter((call) => call.includes('/course-progress')).map((call) => call.split('&_filter')[0])

  it('is read in one call with them', async () => {
    const one = '{ user(id: 3) { progressIn(course: 10009) { status lastStepId } } }'
    const alone = await world.query(one, { as: 'learner' })
    const { data, errors, calls } = await world.query(`${one.slice(0, -1)} ${LIST} }`, { as: 'learner' })
    expect([errors, calls.length]).toEqual([[], 2])
    expect(calls[1]).toMatch(/^\/lms\/v2\/users\/3\/course-progress\?.*&include=10009,10001,10002,10003$/)
    expect(data.user).toEqual(alone.data.user)
    expect(data.courses.nodes).toEqual((await world.query(`{ ${LIST} }`, { as: 'learner' })).data.courses.nodes)
  })

  it.each([
    [
      'when the list shows no course',
      'courses(where: { id: { in: [99999] } }) { nodes { progress(user: 3) { status } } }',
      ['/3/course-progress/10009'],
    ],
    ['of another user', LIST.replaceAll('user: 3', 'user: 600001'), ['/3/course-progress/10009', '/600001/course-progress']],
  ])('is read nevertheless %s', async (_, list, expected) => {
    const { data, errors, calls } = await world.query(`{ user(id: 3) { progressIn(course: 10009) { status } } ${list} }`, { as: 'admin' })
    expect([errors, data.user.progressIn.status]).toEqual([[], expect.any(String)])
    expect(progressCalls(calls).map((call) => call?.replace(/^\/lms\/v2\/users|\?.*$/g, ''))).toEqual(expected)
  })

  it('does not wait when records follow from it', async () => {
    const { errors, calls } = await world.query(`{ user(id: 3) { progressIn(course: 10009) { course { title } } } ${LIST} }`, {
      as: 'admin',
    })
    expect([errors, progressCalls(calls).length, calls.length]).toEqual([[], 2, 4])
  })
})

describe('the length of a list', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  it.each([
    ['courses(first: 5, offset: 5000) { nodes { title } pageInfo { hasNextPage endCursor } }', 1],
    ['courses(first: 5, offset: 5000) { nodes { title } pageInfo { hasPreviousPage } }', 2],
    ['courses(first: 5, offset: 5000) { nodes { title } totalCount }', 2],
    ['courses(first: 5) { nodes { title } totalCount pageInfo { hasNextPage } }', 1],
  ])('is read past the end only if it is selected: %s', async (fields, count) => {
    const { errors, calls, data } = await world.query(`{ ${fields} }`, READER)
    expect([errors, calls.length]).toEqual([[], count])
    if (data.courses.pageInfo?.hasNextPage !== undefined && fields.includes('5000')) expect(data.courses.pageInfo.hasNextPage).toBe(false)
  })

  it('is taken from an empty page that has a total', async () => {
    const site = await FakeSite.start((_, response) => json(response, [], { headers: { 'x-wp-total': '7', 'x-wp-totalpages': '2' } }))
    const gateway = await serve({ site: { url: site.url } })
    const { data } = (await (
      await gateway.post({ query: '{ courses(first: 5, offset: 50) { nodes { title } totalCount } }' })
    ).json()) as any
    await gateway.close()
    await site.close()
    expect([data.courses, site.paths.length]).toEqual([{ nodes: [], totalCount: 7 }, 1])
  })
})
