import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { globalId } from '../support/global-id.js'
import { SECRET, signed } from '../support/hooks.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, type Login, World } from '../support/world.js'

const ROUTES = ['users', 'users/course-progress/steps', 'sfwd-courses/steps', 'sfwd-topic'] as const
const LMS: SiteNames = { ...PRESETS.lms, routes: ROUTES }
const LEARNDASH: SiteNames = { ...PRESETS.learndash, routes: ROUTES }

const worlds: World[] = []
async function start(profile: 'lms' | 'learndash' | 'learndash-5', names: SiteNames): Promise<World> {
  const world = await World.start({ observe: { explainFor: ['everybody'] } }, { profile }, names)
  worlds.push(world)
  return world
}
afterAll(() => Promise.all(worlds.map((world) => world.close())))

const QUIZZES = 'quizzes { databaseId title }'
const OUTLINE = `{
  missing
  sections { title lessons { lessonId lesson { databaseId title } topics { topicId topic { databaseId title } ${QUIZZES} } ${QUIZZES} } }
  ${QUIZZES}
}`

const outlineOf = async (world: World, course: number, as: Login = 'admin', fields = OUTLINE) => {
  const { data, errors, calls } = await world.query(`{ course(id: ${course}) { outline ${fields} } }`, { as })
  return { outline: data.course?.outline, errors, calls: calls.map(decodeURIComponent) }
}

/** The ids of an outline, in the order in which it shows them. */
const idsIn = ({ sections, quizzes }: any): (number | undefined)[] => {
  const ids = (shown: any[]): (number | undefined)[] => shown.map((quiz) => quiz?.databaseId)
  return [
    ...sections.flatMap((section: any) =>
      section.lessons.flatMap(({ lessonId, topics, quizzes: own }: any) => [
        lessonId,
        ...topics.flatMap(({ topicId, quizzes: below }: any) => [topicId, ...ids(below)]),
        ...ids(own),
      ]),
    ),
    ...ids(quizzes),
  ]
}

/** The steps of a course as the site says itself: in the order of its page, and with its headings. */
async function pageOf({ lms }: World, namespace: string, course: number) {
  const headers = { authorization: authorizationOf('admin') }
  const response = await fetch(`${lms.url}/${namespace}/v2/sfwd-courses/${course}/steps`, { headers })
  const { l, sections } = (await response.json()) as { l: string[]; sections: { post_title: string; steps: number[] }[] }
  return { ids: l.map((name: string) => Number(name.split(':')[1])), headings: sections }
}

async function planned(world: World, query: string, as: Login): Promise<{ min: number; expected: number; max: number }> {
  const response = await world.gateway.post({ query, extensions: { explain: 'plan' } }, { authorization: authorizationOf(as) })
  return ((await response.json()) as any).extensions.explain.predicted
}

const COURSES = [10_001, 10_003, ...SAMPLES.sharedCourses, SAMPLES.longCourse]

