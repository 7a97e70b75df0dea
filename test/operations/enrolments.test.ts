import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { globalId } from '../support/global-id.js'
import { SECRET, signed } from '../support/hooks.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { type Answer, authorizationOf, CANDID, World } from '../support/world.js'

const NAMES: SiteNames = {
  routes: ['users/me', 'users', 'users/courses', 'sfwd-courses/users', 'sfwd-courses/groups'],
  timeZone: 'Europe/Berlin',
}

/** A course that the demo learner has completed, a sold one without learners of the demo, and an open one. */
const [COMPLETED, SOLD, OPEN] = [10_009, 10_062, 10_016]
const [LEARNER, NEWCOMER] = [3, 4]
const NOBODY = 99_999

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
async function start(options: TunedOptions = {}, names: SiteNames = NAMES): Promise<World> {
  const started = await World.start(options, {}, names)
  closing.push(() => started.close())
  return started
}

/** The calls without host, namespace and query. */
const routesOf = (calls: readonly string[]): string[] =>
  calls.map((path) => path.split('?')[0]!.replace(/^.*\/(lms|wp)\/(?=v\d)/, '')).sort()

const mutation = (verb: 'enrolUsers' | 'unenrolUsers'): string => `mutation ($course: ID!, $users: [ID!]!) {
  result: ${verb}(input: { courseId: $course, userIds: $users }) {
    __typename
    ... on ${verb === 'enrolUsers' ? 'EnrolUsersSuccess' : 'UnenrolUsersSuccess'} {
      results { userId user { databaseId } status statusValue code message }
    }
    ... on LmsError { code message }
  }
}`
const change = (on: World, verb: 'enrolUsers' | 'unenrolUsers', course: unknown, users: readonly unknown[]): Promise<Answer> =>
  on.query(mutation(verb), { as: 'admin', variables: { course, users } })

const world = await World.start({}, {}, NAMES)
afterAll(() => world.close())

/** The ids of the users in the sold course, and 119 users of the sample school who are not. */
const membersOf = async (on: World): Promise<number[]> => {
  const { data } = await on.query(`{ course(id: ${SOLD}) { users(first: 200) { nodes { databaseId } } } }`, { as: 'admin' })
  return data.course.users.nodes.map(({ databaseId }: any) => databaseId)
}
const members = await membersOf(world)
const PUPILS = Array.from({ length: 160 }, (_, index) => 600_020 + index)
  .filter((id) => !members.includes(id))
  .slice(0, 119)

