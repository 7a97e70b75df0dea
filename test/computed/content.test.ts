import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES, startLms } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { AccessSchool, USERS, ZONE } from '../integration/access-school.js'
import { truthOf } from '../rules/oracle.js'
import { AUDIENCE, ISSUER } from '../server/issuer.js'
import { Executors } from '../support/executors.js'
import { globalId } from '../support/global-id.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { startRecordingProxy } from '../support/recording-proxy.js'
import { serve } from '../support/served.js'
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

/** The place of the course that is open, without an order of its lessons. */
const OPEN = 7

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
      'ids with another course': of((id) => `lesson(id: ${id}, course: ${school.access.courses[OPEN]!.id}) { ${TEXTS} }`),
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

  it.each(SOAK ? [...USERS, null] : [LEARNER, null])('is the same by every other way, for user %s', async (user) => {
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
    if (profile === 'learndash-5' && user !== null)
      for (const way of ['topics', 'outline', 'steps']) expect(found[way], way).toBeGreaterThan(0)
  })

  /** Runs an operation and returns its numbers of REST calls: those that it made, and those that were predicted. */
  async function costOf(query: string, headers: Headers, on = world) {
    on.calls.length = 0
    const response = await on.gateway.post({ query, extensions: { explain: 'run' } }, headers)
    const { data, errors = [], extensions } = (await response.json()) as any
    return {
      data,
      errors,
      made: on.calls.length,
      predicted: extensions.explain.predicted as { min: number; expected: number; max: number },
    }
  }

  const titles = `{ ${ofCourse(HUNDRED, 'title')} }`
  const texts = `{ ${ofCourse(HUNDRED, `title ${TEXTS}`)} }`

  it('of a hundred lessons costs a learner at most three calls more than their titles, as predicted', async () => {
    const headers = await tokenOf(LEARNER)
    // A gateway that has seen nothing, and one that has seen courses of other kinds.
    const fresh = await school.start()
    await openTo(LEARNER)
    for (const on of [fresh, fresh, world]) {
      const [before, after] = [await costOf(titles, headers, on), await costOf(texts, headers, on)]
      const lessons = after.data.course.lessons.nodes
      expect(lessons).toHaveLength(100)
      // Half of the lessons are completed. Versions differ in whether a completed lesson stays open, but all before the first incomplete one do.
      if (profile !== 'lms')
        expect(lessons.map(({ content }: { content: string | null }) => content !== null)).toEqual(
          lessons.map((_: unknown, place: number) => place <= 50),
        )
      expect(after.made - before.made).toBeLessThanOrEqual(3)
      expect(after.made).toBeGreaterThanOrEqual(after.predicted.min)
      expect(after.made).toBeLessThanOrEqual(after.predicted.max)
      expect(after.predicted.expected - before.predicted.expected).toBeLessThanOrEqual(3)
    }
    await fresh.close()
  })

  // Other sites have no list of topics.
  it.runIf(profile === 'learndash-5')(
    'of topics costs a learner few calls more than their titles, as predicted, below the default limit',
    async () => {
      const headers = await tokenOf(LEARNER)
      for (const id of [HUNDRED, school.access.courses[0]!.id]) {
        const ofTopics = (fields: string): string =>
          `{ ${ofCourse(id, `topics(first: 50, course: ${id}) { nodes { title ${fields} lesson { title ${fields} } } }`)} }`
        const [one, other] = await Promise.all([1, 2].map(() => school.start({ limits: { maxCalls: 300 } })))
        const [before, after] = [await costOf(ofTopics(''), headers, one), await costOf(ofTopics(TEXTS), headers, other)]
        expect(after.data.course.lessons.nodes.length).toBeGreaterThan(0)
        expect([id, after.made - before.made <= 3, after.predicted.expected - before.predicted.expected]).toEqual([
          id,
          true,
          expect.toSatisfy((more: number) => more <= 10),
        ])
        await Promise.all([one!.close(), other!.close()])
      }
    },
  )

  it('costs a visitor, an editor, an administrator, and callers with credentials of their own no call more', async () => {
    const own = await World.start(
      merged(CANDID, { observe: { explainFor: ['everybody'] } }),
      { profile, data: school.data },
      SITES[profile].names,
    )
    const callers: [string, Headers, World][] = [
      ['a visitor', {}, world],
      ['an editor', { 'x-api-key': EDITOR_KEY }, world],
      ['an administrator', { 'x-api-key': ADMIN_KEY }, world],
      ['an administrator of the site', { authorization: `Basic ${btoa('admin:admin-demo')}` }, own],
    ]
    for (const [who, headers, on] of callers) {
      const [before, after] = [await costOf(titles, headers, on), await costOf(texts, headers, on)]
      expect([who, after.made]).toEqual([who, before.made])
      if (who !== 'a visitor') expect([who, after.predicted]).toEqual([who, before.predicted])
      const shown = lessonsIn(JSON.stringify(after.data), topics).size
      expect([who, shown, after.errors.length]).toEqual([who, who === 'a visitor' ? 0 : 100, who === 'a visitor' ? 300 : 0])
    }
    await own.close()
  })

  it('is withheld whatever the cache holds', async () => {
    const cached = await school.start({ cache: { maxAge: 60, forCallers: 60 } })
    const seen = async (headers: Headers) => lessonsIn(JSON.stringify((await cached.query(texts, { headers })).data), topics).size
    const learner = await tokenOf(LEARNER)
    const admin = { 'x-api-key': ADMIN_KEY }
    // Documents and their plans are kept from the second run on.
    const ofAll = [await seen(admin), await seen(admin), await seen(admin)]
    const ofLearner = await seen(learner)
    expect(ofAll).toEqual([100, 100, 100])
    expect(ofLearner).toBeGreaterThan(0)
    expect(ofLearner).toBeLessThan(100)
    expect([await seen({}), await seen(await tokenOf(NEWCOMER)), await seen(learner), await seen({})]).toEqual([0, 0, ofLearner, 0])
    expect(await seen(admin)).toBe(100)
    await cached.close()
  })

  it('that is not decided is shown where the setting says so', async () => {
    const lenient = await school.start({ access: { undecidedContent: 'shown' } })
    for (const user of [LEARNER, null]) {
      const headers = await headersOf(user)
      for (const { id } of school.access.courses) {
        const { data } = await lenient.query(`{ ${ofCourse(id, `content access(course: ${id}) { state } isSample contentProtected`)} }`, {
          headers,
        })
        for (const { content, access, isSample, contentProtected } of data.course?.lessons.nodes ?? [])
          if (!isSample || contentProtected) expect([access.state, content !== null]).toEqual([access.state, access.state !== 'LOCKED'])
      }
    }
    await lenient.close()
  })

  it('is withheld from entities of a subgraph, and from parts of a response', async () => {
    const subgraph = await school.start({ subgraph: { enabled: true } })
    for (const user of [LEARNER, null]) {
      const [open, headers] = [await openTo(user), await headersOf(user)]
      for (const { id, lessons } of school.access.courses.filter((_, index) => index % 4 === 0)) {
        const entities = lessons.map((lesson) => ({ __typename: 'Lesson', databaseId: lesson }))
        const query = `query ($entities: [_Any!]!) { _entities(representations: $entities) { ... on Lesson { ${TEXTS} } } }`
        const response = await (await subgraph.gateway.post({ query, variables: { entities } }, headers)).text()
        expect(response).toContain('_entities')
        const parts = `{ course(id: ${id}) { lessons(first: 100) { nodes @stream(initialCount: 1) { databaseId ... @defer { ${TEXTS} } } } ... @defer { again: lessons(first: 50) { nodes { ${TEXTS} } } } } }`
        const streamed = await (await world.gateway.post({ query: parts }, { ...headers, accept: 'multipart/mixed' })).text()
        expect(streamed).toContain('hasNext')
        const late = lessonsIn(streamed, topics)
        expect([...late].filter((lesson) => !open.has(lesson))).toEqual([])
        expect([...late].sort()).toEqual(lessons.filter((lesson) => open.has(lesson)).sort())
        expect([...lessonsIn(response, topics)].filter((lesson) => !open.has(lesson))).toEqual([])
      }
    }
    await subgraph.close()
  })

  it('needs the right password and all that access needs, where a lesson has a password', async () => {
    const index = school.access.courses.findIndex(({ plan }) => plan.what === 'lessons with a password')
    const { id, lessons } = school.access.courses[index]!
    const first = lessons[0]!
    const seen = async (args: string, user: number | null) => {
      const { data } = await world.query(`{ lesson(id: ${first}${args}) { ${TEXTS} } }`, { headers: await headersOf(user) })
      return lessonsIn(JSON.stringify(data), topics).size
    }
    const enrolled = USERS.find((user) => school.access.world(index, first, user).learner.enrolledAt !== null)!
    const outside = USERS.find((user) => school.access.world(index, first, user).learner.enrolledAt === null)!
    expect([await seen('', enrolled), await seen(', password: "wrong"', enrolled), await seen(`, course: ${id}`, enrolled)]).toEqual([
      0, 0, 0,
    ])
    const right = `, password: "${SAMPLES.password}"`
    expect([await seen(right, outside), await seen(right, null)]).toEqual([0, 0])
    if (profile === 'lms') expect(await seen(right, enrolled)).toBe(1)
  })

  it('is not found by searches, which find titles alone, exactly', async () => {
    const db = new Database(school.data)
    const { id, lessons } = school.access.courses[0]!
    const [a, b, c, d] = lessons as [number, number, number, number]
    const rename = db.prepare('UPDATE lessons SET title = ?, title_folded = lower(?) WHERE id = ?')
    for (const [lesson, title] of [
      [a, 'Plain words'],
      [b, 'Words of wisdom'],
      [c, 'Other matters'],
      [d, 'Ümläut wörds'],
    ] as const)
      rename.run(title, title, lesson)
    db.prepare("UPDATE lessons SET content = content || ' words qxsecret', content_folded = NULL WHERE id IN (?, ?)").run(a, c)
    db.close()
    const found = async (search: string, headers: Headers, more = '') => {
      const list = `lessons(first: 100, where: { search: "${search}", course: ${id} }${more}) { totalCount pageInfo { hasNextPage } nodes { databaseId } }`
      const { data, errors } = await world.query(`{ ${list} course(id: ${id}) { ${list.replace(`, course: ${id}`, '')} } }`, { headers })
      expect(errors).toEqual([])
      expect(data.course.lessons).toEqual(data.lessons)
      return data.lessons.nodes.map(({ databaseId }: { databaseId: number }) => databaseId)
    }
    const sorted = (...ids: number[]): number[] => ids.sort()
    for (const user of [LEARNER, null]) {
      const headers = await headersOf(user)
      expect((await found('words', headers)).sort()).toEqual(sorted(a, b))
      expect(await found('qxsecret', headers)).toEqual([])
      expect(await found('qxtext', headers)).toEqual([])
      expect(await found('words qxsecret', headers)).toEqual([])
      // Sites leave out what has a word with a hyphen before it: this must not tell the words of a text.
      expect(await found('words -qxsecret', headers)).toEqual([])
      expect(world.calls.filter(({ path }) => decodeURIComponent(path).includes('-qxsecret'))).toEqual([])
      // The order and the places of rows must not tell them either.
      const byRelevance = ', orderBy: { field: RELEVANCE }'
      const order = await found('words', headers, byRelevance)
      const places = await Promise.all(
        [0, 1, 2].map(async (offset) => {
          const { data } = await world.query(
            `{ lessons(first: 1, offset: ${offset}, where: { search: "words", course: ${id} }) { pageInfo { hasNextPage } nodes { databaseId } } }`,
            { headers },
          )
          return [data.lessons.nodes.length, data.lessons.pageInfo.hasNextPage]
        }),
      )
      expect(order).toHaveLength(2)
      expect(places).toEqual([
        [1, true],
        [1, false],
        [0, false],
      ])
    }
    expect((await found('qxsecret', { 'x-api-key': ADMIN_KEY })).sort()).toEqual(sorted(a, c))
  })
})

