import { afterEach, describe, expect, it } from 'vitest'
import type { LmsOptions } from '../../src/lms/index.js'
import { DEMO_USERS } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

const QUERY = '{ viewer { databaseId name roles } }'
const ROLES: Readonly<Record<string, string>> = {
  admin: 'administrator',
  leader: 'group_leader',
  learner: 'subscriber',
  newcomer: 'subscriber',
}
const WRONG = { authorization: `Basic ${Buffer.from('learner:wrong').toString('base64')}` }
const TOLD = { routes: ['users/me'] } as const
const HIDDEN = { ...PRESETS.learndash, routes: [] } as const

/** How the site behaves, and what the gateway is told of it. */
type Place = readonly [title: string, school: LmsOptions, names: SiteNames]

const TELLING: readonly Place[] = [
  ['the embedded LMS as it starts', { profile: 'lms' }, TOLD],
  [
    'the embedded LMS where a caller with a wrong password is anonymous',
    { profile: 'lms', switches: { wrongPasswordAnonymous: true } },
    TOLD,
  ],
  ['a site of the plugin', { profile: 'learndash', switches: { wrongPasswordAnonymous: false } }, PRESETS.learndash],
  [
    'a site of the plugin where such a caller is anonymous',
    { profile: 'learndash', switches: { wrongPasswordAnonymous: true } },
    PRESETS.learndash,
  ],
]
const SILENT: readonly Place[] = [
  ['a site as specified', { profile: 'lms', switches: { siteRoutes: false } }, PRESETS.lms],
  [
    'a site as specified where a caller with a wrong password is anonymous',
    { profile: 'lms', switches: { siteRoutes: false, wrongPasswordAnonymous: true } },
    PRESETS.lms,
  ],
  ['a site of the plugin that is known to hide the user', { profile: 'learndash', switches: { wrongPasswordAnonymous: true } }, HIDDEN],
  [
    'a site of the plugin that turns out to hide the user',
    { profile: 'learndash', switches: { siteRoutes: false, wrongPasswordAnonymous: true } },
    PRESETS.learndash,
  ],
]

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function start([, school, names]: Place, options: Parameters<typeof World.start>[0] = {}): Promise<World> {
  const world = await World.start(options, school, names)
  open.push(world)
  return world
}