describe.each([
  ['lms', 'lms', LMS],
  ['learndash-5', 'ldlms', LEARNDASH],
] as const)('the outline of a course on %s', (profile, namespace, names) => {
  let world: World
  beforeAll(async () => {
    world = await start(profile, names)
  })

  it('has the steps and the sections of the course in the order of its page', async () => {
    let sections = 0
    for (const course of COURSES) {
      const page = await pageOf(world, namespace, course)
      const { outline, errors } = await outlineOf(world, course)
      expect([errors, outline.missing]).toEqual([[], []])
      const shown = idsIn(outline)
      expect(shown).toHaveLength(page.ids.length)
      // A quiz that is not published is in no list of the profile `learndash-5`.
      for (const [place, id] of shown.entries()) if (id !== undefined) expect(id).toBe(page.ids[place])
      const untitled = outline.sections.filter(({ title }: any) => title === null)
      expect(untitled.length).toBeLessThanOrEqual(1)
      const titled = outline.sections.filter(({ title }: any) => title !== null)
      expect(titled.map(({ title, lessons }: any) => [title, lessons.map(({ lessonId }: any) => lessonId)])).toEqual(
        page.headings.map(({ post_title, steps }) => [post_title, steps]),
      )
      sections += titled.length
    }
    expect(sections).toBeGreaterThan(3)
  })

  it('has the titles of its steps as their own fields have them', async () => {
    const { outline } = await outlineOf(world, 10_003)
    const lessons = outline.sections.flatMap((section: any) => section.lessons)
    expect(lessons.flatMap(({ topics }: any) => topics).length).toBeGreaterThan(0)
    for (const { lesson, topics } of lessons) {
      const { data } = await world.query(
        `{ lesson(id: ${lesson.databaseId}) { title topics(course: 10003) { nodes { databaseId title } } quizzes(course: 10003) { nodes { title } } } }`,
        { as: 'admin' },
      )
      expect(lesson.title).toBe(data.lesson.title)
      expect(topics.map(({ topic }: any) => topic)).toEqual(data.lesson.topics.nodes)
    }
  })

  it('reads what is selected only', async () => {
    const tree = await outlineOf(world, 10_003, 'admin', '{ sections { title lessons { lessonId topics { topicId } } } }')
    expect(tree.calls.map((call) => call.replace(/\?.*/, ''))).toEqual([
      `/${namespace}/v1/sfwd-courses/10003`,
      `/${namespace}/v2/sfwd-courses/10003/steps`,
    ])
    const titles = await outlineOf(world, 10_003, 'admin', '{ sections { lessons { lesson { title } } } }')
    expect(titles.calls).toHaveLength(3)
    expect((await outlineOf(world, 10_003)).calls).toHaveLength(5)
  })

  it('reads the steps of many courses together, and a lesson of two courses once', async () => {
    const ids = [...SAMPLES.sharedCourses, 10_001, 10_003, 10_004, 10_005, 10_006, 10_008, 10_011, 10_012]
    const query = `{ courses(first: 10, where: { id: { in: [${ids}] } }) { nodes { databaseId outline { sections { lessons { lesson { databaseId } topics { topic { title } } } } } } } }`
    const { data, errors, calls } = await world.query(query, { as: 'admin' })
    expect([errors, data.courses.nodes]).toEqual([[], expect.objectContaining({ length: 10 })])
    const of = (route: string): string[] => calls.map(decodeURIComponent).filter((call) => call.includes(route))
    expect([of('/steps?').length, of('v2/sfwd-lessons').length, of('v2/sfwd-topic').length, calls.length]).toEqual([10, 1, 1, 13])
    const read = (of('v2/sfwd-lessons')[0] as string).match(/include=([\d,]*)/)?.[1]?.split(',')
    expect(read?.filter((id) => id === String(SAMPLES.sharedLesson))).toHaveLength(1)
    const inCourses = data.courses.nodes.filter(({ outline }: any) =>
      outline.sections.some(({ lessons }: any) => lessons.some(({ lesson }: any) => lesson?.databaseId === SAMPLES.sharedLesson)),
    )
    expect(inCourses).toHaveLength(2)
  })

  it('costs what the estimate says', async () => {
    const fresh = await start(profile, names)
    const query = `{ course(id: 10003) { outline ${OUTLINE} } }`
    expect((await planned(fresh, query, 'admin')).expected).toBe(5)
    for (const each of [0, 1]) {
      const { calls } = await outlineOf(fresh, 10_003)
      expect([each, calls.length, (await planned(fresh, query, 'admin')).expected]).toEqual([each, 5, 5])
    }
  })

  it('follows the relations of its steps together', async () => {
    const { outline, errors, calls } = await outlineOf(world, 10_003, 'admin', '{ sections { lessons { lesson { author { name } } } } }')
    expect([errors, outline.sections[0].lessons[0].lesson.author.name]).toEqual([[], expect.any(String)])
    expect(calls).toHaveLength(4)
  })

  it('is that of the lists of the course where the site refuses the tree, and says what is not known', async () => {
    const as = profile === 'lms' ? 'learner' : 'admin'
    const refusing = profile === 'lms' ? world : await start(profile, { ...names, routes: ['sfwd-topic'] })
    const { outline, errors, calls } = await outlineOf(refusing, 10_003, as)
    expect(errors).toEqual([])
    const { outline: whole } = await outlineOf(world, 10_003)
    expect(calls.filter((call) => call.includes('course=10003'))).toHaveLength(3)
    expect(outline.sections.map(({ title }: any) => title)).toEqual([null])
    const lessonsOf = ({ sections }: any): any[] => sections.flatMap(({ lessons }: any) => lessons)
    expect(lessonsOf(outline).map(({ lesson }) => lesson)).toEqual(lessonsOf(whole).map(({ lesson }) => lesson))
    const topicsOf = (shown: any): any[] => lessonsOf(shown).map(({ topics }) => topics.map(({ topic }: any) => topic))
    // With shared steps, topics do not tell their lesson.
    expect(outline.missing).toEqual(['SECTIONS', ...(profile === 'lms' ? [] : ['TOPICS']), 'QUIZ_PLACES'])
    expect(topicsOf(outline)).toEqual(profile === 'lms' ? topicsOf(whole) : topicsOf(whole).map(() => []))
    const { data } = await world.query('{ course(id: 10003) { quizzes(first: 100) { nodes { databaseId title } } } }', { as })
    expect(outline.quizzes).toEqual(data.course.quizzes.nodes)
  })
})