describe('the courses of a user', () => {
  const QUERY = '{ viewer { databaseId courses(first: 50) { totalCount edges { enrolledAt certificateUrl node { databaseId title } } } } }'

  it('have the time of enrolment and the certificate on the edge, with one call', async () => {
    const { data, errors, calls } = await world.query(QUERY.replace('viewer', `user(id: ${LEARNER})`), { as: 'learner' })
    expect(errors).toEqual([])
    expect(routesOf(calls)).toEqual([`v2/users/${LEARNER}/courses`])
    const { edges, totalCount } = data.user.courses
    expect(edges).toHaveLength(totalCount)
    const dated = edges.filter(({ enrolledAt }: any) => enrolledAt !== null)
    expect(dated).toHaveLength(12)
    for (const { enrolledAt } of dated) expect(enrolledAt).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    // The site has no time for the members of groups.
    expect(edges.length).toBeGreaterThan(dated.length)
    const urls = edges.flatMap(({ certificateUrl }: any) => certificateUrl ?? [])
    expect(urls.length).toBeGreaterThan(0)
    for (const url of urls) expect(url).toMatch(/^https?:\/\/\S+\/certificates\/\d+\/\?course_id=\d+&user=3$/)
    expect(edges.find(({ node }: any) => node.databaseId === COMPLETED).certificateUrl).toContain(`course_id=${COMPLETED}&`)
  })

  it('have their access with six calls, whatever their number', async () => {
    const counts: string[][] = []
    for (const first of [3, 50]) {
      const { data, errors, calls } = await world.query(
        `{ viewer { courses(first: ${first}) { edges { enrolledAt certificateUrl node { title access { state enrolment } } } } } }`,
        { as: 'learner' },
      )
      expect(errors).toEqual([])
      const { edges } = data.viewer.courses
      expect(edges.length).toBeGreaterThanOrEqual(Math.min(first, 15))
      const enrolments = new Set(edges.map(({ node }: any) => node.access.enrolment))
      expect([...enrolments].filter((found) => !['ENROLLED', 'NOT_REQUIRED'].includes(found as string))).toEqual([])
      counts.push(routesOf(calls))
    }
    // The list, and the settings of its courses, their prerequisites, those that a batch leaves out, the enrolments and the progress.
    expect(counts[1]).toEqual([
      ...Array(3).fill('v1/sfwd-courses'),
      `v2/users/${LEARNER}/course-progress`,
      ...Array(2).fill(`v2/users/${LEARNER}/courses`),
    ])
  })

  it('are selected by id, and shown to the user and to administrators only', async () => {
    const one = `{ user(id: ${LEARNER}) { courses(where: { id: { in: [${COMPLETED}, ${SOLD}] } }) { totalCount nodes { databaseId } } } }`
    const mine = await world.query(one, { as: 'learner' })
    expect(mine.data.user.courses).toEqual({ totalCount: 1, nodes: [{ databaseId: COMPLETED }] })
    expect((await world.query(one, { as: 'admin' })).data).toEqual(mine.data)
    for (const [as, code] of [
      ['newcomer', 'FORBIDDEN'],
      [undefined, 'UNAUTHENTICATED'],
    ] as const) {
      const { data, errors } = await world.query(one, { ...(as && { as }) })
      expect([data.user.courses, errors.map(({ extensions }) => extensions.code)]).toEqual([null, [code]])
    }
  })

  it.each([
    ['in GMT', { enrolled_at: '2026-11-20T13:12:23', enrolled_at_gmt: '2026-11-20T12:12:23' }, '2026-11-20T12:12:23Z'],
    ['in the zone of the site', { enrolled_at: '2026-11-20T13:12:23' }, '2026-11-20T12:12:23Z'],
    ['that is 0', { enrolled_at: '1970-01-01T00:00:00', enrolled_at_gmt: '1970-01-01T00:00:00' }, null],
    ['that is 0 in the zone of the site', { enrolled_at: '1970-01-01T01:00:00' }, null],
    ['that is 0 behind Greenwich', { enrolled_at: '1969-12-31T19:00:00', enrolled_at_gmt: '1970-01-01T00:00:00' }, null],
    ['that is empty', { enrolled_at: '', enrolled_at_gmt: '' }, null],
    ['that is not sent', {}, null],
  ])('have a time %s', async (_, sent, enrolledAt) => {
    const site = await FakeSite.start((_request, response) =>
      json(response, [{ id: 7, status: 'publish', awarded_certificate_url: '', ...sent }], { headers: { 'x-wp-total': '1' } }),
    )
    const gateway = await serve(merged({ site: { url: site.url, routes: NAMES.routes, timeZone: 'Europe/Berlin' } }, CANDID))
    closing.push(
      () => site.close(),
      () => gateway.close(),
    )
    const query = '{ user(id: 3) { courses { edges { enrolledAt certificateUrl node { databaseId } } } } }'
    const { data } = (await (await gateway.post({ query }, { authorization: 'Basic abc' })).json()) as { data: any }
    expect(data.user.courses.edges).toEqual([{ enrolledAt, certificateUrl: null, node: { databaseId: 7 } }])
  })

  it('are not available, without a call, on a site without the routes', async () => {
    const bare = await start({}, { routes: [] })
    const { data, errors, calls } = await bare.query(
      `{ user(id: ${LEARNER}) { courses { totalCount } } course(id: ${COMPLETED}) { users { totalCount } groups { totalCount } access(user: ${LEARNER}) { enrolment } } }`,
      { as: 'admin' },
    )
    expect(data).toMatchObject({ user: { courses: null }, course: { users: null, groups: null, access: { enrolment: 'ENROLLED' } } })
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(3).fill('NOT_AVAILABLE'))
    expect(routesOf(calls).filter((path) => /\/(users|groups)$|\/users\/\d+\/courses$/.test(path))).toEqual([])
    const refused = await change(bare, 'enrolUsers', SOLD, [LEARNER])
    expect([refused.errors.map(({ extensions }) => extensions.code), refused.calls]).toEqual([['NOT_AVAILABLE'], []])
  })
})

