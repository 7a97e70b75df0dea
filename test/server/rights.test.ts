import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/gateway.js'
import { globalId } from '../support/global-id.js'
import { type Answer, World } from '../support/world.js'
import { AUDIENCE, ISSUER } from './issuer.js'

type Access = NonNullable<GatewayOptions['access']>

const KEY = 'first-key-0123456789'
const SECRET = 'a shared secret of more than 32 bytes'
/** Demo users of the embedded LMS. */
const LEARNER = 3
const NEWCOMER = 4

const sign = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(SECRET))

const startWorld = (jwt: Access = {}): Promise<World> =>
  World.start({
    site: { user: 'admin', password: 'admin-demo' },
    access: { apiKeys: [KEY], open: true, jwtKey: SECRET, jwtIssuer: ISSUER, jwtAudience: AUDIENCE, ...jwt },
  })

/** Who asks: claims of a token, an API key, or nobody. */
type Who = Record<string, unknown> | 'key' | 'nobody'

async function headersOf(who: Who): Promise<Record<string, string>> {
  if (who === 'nobody') return {}
  return who === 'key' ? { 'x-api-key': KEY } : { authorization: `Bearer ${await sign(who)}` }
}

describe('rights with a service account', () => {
  let world: World
  let course: number
  beforeAll(async () => {
    world = await startWorld()
    const { data } = await ask('key', `{ user(id: ${LEARNER}) { courseProgress(first: 1) { nodes { course { databaseId } } } } }`)
    course = data.user.courseProgress.nodes[0].course.databaseId
  })
  afterAll(() => world.close())

  const ask = async (who: Who, query: string): Promise<Answer> => world.query(query, { headers: await headersOf(who) })

  /** Every way to a user's progress. */
  const ways = (user: number): Record<string, string> => ({
    'User.courseProgress': `{ at: user(id: ${user}) { found: courseProgress(first: 5) { nodes { status } } } }`,
    'User.progressIn': `{ at: user(id: ${user}) { found: progressIn(course: ${course}) { status } } }`,
    'Course.progress': `{ at: course(id: ${course}) { found: progress(user: ${user}) { status } } }`,
    node: `{ found: node(id: "${globalId('CourseProgress', `${user}:${course}`)}") { id ... on CourseProgress { status } } }`,
    nodes: `{ found: nodes(ids: ["${globalId('CourseProgress', `${user}:${course}`)}"]) { ... on CourseProgress { status } } }`,
  })

  const found = ({ data }: Answer): any => (data.at ?? data).found
  const progressCalls = ({ calls }: Answer): string[] => calls.filter((path) => path.includes('/course-progress'))

  it.each(Object.keys(ways(0)))('show others no progress but their own: %s', async (way) => {
    const own = await ask({ sub: String(LEARNER) }, ways(LEARNER)[way]!)
    expect(own.errors).toEqual([])
    expect(JSON.stringify(found(own))).toMatch(/"status":"(NOT_STARTED|IN_PROGRESS|COMPLETED)"/)
    expect(progressCalls(own)).toHaveLength(1)
    for (const who of [{ sub: String(NEWCOMER) }, { sub: 'no-id' }, {}, { sub: String(NEWCOMER), roles: ['teacher'] }, 'nobody'] as Who[]) {
      const others = await ask(who, ways(LEARNER)[way]!)
      expect(others.errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN'])
      expect(JSON.stringify(others.data)).not.toContain('status')
      expect(progressCalls(others)).toEqual([])
    }
  })

  it.each(Object.keys(ways(0)))('show administrators and keys: %s', async (way) => {
    for (const who of [{ sub: '1', roles: ['x', 'admin'] }, 'key'] as Who[]) {
      const answer = await ask(who, ways(LEARNER)[way]!)
      expect(answer.errors).toEqual([])
      expect(JSON.stringify(found(answer))).toContain('status')
    }
  })

  it('show the progress of the viewer in a course without an argument', async () => {
    const query = `{ viewer { databaseId progressIn(course: ${course}) { id status } } course(id: ${course}) { progress { id status user { databaseId } } } }`
    const { data, errors, calls } = await ask({ sub: String(LEARNER) }, query)
    expect(errors).toEqual([])
    expect(data.course.progress).toEqual({ ...data.viewer.progressIn, user: { databaseId: LEARNER } })
    expect(data.viewer.databaseId).toBe(LEARNER)
    // The same record, whichever way leads to it.
    expect(calls.filter((path) => path.includes('/course-progress'))).toHaveLength(1)
    expect((await ask('nobody', `{ course(id: ${course}) { progress { id } } }`)).data).toEqual({ course: { progress: null } })
  })

  it('tell own and other progress apart within one operation', async () => {
    const query = `{ mine: user(id: ${LEARNER}) { courseProgress { totalCount } } other: user(id: ${NEWCOMER}) { courseProgress { totalCount } } }`
    const answer = await ask({ sub: String(LEARNER) }, query)
    expect(answer.data).toEqual({ mine: { courseProgress: { totalCount: 12 } }, other: { courseProgress: null } })
    expect(answer.errors).toMatchObject([{ path: ['other', 'courseProgress'], extensions: { code: 'FORBIDDEN' } }])
    expect(answer.calls.every((path) => path.includes(`/users/${LEARNER}/`))).toBe(true)
  })

  it('hold for callers that ask at the same time', async () => {
    const asking = async (sub: string) => {
      const response = await world.gateway.post({ query: ways(LEARNER)['User.courseProgress'] }, await headersOf({ sub }))
      return ((await response.json()) as Answer).data.at.found
    }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, place) => asking(String(place % 2 ? LEARNER : NEWCOMER))))
    answers.forEach((answer, place) => {
      if (place % 2) expect(answer.nodes).toHaveLength(5)
      else expect(answer).toBe(null)
    })
  })

  it('let everybody see the viewer, without a call', async () => {
    const viewer = async (who: Who) => {
      const { data, calls } = await ask(who, '{ viewer { databaseId } }')
      expect(calls).toEqual([])
      return data.viewer?.databaseId ?? null
    }
    expect(await viewer({ sub: '3' })).toBe(3)
    expect(await viewer({ sub: '1', roles: ['admin'] })).toBe(1)
    expect(await viewer('key')).toBe(null)
    expect(await viewer('nobody')).toBe(null)
  })

  it.each([
    ['createGroup', 'createGroup(input: { title: "New" })'],
    ['updateCourse', 'updateCourse(input: { id: 10001, title: "Changed" })'],
    ['deleteGroup', 'deleteGroup(input: { id: 1009 })'],
    ['addCoursesToGroup', 'addCoursesToGroup(input: { id: 1009, courseIds: [10001] })'],
  ])('leave changes to administrators and keys: %s', async (_, field) => {
    const mutation = `mutation { at: ${field} { __typename ... on LmsError { code } } }`
    for (const who of ['nobody', { sub: String(LEARNER) }, { sub: '1', roles: ['teacher'] }, {}] as Who[]) {
      const { data, errors, calls } = await ask(who, mutation)
      expect([data, errors, calls]).toEqual([{ at: { __typename: 'ForbiddenError', code: 'FORBIDDEN' } }, [], []])
    }
  })

  it('let administrators and keys change what the account may', async () => {
    for (const [who, title] of [
      ['key', 'By key'],
      [{ sub: '1', roles: ['admin'] }, 'By an administrator'],
    ] as [Who, string][]) {
      const mutation = `mutation { updateCourse(input: { id: 10002, title: "${title}" }) { ... on UpdateCourseSuccess { course { title } } } }`
      const { data, errors } = await ask(who, mutation)
      expect([errors, data]).toEqual([[], { updateCourse: { course: { title } } }])
    }
  })

  it('let administrators and keys read what the account may see', async () => {
    for (const who of [{ sub: '1', roles: ['admin'] }, 'key'] as Who[]) {
      const { data, errors } = await ask(who, '{ course(id: 10001) { titleRaw } }')
      expect([errors, typeof data.course.titleRaw]).toEqual([[], 'string'])
    }
  })

  it('leave columns of editors to administrators and keys', async () => {
    for (const who of [{ sub: '3' }, 'nobody'] as Who[]) {
      const { data, errors } = await ask(who, '{ course(id: 10001) { titleRaw } }')
      expect([errors.map(({ extensions }) => extensions.code), data]).toEqual([['FORBIDDEN'], { course: { titleRaw: null } }])
    }
  })
})

