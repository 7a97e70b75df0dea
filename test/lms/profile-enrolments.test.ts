import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Ask, outcomeOf, Switched, totals } from './quirks.js'
import type { Json, Login } from './world.js'

const site = new Switched()

const PROFILES = ['lms', 'learndash-5'] as const
const LOGINS = ['anonymous', 'newcomer', 'learner', 'leader', 'admin'] as const
const NONE = '1970-01-01T00:00:00'

/** A course that the demo learner has completed, a sold one without learners of the demo, and an open one. */
const [COMPLETED, SOLD, OPEN] = [10_009, 10_062, 10_016]
const [LEARNER, NEWCOMER] = [3, 4]

const coursesOf = async (ask: Ask, user: number, query = ''): Promise<Json[]> =>
  (await ask(`v2/users/${user}/courses?per_page=100${query}`)).body
const usersOf = (ask: Ask, course: number): Promise<number[]> => ask.ids(`v2/sfwd-courses/${course}/users?per_page=100`)
const changeUsers = (ask: Ask, method: string, course: number, ids: unknown) =>
  ask.write(method, `v2/sfwd-courses/${course}/users`, { user_ids: ids })
const codesOf = (results: readonly Json[]): string[] => results.map(({ status, code }) => `${status} ${code}`)

const outcomes = async (ask: Ask, path: string, init?: RequestInit): Promise<string[]> => {
  const found = []
  for (const login of LOGINS) found.push(outcomeOf(await ask(path, login, init)))
  return found
}

for (const [title, path] of [
  ['enrolments: the courses of a user are listed', 'v2/users/3/courses'],
  ['enrolments: the users of a course are listed', `v2/sfwd-courses/${COMPLETED}/users`],
  ['enrolments: the groups of a course are listed', `v2/sfwd-courses/${COMPLETED}/groups`],
] as const)
  site.addition(title, 'enrolments', async (ask) => expect((await ask(path)).body.length).toBeGreaterThan(0), PROFILES)

describe('the routes of enrolments', () => {
  it('do not exist in version 4', async () => {
    const ask = await site.set({ profile: 'learndash' })
    for (const path of ['v2/users/3/courses', `v2/sfwd-courses/${COMPLETED}/users`, `v2/sfwd-courses/${COMPLETED}/groups`])
      expect([path, outcomeOf(await ask(path))]).toEqual([path, '404 rest_no_route'])
    expect(Object.keys((await ask('v2')).body.routes).filter((route) => /sfwd-courses\/|users\/\S+\/courses/.test(route))).toEqual([])
  })

  it('are described by the index, with the ids that their writes take', async () => {
    const ask = await site.set({ profile: 'learndash-5' })
    const { routes } = (await ask('v2')).body
    const users = routes['/ldlms/v2/sfwd-courses/(?P<id>[\\d]+)/users']
    expect([...users.methods].sort()).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'])
    for (const { methods, args } of users.endpoints)
      expect([methods, Object.keys(args).includes('user_ids')]).toEqual([methods, methods[0] !== 'GET'])
    expect(Object.keys(routes['/ldlms/v2/users/(?P<id>[\\d]+)/courses'].endpoints[0].args)).toEqual([
      'id',
      ...['context', 'page', 'per_page', 'include', 'exclude'],
    ])
    expect(routes['/ldlms/v2/sfwd-courses/(?P<id>[\\d]+)/groups'].methods).toEqual(['GET'])
  })

  it('have the names of renamed segments', async () => {
    const ask = await site.set({ switches: { segments: 'sfwd-courses:courses+users:people', namespace: 'school' } })
    const path = `v2/courses/${COMPLETED}/people`
    const { body } = await ask(`${path}?per_page=1`)
    expect(body[0]._links.self[0].href).toContain('/wp/v2/users/')
    expect(outcomeOf(await ask(`v2/sfwd-courses/${COMPLETED}/users`))).toBe('404 rest_no_route')
  })
})