/** What a sign-in form sees: the data, and the path and code of each error. */
async function signIn(world: World, asking: Parameters<World['query']>[1] = {}) {
  const { data, errors, calls } = await world.query(QUERY, asking)
  return {
    viewer: data.viewer,
    errors: errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`),
    messages: errors.map(({ message }) => message),
    calls: calls.length,
  }
}

const REJECTED = {
  viewer: null,
  errors: ['viewer UNAUTHENTICATED'],
  messages: [expect.stringMatching(/^The site does not accept these credentials: \w/)],
}

describe.each(TELLING)('on %s, one query', (...place) => {
  it('signs in each demo user with name and roles by one call, which is remembered', async () => {
    const world = await start(place)
    for (const { login, name, id } of DEMO_USERS) {
      const viewer = { databaseId: id, name, roles: [ROLES[login]] }
      expect(await signIn(world, { as: login })).toEqual({ viewer, errors: [], messages: [], calls: 1 })
      expect(await signIn(world, { as: login })).toEqual({ viewer, errors: [], messages: [], calls: 0 })
    }
  })

  it('says that credentials are wrong, and tells nothing about anonymous callers, without a call', async () => {
    const world = await start(place)
    await signIn(world, { as: 'learner' })
    expect(await signIn(world, { headers: WRONG })).toEqual({ ...REJECTED, calls: 1 })
    expect(await signIn(world, { headers: WRONG })).toEqual({ ...REJECTED, calls: 0 })
    expect(await signIn(world)).toEqual({ viewer: null, errors: [], messages: [], calls: 0 })
    expect(await signIn(world, { as: 'learner' })).toMatchObject({ viewer: { databaseId: 3 }, errors: [], calls: 0 })
  })
})

describe.each(SILENT)('on %s, which does not tell the user, one query', (...place) => {
  const calls = place[2] === PRESETS.learndash ? 2 : 1

  it('says that credentials are wrong, and nothing of those that the site accepts', async () => {
    const world = await start(place)
    for (const { login } of DEMO_USERS) {
      expect(await signIn(world, { as: login })).toEqual({ viewer: null, errors: [], messages: [], calls })
      expect(await signIn(world, { as: login })).toEqual({ viewer: null, errors: [], messages: [], calls: 0 })
    }
    expect(await signIn(world, { headers: WRONG })).toEqual({ ...REJECTED, calls })
    expect(await signIn(world, { headers: WRONG })).toEqual({ ...REJECTED, calls: 0 })
    expect(await signIn(world)).toEqual({ viewer: null, errors: [], messages: [], calls: 0 })
  })
})

it('credentials are checked for `viewer` only, where the site does not tell the user', async () => {
  const world = await start(SILENT[0] as Place)
  const other = '{ course(id: 10001) { progress { status } access { state } } }'
  const before = await world.query(other, { as: 'learner' })
  expect([before.errors, before.calls.some((path) => path.includes('context=edit'))]).toEqual([[], false])
  const both = await world.query(`{ viewer { databaseId } ${other.slice(1)}`, { as: 'learner' })
  expect(both.calls).toHaveLength(before.calls.length + 1)
  expect(both.calls).toContain('/lms/v1/groups?per_page=1&context=edit&_fields=id')
})

describe('a check of credentials', () => {
  it.each([
    ['an answer', 200, []],
    ['a refusal of the right to edit', 403, []],
    ['a missing route', 404, []],
    ['an unknown parameter', 400, []],
    ['a refusal of the credentials', 401, ['UNAUTHENTICATED']],
    ['a failure of the site', 503, ['UPSTREAM_UNAVAILABLE']],
    ['too many calls', 429, ['UPSTREAM_RATE_LIMITED']],
  ])('ends with %s (%i) as %j', async (_, status, codes) => {
    const site = await FakeSite.start((_, response) =>
      status === 200 ? json(response, []) : json(response, { code: 'some_code', message: 'Some message.', data: { status } }, { status }),
    )
    const gateway = await serve({ site: { url: site.url }, protection: { retries: 0 } })
    open.push(gateway, site)
    const { data, errors = [] } = (await (await gateway.post({ query: '{ viewer { id } }' }, WRONG)).json()) as any
    expect([data, errors.map(({ extensions }: any) => extensions.code)]).toEqual([{ viewer: null }, codes])
  })
})

describe('roles', () => {
  it.each([403, 400])('are null where the site refuses (%i) to tell them, by one call more, which is remembered', async (status) => {
    const asked: string[] = []
    const site = await FakeSite.start(({ url = '' }, response) => {
      asked.push(url.replace(/.*users/, 'users'))
      if (url.includes('context=edit')) json(response, { code: 'some_code', message: 'No.', data: { status } }, { status })
      else json(response, { id: 5, name: 'Ann' })
    })
    const gateway = await serve({ site: { url: site.url, routes: ['users/me'] } })
    open.push(gateway, site)
    for (const _ of ['asked', 'remembered']) {
      const { data, errors } = (await (await gateway.post({ query: QUERY }, WRONG)).json()) as any
      expect([data, errors]).toEqual([{ viewer: { databaseId: 5, name: 'Ann', roles: null } }, undefined])
      expect(asked).toEqual(['users/me?context=edit&_fields=id,name,roles', 'users/me?context=view&_fields=id,name,roles'])
    }
  })

  it('are read from lists with gaps, which WordPress sends as objects', async () => {
    const site = await FakeSite.start((_, response) => json(response, { id: 5, name: 'Ann', roles: { 1: 'editor', 3: 'group_leader' } }))
    const gateway = await serve({ site: { url: site.url, routes: ['users/me'] } })
    open.push(gateway, site)
    const { data } = (await (await gateway.post({ query: QUERY }, WRONG)).json()) as any
    expect(data.viewer.roles).toEqual(['editor', 'group_leader'])
  })
})
