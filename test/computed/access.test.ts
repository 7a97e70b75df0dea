import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { ACCESS_SAMPLES } from '../support/access-samples.js'
import { type Login, World } from '../support/world.js'

const ACCESS = `
  state enrolment availableAt expiresAt
  reasons {
    __typename message
    ... on NotEnrolled { priceType { slug } price buttonUrl seatsLimit }
    ... on PrerequisitesMissing { compare missing { databaseId } completed { databaseId } }
    ... on CourseNotStarted { availableAt } ... on NotYetReleased { releasedAt: availableAt }
    ... on CourseEnded { since } ... on Expired { since }
    ... on PreviousLessonIncomplete { lesson { databaseId title } } ... on NotPublished { status }
  }
  unknowns { rule missing message availableAt expiresAt points pointsNeeded }`

const worlds: World[] = []
async function start(options: Parameters<typeof World.start>[1] = {}, names?: SiteNames): Promise<World> {
  const world = await World.start({}, { profile: 'lms', ...options }, names ?? PRESETS.lms)
  worlds.push(world)
  return world
}
afterAll(() => Promise.all(worlds.map((world) => world.close())))

const USERS: Readonly<Record<string, number>> = { learner: 3, newcomer: 4 }

const ofCourse = async (world: World, id: number, user?: number, as?: Login, fields = ACCESS) => {
  const of = user === undefined ? '' : `(user: ${user})`
  const { data, errors, calls } = await world.query(`{ course(id: ${id}) { access${of} { ${fields} } } }`, as ? { as } : {})
  return { access: data.course?.access, errors, calls: calls.map(decodeURIComponent) }
}

const ofLesson = async (world: World, id: number, args: string, as: Login | undefined, fields = ACCESS) => {
  const { data, errors, calls } = await world.query(`{ lesson(id: ${id}) { access${args} { ${fields} } } }`, as ? { as } : {})
  return { access: data.lesson?.access, errors, calls: calls.map(decodeURIComponent) }
}

const kindsOf = ({ reasons }: { reasons: readonly { __typename: string }[] }): string[] => reasons.map(({ __typename }) => __typename)

describe.each(['learndash', 'learndash-5'] as const)(
  'access on a site of profile %s that sends dates, asked by an administrator',
  (profile) => {
    let world: World
    beforeAll(async () => {
      world = await start(
        { profile, switches: { enrolmentDates: true, courseDates: true } },
        {
          ...PRESETS.learndash,
          unusableColumns: ['Question.quizId'],
          timeZone: 'Europe/Berlin',
          openProgression: 'ignored',
          missingPrerequisites: 'ignored',
        },
      )
    })

    it.each(ACCESS_SAMPLES.filter(({ login }) => login !== 'anonymous'))(
      '$what, for $login',
      async ({ course, lesson, login, reasons }) => {
        const { access, errors } =
          lesson === undefined
            ? await ofCourse(world, course, USERS[login], 'admin')
            : await ofLesson(world, lesson, `(user: ${USERS[login]}, course: ${course})`, 'admin')
        expect(errors).toEqual([])
        const [known, points] = [reasons.filter((kind) => kind !== 'PointsMissing'), reasons.includes('PointsMissing')]
        expect(kindsOf(access)).toEqual(known)
        // Points that an administrator gives by hand are not in the interface.
        expect(access.unknowns.map(({ rule, missing }: { rule: string; missing: string }) => `${rule} ${missing}`)).toEqual(
          points ? ['POINTS POINTS_AWARDED_BY_HAND'] : [],
        )
        expect(access.state).toBe(known.length > 0 ? 'LOCKED' : points ? 'UNKNOWN' : 'AVAILABLE')
      },
    )
  },
)