/** A course with a lesson that is a draft. */
const WITH_DRAFT = 10_002

describe('the outline of a course behind a service account', () => {
  it('has the places of unpublished steps, but not the steps, for all who are no editors', async () => {
    const behindAccount = {
      site: { user: 'admin', password: 'admin-demo' },
      access: { open: true, apiKeys: ['administrator-0123456789'] },
      cache: { maxAge: 60 },
    }
    const world = await World.start(behindAccount, { profile: 'lms' }, LMS)
    worlds.push(world)
    const query = `{ course(id: ${WITH_DRAFT}) { outline ${OUTLINE} } }`
    const ask = async (key: string | undefined) => await world.query(query, key === undefined ? {} : { headers: { 'x-api-key': key } })
    const stepsOf = ({ data }: any): [number, string | null][] =>
      data.course.outline.sections.flatMap(({ lessons }: any) =>
        lessons.map(({ lessonId, lesson }: any) => [lessonId, lesson?.title ?? null]),
      )
    // The second time from the cache, and in any order.
    for (const key of ['administrator-0123456789', undefined, 'administrator-0123456789', undefined]) {
      const answer = await ask(key)
      expect([answer.errors, answer.data.course.outline.missing]).toEqual([[], []])
      const drafts = stepsOf(answer).filter(([id]) => id === SAMPLES.draftLesson)
      expect(drafts).toEqual([[SAMPLES.draftLesson, key === undefined ? null : expect.any(String)]])
      expect(stepsOf(answer).filter(([, title]) => title === null)).toHaveLength(key === undefined ? 1 : 0)
    }
    const draft = await world.query(`{ course(id: ${SAMPLES.draftCourse}) { outline ${OUTLINE} } }`)
    expect([draft.data, draft.errors]).toEqual([{ course: null }, []])
    // By every other way to a course, too.
    const asked = `... on Course { outline ${OUTLINE} }`
    const id = globalId('Course', SAMPLES.draftCourse)
    const nodes = await world.query(`{ node(id: "${id}") { ${asked} } nodes(ids: ["${id}"]) { ${asked} } }`)
    expect([nodes.errors, nodes.data]).toEqual([[], { node: null, nodes: [null] }])
    const subgraph = await World.start({ ...behindAccount, subgraph: { enabled: true } }, { profile: 'lms' }, LMS)
    worlds.push(subgraph)
    const variables = { of: [{ __typename: 'Course', databaseId: SAMPLES.draftCourse }] }
    const entities = await subgraph.query(`query ($of: [_Any!]!) { _entities(representations: $of) { ${asked} } }`, { variables })
    expect([entities.errors, entities.data]).toEqual([[], { _entities: [null] }])
  })
})

