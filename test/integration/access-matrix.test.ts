import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_USERS } from '../../src/lms/index.js'
import type { Switches } from '../../src/lms/profile/switches.js'
import type { AccessReason } from '../../src/rules/access.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite, type SiteNames } from '../../src/upstream/site/site.js'
import { isTrue, truthOf, type Who } from '../rules/oracle.js'
import { expectedAccess } from '../rules/reading.js'
import { factsOf, type View } from '../rules/views.js'
import type { World as Truth } from '../rules/worlds.js'
import { merged } from '../support/merged.js'
import { IS_PLUGIN, PROFILE, SITE_NAMES } from '../support/profile.js'
import { type Served, serve } from '../support/served.js'
import { CANDID, type Login, World } from '../support/world.js'
import { PLANS } from './access-plans.js'
import { AccessSchool, USERS, ZONE } from './access-school.js'

/** Version 5 of the plugin sends dates of courses, and enforces the order of lessons in open courses. */
const IS_NEWEST = PROFILE === 'learndash-5'
const OPEN_PROGRESSION = IS_NEWEST ? 'enforced' : 'ignored'

/** Settings of such a site beyond the preset: its routes, and what its documentation says. */
const NEWEST = { routes: [...PRESETS.learndash.routes, 'users/courses'], openProgression: OPEN_PROGRESSION } as const
/** The same, with what operators can tell of it. */
const TOLD = { ...NEWEST, missingPrerequisites: 'ignored' } as const

interface Kind {
  readonly name: string
  /** Its row in the table of docs/access.md. */
  readonly row: string
  /** Whether the site sends and describes all that can be known. */
  readonly isKnown: boolean
  readonly switches: Partial<Switches>
  readonly names: SiteNames
}

/** Kinds of site: as the profile has it, and one that sends and describes all that can be known. */
const SITES: readonly Kind[] = [
  ...(IS_NEWEST
    ? [
        { name: PROFILE, row: 'LearnDash 5', isKnown: false, switches: {}, names: TOLD },
        {
          name: `${PROFILE}, without a setting for missing prerequisites`,
          row: 'LearnDash 5, without `MISSING_PREREQUISITES`',
          isKnown: false,
          switches: {},
          names: NEWEST,
        },
      ]
    : [{ name: PROFILE, row: IS_PLUGIN ? 'LearnDash 4' : 'as specified (`lms`)', isKnown: false, switches: {}, names: {} }]),
  {
    name: `${PROFILE} with all dates, steps and settings`,
    row: IS_PLUGIN ? 'LearnDash with all of these' : 'as specified, with all of these',
    isKnown: true,
    switches: { courseDates: true, enrolmentDates: true, progressSteps: true },
    names: {
      unusableColumns: [],
      routes: [...new Set([...(SITE_NAMES.routes ?? []), 'users/course-progress/steps' as const])],
      openProgression: OPEN_PROGRESSION,
      missingPrerequisites: 'ignored',
    },
  },
]

const DOCUMENTED = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8').split('## Who can know what')[1] as string

/** What a site does not send or describe. */
const NOT_SENT = ['COMPLETED_STEPS', 'ENROLMENT_DATE', 'POINTS_AWARDED_BY_HAND', 'SITE_BEHAVIOR']

/** Lessons that are asked for of each course, and courses in one operation. */
const [LESSONS, TOGETHER] = [4, 8]

const UNDATED_REASONS = [
  'NotPublished',
  'PasswordRequired',
  'NotEnrolled',
  'PrerequisitesMissing',
  'NotYetReleased',
  'PreviousLessonIncomplete',
] as const
const ALL_REASONS = [...UNDATED_REASONS, 'CourseNotStarted', 'CourseEnded', 'Expired'] as const