describe('the reasons of access', () => {
  let world: World
  beforeAll(async () => {
    world = await start(
      { profile: 'learndash', switches: { enrolmentDates: true, courseDates: true } },
      {
        ...PRESETS.learndash,
        unusableColumns: ['Question.quizId'],
        timeZone: 'Europe/Berlin',
        openProgression: 'ignored',
        missingPrerequisites: 'ignored',
      },
    )
  })
  const only = async (...args: Parameters<typeof ofCourse>) => {
    const { access, errors } = await ofCourse(...args)
    expect([errors, access.state]).toEqual([[], 'LOCKED'])
    return access
  }

  it('name the price of a course that requires enrolment', async () => {
    const { reasons, enrolment } = await only(world, 10_062, 3, 'admin')
    const { course } = (await world.query('{ course(id: 10062) { price customButtonUrl priceType { slug } seatsLimit } }', { as: 'admin' }))
      .data
    expect(course.price).not.toBe('')
    expect([enrolment, reasons]).toEqual([
      'NOT_ENROLLED',
      [
        {
          __typename: 'NotEnrolled',
          message: 'The user is not enrolled in the course.',
          price: course.price,
          priceType: course.priceType,
          buttonUrl: course.customButtonUrl,
          seatsLimit: course.seatsLimit,
        },
      ],
    ])
  })

  it('name the prerequisites, those that are missing and those that are completed', async () => {
    const { reasons } = await only(world, 10_021, 3, 'admin')
    const { course } = (await world.query('{ course(id: 10021) { prerequisiteIds prerequisiteCompare } }', { as: 'admin' })).data
    const [{ compare, missing, completed }] = reasons
    expect(compare).toBe(course.prerequisiteCompare)
    const ids = [...missing, ...completed].map(({ databaseId }) => databaseId).sort()
    expect(ids).toEqual([...course.prerequisiteIds].sort())
    expect([missing.length, completed.length]).toEqual([1, 1])
  })

  it('name the times from which and until which access is refused', async () => {
    expect(await only(world, 10_041, 3, 'admin')).toMatchObject({
      availableAt: '2099-01-04T09:00:00Z',
      reasons: [{ __typename: 'CourseNotStarted', availableAt: '2099-01-04T09:00:00Z' }],
    })
    expect(await only(world, 10_073, 3, 'admin')).toMatchObject({
      availableAt: null,
      expiresAt: '2025-06-30T22:00:00Z',
      reasons: [{ __typename: 'CourseEnded', since: '2025-06-30T22:00:00Z' }],
    })
    const expired = await only(world, 10_023, 3, 'admin')
    expect(expired.reasons).toEqual([{ __typename: 'Expired', message: expect.any(String), since: expired.expiresAt }])
    const { access } = await ofLesson(world, 100_639, '(user: 3)', 'admin')
    expect(access).toMatchObject({ availableAt: '2099-01-04T23:00:00Z', reasons: [{ releasedAt: '2099-01-04T23:00:00Z' }] })
  })

  it('name the lesson to complete before', async () => {
    const { access } = await ofLesson(world, 100_557, '(user: 3, course: 10061)', 'admin')
    const { lesson } = (await world.query('{ lesson(id: 100556) { databaseId title } }', { as: 'admin' })).data
    expect(access.reasons).toEqual([{ __typename: 'PreviousLessonIncomplete', message: expect.any(String), lesson }])
  })
})

describe('a prerequisite that does not exist, on a site of which it is not known whether such ones count', () => {
  let world: World
  let open: number
  let completed: number
  beforeAll(async () => {
    world = await start({ profile: 'learndash' }, { ...PRESETS.learndash, unusableColumns: ['Question.quizId'], timeZone: 'Europe/Berlin' })
    const { data } = await world.query('{ user(id: 3) { courseProgress(first: 50) { nodes { courseId status } } } }', { as: 'admin' })
    const withStatus = (wanted: string): number => data.user.courseProgress.nodes.find(({ status }: any) => status === wanted).courseId
    ;[open, completed] = [withStatus('IN_PROGRESS'), withStatus('COMPLETED')]
  })

  it.each([
    ['ANY', 'open', 'LOCKED'],
    ['ALL', 'open', 'LOCKED'],
    ['ANY', 'completed', 'AVAILABLE'],
    ['ALL', 'completed', 'UNKNOWN'],
  ] as const)('with %s of it and one that is %s: the course is %s', async (compare, kind, state) => {
    const other = kind === 'open' ? open : completed
    const prerequisites = `prerequisiteEnabled: true, prerequisiteCompare: ${compare}, prerequisiteIds: [${SAMPLES.missingCourse}, ${other}]`
    const changed = await world.query(`mutation { updateCourse(input: { id: 10016, ${prerequisites} }) { __typename } }`, { as: 'admin' })
    expect(changed.data).toEqual({ updateCourse: { __typename: 'UpdateCourseSuccess' } })
    const { access, errors } = await ofCourse(world, 10_016, 3, 'admin')
    expect([errors, access.state]).toEqual([[], state])
    const reason = { __typename: 'PrerequisitesMissing', compare, missing: [{ databaseId: other }], completed: [] }
    expect(access.reasons).toMatchObject(state === 'LOCKED' ? [reason] : [])
    expect(access.unknowns).toMatchObject(state === 'UNKNOWN' ? [{ rule: 'PREREQUISITES', missing: 'SITE_BEHAVIOR' }] : [])
  })
})