describe('the cached outline of a course', () => {
  const report = async ({ gateway }: World, change: object): Promise<void> => {
    const body = JSON.stringify({ ...change, delivery: Math.random() })
    expect((await fetch(`${gateway.url}/hooks/site`, { method: 'POST', headers: signed(body), body })).status).toBe(204)
  }

  it.each<[what: string, change: object, isAnew: boolean]>([
    ['the course', { type: 'course', id: 10_003, kind: 'updated', columns: ['title'] }, true],
    ['another course', { type: 'course', id: 10_004, kind: 'updated', columns: ['title'] }, false],
    ['a lesson', { type: 'lesson', id: 100_017, kind: 'updated', columns: ['title'] }, true],
    ['topics', { type: 'topic', kind: 'created' }, true],
    ['a quiz', { type: 'quiz', id: 300_001, kind: 'deleted' }, true],
    ['a question', { type: 'question', id: 500_001, kind: 'updated' }, false],
  ])('is read after a change of %s: %j is %s', async (_, change, isAnew) => {
    const world = await World.start({ cache: { maxAge: 600 }, hooks: { secret: SECRET } }, { profile: 'lms' }, LMS)
    try {
      const read = async () =>
        (await outlineOf(world, 10_003, 'admin', '{ sections { title } }')).calls.filter((call) => call.includes('/steps')).length
      expect([await read(), await read()]).toEqual([1, 0])
      await report(world, change)
      expect(await read()).toBe(isAnew ? 1 : 0)
    } finally {
      await world.close()
    }
  })
})

it('is the same on a site of an older version, which has no such route', async () => {
  const world = await start('learndash', PRESETS.learndash)
  const { outline, errors, calls } = await outlineOf(world, 10_003)
  expect([errors, outline.missing, calls.length]).toEqual([[], ['SECTIONS', 'TOPICS', 'QUIZ_PLACES'], 3])
  const { data } = await world.query(
    '{ course(id: 10003) { lessons(first: 100) { nodes { databaseId } } quizzes(first: 100) { nodes { databaseId } } } }',
    {
      as: 'admin',
    },
  )
  expect(idsIn(outline)).toEqual([...data.course.lessons.nodes, ...data.course.quizzes.nodes].map(({ databaseId }: any) => databaseId))
})

