import { afterEach, describe, expect, it, vi } from 'vitest'
import type { GatewayOptions } from '../../src/gateway.js'
import { SAMPLES } from '../../src/lms/index.js'
import { Client } from '../../src/upstream/client.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { takeFallbacks } from '../support/fallbacks.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, type Login, World } from '../support/world.js'

const ME = '/wp/v2/users/me'
/** The path of the call that learns the viewer. */
const READ = `${ME}?context=edit&_fields=id,name,roles`
const EXPLAINED = { observe: { explainFor: ['everybody'] } } as const
const [LEARNER, ADMIN] = [
  { databaseId: 3, name: 'Lena Learner' },
  { databaseId: 1, name: 'Ada Administrator' },
]

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A site of WordPress with the plugin, and a gateway that passes credentials to it. */
async function start(options: Partial<GatewayOptions> = {}, switches = {}): Promise<World> {
  const world = await World.start(options, { profile: 'learndash', switches }, PRESETS.learndash)
  open.push(world)
  return world
}

/** The paths of some calls without their queries and namespaces. */
const routesOf = (calls: readonly string[]): string[] => calls.map((path) => path.replace(/\?.*/, '').replace(/^\/ldlms/, '')).sort()

async function explained(world: World, query: string, explain: 'plan' | 'run', as: Login = 'admin') {
  const response = await world.gateway.post({ query, extensions: { explain } }, { authorization: authorizationOf(as) })
  const { data, errors, extensions } = (await response.json()) as any
  return { data, errors, ...extensions.explain }
}