it('a course has its users and its groups, for administrators, with one call each', async () => {
  const query = `{ course(id: ${COMPLETED}) { users(first: 100) { totalCount nodes { databaseId name } } groups { nodes { databaseId title } } } }`
  const { data, errors, calls } = await world.query(query, { as: 'admin' })
  expect(errors).toEqual([])
  expect(routesOf(calls)).toEqual([
    `v1/sfwd-courses/${COMPLETED}`,
    `v2/sfwd-courses/${COMPLETED}/groups`,
    `v2/sfwd-courses/${COMPLETED}/users`,
  ])
  expect(data.course.users.nodes).toContainEqual({ databaseId: LEARNER, name: 'Lena Learner' })
  expect(data.course.groups.nodes).toContainEqual({ databaseId: 1_006, title: expect.any(String) })
  const others = await world.query(query, { as: 'learner' })
  expect(others.data.course).toEqual({ users: null, groups: null })
  expect(others.errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN'])
})

it('a learner who has begun a course and was removed from it is not enrolled', async () => {
  const on = await start()
  const access = async () => {
    const query = `{ course(id: ${COMPLETED}) { progress(user: ${LEARNER}) { status } access(user: ${LEARNER}) { state enrolment reasons { __typename } } } }`
    return (await on.query(query, { as: 'admin' })).data.course
  }
  const { data } = await on.query(`{ user(id: ${LEARNER}) { courses(first: 50) { edges { enrolledAt node { databaseId } } } } }`, {
    as: 'admin',
  })
  const groups = await on.query(`{ course(id: ${COMPLETED}) { groups { nodes { databaseId } } } }`, { as: 'admin' })
  expect([data.user.courses.edges.length > 0, groups.errors]).toEqual([true, []])
  expect((await access()).access.enrolment).toBe('ENROLLED')
  expect((await change(on, 'unenrolUsers', COMPLETED, [LEARNER])).data.result.results).toMatchObject([{ userId: LEARNER, status: 'DONE' }])
  const { progress, access: after } = await access()
  // The learner may still be a member of a group that has the course.
  const isMember = (
    await on.query(`{ user(id: ${LEARNER}) { courses(where: { id: { in: [${COMPLETED}] } }) { totalCount } } }`, { as: 'admin' })
  ).data.user.courses.totalCount
  expect(progress.status).toBe('COMPLETED')
  expect([after.enrolment, after.state]).toEqual(isMember === 0 ? ['NOT_ENROLLED', 'LOCKED'] : ['ENROLLED', 'AVAILABLE'])
})

describe('enrolling users', () => {
  it('takes three writes for 120, one after the other, and names the one who does not exist', async () => {
    const on = await start()
    const users = [...PUPILS.slice(0, 60), NOBODY, ...PUPILS.slice(60)]
    // Twice the same user, by both kinds of ids.
    const { data, errors, calls } = await change(on, 'enrolUsers', globalId('Course', SOLD), [...users, globalId('User', PUPILS[0]!)])
    expect(errors).toEqual([])
    expect(routesOf(calls)).toEqual(Array(3).fill(`v2/sfwd-courses/${SOLD}/users`))
    const { results } = data.result
    expect(results.map(({ userId }: any) => userId)).toEqual(users)
    expect(results.map(({ user }: any) => user.databaseId)).toEqual(users)
    expect(results.filter(({ status }: any) => status !== 'DONE')).toEqual([
      {
        userId: NOBODY,
        user: { databaseId: NOBODY },
        status: 'FAILED',
        statusValue: 'failed',
        code: 'rest_user_invalid_id',
        message: 'Invalid User ID.',
      },
    ])
    expect((await membersOf(on)).toSorted()).toEqual([...members, ...PUPILS].toSorted())
    const again = await change(on, 'unenrolUsers', SOLD, PUPILS)
    expect(new Set(again.data.result.results.map(({ status }: any) => status))).toEqual(new Set(['DONE']))
    expect(again.calls).toHaveLength(3)
    expect((await membersOf(on)).toSorted()).toEqual(members.toSorted())
  })

  it('shows the names of the users with one more call', async () => {
    const query = mutation('enrolUsers').replace('user { databaseId }', 'user { name }')
    const { data, calls } = await world.query(query, { as: 'admin', variables: { course: SOLD, users: PUPILS.slice(0, 60) } })
    expect(routesOf(calls)).toEqual([...Array(2).fill(`v2/sfwd-courses/${SOLD}/users`), 'v2/users'])
    expect(data.result.results[0].user.name).toMatch(/\w/)
  })

  it('is refused by an open course for each user, and what comes after is not sent', async () => {
    const { data, errors, calls } = await change(world, 'enrolUsers', OPEN, PUPILS.slice(0, 60))
    expect([errors, calls.length]).toEqual([[], 1])
    const statuses = data.result.results.map(({ status, code }: any) => `${status} ${code}`)
    expect(statuses).toEqual([...Array(50).fill('FAILED lms_rest_rejected_course_open'), ...Array(10).fill('NOT_SENT null')])
  })

  it('is an error for callers who may not, for unknown courses, and for wrong ids', async () => {
    const asked = async (as: 'learner' | 'admin', course: unknown, users: readonly unknown[]) => {
      const { data, calls } = await world.query(mutation('enrolUsers'), { as, variables: { course, users } })
      return [data.result.__typename, calls.length]
    }
    expect(await asked('learner', SOLD, [NEWCOMER])).toEqual(['ForbiddenError', 1])
    expect(await asked('admin', NOBODY, [NEWCOMER])).toEqual(['NotFoundError', 1])
    expect(await asked('admin', globalId('Lesson', SOLD), [NEWCOMER])).toEqual(['InvalidInputError', 0])
    expect(await asked('admin', SOLD, [globalId('Course', SOLD)])).toEqual(['InvalidInputError', 0])
    expect(await asked('admin', SOLD, [])).toEqual(['InvalidInputError', 0])
  })

  it('is estimated with its writes, and not begun when the budget is smaller', async () => {
    const on = await start({ limits: { maxCalls: 2 }, observe: { explainFor: ['everybody'] } })
    const headers = { authorization: authorizationOf('admin') }
    const variables = { course: SOLD, users: PUPILS }
    const plan = async (users: readonly number[]) => {
      const request = { query: mutation('enrolUsers'), variables: { ...variables, users }, extensions: { explain: 'plan' } }
      return ((await (await on.gateway.post(request, headers)).json()) as any).extensions.explain
    }
    expect((await plan(PUPILS)).steps).toMatchObject([{ method: 'POST', route: 'v2/sfwd-courses/:id/users', min: 1, expected: 3, max: 3 }])
    expect((await plan(PUPILS.slice(0, 50))).steps).toMatchObject([{ min: 1, expected: 1, max: 1 }])
    const { errors, calls } = await change(on, 'enrolUsers', SOLD, PUPILS)
    expect([errors.map(({ extensions }) => extensions.code), calls]).toEqual([['CALL_BUDGET_EXCEEDED'], []])
  })
})

type Answering = (response: ServerResponse, ids: readonly number[]) => void

describe('a call that fails', () => {
  /** Enrols 120 users on a site that answers each write as told. */
  async function enrolled(...answers: readonly Answering[]) {
    const bodies: number[][] = []
    const site = await FakeSite.start((request: IncomingMessage, response) => {
      let text = ''
      request.on('data', (part) => {
        text += part
      })
      request.on('end', () => {
        const { user_ids: ids } = JSON.parse(text) as { user_ids: number[] }
        answers[bodies.push(ids) - 1]!(response, ids)
      })
    })
    const gateway = await serve(merged({ site: { url: site.url, routes: NAMES.routes }, protection: { retries: 3 } }, CANDID))
    closing.push(
      () => site.close(),
      () => gateway.close(),
    )
    const users = Array.from({ length: 120 }, (_, index) => index + 1)
    const response = await gateway.post({ query: mutation('enrolUsers'), variables: { course: 7, users } }, { authorization: 'Basic abc' })
    const { data } = (await response.json()) as { data: any }
    const { results, ...others } = data.result
    return { bodies, others, statuses: results?.map(({ status, code }: any) => `${status} ${code}`) }
  }
  const done: Answering = (response, ids) =>
    void json(
      response,
      ids.map((id) => ({ user_id: id, status: 'success', code: 'learndash_rest_enroll_success', message: 'Done.' })),
    )
  const DONE = Array(50).fill('DONE learndash_rest_enroll_success')
  const NOT_SENT = 'NOT_SENT null'

  it.each<[string, Answering, string]>([
    ['with an error of the site', (response) => void json(response, { code: 'x', message: 'No.' }, { status: 500 }), 'IN_DOUBT x'],
    ['by its connection', (response) => void response.destroy(), 'IN_DOUBT UPSTREAM_UNAVAILABLE'],
    ['as a refusal', (response) => void json(response, { code: 'rest_no', message: 'No.' }, { status: 403 }), 'FAILED rest_no'],
  ])('%s after another one ends the writes, and nothing is sent twice', async (_, fail, status) => {
    const { bodies, statuses } = await enrolled(done, fail)
    expect(bodies.map((ids) => [ids[0], ids.length])).toEqual([
      [1, 50],
      [51, 50],
    ])
    expect(statuses).toEqual([...DONE, ...Array(50).fill(status), ...Array(20).fill(NOT_SENT)])
  })

  it('as the first one is an error when nothing was changed, and a result when that is in doubt', async () => {
    const refused = await enrolled((response) => void json(response, { code: 'rest_no', message: 'No.' }, { status: 403 }))
    expect([refused.bodies.length, refused.others]).toEqual([
      1,
      { __typename: 'ForbiddenError', code: 'FORBIDDEN', message: expect.any(String) },
    ])
    const broken = await enrolled((response) => void response.destroy())
    expect([broken.bodies.length, broken.statuses]).toEqual([
      1,
      [...Array(50).fill('IN_DOUBT UPSTREAM_UNAVAILABLE'), ...Array(70).fill(NOT_SENT)],
    ])
  })

  it('without a result for a user leaves the status null', async () => {
    const { statuses } = await enrolled((response, ids) => done(response, ids.slice(1)), done, done)
    expect(statuses.slice(0, 2)).toEqual(['null null', DONE[0]])
  })
})

it('behind an account, learners see their own courses, and only administrators who is in a course', async () => {
  const keyOf = (name: string): string => `key-of-${name}-0123456789`
  const on = await start({
    site: { user: 'admin', password: 'admin-demo' },
    access: {
      apiKeys: ['learner', 'visitor', 'editor', 'office'].map((name) => `${name}:${keyOf(name)}`),
      roles: [`learner=key:learner:${LEARNER}`, 'visitor=key:visitor', 'editor=key:editor'],
    },
  })
  const asked = async (name: string, query: string, variables = {}) => {
    const { data, errors, calls } = await on.query(query, { headers: { 'x-api-key': keyOf(name) }, variables })
    const codes = errors.map(({ extensions }) => extensions.code)
    return { data, codes, calls: routesOf(calls) }
  }
  const courses = (user: number): string => `{ user(id: ${user}) { courses { totalCount } } }`
  const enrolling = [mutation('enrolUsers'), { course: SOLD, users: [NEWCOMER] }] as const
  expect(await asked('learner', courses(LEARNER))).toMatchObject({
    data: { user: { courses: { totalCount: expect.any(Number) } } },
    codes: [],
    calls: [`v2/users/${LEARNER}/courses`],
  })
  for (const name of ['learner', 'visitor', 'editor']) {
    const members = `{ course(id: ${SOLD}) { databaseId users { totalCount } } }`
    expect([name, (await asked(name, members)).codes]).toEqual([name, ['FORBIDDEN']])
    expect([name, (await asked(name, members)).calls.filter((path) => path.endsWith('/users'))]).toEqual([name, []])
    expect([name, await asked(name, courses(NEWCOMER))]).toMatchObject([name, { codes: ['FORBIDDEN'], calls: [] }])
    expect(await asked(name, ...enrolling)).toMatchObject({ data: { result: { __typename: 'ForbiddenError' } }, calls: [] })
  }
  expect(await asked('visitor', courses(LEARNER))).toMatchObject({ codes: ['FORBIDDEN'], calls: [] })
  expect(await asked('office', ...enrolling)).toMatchObject({ codes: [], data: { result: { results: [{ status: 'DONE' }] } } })
  expect((await asked('office', courses(NEWCOMER))).data.user.courses.totalCount).toBeGreaterThan(0)
})

describe('kept answers', () => {
  const QUERY = `{ course(id: ${SOLD}) { users(first: 5) { totalCount } access(user: ${NEWCOMER}) { enrolment } } user(id: ${NEWCOMER}) { courses { totalCount } } }`
  const shown = ({ data }: Answer): unknown[] => [data.course.users.totalCount, data.course.access.enrolment, data.user.courses.totalCount]

  /** Progress that does not exist is not kept. */
  const enrolmentsIn = ({ calls }: Answer): string[] => routesOf(calls).filter((path) => !path.includes('course-progress'))

  it('are dropped by an enrolment through this gateway', async () => {
    const on = await start({ cache: { maxAge: 60 } })
    const before = await on.query(QUERY, { as: 'admin' })
    expect(enrolmentsIn(await on.query(QUERY, { as: 'admin' }))).toEqual([])
    await change(on, 'enrolUsers', SOLD, [NEWCOMER])
    const after = await on.query(QUERY, { as: 'admin' })
    expect(shown(after)).toEqual([(before.data.course.users.totalCount as number) + 1, 'ENROLLED', before.data.user.courses.totalCount + 1])
    expect(shown(before)[1]).toBe('NOT_ENROLLED')
  })

  it('are dropped by the change that the plugin for WordPress sends, but not by that of a question', async () => {
    const on = await start({ cache: { maxAge: 60 }, hooks: { secret: SECRET } })
    const tell = async (sent: object): Promise<number> => {
      const body = JSON.stringify(sent)
      return (await fetch(`${on.gateway.url}/hooks/site`, { method: 'POST', body, headers: signed(body) })).status
    }
    await on.query(QUERY, { as: 'admin' })
    await on.ask(`v2/sfwd-courses/${SOLD}/users`, 'POST', { user_ids: [NEWCOMER] })
    expect(await tell({ type: 'question', id: 1, kind: 'updated' })).toBe(204)
    expect(enrolmentsIn(await on.query(QUERY, { as: 'admin' }))).toEqual([])
    expect(await tell({ type: 'user', id: NEWCOMER, kind: 'members' })).toBe(204)
    expect(shown(await on.query(QUERY, { as: 'admin' }))[1]).toBe('ENROLLED')
  })
})