describe('the outline of a course on a site of a test', () => {
  const [LESSON, TOPIC, QUIZ] = ['sfwd-lessons', 'sfwd-topic', 'sfwd-quiz'] as const
  /** What the site answers to requests for the tree; lists have the records of `steps`. */
  let tree: { readonly status?: number; readonly body: unknown }
  let steps: Readonly<Record<string, readonly { readonly id: number; readonly lesson?: number }[]>>
  let missing: readonly number[] = []
  let site: FakeSite
  let gateway: Awaited<ReturnType<typeof serve>>
  const error = (code: string, status: number) => ({ status, body: { code, message: 'No.', data: { status } } })

  beforeAll(async () => {
    site = await FakeSite.start(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://site')
      const [, , , route = '', id = '', below] = pathname.split('/')
      if (below === 'steps') return json(response, tree.body, { status: tree.status ?? 200 })
      if (route === 'sfwd-courses') return json(response, { id: Number(id) })
      const include = searchParams.get('include')?.split(',').map(Number)
      const page = Number(searchParams.get('page') ?? 1)
      const size = Number(searchParams.get('per_page'))
      const start = searchParams.has('offset') ? Number(searchParams.get('offset')) : (page - 1) * size
      const all = (steps[route] ?? []).filter((step) => !missing.includes(step.id) && (include === undefined || include.includes(step.id)))
      const rows = all.map((step) => ({ ...step, title: { rendered: `${route} ${step.id}` }, status: 'publish' }))
      if (id !== '') {
        const row = (steps[route] ?? []).find((step) => step.id === Number(id))
        if (!row || missing.includes(row.id)) return json(response, error('rest_post_invalid_id', 404).body, { status: 404 })
        return json(response, { ...row, title: { rendered: `${route} ${id}` }, status: 'publish' })
      }
      const headers = { 'x-wp-total': String(rows.length), 'x-wp-totalpages': String(Math.ceil(rows.length / size)) }
      json(response, rows.slice(start, start + size), { headers })
    })
    gateway = await serve({ site: { url: site.url, routes: ['sfwd-courses/steps', 'sfwd-topic'] } })
  })
  afterAll(async () => {
    await gateway.close()
    await site.close()
  })

  async function read(fields = OUTLINE) {
    site.requests.length = 0
    const response = await gateway.post({ query: `{ course(id: 7) { outline ${fields} } }` })
    const { data, errors = [] } = (await response.json()) as any
    return { outline: data.course?.outline, errors, paths: site.paths.map(decodeURIComponent) }
  }

  /** 90 lessons with 60 topics and 50 quizzes, whose ids decrease along the page. */
  function large(): { body: object; ids: number[] } {
    const ids: number[] = []
    const linear: string[] = []
    let next = 1_000
    const add = (type: string): number => {
      linear.push(`${type}:${--next}`)
      ids.push(next)
      steps = { ...steps, [type]: [...(steps[type] ?? []), { id: next }] }
      return next
    }
    steps = {}
    const h: Record<string, any> = { [LESSON]: {}, [QUIZ]: [] }
    for (let lesson = 0; lesson < 90; lesson++) {
      const below: Record<string, any> = { [TOPIC]: [], [QUIZ]: [] }
      h[LESSON][add(LESSON)] = below
      if (lesson < 60) {
        const topic = add(TOPIC)
        const quiz = lesson < 20 ? { [add(QUIZ)]: [] } : []
        below[TOPIC] = { [topic]: { [QUIZ]: quiz } }
      }
      if (lesson >= 60 && lesson < 85) below[QUIZ] = { [add(QUIZ)]: [] }
    }
    h[QUIZ] = Object.fromEntries(Array.from({ length: 5 }, () => [add(QUIZ), []]))
    return { body: { h, l: linear, t: {}, r: {}, sections: [] }, ids }
  }

  it('has 200 steps with their titles in the order of the page, with five calls', async () => {
    const { body, ids } = large()
    tree = { body }
    const { outline, errors, paths } = await read()
    expect([errors, ids.length, paths.length]).toEqual([[], 200, 5])
    expect([outline.missing, idsIn(outline)]).toEqual([[], ids])
    const lessons = outline.sections.flatMap((section: any) => section.lessons)
    for (const { lessonId, lesson, topics } of lessons) {
      expect(lesson.title).toBe(`${LESSON} ${lessonId}`)
      for (const { topicId, topic } of topics) expect(topic.title).toBe(`${TOPIC} ${topicId}`)
    }
  })

  it('keeps the places of steps that do not exist any more', async () => {
    const { body, ids } = large()
    tree = { body }
    const gone = [LESSON, TOPIC, QUIZ].map((type) => steps[type]?.[3]?.id as number)
    missing = gone
    const { outline, errors } = await read()
    missing = []
    expect(errors).toEqual([])
    expect(idsIn(outline)).toEqual(ids.map((id) => (id === gone[2] ? undefined : id)))
    const lessons = outline.sections.flatMap((section: any) => section.lessons)
    expect(lessons.filter(({ lesson }: any) => lesson === null).map(({ lessonId }: any) => lessonId)).toEqual([gone[0]])
    const topics = lessons.flatMap(({ topics: all }: any) => all)
    expect(topics.filter(({ topic }: any) => topic === null).map(({ topicId }: any) => topicId)).toEqual([gone[1]])
  })

  const BELOW = { [LESSON]: { '12': { [TOPIC]: { '5': [] }, [QUIZ]: [] }, '30': [] }, [QUIZ]: { '9': [] } }
  const SMALL = { [LESSON]: [{ id: 30 }, { id: 12 }], [TOPIC]: [{ id: 5, lesson: 12 }], [QUIZ]: [{ id: 9 }] }

  it('divides the lessons into sections, also into empty ones, and those before the first heading into one without a title', async () => {
    steps = SMALL
    const l = [`${LESSON}:30`, `${LESSON}:12`, `${TOPIC}:5`, `${QUIZ}:9`]
    const shown = async (sections: unknown) => {
      tree = { body: { h: BELOW, l, sections } }
      const { outline, errors } = await read('{ missing sections { title lessons { lessonId } } }')
      expect(errors).toEqual([])
      return [
        ...outline.sections.map(({ title, lessons }: any) => [title, ...lessons.map(({ lessonId }: any) => lessonId)]),
        ...outline.missing,
      ]
    }
    const heading = (post_title: string, ...lessons: (number | string)[]) => ({
      order: 1,
      ID: 1,
      post_title,
      type: 'section-heading',
      steps: lessons,
    })
    expect(await shown([])).toEqual([[null, 30, 12]])
    expect(await shown([heading('A &amp; <b>B</b>', 12)])).toEqual([
      [null, 30],
      ['A & B', 12],
    ])
    expect(await shown([heading('One', '30'), heading('Two'), heading('Three', 12, 99)])).toEqual([['One', 30], ['Two'], ['Three', 12]])
    // Sites before version 3.4 send no sections.
    expect(await shown(undefined)).toEqual([[null, 30, 12], 'SECTIONS'])
    expect(await shown('none')).toEqual([[null, 30, 12], 'SECTIONS'])
  })

  it('is empty for a course without steps, with one section', async () => {
    steps = {}
    for (const h of [[], { [LESSON]: [], [QUIZ]: [] }]) {
      tree = { body: { h, l: [], sections: [] } }
      const { outline, errors, paths } = await read()
      expect([errors, outline, paths.length]).toEqual([[], { missing: [], sections: [{ title: null, lessons: [] }], quizzes: [] }, 2])
    }
  })

  it.each([
    ['refuses the tree', error('rest_forbidden', 403)],
    ['refuses strangers', error('rest_not_logged_in', 401)],
    ['does not know the course there', error('rest_post_invalid_id', 404)],
    ['turns out not to have the route', error('rest_no_route', 404)],
    ['sends an empty list', { body: [] }],
    ['sends something else', { body: { message: 'Hello' } }],
    // The members of an object have lost their order.
    ['sends the tree alone', { body: { h: { [LESSON]: { 12: [] } } } }],
  ])('is that of the lists where the site %s', async (_, answer) => {
    const fresh = await serve({ site: { url: site.url, routes: ['sfwd-courses/steps', 'sfwd-topic'] } })
    try {
      steps = SMALL
      tree = answer
      const response = await fresh.post({ query: `{ course(id: 7) { outline ${OUTLINE} } }` })
      const { data, errors } = (await response.json()) as any
      expect(errors).toBeUndefined()
      expect([data.course.outline.missing, idsIn(data.course.outline)]).toEqual([
        ['SECTIONS', 'QUIZ_PLACES'],
        [30, 12, 5, 9],
      ])
    } finally {
      await fresh.close()
    }
  })

  it('is an error where the site fails', async () => {
    tree = error('internal_server_error', 500)
    const { outline, errors } = await read('{ missing }')
    expect([outline, errors.map(({ extensions }: any) => extensions.code)]).toEqual([null, ['UPSTREAM_UNAVAILABLE']])
  })

  it('does not cut a list of more than 1,000 lessons', async () => {
    tree = error('rest_forbidden', 403)
    steps = { [LESSON]: Array.from({ length: 1_200 }, (_, index) => ({ id: index + 1 })) }
    const { outline, errors } = await read('{ sections { lessons { lessonId } } }')
    expect([outline, errors.map(({ message }: any) => message)]).toEqual([null, [expect.stringContaining('1000 or more steps')]])
    tree = { body: { h: { [LESSON]: Object.fromEntries((steps[LESSON] ?? []).map(({ id }) => [id, []])) }, l: [], sections: [] } }
    const whole = await read('{ sections { lessons { lesson { title } } } }')
    expect([whole.errors, whole.outline.sections[0].lessons.length]).toEqual([[], 1_200])
  })

  it('leaves out what is no step', async () => {
    steps = SMALL
    tree = {
      body: {
        h: { [LESSON]: { '12': [], x: [], '-1': [], '0': [] }, 'section-heading': { '3': [] }, [QUIZ]: 'none' },
        l: ['x', `${QUIZ}:7`],
        sections: [],
      },
    }
    const { outline } = await read('{ sections { lessons { lessonId } } quizzes { databaseId } }')
    expect(outline).toEqual({ sections: [{ lessons: [{ lessonId: 12 }] }], quizzes: [] })
  })

  it('shows a topic as null where the site has no route of topics, and says so', async () => {
    const bare = await serve({ site: { url: site.url, routes: ['sfwd-courses/steps'] } })
    try {
      steps = SMALL
      tree = { body: { h: BELOW, l: [`${LESSON}:30`, `${LESSON}:12`, `${TOPIC}:5`, `${QUIZ}:9`], sections: [] } }
      site.requests.length = 0
      const response = await bare.post({ query: `{ course(id: 7) { outline ${OUTLINE} } }` })
      const { data, errors } = (await response.json()) as any
      expect([errors, data.course.outline.missing]).toEqual([undefined, ['TOPICS']])
      expect(data.course.outline.sections[0].lessons[1].topics).toEqual([{ topicId: 5, topic: null, quizzes: [] }])
      expect(site.paths.filter((path) => path.includes('sfwd-topic'))).toEqual([])
    } finally {
      await bare.close()
    }
  })
})