describe('the viewer, with credentials that are passed to the site', () => {
  it('is the user whom the site returns, learned once per credential', async () => {
    const world = await start()
    const query = '{ viewer { databaseId name } }'
    const learned = await world.query(query, { as: 'learner' })
    expect([learned.data, learned.errors, routesOf(learned.calls)]).toEqual([{ viewer: LEARNER }, [], [ME]])
    expect(learned.calls[0]).toBe(READ)
    for (const selected of [query, '{ viewer { id courseProgress(first: 0) { nodes { id } } } }'])
      expect((await world.query(selected, { as: 'learner' })).calls).toEqual([])
    const other = await world.query(query, { as: 'admin' })
    expect([other.data, routesOf(other.calls)]).toEqual([{ viewer: ADMIN }, [ME]])
    expect((await world.query(query, { as: 'learner' })).data).toEqual({ viewer: LEARNER })
  })

  it('is nobody for anonymous callers, without a call', async () => {
    const { data, errors, calls } = await (await start()).query(
      `{ viewer { databaseId name } user(id: 3) { name } course(id: ${SAMPLES.cycle[0]}) { __typename } }`,
    )
    expect(data).toMatchObject({ viewer: null, user: { name: null } })
    expect(errors.filter(({ path }) => path?.[0] !== 'course')).toEqual([])
    expect(routesOf(calls)).not.toContain(ME)
  })

  it('starts relations', async () => {
    const world = await start()
    const query = '{ viewer { databaseId courseProgress(first: 3) { nodes { status user { databaseId name } course { title } } } } }'
    const { data, errors, calls } = await world.query(query, { as: 'admin' })
    expect([errors, data.viewer.databaseId]).toEqual([[], 1])
    expect(routesOf(calls)).toEqual(['/v2/users/1/course-progress', ME].sort())
    const own = '{ viewer { courseProgress(first: 3) { nodes { status user { databaseId name } } } } }'
    const learner = await world.query(own, { as: 'learner' })
    expect(learner.errors).toEqual([])
    expect(learner.data.viewer.courseProgress.nodes).toHaveLength(3)
    for (const { user } of learner.data.viewer.courseProgress.nodes) expect(user).toEqual(LEARNER)
    expect(routesOf(learner.calls)).toEqual(['/v2/users/3/course-progress', ME].sort())
  })

  it('is the default user of the progress in a course, and is not asked for when another user is given', async () => {
    const world = await start()
    const course = `course(id: ${SAMPLES.cycle[0]})`
    const explicit = await world.query(`{ ${course} { progress(user: 3) { status stepsCompleted user { databaseId } } } }`, { as: 'admin' })
    expect([explicit.errors, routesOf(explicit.calls).includes(ME)]).toEqual([[], false])
    const own = await world.query(`{ ${course} { progress { status user { databaseId } } } }`, { as: 'admin' })
    expect([own.errors, routesOf(own.calls).filter((route) => route === ME)]).toEqual([[], [ME]])
    expect(routesOf(own.calls)).toContain(`/v2/users/1/course-progress/${SAMPLES.cycle[0]}`)
    const variable = `query ($user: ID) { ${course} { progress(user: $user) { user { databaseId } } } }`
    const given = await world.query(variable, { as: 'admin', variables: { user: 3 } })
    expect(given.data.course.progress).toEqual(explicit.data.course.progress && { user: { databaseId: 3 } })
    const omitted = await world.query(variable, { as: 'admin' })
    expect(routesOf(omitted.calls)).toContain(`/v2/users/1/course-progress/${SAMPLES.cycle[0]}`)
  })

  it('has name and roles wherever the user is shown, without a further call', async () => {
    const world = await start()
    const query = '{ viewer { name } me: user(id: 3) { name roles } }'
    const { data, errors, calls } = await world.query(query, { as: 'learner' })
    expect([data, errors]).toEqual([{ viewer: { name: 'Lena Learner' }, me: { name: 'Lena Learner', roles: ['subscriber'] } }, []])
    expect(routesOf(calls)).toEqual([ME])
    expect((await world.query('{ user(id: 3) { databaseId } }', { as: 'learner' })).calls).toEqual([])
  })

  it('is in the payloads of mutations', async () => {
    const world = await start()
    const course = SAMPLES.cycle[1]
    const { data, errors, calls } = await world.query(
      `mutation { updateCourse(input: { id: ${course}, points: 3 }) { ... on UpdateCourseSuccess { course { title progress { user { databaseId } } } } } }`,
      { as: 'admin' },
    )
    expect([errors, typeof data.updateCourse.course.title]).toEqual([[], 'string'])
    expect(routesOf(calls)).toEqual([`/v1/sfwd-courses/${course}`, `/v2/users/1/course-progress/${course}`, ME].sort())
  })

  it('is learned before the first part of a response in parts', async () => {
    const world = await start()
    const query = '{ viewer { databaseId ... @defer { name courseProgress(first: 1) { nodes { user { databaseId } } } } } }'
    const headers = { authorization: authorizationOf('learner'), accept: 'multipart/mixed' }
    const text = await (await world.gateway.post({ query }, headers)).text()
    expect(text).toContain('"viewer":{"databaseId":3}')
    expect(text).toContain('"name":"Lena Learner"')
    expect(text).not.toContain('"errors"')
    expect(routesOf(world.calls.map(({ path }) => path))).toEqual(['/v2/users/3/course-progress', ME].sort())
  })

  it('is learned once by 100 operations at the same time', async () => {
    const world = await start()
    const asked = Array.from({ length: 100 }, () =>
      world.gateway.post({ query: '{ viewer { databaseId name } }' }, { authorization: authorizationOf('learner') }),
    )
    for (const response of await Promise.all(asked)) expect(await response.json()).toEqual({ data: { viewer: LEARNER } })
    expect(world.calls.map(({ path }) => path)).toEqual([READ])
  })

  it('is never that of other credentials', async () => {
    const world = await start({ protection: { maxInFlight: 8 } })
    const users: readonly (readonly [Login | undefined, object | null])[] = [
      ['learner', LEARNER],
      ['admin', ADMIN],
      [undefined, null],
      ['leader', { databaseId: 2, name: 'Leo Leader' }],
      ['newcomer', { databaseId: 4, name: 'Nico Newcomer' }],
    ]
    const query = '{ viewer { databaseId name courseProgress(first: 1) { nodes { user { databaseId name } } } } }'
    const asked = Array.from({ length: 200 }, async (_, place) => {
      const [as, user] = users[(place * 7) % users.length]!
      const response = await world.gateway.post({ query }, as ? { authorization: authorizationOf(as) } : {})
      const { data, errors } = (await response.json()) as any
      expect(errors).toBeUndefined()
      if (!user) return expect(data.viewer).toBeNull()
      const { courseProgress, ...viewer } = data.viewer
      expect(viewer).toEqual(user)
      for (const node of courseProgress.nodes) expect(node.user).toEqual(user)
    })
    await Promise.all(asked)
  })
})

