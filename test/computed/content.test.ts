import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { AccessSchool, USERS, ZONE } from '../integration/access-school.js'
import { truthOf } from '../rules/oracle.js'
import { AUDIENCE, ISSUER } from '../server/issuer.js'
import { globalId } from '../support/global-id.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { CANDID, SOAK, World } from '../support/world.js'

const SECRET = 'a shared secret of more than 32 bytes'
const [ADMIN_KEY, EDITOR_KEY] = ['some-key-0123456789', 'desk-key-0123456789']

type Headers = Readonly<Record<string, string>>

const tokenOf = async (user: number): Promise<Headers> => ({
  authorization: `Bearer ${await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: String(user) })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET))}`,
})

/** The callers whose content is withheld: users by their ids, and null for a visitor. */
const headersOf = async (user: number | null): Promise<Headers> => (user === null ? {} : tokenOf(user))

const SERVICE = merged(CANDID, {
  site: { user: 'admin', password: 'admin-demo' },
  access: {
    apiKeys: [ADMIN_KEY, `desk:${EDITOR_KEY}`],
    roles: ['editor=key:desk'],
    open: true,
    jwtKey: SECRET,
    jwtIssuer: ISSUER,
    jwtAudience: AUDIENCE,
  },
  observe: { explainFor: ['everybody'] },
  limits: { maxCalls: 10_000, maxAliases: 100_000, maxTokens: 1_000_000 },
  tuning: { limits: { maxSelections: 100_000, maxErrors: 10_000 } },
})

const PLUGIN = { ...PRESETS.learndash, unusableColumns: ['Question.quizId'], timeZone: ZONE } as const
const { routes } = PRESETS.learndash

/** Kinds of site, and their rows in docs/access.md. */
const SITES = {
  lms: { names: { ...PRESETS.lms, timeZone: ZONE }, row: 'as specified (`lms`)' },
  learndash: { names: PLUGIN, row: 'LearnDash 4' },
  'learndash-5': {
    names: { ...PLUGIN, routes: [...routes!, 'users/courses', 'sfwd-topic', 'sfwd-courses/steps'], openProgression: 'enforced' },
    row: 'LearnDash 5',
  },
} as const
type Profile = keyof typeof SITES

const [LEARNER, NEWCOMER] = USERS as [number, number]

/** The ways to lessons are tried in one of so many courses; in all of them in a long run. */
const WAYS_EVERY = SOAK ? 1 : 3

/** A closed course with exactly a hundred lessons, in which the learner has completed half of them. */
const HUNDRED = SAMPLES.longCourse

/** A school whose lessons have a mark in each text that can be withheld. */
class MarkedSchool {
  private constructor(
    readonly profile: Profile,
    readonly access: AccessSchool,
    readonly data: string,
    private readonly folder: string,
  ) {}

  static async make(profile: Profile): Promise<MarkedSchool> {
    const folder = mkdtempSync(join(tmpdir(), 'content-'))
    const data = join(folder, 'school.sqlite')
    const access = await AccessSchool.make(data, {
      openProgression: profile === 'learndash-5' ? 'enforced' : 'ignored',
      sendsCourseDates: profile === 'learndash-5',
      releasesAtNoon: profile !== 'lms',
    })
    const db = new Database(data)
    db.exec(`UPDATE lessons SET content = '<p>qxtext' || id || '</p>', materials = 'qxmaterial' || id, video_url = 'qxvideo' || id`)
    db.exec(`DELETE FROM course_steps WHERE course = ${HUNDRED} AND step NOT IN (
      SELECT step FROM course_steps WHERE course = ${HUNDRED} AND kind = 'lesson' ORDER BY position LIMIT 100)`)
    db.exec(`UPDATE courses SET price_type = 'closed', progression_disabled = 0, prerequisite_enabled = 0, points_enabled = 0,
      expire_access = 0, status = 'publish', password = '', start_date = NULL, end_date = NULL WHERE id = ${HUNDRED}`)
    db.exec(`UPDATE lessons SET status = 'publish', password = '', is_sample = 0, visible_after = 0, visible_type = '',
      visible_after_specific_date = '' WHERE id IN (SELECT step FROM course_steps WHERE course = ${HUNDRED})`)
    db.exec(`DELETE FROM progress WHERE course = ${HUNDRED}`)
    db.exec(`INSERT INTO progress (user, course, status, steps_completed, steps_total, last_step, date_started, enrolled_at)
      SELECT ${LEARNER}, ${HUNDRED}, 'in_progress', 50, 100, step, '2026-01-02T03:04:05', 1760000000 FROM course_steps
      WHERE course = ${HUNDRED} ORDER BY position LIMIT 1 OFFSET 49`)
    db.close()
    return new MarkedSchool(profile, access, data, folder)
  }