describe.each(PROFILES)('enrolments by profile %s', (profile) => {
  const refused = profile === 'lms' ? 'rest_forbidden' : 'ld_rest_cannot_view'
  const refusals = [`401 ${refused}`, ...['newcomer', 'learner', 'leader'].map(() => `403 ${refused}`)]

  it('are read by administrators, and the courses of a user by the user', async () => {
    const ask = await site.set({ profile })
    expect(await outcomes(ask, `v2/users/${LEARNER}/courses`)).toEqual([refusals[0], refusals[1], '200', refusals[3], '200'])
    // Nobody learns by the answer which users and courses exist.
    expect(await outcomes(ask, 'v2/users/99/courses')).toEqual([...refusals, '404 rest_user_invalid_id'])
    for (const list of ['users', 'groups']) {
      expect(await outcomes(ask, `v2/sfwd-courses/${COMPLETED}/${list}`)).toEqual([...refusals, '200'])
      expect(await outcomes(ask, `v2/sfwd-courses/99/${list}`)).toEqual([...refusals, '404 rest_post_invalid_id'])
    }
    expect(outcomeOf(await ask(`v2/users/${LEARNER}/courses?context=edit`, 'learner'))).toBe('403 rest_forbidden_context')
  })

  it('have the time of enrolment in both zones, and the time stamp 0 for members of groups', async () => {
    const ask = await site.set({ profile, switches: { enrolmentDates: true } })
    const progress = (await ask(`v2/users/${LEARNER}/course-progress?per_page=100`)).body as Json[]
    const since = new Map(progress.map(({ course, access_from }) => [course, access_from]))
    const inGroup = await ask.ids(`v2/groups/${SAMPLES.ledGroups[0]}/courses?per_page=100`)
    const courses = await coursesOf(ask, LEARNER)
    const direct = courses.filter(({ enrolled_at_gmt }) => enrolled_at_gmt !== NONE)
    expect(direct).toHaveLength(12)
    const zones = new Set<number>()
    for (const { id, enrolled_at, enrolled_at_gmt } of direct) {
      expect([id, Date.parse(`${enrolled_at_gmt}Z`) / 1000]).toEqual([id, since.get(id)])
      zones.add(Date.parse(`${enrolled_at}Z`) - Date.parse(`${enrolled_at_gmt}Z`))
    }
    expect([...zones].sort()).toEqual([3_600_000, 7_200_000])
    const others = courses.filter(({ enrolled_at_gmt }) => enrolled_at_gmt === NONE)
    expect(others.length).toBeGreaterThan(5)
    for (const { id, enrolled_at } of others) expect([id, enrolled_at, inGroup.includes(id)]).toEqual([id, NONE, true])
    expect(courses.map(({ id }) => id).toSorted()).toEqual([...new Set([...direct.map(({ id }) => id), ...inGroup])].sort())
  })

  it('have the certificate of a completed course', async () => {
    const ask = await site.set({ profile })
    const progress = (await ask(`v2/users/${LEARNER}/course-progress?per_page=100`)).body as Json[]
    const completed = new Set(progress.flatMap(({ course, progress_status }) => (progress_status === 'completed' ? [course] : [])))
    const courses = await coursesOf(ask, LEARNER)
    const awarded = courses.filter(({ awarded_certificate_url: url }) => url !== '')
    expect(awarded.length).toBeGreaterThan(0)
    expect(awarded.filter(({ id }) => !completed.has(id))).toEqual([])
    for (const { id, awarded_certificate_url: url } of awarded)
      expect(url).toMatch(new RegExp(`^https://school\\.example/certificates/85\\d+/\\?course_id=${id}&user=${LEARNER}$`))
  })

  it('are records of courses without their settings', async () => {
    const ask = await site.set({ profile })
    const [record] = await coursesOf(ask, LEARNER, `&include=${COMPLETED}`)
    const [grouped] = (await ask(`v2/groups/1006/courses?include=${COMPLETED}&per_page=100`)).body.filter(
      ({ id }: Json) => id === COMPLETED,
    )
    for (const name of ['id', 'title', 'status', 'date', 'slug', 'link', 'content', 'author', 'featured_media'])
      expect([name, record![name]]).toEqual([name, grouped[name]])
    const own = ['enrolled_at', 'enrolled_at_gmt', 'awarded_certificate_url']
    expect(Object.keys(record!)).toEqual(expect.arrayContaining(own))
    expect(Object.keys(record!).filter((name) => /price|points|prerequisite|materials/.test(name))).toEqual([])
    const embedded = (await ask(`v2/users/${LEARNER}/courses?context=embed&per_page=1`)).body[0]
    expect(Object.keys(embedded)).toEqual(expect.arrayContaining([...own, 'id', 'title']))
  })

  it('list published courses of a user by pages, and an `include` without a match is an empty list', async () => {
    const ask = await site.set({ profile })
    const all = (await coursesOf(ask, LEARNER)).map(({ id }) => id)
    const path = `v2/users/${LEARNER}/courses`
    const first = await ask(path)
    expect([first.body.length, ...totals(first)]).toEqual([10, String(all.length), String(Math.ceil(all.length / 10))])
    expect(await ask.ids(`${path}?page=2&per_page=7`)).toEqual(all.slice(7, 14))
    expect(await ask.ids(`${path}?include=${COMPLETED},99,${SOLD}`)).toEqual([COMPLETED])
    const none = await ask(`${path}?include=${SOLD}`)
    expect([none.status, none.body, totals(none)[0]]).toEqual([200, [], '0'])
    expect(await ask.ids(`${path}?per_page=100&exclude=${COMPLETED}`)).toEqual(all.filter((id) => id !== COMPLETED))
    expect(outcomeOf(await ask(`${path}?page=99`))).toBe('400 rest_post_invalid_page_number')
    expect(outcomeOf(await ask(`${path}?per_page=101`))).toBe('400 rest_invalid_param')
    expect(await coursesOf(ask, NEWCOMER)).toEqual([])
    await ask.write('PATCH', `v1/sfwd-courses/${COMPLETED}`, { status: 'draft' })
    expect(await ask.ids(`${path}?per_page=100`)).not.toContain(COMPLETED)
    await ask.write('PATCH', `v1/sfwd-courses/${COMPLETED}`, { status: 'publish' })
  })

  it('list the users who are directly enrolled, with the parameters of WordPress', async () => {
    const ask = await site.set({ profile })
    const path = `v2/sfwd-courses/${COMPLETED}/users`
    const users = (await ask(`${path}?per_page=100`)).body as Json[]
    const ids = users.map(({ id }) => id)
    expect(ids).toContain(LEARNER)
    expect(users.map(({ name }) => name)).toEqual(users.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)))
    for (const { id } of users) expect((await coursesOf(ask, id, `&include=${COMPLETED}`))[0]!.enrolled_at).not.toBe(NONE)
    const page = await ask(`${path}?per_page=5&page=2`)
    expect([page.body.map(({ id }: Json) => id), totals(page)[0]]).toEqual([ids.slice(5, 10), String(ids.length)])
    expect(await ask.ids(`${path}?offset=3&per_page=2`)).toEqual(ids.slice(3, 5))
    expect(await ask.ids(`${path}?include=${LEARNER},${NEWCOMER}`)).toEqual([LEARNER])
    expect(await ask.ids(`${path}?search=lena`)).toContain(LEARNER)
    expect(await ask.ids(`${path}?slug=learner`)).toEqual([LEARNER])
    expect(await ask.ids(`${path}?per_page=100&exclude=${LEARNER}`)).not.toContain(LEARNER)
    expect(await ask.ids(`${path}?per_page=100&orderby=id&order=desc`)).toEqual(ids.toSorted((a, b) => b - a))
    expect(await ask.ids(`${path}?roles=group_leader`)).toEqual([])
    const edit = (await ask(`${path}?context=edit&include=${LEARNER}`)).body[0]
    expect([edit.email, edit.roles]).toEqual(['learner@riverside.example', ['subscriber']])
    expect(edit).toEqual((await ask(`/wp-json/wp/v2/users/${LEARNER}?context=edit`)).body)
  })

  it('list the groups that have a course', async () => {
    const ask = await site.set({ profile })
    const all = (await ask('v1/groups?per_page=100')).body as Json[]
    const having = []
    for (const group of all) if ((await ask.ids(`v2/groups/${group.id}/courses?per_page=100`)).includes(COMPLETED)) having.push(group)
    expect(having.length).toBeGreaterThan(0)
    expect((await ask(`v2/sfwd-courses/${COMPLETED}/groups?per_page=100`)).body).toEqual(having)
  })

  it('know a user who was removed: there is progress, and no enrolment', async () => {
    const ask = await site.set({ profile })
    const { user, course } = SAMPLES.former
    const progress = (await ask(`v2/users/${user}/course-progress?per_page=100`)).body as Json[]
    expect(progress.find((row) => row.course === course)?.progress_status).toBe('in_progress')
    expect((await coursesOf(ask, user)).map(({ id }) => id)).not.toContain(course)
    expect(await usersOf(ask, course)).not.toContain(user)
    expect(outcomeOf(await ask(`v2/users/${user}/course-progress/${course}/steps`))).toBe('403 rest_post_access_denied')
  })
})