describe('the call that learns the viewer', () => {
  const QUERIES = [
    '{ viewer { databaseId name } }',
    '{ viewer { courseProgress(first: 5) { nodes { status course { title lessons(first: 2) { nodes { title } } } } } } }',
    '{ courses(first: 3) { nodes { title progress { status } } } }',
    `{ course(slug: "algebra") { progress { status } } user(id: 3) { name } }`,
    `mutation { updateCourse(input: { id: ${SAMPLES.cycle[1]}, points: 3 }) { ... on UpdateCourseSuccess { course { progress { status } } } } }`,
  ]

  it.each(QUERIES)('is foreseen, in a wave before all others: %s', async (query) => {
    const world = await start(EXPLAINED)
    // What the credentials may do by slug is learned before, since it changes estimates.
    await world.query('{ course(slug: "none") { id } }', { as: 'admin' })
    world.calls.length = 0
    const plan = await explained(world, query, 'plan')
    expect(world.calls).toEqual([])
    expect(plan.steps[0]).toMatchObject({ wave: 1, method: 'GET', route: 'wp/v2/users/me', min: 1, expected: 1, max: 2 })
    expect(plan.steps.slice(1).every(({ wave }: any) => wave > 1)).toBe(true)
    const run = await explained(world, query, 'run')
    expect(run.errors).toBeUndefined()
    expect(run.predicted).toEqual(plan.predicted)
    expect(run.actual.calls).toBe(world.calls.length)
    expect(run.actual.calls).toBeGreaterThanOrEqual(run.predicted.min)
    expect(run.actual.calls).toBeLessThanOrEqual(run.predicted.max)
    expect(run.steps[0].actual).toBe(1)
    expect(run.calls.filter(({ route }: any) => route === 'wp/v2/users/me')).toMatchObject([
      { wave: 1, status: 200, paths: plan.steps[0].paths },
    ])
    expect(run.calls.slice(1).every(({ wave }: any) => wave > 1)).toBe(true)
    expect(run.actual.waves).toBe(new Set(run.calls.map(({ wave }: any) => wave)).size)
    expect(run.actual.waves).toBeLessThanOrEqual(run.predicted.waves)
    expect(run.steps.reduce((sum: number, step: any) => sum + step.actual, 0)).toBe(run.actual.calls)

    world.calls.length = 0
    const again = await explained(world, query, 'run')
    expect(again.steps.map(({ route }: any) => route)).not.toContain('wp/v2/users/me')
    expect(again.predicted.waves).toBe(plan.predicted.waves - 1)
    // A site that refuses the roles is asked again without them.
    expect(again.predicted.max).toBe(plan.predicted.max - 2)
    expect(again.actual.calls).toBe(world.calls.length)
    expect(again.actual.calls).toBe(run.actual.calls - 1)
    expect(again.actual.calls).toBeGreaterThanOrEqual(again.predicted.min)
    expect([again.actual.waves, again.actual.unbatched]).toEqual([run.actual.waves - 1, run.actual.unbatched - 1])
  })

  it('has the paths of the fields that need it', async () => {
    const { steps } = await explained(
      await start(EXPLAINED),
      '{ me: viewer { name } a: course(id: 1) { progress { id } } b: course(id: 1) { progress(user: 2) { id } } }',
      'plan',
    )
    expect([...steps[0].paths].sort()).toEqual(['a.progress', 'me'])
  })

  it('counts in the budget', async () => {
    const world = await start({ limits: { maxCalls: 1 } })
    const refused = await world.query('{ viewer { courseProgress { nodes { status } } } }', { as: 'learner' })
    expect([refused.errors.map(({ extensions }) => extensions.code), refused.calls]).toEqual([['CALL_BUDGET_EXCEEDED'], []])
    expect((await world.query('{ viewer { name } }', { as: 'learner' })).data).toEqual({ viewer: { name: LEARNER.name } })
    expect((await world.query('{ viewer { courseProgress { nodes { status } } } }', { as: 'learner' })).errors).toEqual([])
  })

  it('checks the credentials where the site has no such route, once per credential, and is made before where that is not known', async () => {
    const asSpecified = await World.start({}, { profile: 'learndash' }, { ...PRESETS.learndash, routes: [] })
    const without = await start({}, { siteRoutes: false })
    open.push(asSpecified)
    for (const [world, calls] of [
      [asSpecified, ['/v1/groups']],
      [without, ['/v1/groups', ME]],
    ] as const)
      for (const as of ['learner', 'admin'] as const) {
        const first = await world.query('{ viewer { databaseId } }', { as })
        expect([first.data, first.errors, routesOf(first.calls)]).toEqual([{ viewer: null }, [], calls])
        expect(await world.query('{ viewer { databaseId } }', { as })).toMatchObject({ data: { viewer: null }, errors: [], calls: [] })
      }
  })

  it('is not made for service accounts: the account is never the viewer', async () => {
    const key = 'first-key-0123456789'
    const world = await start({ site: { user: 'admin', password: 'admin-demo' }, access: { apiKeys: [key] } })
    const query = `{ viewer { databaseId } course(id: ${SAMPLES.cycle[0]}) { progress { status } } }`
    const { data, errors, calls } = await world.query(query, { headers: { 'x-api-key': key } })
    expect([data, errors]).toEqual([{ viewer: null, course: { progress: null } }, []])
    expect(routesOf(calls)).not.toContain(ME)
  })
})