describe('roles', () => {
  const QUERY = `{ viewer { databaseId } course(id: 10001) { titleRaw } user(id: ${LEARNER}) { courseProgress { totalCount } } }`
  const ROLES = ['editor=roles=teacher', 'administrator=roles=admin', 'visitor=guest=yes', 'learner=roles=pupil']

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown claim', { sub: '3' }, 'learner'],
    ['an unknown claim without a user id', { sub: 'ada' }, 'visitor'],
    ['a claim of learners without a user id', { sub: 'ada', roles: 'pupil' }, 'visitor'],
    ['a claim of visitors', { sub: '3', guest: true }, 'visitor'],
    ['a claim of editors', { sub: '3', roles: ['x', 'teacher'] }, 'editor'],
    ['a claim of editors without a user id', { roles: ['teacher'] }, 'editor'],
    ['the claim of administrators', { sub: '3', roles: ['admin'] }, 'administrator'],
    ['several claims, of which the strongest counts', { sub: '3', roles: ['pupil', 'admin', 'teacher'], guest: 'yes' }, 'administrator'],
  ])('are told by %s', async (_, claims, role) => {
    const world = await startWorld({ roles: ROLES, open: true })
    try {
      const { data, errors } = await world.query(QUERY, { headers: await headersOf(claims) })
      const codes = errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`)
      const hasUser = role !== 'visitor' && claims.sub === '3'
      const refused = [
        ...(role === 'visitor' || role === 'learner' ? ['course.titleRaw FORBIDDEN'] : []),
        ...(hasUser || role === 'administrator' ? [] : ['user.courseProgress FORBIDDEN']),
      ]
      expect(codes.sort()).toEqual(refused)
      expect(data.viewer?.databaseId ?? null).toBe(hasUser ? 3 : null)
    } finally {
      await world.close()
    }
  })
})

describe('administrators', () => {
  const QUERY = `{ user(id: ${LEARNER}) { courseProgress { totalCount } } }`

  it.each<[string, Record<string, unknown>, Access, boolean]>([
    ['a list with the value', { roles: ['x', 'admin'] }, {}, true],
    ['the value', { roles: 'admin' }, {}, true],
    ['true', { roles: true }, {}, true],
    ['a list without it', { roles: ['administrators'] }, {}, false],
    ['more than the value', { roles: 'admin teacher' }, {}, false],
    ['another case', { roles: 'Admin' }, {}, false],
    ['the text true', { roles: 'true' }, {}, false],
    ['one', { roles: 1 }, {}, false],
    ['an object', { roles: { admin: true } }, {}, false],
    ['a list in a list', { roles: [['admin']] }, {}, false],
    ['nothing', {}, {}, false],
    ['another claim', { admin: true }, { roles: ['administrator=admin=true'] }, true],
    ['a claim inside another', { realm: { roles: ['lms-admin'] } }, { roles: ['administrator=realm.roles=lms-admin'] }, true],
    ['a value with equals signs', { groups: ['cn=lms,ou=admins'] }, { roles: ['administrator=groups=cn=lms,ou=admins'] }, true],
    ['the usual claim where another is meant', { roles: ['admin'] }, { roles: ['administrator=realm.roles=admin'] }, false],
  ])('are told by %s', async (_, claims, options, admin) => {
    const world = await startWorld(options)
    try {
      const { errors, calls } = await world.query(QUERY, { headers: await headersOf({ sub: String(NEWCOMER), ...claims }) })
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(admin ? [] : ['FORBIDDEN'])
      expect(calls).toHaveLength(admin ? 1 : 0)
    } finally {
      await world.close()
    }
  })
})