describe.each(PROFILES)('writes of enrolments by profile %s', (profile) => {
  const prefix = profile === 'lms' ? 'lms' : 'learndash'
  const reset = async (): Promise<Ask> => {
    const { status } = await fetch(`${site.url}/-/reset`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(status).toBe(200)
    return site.set({ profile })
  }

  it('have a result for each id in its order', async () => {
    const ask = await reset()
    for (const [method, verb] of [
      ['POST', 'enroll'],
      ['DELETE', 'unenroll'],
    ] as const) {
      const { status, body } = await changeUsers(ask, method, SOLD, [NEWCOMER, 99, 1, NEWCOMER])
      expect([status, body.map(({ user_id }: Json) => user_id)]).toEqual([200, [NEWCOMER, 99, 1, NEWCOMER]])
      expect(codesOf(body)).toEqual([
        `success ${prefix}_rest_${verb}_success`,
        'failed rest_user_invalid_id',
        `failed ${prefix}_rest_admin_auto_enroll`,
        `failed ${prefix}_rest_${verb}_failed`,
      ])
      expect(body.every(({ message }: Json) => message.length > 5)).toBe(true)
    }
  })

  it('are seen by lists, progress and access', async () => {
    const ask = await reset()
    const lessons = async (login: Login): Promise<string> => outcomeOf(await ask(`v2/sfwd-lessons?course=${SOLD}`, login))
    const progress = (): Promise<string> => ask(`v2/users/${NEWCOMER}/course-progress/${SOLD}`).then(outcomeOf)
    const own = (): Promise<number[]> => ask.ids(`v2/users/${NEWCOMER}/courses`, 'newcomer')
    const none = [await usersOf(ask, SOLD), await own(), await progress(), await lessons('newcomer')]
    expect(none).toEqual([await usersOf(ask, SOLD), [], '404 rest_post_not_found', profile === 'lms' ? '200' : '403 ld_rest_cannot_view'])
    const before = Date.now()
    for (const method of ['POST', 'PUT', 'PATCH']) {
      expect(codesOf((await changeUsers(ask, method, SOLD, [NEWCOMER])).body)).toEqual([`success ${prefix}_rest_enroll_success`])
      expect([(await usersOf(ask, SOLD)).includes(NEWCOMER), await own(), await progress()]).toEqual([true, [SOLD], '200'])
      expect(await lessons('newcomer')).toBe('200')
      const [{ enrolled_at_gmt }] = (await coursesOf(ask, NEWCOMER)) as [Json]
      expect(Math.abs(Date.parse(`${enrolled_at_gmt}Z`) - before)).toBeLessThan(60_000)
      const row = (await ask(`v2/users/${NEWCOMER}/course-progress/${SOLD}`)).body
      expect([row.progress_status, row.steps_completed, row.steps_total > 0]).toEqual(['not_started', 0, true])
      await changeUsers(ask, 'DELETE', SOLD, [NEWCOMER])
      expect([await usersOf(ask, SOLD), await own(), await progress(), await lessons('newcomer')]).toEqual(none)
    }
  })

  it('keep the progress of a user who is removed, and go on with it when the user returns', async () => {
    const ask = await reset()
    const direct = (await coursesOf(ask, LEARNER)).find(({ id }) => id === COMPLETED)!
    const progress = async (): Promise<Json> => (await ask(`v2/users/${LEARNER}/course-progress/${COMPLETED}`)).body
    const begun = await progress()
    expect(begun.progress_status).toBe('completed')
    await changeUsers(ask, 'DELETE', COMPLETED, [LEARNER])
    expect(await progress()).toEqual(begun)
    expect(await usersOf(ask, COMPLETED)).not.toContain(LEARNER)
    expect((await coursesOf(ask, LEARNER)).map(({ id }) => id)).not.toContain(COMPLETED)
    await changeUsers(ask, 'POST', COMPLETED, [LEARNER])
    expect(await progress()).toEqual(begun)
    const [again] = await coursesOf(ask, LEARNER, `&include=${COMPLETED}`)
    expect(again).toEqual({ ...direct, enrolled_at: again!.enrolled_at, enrolled_at_gmt: again!.enrolled_at_gmt })
    expect(Date.parse(again!.enrolled_at_gmt)).toBeGreaterThan(Date.parse(direct.enrolled_at_gmt))
  })

  it('do not end the access by a group', async () => {
    const ask = await reset()
    const [course] = await ask.ids(`v2/groups/${SAMPLES.ledGroups[0]}/courses?per_page=1`)
    await changeUsers(ask, 'POST', course!, [LEARNER])
    expect((await coursesOf(ask, LEARNER, `&include=${course}`))[0]!.enrolled_at).not.toBe(NONE)
    await changeUsers(ask, 'DELETE', course!, [LEARNER])
    expect((await coursesOf(ask, LEARNER, `&include=${course}`))[0]!.enrolled_at).toBe(NONE)
    expect(outcomeOf(await ask(`v2/sfwd-lessons?course=${course}`, 'learner'))).toBe('200')
  })

  it('are refused for open courses, other callers, unknown courses and wrong bodies', async () => {
    const ask = await reset()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const wrong = async (course: number, ids: unknown): Promise<string> => outcomeOf(await changeUsers(ask, method, course, ids))
      expect(await wrong(OPEN, [LEARNER])).toBe(`406 ${prefix}_rest_rejected_course_open`)
      expect(await wrong(99, [LEARNER])).toBe('404 rest_post_invalid_id')
      expect(await wrong(SOLD, undefined)).toBe('400 rest_missing_callback_param')
      expect(await wrong(SOLD, [])).toBe('404 rest_post_invalid_id')
      expect(await wrong(SOLD, ['x'])).toBe('400 rest_invalid_param')
      const many = await changeUsers(
        ask,
        method,
        SOLD,
        Array.from({ length: 51 }, (_, index) => index + 1),
      )
      expect([outcomeOf(many), many.body.data.details.user_ids.code]).toEqual(['400 rest_invalid_param', 'rest_too_many_items'])
      const init = { method, body: JSON.stringify({ user_ids: [NEWCOMER] }), headers: { 'content-type': 'application/json' } }
      const refused = [401, 403, 403, 403].map((status) => `${status} rest_cannot_edit`)
      expect((await outcomes(ask, `v2/sfwd-courses/${SOLD}/users`, init)).slice(0, 4)).toEqual(refused)
    }
    expect(await coursesOf(ask, NEWCOMER)).toEqual([])
  })

  it('take fifty users, from the query too', async () => {
    const ask = await reset()
    const pupils = Array.from({ length: 50 }, (_, index) => 600_010 + index)
    const before = await usersOf(ask, SOLD)
    await changeUsers(ask, 'POST', SOLD, pupils)
    expect(await usersOf(ask, SOLD)).toHaveLength(new Set([...before, ...pupils]).size)
    const removed = await ask(`v2/sfwd-courses/${SOLD}/users?user_ids=${pupils.join()}`, 'admin', { method: 'DELETE' })
    expect(codesOf(removed.body)).toEqual(pupils.map(() => `success ${prefix}_rest_unenroll_success`))
    expect(await usersOf(ask, SOLD)).toEqual(before.filter((id) => !pupils.includes(id)))
  })
})