const tally = (keys: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

interface Role {
  readonly name: string
  readonly as?: Login
  /** Whether the users ask themselves, by keys of a gateway with the account of an administrator. */
  readonly hasKeys?: true
  readonly who: Who
  /** Users whose access is asked for; null without the argument. */
  readonly users: readonly (number | null)[]
}

const ROLES: readonly Role[] = [
  { name: 'administrator', as: 'admin', who: 'LEARNER', users: USERS },
  { name: 'learner', as: 'learner', who: 'LEARNER', users: [USERS[0]!] },
  { name: 'learner, by default', as: 'learner', who: 'LEARNER', users: [null] },
  { name: 'learner behind an account', hasKeys: true, who: 'LEARNER', users: USERS },
  { name: 'anonymous', who: 'VISITOR', users: [null] },
]

const keyOf = (user: number | null): string => `key-of-learner-${user}`
const ADMINISTRATOR = DEMO_USERS.find(({ login }) => login === 'admin')!
/** A gateway with an account, and a key for each user. */
const BEHIND_ACCOUNT = {
  ...CANDID,
  site: { user: ADMINISTRATOR.login, password: ADMINISTRATOR.password },
  access: { apiKeys: USERS.map((user) => `u${user}:${keyOf(user)}`), roles: USERS.map((user) => `learner=key:u${user}:${user}`) },
} as const

const ACCESS = `fragment Asked on Access {
  state enrolment availableAt expiresAt
  unknowns { rule missing }
  reasons {
    __typename
    ... on NotPublished { status }
    ... on CourseNotStarted { availableAt }
    ... on CourseEnded { since }
    ... on Expired { since }
    ... on NotYetReleased { releasedAt: availableAt }
    ... on PrerequisitesMissing { compare missing { databaseId } completed { databaseId } }
    ... on PreviousLessonIncomplete { lesson { databaseId } }
  }
}`

interface Shown {
  readonly state: 'AVAILABLE' | 'LOCKED' | 'UNKNOWN'
  readonly enrolment: string
  readonly availableAt: string | null
  readonly expiresAt: string | null
  readonly unknowns: readonly { rule: string; missing: string }[]
  readonly reasons: readonly Readonly<Record<string, any>>[]
}

/** An answer, and what is true. */
interface Answered {
  readonly name: string
  readonly role: string
  readonly access: Shown
  readonly truth: Truth
  readonly who: Who
}

const instant = (text: string | null): string | null => text && new Date(text).toISOString().replace('.000Z', 'Z')

/** The reason as the rules give it. Records that the caller may not read are left to the truth. */
function reasonOf(
  { __typename: kind, ...fields }: Readonly<Record<string, any>>,
  { course, prerequisites, order, learner }: Truth,
): AccessReason {
  const ids = (records: readonly ({ databaseId: number } | null)[]): number[] => records.flatMap((one) => one?.databaseId ?? [])
  switch (kind) {
    case 'PrerequisitesMissing': {
      const missingIds = ids(fields.missing)
      const unfinished = prerequisites.filter(({ exists, status }) => exists && status !== 'COMPLETED').map(({ id }) => id)
      expect(course.prerequisiteIds).toEqual(expect.arrayContaining(missingIds))
      return {
        kind,
        compare: fields.compare,
        missingIds: missingIds.length > 0 ? missingIds : unfinished,
        completedIds: ids(fields.completed),
      }
    }
    case 'PreviousLessonIncomplete':
      return { kind, lessonId: fields.lesson?.databaseId ?? order.find((id) => !learner.completed.includes(id)) }
    case 'NotYetReleased':
      return { kind, availableAt: instant(fields.releasedAt) }
    case 'NotPublished':
      return { kind, status: fields.status }
    case 'CourseNotStarted':
      return { kind, availableAt: instant(fields.availableAt)! }
    case 'CourseEnded':
    case 'Expired':
      return { kind, since: instant(fields.since)! }
    default:
      return { kind }
  }
}

describe.each(SITES)('access on a site: $name', ({ name, row, isKnown, switches, names }) => {
  const folder = mkdtempSync(join(tmpdir(), 'access-'))
  let world: World
  let account: Served
  let school: AccessSchool
  const answers: Answered[] = []
  const refused: Record<string, number> = {}

  beforeAll(async () => {
    const data = join(folder, 'school.sqlite')
    school = await AccessSchool.make(data, {
      openProgression: OPEN_PROGRESSION,
      sendsCourseDates: IS_NEWEST || isKnown,
      releasesAtNoon: IS_PLUGIN,
    })
    const site: SiteNames = { ...SITE_NAMES, ...names, timeZone: ZONE }
    world = await World.start(CANDID, { data, switches }, site)
    account = await serve(merged(BEHIND_ACCOUNT, { tuning: { site: defineSite(world.lms.url, site) } }))
    const indexes = [...school.courses.keys()]
    for (const role of ROLES)
      for (const user of role.users)
        for (let start = 0; start < indexes.length; start += TOGETHER) await ask(role, user, indexes.slice(start, start + TOGETHER))
  })
  afterAll(async () => {
    await account.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  /** Asks for the access of a user to courses and their lessons, below the course and by themselves. */
  async function ask({ name: role, as, hasKeys, who }: Role, user: number | null, indexes: readonly number[]): Promise<void> {
    const args = user === null || hasKeys ? '' : `user: ${user}`
    const accessWith = (course: string): string => `access${args || course ? `(${args} ${course})` : ''} { ...Asked }`
    const fields = indexes.flatMap((index) => {
      const { id, lessons } = school.courses[index]!
      // Lessons of sites with shared steps do not name their course.
      const nested = accessWith(IS_PLUGIN ? `course: ${id}` : '')
      const ofCourse = `c${id}: course(id: ${id}) { ${accessWith('')} lessons(first: ${LESSONS}) { nodes { databaseId ${nested} } } }`
      return [
        ofCourse,
        ...lessons.slice(0, LESSONS).map((one) => `l${one}: lesson(id: ${one}) { access(${args} course: ${id}) { ...Asked } }`),
      ]
    })
    const query = `{ ${fields.join(' ')} } ${ACCESS}`
    const { data, errors } = hasKeys
      ? ((await (await account.post({ query }, { 'x-api-key': keyOf(user) })).json()) as { data?: any; errors?: unknown })
      : await world.query(query, { ...(as && { as }) })
    if (!data) throw new Error(JSON.stringify(errors))
    for (const index of indexes) {
      const { id, lessons, plan } = school.courses[index]!
      const add = (what: string, lesson: number | null, found: Shown | undefined): void => {
        const truth = school.world(index, lesson, user ?? USERS[0]!)
        if (found) answers.push({ name: `${plan.what}, ${what}, ${role}, user ${user}`, role, access: found, truth, who })
        else refused[role] = (refused[role] ?? 0) + 1
      }
      const course = data[`c${id}`]
      add(`course ${id}`, null, course?.access)
      for (const node of course?.lessons?.nodes ?? []) add(`lesson ${node.databaseId} of the course`, node.databaseId, node.access)
      for (const lesson of lessons.slice(0, LESSONS)) add(`lesson ${lesson}`, lesson, data[`l${lesson}`]?.access)
    }
  }

  const wrongs = (find: (one: Answered) => readonly string[]): string[] =>
    answers.flatMap((one) => find(one).map((what) => `${one.name}: ${what}`)).slice(0, 20)

  it('is never AVAILABLE or LOCKED against the truth', () => {
    expect(
      wrongs(({ access, truth, who }) => {
        const { isAdmitted, refusing } = truthOf(truth, who)
        if (access.state === 'AVAILABLE' && !isAdmitted) return [`AVAILABLE, but ${refusing} refuses`]
        return access.state === 'LOCKED' && isAdmitted ? [`LOCKED by ${access.reasons.map((reason) => reason.__typename)}`] : []
      }),
    ).toEqual([])
  })

  it('is refused for true reasons, and unknown for a missing fact', () => {
    expect(
      wrongs(({ access, truth, who }) => [
        ...((access.state === 'LOCKED') === access.reasons.length > 0 ? [] : [`${access.state} with ${access.reasons.length} reasons`]),
        ...(access.state === 'UNKNOWN' && access.unknowns.length === 0 ? ['UNKNOWN, and nothing is missing'] : []),
        ...access.reasons
          .map((reason) => reasonOf(reason, truth))
          .filter((reason) => !isTrue(reason, truth, who))
          .map((reason) => `${JSON.stringify(reason)} is not true`),
      ]),
    ).toEqual([])
  })

  it('has the times of the truth', () => {
    expect(
      wrongs(({ access, truth, who }) => {
        const { opens, ends } = truthOf(truth, who)
        const [availableAt, expiresAt] = [instant(access.availableAt), instant(access.expiresAt)]
        return [
          ...(availableAt === null || opens.includes(availableAt) ? [] : [`availableAt ${availableAt}, not ${opens}`]),
          ...(expiresAt === null || ends.includes(expiresAt) ? [] : [`expiresAt ${expiresAt}, not ${ends}`]),
        ]
      }),
    ).toEqual([])
  })

  /** What a role sees of a course, when the site sends what it can. */
  function viewOf(role: string, { course }: Truth): View {
    const isByAccount = role === 'learner behind an account'
    const readsCourse = role === 'administrator' || ((isByAccount || !IS_PLUGIN) && course.status === 'publish')
    const readable = readsCourse ? 'READ' : 'REFUSED'
    const roles: Readonly<Record<string, View['role']>> = {
      administrator: 'ADMINISTRATOR',
      learner: 'LEARNER',
      'learner behind an account': 'LEARNER',
      anonymous: 'VISITOR',
    }
    // Only sites of the plugin say who the caller is. The gateway asks them when no user is named.
    const seen = roles[role] ?? (IS_PLUGIN ? 'OWN_READ' : 'UNKNOWN')
    return {
      role: seen,
      sendsEnrolments: isKnown,
      enrolments: IS_NEWEST && !isKnown ? 'DATED' : 'NOT_SENT',
      knowsOrder: isKnown || IS_NEWEST || !IS_PLUGIN,
      knowsPrerequisites: isKnown || !IS_PLUGIN || names === TOLD,
      knowsZone: true,
      sendsMoments: false,
      steps: !readsCourse ? 'REFUSED' : IS_PLUGIN || isKnown ? 'LIST' : 'NOT_SENT',
      course: readable,
      // The order does not matter before the learner is known, and is not read.
      order: seen === 'UNKNOWN' ? 'REFUSED' : readable,
      progress: 'READ',
      prerequisites: isByAccount ? 'PUBLISHED' : readable,
      earnedPoints: readable,
      hidesStatus: false,
      hidesCourseStatus: false,
      hidesProgressStatus: false,
      sendsStepCount: true,
      countsLate: false,
    }
  }

  it('is what the rules make of all that the caller may read', () => {
    expect(
      wrongs(({ access, truth, role }) => {
        const expected = expectedAccess(factsOf(truth, viewOf(role, truth)))
        const unknowns = access.unknowns.map(({ rule, missing }) => `${rule} ${missing}`)
        const kinds = [access.reasons.map((reason) => reason.__typename), expected.reasons.map(({ kind }) => kind)].map(String)
        const isSame =
          expected.unknowns.length === unknowns.length &&
          expected.unknowns.every(({ rule, missing }, place) => missing.some((fact) => `${rule} ${fact}` === unknowns[place]))
        return [
          ...(access.state === expected.state ? [] : [`${access.state}, not ${expected.state}`]),
          ...(access.enrolment === expected.enrolment ? [] : [`${access.enrolment}, not ${expected.enrolment}`]),
          ...(kinds[0] === kinds[1] ? [] : [`reasons ${kinds[0]}, not ${kinds[1]}`]),
          ...(isSame ? [] : [`unknowns ${unknowns}, not ${JSON.stringify(expected.unknowns)}`]),
          ...(instant(access.availableAt) === expected.availableAt
            ? []
            : [`availableAt ${access.availableAt}, not ${expected.availableAt}`]),
          ...(instant(access.expiresAt) === expected.expiresAt ? [] : [`expiresAt ${access.expiresAt}, not ${expected.expiresAt}`]),
        ]
      }),
    ).toEqual([])
  })

  it('is decided for most', () => {
    const of = (role: string): Answered[] => answers.filter((one) => one.role === role)
    const rows = ROLES.map(({ name: role }) => {
      const states = tally(of(role).map(({ access }) => access.state))
      const { AVAILABLE: available = 0, LOCKED: locked = 0, UNKNOWN: unknown = 0 } = states
      const decided = (available + locked) / Math.max(1, of(role).length)
      return { role, refused: refused[role] ?? 0, available, locked, unknown, decided }
    })
    const [administrator] = rows as [(typeof rows)[number]]
    const reasons = tally(of('administrator').flatMap(({ access }) => access.reasons.map((reason) => reason.__typename as string)))
    const open = of('administrator').filter(({ access }) => access.state === 'UNKNOWN')
    const missing = tally(open.flatMap(({ access }) => access.unknowns.map((one) => one.missing)))
    console.log(`Access on ${name}`)
    console.table(rows.map((found) => ({ ...found, decided: `${(100 * found.decided).toFixed(1)} %` })))
    console.table([reasons, missing].flatMap((counts) => Object.entries(counts).map(([what, cases]) => ({ administrator: what, cases }))))

    // Each course, its lessons below it, and its lessons by themselves.
    expect(of('administrator').length).toBe(USERS.length * PLANS.length * (1 + 2 * LESSONS))
    expect(Object.keys(missing).filter((fact) => !NOT_SENT.includes(fact))).toEqual([])
    for (const state of ['available', 'locked', 'unknown'] as const) expect(administrator[state], state).toBeGreaterThanOrEqual(60)
    for (const kind of isKnown ? ALL_REASONS : UNDATED_REASONS) expect(reasons[kind], kind).toBeGreaterThanOrEqual(10)
    const account = rows.find((found) => found.role === 'learner behind an account') as (typeof rows)[number]
    const least = isKnown || names === TOLD ? 0.95 : 0.8
    expect([administrator.decided >= least, account.decided >= least]).toEqual([true, true])
    // The table of docs/access.md. Shares change by some cases with the date, because courses and lessons start and end.
    const documented = DOCUMENTED.split('\n').find((line) => line.startsWith(`| ${row} |`)) ?? ''
    const [ofAdministrator, ofAccount, ofLearner, ofAnonymous = ''] = documented
      .split('|')
      .slice(2)
      .map((cell) => cell.trim())
    const isNear = (role: string, share = ''): boolean =>
      Math.abs(Number.parseFloat(share) - 100 * (rows.find((found) => found.role === role)?.decided ?? 0)) <= 2
    expect(isNear('learner behind an account', ofAccount), documented).toBe(true)
    expect(isNear('administrator', ofAdministrator), documented).toBe(true)
    expect(isNear('learner', ofLearner), documented).toBe(true)
    if (IS_PLUGIN) expect(ofAnonymous).toBe('courses and lessons cannot be read')
    else expect(isNear('anonymous', ofAnonymous), documented).toBe(true)
  })
})