describe('a viewer who cannot be learned', () => {
  it('is an error where the viewer is needed, when the site rejects the credentials, which is remembered', async () => {
    const world = await start()
    const headers = { authorization: `Basic ${Buffer.from('learner:wrong').toString('base64')}` }
    const query = '{ viewer { databaseId } user(id: 3) { databaseId name } priceTypes { slug } }'
    const first = await world.query(query, { headers })
    expect(first.data).toMatchObject({ viewer: null, user: { databaseId: 3, name: null } })
    expect(first.data.priceTypes.length).toBeGreaterThan(0)
    const at = ({ errors }: typeof first) => errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`).sort()
    expect(at(first)).toEqual(['viewer UNAUTHENTICATED'])
    expect(routesOf(first.calls).filter((route) => route === ME)).toEqual([ME])
    const second = await world.query(query, { headers })
    expect(at(second)).toEqual(at(first))
    expect(routesOf(second.calls)).not.toContain(ME)
    expect((await world.query(query, { as: 'learner' })).data.viewer).toEqual({ databaseId: 3 })
  })

  it('is an error where the viewer is needed, when the site fails, which is not remembered', async () => {
    const world = await start({ protection: { retries: 0 } })
    await world.lms.set({ fatalJson: `route:GET */users/me*` })
    const query = '{ viewer { databaseId } user(id: 3) { databaseId } }'
    const failed = await world.query(query, { as: 'learner' })
    expect(failed.data).toEqual({ viewer: null, user: { databaseId: 3 } })
    expect(failed.errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['viewer'], 'UPSTREAM_UNAVAILABLE']])
    await world.lms.set({ fatalJson: 'off' })
    expect((await world.query(query, { as: 'learner' })).data.viewer).toEqual({ databaseId: 3 })
  })

  it('is nobody for unknown credentials where the site hides the route from them, and the same as before for all others', async () => {
    const known = new Map([
      ['Basic YTpi', 5],
      ['Basic Yzpk', 6],
    ])
    const site = await FakeSite.start(({ headers: { authorization = '' } }, response) => {
      const id = known.get(authorization)
      if (id) json(response, { id, name: `User ${id}` })
      else json(response, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } }, { status: 404 })
    })
    const gateway = await serve({ site: { url: site.url, routes: ['users/me'] } })
    open.push(gateway, site)
    const viewerOf = async (authorization: string) =>
      ((await (await gateway.post({ query: '{ viewer { databaseId } }' }, { authorization })).json()) as any).data.viewer
    expect(await viewerOf('Basic YTpi')).toEqual({ databaseId: 5 })
    expect(await viewerOf('Bearer invented')).toBeNull()
    expect(await viewerOf('Basic YTpi')).toEqual({ databaseId: 5 })
    expect(await viewerOf('Basic Yzpk')).toEqual({ databaseId: 6 })
  })

  describe('because of an exception of the gateway itself', () => {
    const QUERY = `query Named { viewer { databaseId name courseProgress(first: 1) { nodes { user { name } } } } priceTypes { slug } }`
    const FAULT = { step: 'fetch', operationName: 'Named', cause: { message: 'a fault of the gateway' } }

    /** Makes the next calls that learn a viewer throw. */
    function breakNext(times: number): void {
      const { get } = Client.prototype
      let left = times
      const spy = vi.spyOn(Client.prototype, 'get').mockImplementation(function (this: Client, route, ...rest) {
        if (route.path === 'wp/v2/users/me' && left-- > 0) throw new TypeError('a fault of the gateway')
        return get.call(this, route, ...rest)
      })
      open.push({ close: async () => spy.mockRestore() })
    }

    it('is learned again by graphql-js, which answers the operation', async () => {
      const world = await start()
      breakNext(1)
      const { data, errors } = await world.query(QUERY, { as: 'learner' })
      expect([errors, data.viewer]).toEqual([[], { ...LEARNER, courseProgress: { nodes: [{ user: { name: LEARNER.name } }] } }])
      expect(takeFallbacks()).toMatchObject([FAULT])
    })

    it('is an error where the viewer is needed, when that fails too', async () => {
      const world = await start()
      breakNext(2)
      const { data, errors } = await world.query(QUERY, { as: 'learner' })
      expect([data.viewer, data.priceTypes.length > 0]).toEqual([null, true])
      expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['viewer'], 'INTERNAL_SERVER_ERROR']])
      expect(takeFallbacks()).toMatchObject([FAULT])
    })

    it('is learned again for a response that was requested in parts', async () => {
      const world = await start()
      breakNext(1)
      const query = 'query Named { viewer { databaseId ... @defer { name } } }'
      const headers = { authorization: authorizationOf('learner'), accept: 'multipart/mixed' }
      const text = await (await world.gateway.post({ query }, headers)).text()
      expect(text).toContain(`"viewer":{"databaseId":3,"name":"${LEARNER.name}"}`)
      expect(text).not.toContain('"errors"')
      expect(takeFallbacks()).toMatchObject([FAULT])
    })
  })

  it('is an error when the answer of the site has no id', async () => {
    const site = await FakeSite.start((_, response) => json(response, { name: 'Somebody' }))
    const gateway = await serve({ site: { url: site.url, routes: ['users/me'] } })
    open.push(gateway, site)
    const response = await gateway.post({ query: '{ viewer { databaseId } }' }, { authorization: 'Basic YTpi' })
    const { data, errors } = (await response.json()) as any
    expect([data, errors[0].extensions.code]).toEqual([{ viewer: null }, 'UPSTREAM_INVALID_RESPONSE'])
  })
})

it('a viewer is forgotten when the site rejects the credentials elsewhere', async () => {
  let id = 5
  let isRejected = false
  const site = await FakeSite.start(({ url = '' }, response) => {
    if (url.includes('/users/me')) json(response, { id, name: `User ${id} &amp; more` })
    else if (isRejected) json(response, { code: 'incorrect_password', message: 'No.', data: { status: 401 } }, { status: 401 })
    else json(response, [])
  })
  const gateway = await serve({ site: { url: site.url, routes: ['users/me'] } })
  open.push(gateway, site)
  const ask = async (query: string) => ((await (await gateway.post({ query }, { authorization: 'Basic YTpi' })).json()) as any).data
  const query = '{ viewer { databaseId name } }'
  expect(await ask(query)).toEqual({ viewer: { databaseId: 5, name: 'User 5 & more' } })
  id = 6
  expect((await ask(query)).viewer.databaseId).toBe(5)
  await ask('{ courses { nodes { title } } }')
  expect((await ask(query)).viewer.databaseId).toBe(5)
  isRejected = true
  await ask('{ courses { nodes { title } } }')
  expect((await ask(query)).viewer.databaseId).toBe(6)
})