  start(options: TunedOptions = {}, names: object = {}): Promise<World> {
    const { profile, data } = this
    return World.start(merged(SERVICE, options), { profile, data }, { ...SITES[profile].names, ...names })
  }

  /** The topics of lessons. */
  topics(): Map<number, number> {
    const db = new Database(this.data)
    const rows = db.prepare(`SELECT step, lesson FROM course_steps WHERE kind = 'topic'`).all() as { step: number; lesson: number }[]
    db.close()
    return new Map(rows.map(({ step, lesson }) => [step, lesson]))
  }

  close(): void {
    rmSync(this.folder, { recursive: true })
  }
}

/** The lessons whose texts a text of JSON has, also by their topics. */
function lessonsIn(text: string, topics: ReadonlyMap<number, number>): Set<number> {
  const own = text.matchAll(/qx(?:text|material|video)(\d+)/g)
  const ofTopics = text.matchAll(/Worksheet (\d+)|qxvideotopic-(\d+)/g)
  return new Set([
    ...Array.from(own, ([, id]) => Number(id)),
    ...Array.from(ofTopics, ([, id, video]) => topics.get(Number(id ?? video)) as number),
  ])
}

const percent = (part: number, whole: number): string => `${Math.floor((100 * part) / whole)} %`
const page = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8')

interface Tally {
  asked: number
  decided: number
  open: number
  shown: number
}

