import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'graphql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { batchByIds, Course, columns as c, defineResource, postColumns } from '../../src/kit.js'
import { PlannedLoader } from '../../src/load/loaders.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { takeFallbacks } from '../support/fallbacks.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { executorMode } from '../support/modes.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { CANDID } from '../support/world.js'

// How batches are dispatched and end: counted at a site whose answers the tests hold back.

interface Row {
  readonly id: number
  readonly [member: string]: unknown
}

const course = (id: number, prerequisites: readonly number[] = []): Row => ({
  ...{ id, slug: `course-${id}`, title: { rendered: `Course ${id}` } },
  course_prerequisite: prerequisites,
})
const lesson = (id: number, of: number): Row => ({ id, slug: `lesson-${id}`, title: { rendered: `Lesson ${id}` }, course: of })

const COURSES = [course(1), course(2), course(3, [8, 9]), course(4), course(5, [6, 7]), ...[6, 7, 8, 9].map((id) => course(id))]
/** The lesson 109 is of a course that does not exist. */
const LESSONS = [lesson(100, 1), lesson(103, 3), lesson(104, 4), lesson(109, 99)]

let site: FakeSite
/** Requests that are answered when their promise resolves, or with a status. */
let held: { readonly pattern: RegExp; readonly until: Promise<void> }[] = []
let refused: { readonly pattern: RegExp; readonly status: number }[] = []
/** Lessons by the course whose list shows them; their own course can be another one. */
let lists: Readonly<Record<string, readonly Row[]>> = {}

const paths = (): string[] => site.paths.map((path) => decodeURIComponent(path).replace('/lms/', ''))
const routes = (): string[] => paths().map((path) => path.replace(/\?.*?(?=(include=.*)?$)/, '?').replace(/\?$/, ''))

beforeAll(async () => {
  site = await FakeSite.start(async ({ url = '' }, response) => {
    const path = decodeURIComponent(url)
    for (const { pattern, until } of held) if (pattern.test(path)) await until
    const status = refused.find(({ pattern }) => pattern.test(path))?.status
    if (status !== undefined) return json(response, { code: 'odd', message: 'No.', data: { status } }, { status })
    const { pathname, searchParams } = new URL(path, site.url)
    const [, name, id] = /\/(sfwd-courses|sfwd-lessons)(?:\/(\d+))?$/.exec(pathname) ?? []
    const rows = name === 'sfwd-courses' ? COURSES : LESSONS
    if (id !== undefined) {
      const row = rows.find((each) => each.id === Number(id))
      return json(response, row ?? { code: 'rest_post_invalid_id', message: 'No.', data: { status: 404 } }, { status: row ? 200 : 404 })
    }
    const [include, slugs] = ['include', 'slug'].map((param) => searchParams.get(param)?.split(','))
    const isShown = (row: Row): boolean => (include ? include.includes(`${row.id}`) : (slugs?.includes(row.slug as string) ?? true))
    const shown = lists[searchParams.get('course') ?? ''] ?? rows.filter(isShown)
    json(response, shown, { headers: { 'x-wp-total': `${shown.length}` } })
  })
})
afterAll(() => site.close())