describe('what is not known', () => {
  let world: World
  beforeAll(async () => {
    world = await start()
  })

  it('is not the status, nor that there is a password', async () => {
    await world.ask('v1/sfwd-courses/10016', 'POST', { status: 'draft', password: 'secret' })
    const { reasons } = (await ofCourse(world, 10_016, 3, 'admin')).access
    await world.ask('v1/sfwd-courses/10016', 'POST', { status: 'publish', password: '' })
    expect(reasons).toMatchObject([{ __typename: 'NotPublished', status: 'draft' }, { __typename: 'PasswordRequired' }])
    expect((await ofCourse(world, 10_016, 3, 'admin')).access.state).toBe('AVAILABLE')
  })

  it('is said of a site as specified, with estimates', async () => {
    const { access, errors } = await ofCourse(world, 10_023, 3, 'admin')
    expect(errors).toEqual([])
    expect(access).toMatchObject({ state: 'UNKNOWN', enrolment: 'ENROLLED', reasons: [], expiresAt: null })
    expect(access.unknowns).toMatchObject([{ rule: 'EXPIRY', missing: 'ENROLMENT_DATE' }])
    const released = await ofLesson(world, 100_638, '(user: 3)', 'admin')
    expect(released.access).toMatchObject({ state: 'UNKNOWN', availableAt: null })
    expect(released.access.unknowns).toContainEqual({
      rule: 'RELEASE',
      missing: 'ENROLMENT_DATE',
      message: 'When the user was enrolled, which the site does not send.',
      availableAt: expect.stringMatching(/Z$/),
      expiresAt: null,
      points: null,
      pointsNeeded: null,
    })
  })

  it('is who a caller is whom the gateway does not know', async () => {
    const { access, errors, calls } = await ofCourse(world, 10_062, undefined, 'learner', 'state enrolment unknowns { rule missing }')
    expect(errors).toEqual([])
    expect(access).toEqual({ state: 'UNKNOWN', enrolment: 'UNKNOWN', unknowns: [{ rule: 'ENROLMENT', missing: 'LEARNER' }] })
    expect(calls).toHaveLength(1)
  })

  it('is the progress of somebody else', async () => {
    const { access, errors } = await ofCourse(world, 10_062, 3, 'newcomer', 'state enrolment unknowns { rule missing }')
    expect(errors).toEqual([])
    expect(access).toEqual({ state: 'UNKNOWN', enrolment: 'UNKNOWN', unknowns: [{ rule: 'ENROLMENT', missing: 'PROGRESS' }] })
  })

  it('is the course of a lesson that is in several, unless it is given', async () => {
    const fields = 'state unknowns { rule missing }'
    const without = await ofLesson(world, SAMPLES.sharedLesson, '(user: 3)', 'admin', fields)
    expect(without.access.state).toBe('UNKNOWN')
    expect(without.access.unknowns).toContainEqual({ rule: 'ENROLMENT', missing: 'COURSE_OF_LESSON' })
    expect(without.calls).toHaveLength(1)
    const { data } = await world.query(`{ courses(first: 100) { nodes { databaseId lessons(first: 50) { nodes { databaseId } } } } }`, {
      as: 'admin',
    })
    const courses = data.courses.nodes.filter(({ lessons }: any) =>
      lessons.nodes.some(({ databaseId }: any) => databaseId === SAMPLES.sharedLesson),
    )
    expect(courses.length).toBeGreaterThan(1)
    for (const { databaseId } of courses) {
      const { access } = await ofLesson(world, SAMPLES.sharedLesson, `(user: 3, course: ${databaseId})`, 'admin', fields)
      expect(access.unknowns).not.toContainEqual({ rule: 'ENROLMENT', missing: 'COURSE_OF_LESSON' })
    }
  })

  it('is not what the site fails to send: that is an error', async () => {
    const failing = await start({ switches: { fatalJson: { route: '*course-progress*' } } })
    const { data, errors } = await failing.query('{ courses(first: 3) { nodes { title access(user: 3) { state } } } }', { as: 'admin' })
    expect(data).toEqual({ courses: { nodes: [0, 1, 2].map(() => ({ title: expect.any(String), access: null })) } })
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual(
      [0, 1, 2].map((index) => [['courses', 'nodes', index, 'access'], 'UPSTREAM_UNAVAILABLE']),
    )
  })
})