describe('searches that the gateway filters', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start(merged(SERVICE, { limits: { maxRows: 100 } }), { profile: 'lms' }, SITES.lms.names)
  })
  afterAll(() => world.close())
  const search = (list: string, words: string, headers: Headers = {}) =>
    world.query(`{ ${list}(first: 1, where: { search: "${words}" }) { totalCount nodes { databaseId title } } }`, { headers })

  it.each([LEARNER, null])('find no lesson without a letter or a digit, and make no call for it, for user %s', async (user) => {
    const headers = await headersOf(user)
    expect(await search('lessons', '!!', headers)).toMatchObject({ errors: [], calls: [], data: { lessons: { totalCount: 0, nodes: [] } } })
    const explained = await world.gateway.post(
      { query: '{ lessons(where: { search: "-" }) { nodes { id } } }', extensions: { explain: 'plan' } },
      headers,
    )
    expect((await explained.json()).extensions.explain.predicted).toMatchObject({ min: 0, expected: 0 })
  })

  it('say what to do when they find more records than the gateway filters', async () => {
    const { data, errors } = await search('lessons', 'e')
    expect(data.lessons).toBe(null)
    expect(errors.map(({ extensions, message }) => [extensions.code, message])).toEqual([
      [
        'BAD_USER_INPUT',
        'The gateway filters what this search finds, and it finds more than 100 records. Search for more words, or for a longer text.',
      ],
    ])
    const { title } = (await search('lessons', 'e', { 'x-api-key': ADMIN_KEY })).data.lessons.nodes[0]
    expect((await search('lessons', title)).data.lessons.totalCount).toBeGreaterThan(0)
  })
})

