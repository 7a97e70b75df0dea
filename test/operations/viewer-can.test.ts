import { SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import type { LmsOptions } from '../../src/lms/index.js'
import { DEMO_USERS } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { AUDIENCE, ISSUER } from '../server/issuer.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { type Asking, type Login, World } from '../support/world.js'

const TELLING: LmsOptions = { profile: 'lms' }
/** A site that does not tell the methods. */
const SILENT: LmsOptions = { profile: 'lms', switches: { siteRoutes: false } }
const RIGHTS = 'viewerCanUpdate viewerCanDelete'
const COURSES = `{ courses(first: 30) { nodes { title ${RIGHTS} } } }`
const FORM = `query ($id: ID! = 10003) { course(id: $id) { title titleRaw contentRaw ${RIGHTS} } }`
const CACHED = { cache: { maxAge: 600, forCallers: 600 } } as const

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function start(options: Parameters<typeof World.start>[0] = {}, school = TELLING, names: SiteNames = PRESETS.lms): Promise<World> {
  const world = await World.start(options, school, names)
  open.push(world)
  return world
}

type Rights = readonly [update: boolean | null, remove: boolean | null]
const BOTH: Rights = [true, true]
const NONE: Rights = [false, false]
const UNKNOWN: Rights = [null, null]
const rightsOf = ({ viewerCanUpdate, viewerCanDelete }: any): Rights => [viewerCanUpdate, viewerCanDelete]

/** The different rights on the courses of the list. */
async function rightsOnCourses(world: World, asking: Asking = {}, query = COURSES): Promise<readonly Rights[]> {
  const { data, errors } = await world.query(query, asking)
  expect(errors).toEqual([])
  expect(data.courses.nodes).toHaveLength(30)
  return [...new Set(data.courses.nodes.map((course: any) => JSON.stringify(rightsOf(course))))].map((text) => JSON.parse(text as string))
}

const CALLERS: readonly (readonly [Login | undefined, Rights])[] = [
  ['admin', BOTH],
  [undefined, NONE],
  ['learner', NONE],
  ['admin', BOTH],
  ['leader', NONE],
  ['newcomer', NONE],
  [undefined, NONE],
]

describe('what the caller may do with records', () => {
  it('is what the site allows, for each kind of content, by no further call', async () => {
    const world = await start()
    const list = `(first: 1) { nodes { ${RIGHTS} } }`
    const query = `{ groups${list} courses${list} course(id: 10003) { ${RIGHTS} lessons${list} quizzes${list} } }`
    for (const [as, rights] of CALLERS) {
      const { data, errors, calls } = await world.query(query, as ? { as } : {})
      const { groups, courses, course } = data
      const seen = [groups.nodes[0], courses.nodes[0], course, course.lessons.nodes[0], course.quizzes.nodes[0]].map(rightsOf)
      expect([errors, as, seen, calls.length]).toEqual([[], as, Array(5).fill(rights), 5])
    }
  })

  it('is asked for by the link of the record alone', async () => {
    const world = await start()
    const { calls } = await world.query(COURSES, { as: 'admin' })
    expect(calls).toEqual([expect.stringMatching(/sfwd-courses\?.*_filter=_links\.self,id,title\.rendered/)])
    const { calls: both } = await world.query('{ courses(first: 1) { nodes { viewerCanUpdate links { rel } } } }', { as: 'admin' })
    expect(both).toEqual([expect.stringMatching(/_filter=_links,id(&|$)/)])
  })

  it('can be selected on the interface of content, and after a change', async () => {
    const world = await start()
    const { data } = await world.query(`query ($id: ID!) { node(id: $id) { ... on LmsContent { ${RIGHTS} } } }`, {
      as: 'admin',
      variables: { id: Buffer.from('Lesson:100001').toString('base64') },
    })
    expect(rightsOf(data.node)).toEqual(BOTH)
    const written = await world.query(
      `mutation { updateCourse(input: { id: 10003, points: 3 }) { ... on UpdateCourseSuccess { course { ${RIGHTS} } } } }`,
      { as: 'admin' },
    )
    expect([written.calls.length, rightsOf(written.data.updateCourse.course)]).toEqual([1, BOTH])
  })

  it('follows the site for records in the trash', async () => {
    const world = await start()
    const removed = await world.query(
      'mutation { deleteGroup(input: { id: 1001 }) { ... on DeleteGroupSuccess { group { status } } ... on LmsError { code } } }',
      { as: 'admin' },
    )
    expect(removed.data.deleteGroup).toEqual({ group: { status: 'TRASH' } })
    const { data } = await world.query(`{ group(id: 1001) { status ${RIGHTS} } }`, { as: 'admin' })
    expect(data.group).toEqual({ status: 'TRASH', viewerCanUpdate: true, viewerCanDelete: true })
  })
})

describe('what one caller may do', () => {
  const LINKS = '{ courses(first: 30) { nodes { links { rel allow } } } }'
  const methodsOf = async (world: World, asking: Asking): Promise<readonly string[]> => {
    const { data } = await world.query(LINKS, asking)
    const links = data.courses.nodes.flatMap((course: any) => course.links)
    return [...new Set<string>(links.flatMap(({ rel, allow }: any) => (rel === 'self' ? allow : [])))]
  }

  it.each([
    ['without the cache', {}],
    ['with the cache', CACHED],
  ])('is never shown to another, whoever reads first, %s', async (_, options) => {
    const world = await start(options)
    for (const [as, rights] of [...CALLERS, ...CALLERS]) {
      const asking = as ? { as } : {}
      expect([as, await rightsOnCourses(world, asking)]).toEqual([as, [rights]])
      expect([as, await methodsOf(world, asking)]).toEqual([as, as === 'admin' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['GET']])
    }
  })

  it('is never shown to another who reads at the same time', async () => {
    const world = await start({ ...CACHED, protection: { maxInFlight: 4 } })
    const asked = Array.from({ length: 140 }, async (_, place) => {
      const [as, rights] = CALLERS[place % CALLERS.length]!
      const login = DEMO_USERS.find((user) => user.login === as)
      const headers: Record<string, string> = login ? { authorization: `Basic ${btoa(`${login.login}:${login.password}`)}` } : {}
      const { data } = (await (await world.gateway.post({ query: COURSES }, headers)).json()) as any
      for (const course of data.courses.nodes) expect([as, ...rightsOf(course)]).toEqual([as, ...rights])
    })
    await Promise.all(asked)
  })
})

describe('with a service account', () => {
  const KEY = 'some-key-0123456789'
  const SECRET = 'a shared secret of more than 32 bytes'
  const tokenWith = async (claims: object): Promise<Asking> => ({
    headers: {
      authorization: `Bearer ${await new SignJWT({ iss: ISSUER, aud: AUDIENCE, ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('5m')
        .sign(Buffer.from(SECRET))}`,
    },
  })

  it('is what the account may do for callers who may write, and nothing for all others', async () => {
    const account = {
      site: { user: 'admin', password: 'admin-demo' },
      access: { apiKeys: [KEY], open: true, jwtKey: SECRET, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
    }
    const world = await start({ ...account, ...CACHED })
    const callers: readonly (readonly [Asking, Rights])[] = [
      [{ headers: { 'x-api-key': KEY } }, BOTH],
      [await tokenWith({ sub: '3' }), NONE],
      [await tokenWith({ sub: '1', roles: ['admin'] }), BOTH],
      [{}, NONE],
      [await tokenWith({ sub: '4' }), NONE],
    ]
    for (const [asking, rights] of [...callers, ...callers]) {
      expect(await rightsOnCourses(world, asking)).toEqual([rights])
      const { data } = await world.query('{ course(id: 10003) { links { rel allow } } }', asking)
      const { allow } = data.course.links.find(({ rel }: any) => rel === 'self')
      expect(allow).toEqual(rights === BOTH ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['GET'])
      const mutation = 'mutation { updateCourse(input: { id: 10003, points: 3 }) { __typename } }'
      expect((await world.query(mutation, asking)).data.updateCourse.__typename).toBe(
        rights === BOTH ? 'UpdateCourseSuccess' : 'ForbiddenError',
      )
    }
  })
})

describe('the form for a record', () => {
  it.each([
    ['that tells the methods', TELLING, PRESETS.lms],
    ['that does not', SILENT, PRESETS.lms],
    ['of the plugin', { profile: 'learndash' }, PRESETS.learndash],
  ] as const)('is for editors only, on a site %s', async (_, school, names) => {
    const world = await start({}, school, names)
    const of = async (as?: Login) => {
      const { data, errors } = await world.query(FORM, as ? { as } : {})
      return data.course ? rightsOf(data.course) : errors[0]?.extensions.code
    }
    const isPlugin = school.profile === 'learndash'
    expect(await of()).toEqual(isPlugin ? 'UNAUTHENTICATED' : NONE)
    expect(await of('learner')).toEqual(isPlugin ? 'FORBIDDEN' : NONE)
    expect(await of('admin')).toEqual(BOTH)
    expect(await of('learner')).toEqual(isPlugin ? 'FORBIDDEN' : NONE)
  })
})

describe('on a site that does not tell the methods', () => {
  it.each([
    ['of a record', '{ course(id: 10003) { titleRaw } }'],
    ['of a list', '{ courses(first: 2) { nodes { titleRaw } } }'],
  ])('nothing is known of signed-in callers until they asked for what editors read %s', async (_, query) => {
    const world = await start({}, SILENT)
    expect(await rightsOnCourses(world)).toEqual([NONE])
    for (const [as, rights] of [
      ['admin', BOTH],
      ['learner', NONE],
    ] as const) {
      expect(await rightsOnCourses(world, { as })).toEqual([UNKNOWN])
      await world.query(query, { as })
      expect(await rightsOnCourses(world, { as })).toEqual([rights])
    }
    expect(await rightsOnCourses(world, { as: 'newcomer' })).toEqual([UNKNOWN])
  })

  it('a refusal of one record counts more than the right to another one', async () => {
    const site = await FakeSite.start(({ url = '' }, response) => {
      const id = Number(/sfwd-courses\/(\d+)/.exec(url)?.[1])
      if (id === 2 && url.includes('context=edit'))
        json(response, { code: 'rest_forbidden_context', message: 'No.', data: { status: 403 } }, { status: 403 })
      else
        json(response, { id, title: { rendered: 'A course', raw: 'A course' }, _links: { self: [{ href: `https://example.org/${id}` }] } })
    })
    const gateway = await serve({ site: { url: site.url } })
    open.push(gateway, site)
    const rightsOn = async (id: number): Promise<Rights> => {
      const query = `{ course(id: ${id}) { title titleRaw ${RIGHTS} } }`
      return rightsOf(((await (await gateway.post({ query }, { authorization: 'Basic YTpi' })).json()) as any).data.course)
    }
    expect(await rightsOn(1)).toEqual(BOTH)
    expect(await rightsOn(2)).toEqual(NONE)
    expect(await rightsOn(1)).toEqual(NONE)
  })
})