describe('visitors', () => {
  it('open what needs no enrolment, without a call for their progress', async () => {
    const world = await start()
    const open = await ofCourse(world, 10_016, undefined, undefined, 'state enrolment')
    expect([open.access, open.calls.length]).toEqual([{ state: 'AVAILABLE', enrolment: 'NOT_REQUIRED' }, 1])
    const sold = await ofCourse(world, 10_062, undefined, undefined, 'state enrolment reasons { __typename }')
    expect([sold.access, sold.calls.length]).toEqual([
      { state: 'LOCKED', enrolment: 'NOT_ENROLLED', reasons: [{ __typename: 'NotEnrolled' }] },
      1,
    ])
    const sample = await ofLesson(world, 100_561, '', undefined, 'state enrolment')
    expect(sample.access).toEqual({ state: 'AVAILABLE', enrolment: 'NOT_ENROLLED' })
  })
})

describe('a learner with own credentials, who may read lessons but no courses', () => {
  it('is not enrolled in a course because of a lesson that was read', async () => {
    const world = await start({ profile: 'learndash' }, PRESETS.learndash)
    const enrolmentIn = async (course: number) =>
      (await ofLesson(world, 100_160, `(course: ${course})`, 'learner', 'enrolment')).access.enrolment
    expect([await enrolmentIn(10_009), await enrolmentIn(10_071)]).toEqual(['ENROLLED', 'UNKNOWN'])
  })
})

describe('the settings of a site', () => {
  it('name users who bypass the rules: nothing is read of them', async () => {
    const world = await start({}, { ...PRESETS.lms, bypassingUsers: [3] })
    const { access, calls } = await ofCourse(world, 10_021, 3, 'admin', 'state enrolment')
    expect([access, calls.length]).toEqual([{ state: 'AVAILABLE', enrolment: 'NOT_REQUIRED' }, 1])
    expect((await ofCourse(world, 10_021, 4, 'admin', 'state')).access).toEqual({ state: 'LOCKED' })
  })

  it('decide about prerequisites that do not exist', async () => {
    const stateWith = async (missingPrerequisites: 'ignored' | 'required' | 'unknown') => {
      const world = await start({}, { ...PRESETS.lms, missingPrerequisites })
      return (
        await ofCourse(
          world,
          10_105,
          4,
          'admin',
          'state reasons { ... on PrerequisitesMissing { missing { databaseId } } } unknowns { missing }',
        )
      ).access
    }
    expect(await stateWith('ignored')).toEqual({ state: 'AVAILABLE', reasons: [], unknowns: [] })
    expect(await stateWith('required')).toEqual({ state: 'LOCKED', reasons: [{ missing: [null] }], unknowns: [] })
    expect(await stateWith('unknown')).toEqual({ state: 'UNKNOWN', reasons: [], unknowns: [{ missing: 'SITE_BEHAVIOR' }] })
  })
})

describe('wrong arguments', () => {
  it('are refused', async () => {
    const world = await start()
    const { data, errors } = await world.query(
      '{ course(id: 10062) { access(user: "Q291cnNlOjE=") { state } } lesson(id: 100561) { access(course: "x") { state } } }',
      { as: 'admin' },
    )
    expect(data).toEqual({ course: { access: null }, lesson: { access: null } })
    expect(errors.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      ['`user` is the id of a Course; it must be the id of a User.', 'BAD_USER_INPUT'],
      ['`course` must be the `id` or the `databaseId` of a Course, not `x`.', 'BAD_USER_INPUT'],
    ])
  })

  it('are refused when the course is another one, or does not exist', async () => {
    const world = await start()
    const { data, errors } = await world.query(
      `{ a: lesson(id: 100160) { access(user: 3, course: 10105) { state } } b: lesson(id: ${SAMPLES.sharedLesson}) { access(user: 3, course: 999999) { state } } }`,
      { as: 'admin' },
    )
    expect(data).toEqual({ a: { access: null }, b: { access: null } })
    expect(errors.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      ['`course` is 10105, but the lesson belongs to course 10009.', 'BAD_USER_INPUT'],
      ['`course` is 999999, but the site has no such course.', 'BAD_USER_INPUT'],
    ])
  })
})