describe.each(Object.keys(SITES) as Profile[])('content of lessons behind a service account, in front of %s', (profile) => {
  let school: MarkedSchool
  let world: World
  let topics: Map<number, number>
  beforeAll(async () => {
    school = await MarkedSchool.make(profile)
    world = await school.start()
    topics = school.topics()
  })
  afterAll(async () => {
    await world.close()
    school.close()
  })

  const TEXTS = 'content materials videoUrl'
  const ofCourse = (id: number, fields = TEXTS): string => `course(id: ${id}) { lessons(first: 100) { nodes { databaseId ${fields} } } }`

  /** The lessons that a caller gets by the lists of their courses. */
  async function openTo(user: number | null): Promise<Set<number>> {
    const fields = school.access.courses.map(({ id }) => `c${id}: ${ofCourse(id)}`)
    const { data } = await world.query(`{ ${fields.join(' ')} }`, { headers: await headersOf(user) })
    return lessonsIn(JSON.stringify(data), topics)
  }

  it('is shown to those who may open it, and samples to everybody', async () => {
    const tallies: Record<'learner' | 'visitor', Tally> = {
      learner: { asked: 0, decided: 0, open: 0, shown: 0 },
      visitor: { asked: 0, decided: 0, open: 0, shown: 0 },
    }
    for (const user of [...USERS, null]) {
      const tally = tallies[user === null ? 'visitor' : 'learner']
      const headers = await headersOf(user)
      for (const [index, { id, plan }] of school.access.courses.entries()) {
        const asked = ofCourse(
          id,
          `${TEXTS} isSample contentProtected access(course: ${id}) { state reasons { __typename } unknowns { missing } }`,
        )
        const { data, errors } = await world.query(`{ ${asked} }`, { headers })
        if (data.course === null) {
          expect(['draft', 'private']).toContain(plan.course?.status)
          continue
        }
        for (const [place, node] of data.course.lessons.nodes.entries()) {
          const { databaseId, access, isSample, contentProtected, ...texts } = node
          const { isAdmitted } = truthOf(school.access.world(index, databaseId, user ?? LEARNER), user === null ? 'VISITOR' : 'LEARNER')
          const isOpenSample = isSample && !contentProtected
          const isShown = texts.content !== null
          const where = `${plan.what}, lesson ${databaseId}, user ${user}`
          expect([where, texts.materials !== null, texts.videoUrl !== null]).toEqual([where, isShown, isShown])
          expect([where, isShown]).toEqual([where, isShown && (isAdmitted || isOpenSample)])
          if (isOpenSample) expect([where, isShown]).toEqual([where, true])
          else if (access.state === 'LOCKED') expect([where, isShown]).toEqual([where, false])
          const refused = errors.filter(({ path }) => path?.[3] === place)
          expect([where, refused.length]).toEqual([where, isShown ? 0 : 3])
          for (const { message, extensions, path } of refused) {
            expect([where, path?.[4], extensions.code]).toEqual([where, path?.[4], 'FORBIDDEN'])
            expect(extensions.reasons.length + extensions.unknowns.length).toBeGreaterThan(0)
            expect(message).toMatch(/^(This is not open for you|It is not known whether this is open for you)/)
            const kinds = access.reasons.map(({ __typename: kind }: { __typename: string }) => kind)
            if (access.state === 'LOCKED')
              expect([where, extensions.reasons, extensions.unknowns]).toEqual([where, kinds, extensions.unknowns])
          }
          tally.asked++
          tally.decided += access.state === 'UNKNOWN' ? 0 : 1
          tally.open += isAdmitted ? 1 : 0
          tally.shown += isAdmitted && isShown ? 1 : 0
        }
      }
    }
    console.table(tallies)
    const cells = Object.values(tallies).flatMap(({ asked, decided, open, shown }) => [percent(decided, asked), percent(shown, open)])
    const row = `| ${SITES[profile].row} | ${cells.join(' | ')} |`
    expect([row, page.includes(row)]).toEqual([row, true])
  })

  /** Ways to lessons of a course, and to their topics: each with the texts of the lessons in it. */
  function waysTo(course: number, lessons: readonly number[]): Record<string, string> {
    const own = lessons.map((id) => globalId('Lesson', id))
    const below = [...topics].filter(([, lesson]) => lessons.includes(lesson)).map(([id]) => globalId('Topic', id))
    const of = (field: (id: number, index: number) => string): string =>
      lessons.map((id, index) => `l${index}: ${field(id, index)}`).join(' ')
    const nodes = (ids: readonly string[], type: string): string =>
      `nodes(ids: ${JSON.stringify(ids)}) { ... on LmsContent { content } ... on ${type} { materials videoUrl again: content } }`
    return {
      'the list below the course': ofCourse(course),
      'a list of the course': `lessons(first: 100, where: { course: ${course} }) { nodes { ${TEXTS} } edges { node { other: content } } }`,
      'a list of ids': `lessons(first: 100, where: { course: ${course}, id: { in: [${lessons}] } }) { nodes { ${TEXTS} } }`,
      'ids alone': of((id) => `lesson(id: ${id}) { ${TEXTS} }`),
      'ids with the course': of((id) => `lesson(id: ${id}, course: ${course}) { ${TEXTS} }`),
      'ids with another course': of((id) => `lesson(id: ${id}, course: ${school.access.courses[6]!.id}) { ${TEXTS} }`),
      'global ids': nodes(own, 'Lesson'),
      'a global id': own.map((id, index) => `n${index}: node(id: "${id}") { ... on Lesson { ${TEXTS} } }`).join(' '),
      'the next lesson': `course(id: ${course}) { progress { nextLesson { ${TEXTS} } } }`,
      'the lesson before': ofCourse(
        course,
        `access(course: ${course}) { reasons { ... on PreviousLessonIncomplete { lesson { ${TEXTS} } } } }`,
      ),
      'the courses under way': `viewer { nextLessons { lesson { ${TEXTS} } } }`,
      'another type around': of((id) => `lesson(id: ${id}) { course { lessons(first: 100) { nodes { ${TEXTS} } } } }`),
      ...(profile === 'learndash-5' && {
        topics: ofCourse(course, `topics(first: 50, course: ${course}) { nodes { ${TEXTS} lesson { ${TEXTS} } } }`),
        'global ids of topics': nodes(below, 'Topic'),
        outline: `course(id: ${course}) { outline { sections { lessons { lesson { ${TEXTS} } topics { topic { ${TEXTS} } } } } } }`,
        steps: `course(id: ${course}) { progress { steps { step { content ... on Lesson { materials } ... on Topic { videoUrl } } } nextStep { step { content } } } }`,
      }),
    }
  }

  it.each([LEARNER, NEWCOMER, USERS[3]!, null])('is the same by every other way, for user %s', async (user) => {
    const open = await openTo(user)
    const headers = await headersOf(user)
    const found: Record<string, number> = {}
    for (const { id, lessons } of school.access.courses.filter((_, index) => index % WAYS_EVERY === 0)) {
      for (const [way, fields] of Object.entries(waysTo(id, lessons))) {
        const response = await world.gateway.post({ query: `{ ${fields} }`, extensions: { explain: 'run' } }, headers)
        const text = await response.text()
        expect([way, text.includes('GRAPHQL_VALIDATION_FAILED')]).toEqual([way, false])
        const shown = [...lessonsIn(text, topics)]
        const leaks = shown.filter((lesson) => lessons.includes(lesson) && !open.has(lesson))
        expect([way, leaks, leaks.length > 0 ? text : '']).toEqual([way, [], ''])
        found[way] = (found[way] ?? 0) + shown.length
        // The list of the course, and what confirms that a lesson is in it, show no less.
        if (['a list of the course', 'a list of ids', 'ids with the course', 'outline'].includes(way))
          expect([way, id, shown.sort()]).toEqual([way, id, lessons.filter((lesson) => open.has(lesson)).sort()])
      }
    }
    console.log(profile, user, JSON.stringify(found))
    if (profile === 'learndash-5' && user !== null)
      for (const way of ['topics', 'outline', 'steps']) expect(found[way], way).toBeGreaterThan(0)
  })
})