it('content needs a course whose list has the lesson, on a site that does not look at the course of a single lesson', async () => {
  const school = await MarkedSchool.make('learndash')
  const lms = await startLms({ profile: 'learndash', data: school.data })
  const ignored = (path: string): string => path.replace(/(sfwd-lessons\/\d+\?.*?)&course=\d+/, '$1')
  const proxy = await startRecordingProxy(new URL(lms.url).origin, ignored)
  const url = proxy.url + new URL(lms.url).pathname
  const gateway = await serve(merged(SERVICE, { site: { url }, tuning: { site: defineSite(url, SITES.learndash.names) } }))
  const [closed, open] = [school.access.courses[0]!, school.access.courses[OPEN]!]
  const seen = async (lesson: number, course: number) => {
    const response = await gateway.post({ query: `{ lesson(id: ${lesson}, course: ${course}) { title content } }` })
    const { data } = (await response.json()) as any
    expect(data.lesson.title).not.toBe('')
    return data.lesson.content
  }
  expect(await seen(open.lessons[2]!, open.id)).toContain(`qxtext${open.lessons[2]}`)
  expect([await seen(closed.lessons[0]!, open.id), await seen(closed.lessons[0]!, closed.id)]).toEqual([null, null])
  await gateway.close()
  await proxy.close()
  await lms.close()
  school.close()
})