const closing: (() => Promise<void>)[] = []
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => {
  site.requests.length = unhandled.length = 0
  held = []
  refused = []
  lists = {}
  process.on('unhandledRejection', onUnhandled)
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

/** Holds the answers to some requests back until they are released. */
function hold(pattern: RegExp): () => void {
  let release = (): void => {}
  held.push({
    pattern,
    until: new Promise((resolve) => {
      release = resolve
    }),
  })
  return release
}

/** Waits for a request. */
const asked = (pattern: RegExp): Promise<void> => expect.poll(paths, { timeout: 3_000 }).toContainEqual(expect.stringMatching(pattern))

/** The ways in which a plan's records are read, and then shown. Identical reads that are in flight are not shared, so that each is counted. */
const WAYS: readonly [way: string, options: TunedOptions][] = [
  ['by JSON posts', {}],
  ['by Yoga and graphql-js', { tuning: { shortPath: false, compile: false } }],
]

interface Answer {
  readonly data: any
  readonly errors?: readonly any[]
}

/** Starts an operation in front of the site. */
async function start(query: string, options: TunedOptions = {}): Promise<{ readonly answer: Promise<Answer> }> {
  const gateway = await serve(merged({ site: { url: site.url } }, CANDID, options))
  closing.push(() => gateway.close())
  return { answer: gateway.post({ query }).then((response) => response.json() as Promise<Answer>) }
}

/** Releases what was held, whether or not the site was asked as expected, and returns the answer. */
async function released(answer: Promise<Answer>, release: () => void, expected: () => Promise<unknown>): Promise<Answer> {
  try {
    await expected()
  } finally {
    release()
    await answer
  }
  return answer
}

describe('a DataLoader of one batch', () => {
  const loaderOf = (loads: number) => {
    const runs: (readonly string[])[] = []
    const run = (reads: readonly string[]) => {
      runs.push(reads)
      return reads.map(async (read) => read.toUpperCase())
    }
    return { runs, loader: new PlannedLoader<string>(loads, run) }
  }

  it('runs its function once, with the last of its loads', async () => {
    const { runs, loader } = loaderOf(3)
    const first = loader.load('a')
    await sleep(5)
    const second = loader.load('b')
    await sleep(5)
    expect(runs).toEqual([])
    expect(await Promise.all([first, second, loader.load('c')])).toEqual(['A', 'B', 'C'])
    expect(runs).toEqual([['a', 'b', 'c']])
  })

  it('keeps its reads apart from those of another batch that is open at the same time', async () => {
    const [early, late] = [loaderOf(2), loaderOf(1)]
    const waiting = early.loader.load('early 1')
    expect(await late.loader.load('late 1')).toBe('LATE 1')
    expect([early.runs, late.runs]).toEqual([[], [['late 1']]])
    expect(await Promise.all([waiting, early.loader.load('early 2')])).toEqual(['EARLY 1', 'EARLY 2'])
    expect([early.runs, late.runs]).toEqual([[['early 1', 'early 2']], [['late 1']]])
  })

  it('ends each of its loads with its own read', async () => {
    let end = (): void => {}
    const slow = new Promise<void>((resolve) => {
      end = resolve
    })
    const loader = new PlannedLoader<string>(2, (reads) => reads.map((read) => (read === 'slow' ? slow : Promise.resolve())))
    const ended: string[] = []
    const loads = ['slow', 'fast'].map((read) => loader.load(read).then(() => ended.push(read)))
    await loads[1]
    expect(ended).toEqual(['fast'])
    end()
    await Promise.all(loads)
    expect(ended).toEqual(['fast', 'slow'])
  })

  it('rejects all of its loads when its function fails', async () => {
    const loader = new PlannedLoader<string>(2, async () => {
      throw new TypeError('a fault of the gateway')
    })
    const ends = await Promise.allSettled([loader.load('a'), loader.load('b')])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe.each(WAYS)('two batches of one type that are open at the same time, %s', (_, options) => {
  it('do not take keys from each other', async () => {
    lists = { 1: [lesson(200, 2)] }
    const release = hold(/sfwd-courses\/5\b/)
    const { answer } = await start(
      `{ slow: course(id: 5) { prerequisites { title } }
         fast: lesson(id: 100) { course { title lessons(first: 1) { nodes { course { title } } } } } }`,
      options,
    )
    // The courses of the third wave are read while the second one waits for the slow course.
    const { data, errors } = await released(answer, release, () => asked(/sfwd-courses\/2\?/))
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      slow: { prerequisites: [{ title: 'Course 6' }, { title: 'Course 7' }] },
      fast: { course: { title: 'Course 1', lessons: { nodes: [{ course: { title: 'Course 2' } }] } } },
    })
    expect(routes().slice(-2)).toEqual(['v1/sfwd-courses/2', expect.stringMatching(/^v1\/sfwd-courses\?include=(1,6,7|6,7,1)$/)])
    expect(routes()).toHaveLength(5)
  })

  it('read a record once that is in both', async () => {
    lists = { 1: [lesson(200, 1)] }
    const release = hold(/sfwd-courses\/1\b/)
    const { answer } = await start(
      '{ lesson(id: 100) { course { title lessons(first: 1) { nodes { course { title slug } } } } } }',
      options,
    )
    const { data, errors } = await released(answer, release, async () => {
      await asked(/sfwd-lessons\?.*course=1\b/)
      // Long enough for the list to arrive, and for another read of its course to be sent.
      await sleep(100)
    })
    expect(errors).toBeUndefined()
    expect(data.lesson.course.lessons.nodes).toEqual([{ course: { title: 'Course 1', slug: 'course-1' } }])
    expect(paths().filter((path) => path.includes('sfwd-courses'))).toEqual([
      'v1/sfwd-courses/1?context=view&_filter=id,slug,title.rendered',
    ])
    expect(routes()).toHaveLength(3)
  })
})

describe.each(WAYS)('a record by its id, %s', (_, options) => {
  it('does not wait for the lookup of another one by its slug', async () => {
    const release = hold(/slug=course-2\b/)
    const { answer } = await start('{ a: course(slug: "course-2") { title } b: course(id: 1) { title } }', options)
    const { data, errors } = await released(answer, release, () => asked(/sfwd-courses\/1\?/))
    expect(errors).toBeUndefined()
    expect(data).toEqual({ a: { title: 'Course 2' }, b: { title: 'Course 1' } })
    expect(site.requests).toHaveLength(2)
  })
})

describe.each(WAYS)('lists of one batch, %s', (_, options) => {
  const query = (second: string): string =>
    `{ a: course(id: 1) { lessons(first: 2) { nodes { title course { slug } } } } b: course(id: 2) { lessons(first: 2) { nodes { title ${second} } } } }`

  beforeEach(() => {
    lists = { 1: [lesson(201, 3)], 2: [lesson(202, 4)] }
  })

  it('end each by itself: what follows from a fast one does not wait for a slow one', async () => {
    const release = hold(/sfwd-lessons\?.*course=2\b/)
    const { answer } = await start(query(''), options)
    const { data, errors } = await released(answer, release, () => asked(/sfwd-courses\/3\?/))
    expect(errors).toBeUndefined()
    expect([data.a.lessons.nodes, data.b.lessons.nodes]).toEqual([
      [{ title: 'Lesson 201', course: { slug: 'course-3' } }],
      [{ title: 'Lesson 202' }],
    ])
  })

  it('are waited for where the same records may follow from both', async () => {
    const release = hold(/sfwd-lessons\?.*course=2\b/)
    const { answer } = await start(query('course { slug }'), options)
    const { data, errors } = await released(answer, release, async () => {
      await asked(/sfwd-lessons\?.*course=2\b/)
      await sleep(50)
    })
    expect(errors).toBeUndefined()
    expect(data.b.lessons.nodes).toEqual([{ title: 'Lesson 202', course: { slug: 'course-4' } }])
    expect(routes().filter((path) => path.includes('sfwd-courses?'))).toContain('v1/sfwd-courses?include=3,4')
  })
})

/** An operation without a plan in front of the site. */
async function withoutPlan(query: string): Promise<{ data: any; errors: readonly string[] }> {
  const mode = executorMode(defineSite(site.url), graphSchema())
  closing.push(mode.close)
  return mode.run({ document: parse(query), query, variables: {}, caller: undefined })
}

describe('a record that is missing', () => {
  const query =
    '{ a: course(id: 99) { title } b: course(id: 99) { title slug } lesson(id: 109) { title course { title prerequisites { id } } } }'
  const data = { a: null, b: null, lesson: { title: 'Lesson 109', course: null } }
  const calls = ['v1/sfwd-courses/99', 'v2/sfwd-lessons/109']

  it.each(WAYS)('is read once, %s', async (_, options) => {
    const { answer } = await start(query, options)
    expect(await answer).toEqual({ data })
    expect(routes().sort()).toEqual(calls)
  })

  it('is read once without a plan', async () => {
    expect(await withoutPlan(query)).toEqual({ data, errors: [] })
    expect(routes().sort()).toEqual(calls)
  })
})

describe('a record that one batch of resolvers reads', () => {
  it('is not read again by the next one', async () => {
    const release = hold(/sfwd-courses\/1\b/)
    const answer = withoutPlan('{ course(id: 1) { title } again: course(id: 1) { slug } lesson(id: 100) { course { slug } } }')
    await asked(/sfwd-lessons\/100/)
    // Long enough for the lesson to arrive, and for another read of its course to be sent.
    await sleep(100)
    release()
    expect(await answer).toEqual({
      data: { course: { title: 'Course 1' }, again: { slug: 'course-1' }, lesson: { course: { slug: 'course-1' } } },
      errors: [],
    })
    expect(routes().sort()).toEqual(['v1/sfwd-courses/1', 'v2/sfwd-lessons/100'])
  })
})

describe('a site that fails while records are prefetched', () => {
  const query = `{
    good: course(id: 1) { title }
    list: course(id: 2) { title lessons(first: 2) { nodes { title } } }
    slug: lesson(slug: "lesson-100", course: 1) { title }
    many: course(id: 3) { title prerequisites { title } }
    single: lesson(id: 104) { title course { title } }
  }`
  const data = {
    good: { title: 'Course 1' },
    list: { title: 'Course 2', lessons: null },
    slug: null,
    many: { title: 'Course 3', prerequisites: [null, null] },
    single: null,
  }
  const FAILED = ['list.lessons', 'many.prerequisites.0', 'many.prerequisites.1', 'single', 'slug']

  beforeEach(() => {
    refused = [/sfwd-lessons\?.*course=2\b/, /slug=lesson-100/, /include=8,9/, /sfwd-lessons\/104/].map((pattern) => ({
      pattern,
      status: 500,
    }))
  })

  it.each(WAYS)('fails the fields that need it, and nothing else, %s', async (_, options) => {
    const { answer } = await start(query, options)
    const { data: shown, errors } = await answer
    expect(shown).toEqual(data)
    expect(errors?.map(({ path, extensions }) => [path.join('.'), extensions.code]).sort()).toEqual(
      FAILED.map((path) => [path, 'UPSTREAM_UNAVAILABLE']),
    )
    expect(site.requests).toHaveLength(5)
    // The plan was prefetched as a whole, and nothing was read again.
    expect(takeFallbacks()).toEqual([])
  })

  it('fails the same fields without a plan', async () => {
    const { data: shown, errors } = await withoutPlan(query)
    expect([shown, errors]).toEqual([data, FAILED.map((path) => `${path}: UPSTREAM_UNAVAILABLE`)])
  })
})

describe('an exception of the gateway while records are prefetched', () => {
  let faults: Record<'key' | 'params', number>
  const fail = (where: keyof typeof faults): void => {
    if (faults[where]-- > 0) throw new TypeError(`a fault of the gateway: ${where}`)
  }
  const byKey = batchByIds({ path: 'v1/sfwd-courses', window: 'offset', filters: {}, orders: {} })
  const faulty = defineResource('faulty', (builder) => {
    const Faulty = builder.lmsNodeRef('FaultyCourse', {
      columns: { databaseId: postColumns.databaseId, title: postColumns.title, authorId: c.integer('author', 'Id of the author.') },
      load: {
        ...byKey,
        params: (key) => {
          fail('params')
          return byKey.params(key)
        },
      },
    })
    Faulty.implement({ description: 'A course, by code that fails.' })
    builder.objectField(Faulty, 'next', (t) =>
      t.lmsRelation(Faulty, { description: 'A course.', needs: ['title'], key: ({ databaseId }) => databaseId + 1 }),
    )
    const relation = (name: string, key: (id: number) => number) =>
      builder.objectField(Course, name, (t) =>
        t.lmsRelation(Faulty, { description: 'A course.', needs: ['title'], key: ({ databaseId }) => key(databaseId as number) }),
      )
    relation('faulty', (id) => {
      fail('key')
      return id + 1
    })
    relation('sound', (id) => id + 2)
  })
  beforeEach(() => {
    faults = { key: 0, params: 0 }
  })

  it.each<[what: string, faults: Partial<typeof faults>, query: string, data: object, calls: string[]]>([
    [
      // The load of the sound edge waits for one of the faulty edge, which is never made.
      'leaves a batch without all of its loads',
      { key: 1 },
      '{ course(id: 1) { sound { title } faulty { title } } }',
      { course: { sound: { title: 'Course 3' }, faulty: { title: 'Course 2' } } },
      ['v1/sfwd-courses/1', expect.stringMatching(/^v1\/sfwd-courses\?include=(2,3|3,2)$/)] as string[],
    ],
    [
      'ends a batch',
      { params: 1 },
      '{ course(id: 1) { sound { title } } }',
      { course: { sound: { title: 'Course 3' } } },
      ['v1/sfwd-courses/1', 'v1/sfwd-courses/3'],
    ],
    [
      'ends a batch of records to which others lead back',
      { params: 1 },
      '{ course(id: 1) { sound { title next { title } } } }',
      { course: { sound: { title: 'Course 3', next: { title: 'Course 4' } } } },
      ['v1/sfwd-courses/1', 'v1/sfwd-courses/3', 'v1/sfwd-courses/4'],
    ],
  ])('that %s is followed by reads of the resolvers', { timeout: 10_000 }, async (_, wrong, query, data, calls) => {
    Object.assign(faults, wrong)
    const told: unknown[] = []
    const { answer } = await start(query, { resources: [faulty], on: { fault: (fault) => told.push(fault) } })
    expect(await answer).toEqual({ data })
    expect(takeFallbacks()).toMatchObject([{ step: 'fetch', cause: { message: expect.stringContaining('a fault of the gateway') } }])
    expect(told).toHaveLength(1)
    expect(routes()).toEqual(calls)
  })

  it('that goes on fails the fields that it concerns', { timeout: 10_000 }, async () => {
    faults.params = Number.POSITIVE_INFINITY
    const { answer } = await start('{ course(id: 1) { title sound { title } } }', { resources: [faulty], on: { fault: () => {} } })
    const { data, errors } = await answer
    expect(data).toEqual({ course: { title: 'Course 1', sound: null } })
    expect(errors).toMatchObject([{ path: ['course', 'sound'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
    expect(takeFallbacks()).toMatchObject([{ step: 'fetch' }])
  })
})