describe('content of lessons without a plan, and without a response writer', () => {
  it.each([
    { role: 'learner', viewer: 3 },
    { role: 'visitor', viewer: null },
  ] as const)('is the same for a $role', async (role) => {
    const lms = await startLms({ profile: 'lms' })
    const executors = new Executors(lms.url)
    const [open, closed] = [10_016, 10_061]
    const queries = [
      `{ a: course(id: ${open}) { lessons { nodes { content } } } b: course(id: ${closed}) { lessons { nodes { content materials } } } }`,
      '{ lesson(id: 100556) { content again: content videoUrl } other: lesson(id: 100561) { content } }',
      `{ nodes(ids: ["${globalId('Lesson', 100_555)}", "${globalId('Lesson', 100_557)}"]) { ... on LmsContent { content } } }`,
    ]
    let [shown, refused] = [0, 0]
    for (const query of queries) {
      const [compiled, ordinary, alone] = await Promise.all(
        (['compiled', 'ordinary', 'alone'] as const).map((way) => executors.run(way, { query, caller: 'admin', role })),
      )
      expect([ordinary!.data, alone!.data]).toEqual([compiled!.data, compiled!.data])
      expect(alone!.errors.map((error) => JSON.stringify(error)).sort()).toEqual(
        compiled!.errors.map((error) => JSON.stringify(error)).sort(),
      )
      refused += compiled!.errors.length
      shown += [...compiled!.text.matchAll(/"(content|materials|again)":"/g)].length
    }
    expect([shown > 0, refused > 0]).toEqual([true, true])
    await executors.close()
    await lms.close()
  })
})

describe('content of lessons on a site that drops filters', () => {
  it('is withheld when the argument `course` and the id of the lesson have nothing in common', async () => {
    const lms = await startLms({ profile: 'learndash-5' })
    // An open course, one of its lessons, which is no sample, and a lesson that is not in it.
    const [open, own, other] = [10_034, 100_352, 100_161]
    const proxy = await startRecordingProxy(new URL(lms.url).origin, (path) =>
      path.includes(`include=${other}`) ? path.replace(/&(course|include)=\d+/g, '') : path,
    )
    const gateway = await serve(merged(SERVICE, { tuning: { site: defineSite(`${proxy.url}/wp-json`, SITES['learndash-5'].names) } }))
    const content = async (lesson: number): Promise<string | null> => {
      const query = `{ lesson(id: ${lesson}, course: ${open}) { content } }`
      return (await (await gateway.post({ query })).json()).data.lesson?.content ?? null
    }
    expect(await content(own)).toContain('<p>')
    expect(await content(other)).toBe(null)
    const dropped = proxy.calls.find(({ path }) => path.includes(`course=${open}&include=${other}`))
    expect(dropped?.text).toContain(`"id":${other}`)
    await gateway.close()
    await proxy.close()
    await lms.close()
  })

  it('is withheld when the list of a course shows the lessons of another course', async () => {
    const lms = await startLms({ profile: 'lms' })
    const [open, own] = [10_034, 100_352]
    const proxy = await startRecordingProxy(new URL(lms.url).origin, (path) =>
      path.includes('sfwd-lessons?') ? path.replace(`&course=${open}`, '') : path,
    )
    const gateway = await serve(merged(SERVICE, { tuning: { site: defineSite(`${proxy.url}/wp-json`, SITES.lms.names) } }))
    const query = `{ own: lesson(id: ${own}) { content } course(id: ${open}) { lessons(first: 100) { nodes { courseId isSample content } } } }`
    const { data } = await (await gateway.post({ query })).json()
    expect(data.own.content).toContain('<p>')
    const shown = data.course.lessons.nodes.filter(({ content, isSample }: any) => content !== null && !isSample)
    const courses = new Set(data.course.lessons.nodes.map(({ courseId }: any) => courseId))
    expect(courses.size).toBeGreaterThan(10)
    expect(shown.filter(({ courseId }: any) => courseId !== null && courseId !== open)).toEqual([])
    await gateway.close()
    await proxy.close()
    await lms.close()
  })
})
