import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { type LmsOptions, SAMPLES } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { Coverage } from '../support/coverage.js'
import { EdgeOperations } from '../support/edge-operations.js'
import { OWN_ROUTES } from '../support/profile.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { authorizationOf, type Login, SOAK, World } from '../support/world.js'

/** Operations each site is shown first, and then the gateway is measured by. */
/** Sizes are learned for each caller: every one of them has to ask some operations first. */
const WARM_UP = SOAK ? 500 : 60
const MEASURED = Number(process.env.OPERATIONS ?? (SOAK ? 700 : 40))
/** Operations with fragments, aliases, directives and odd arguments, which only have to keep below the most. */
const ODD = SOAK ? 400 : 12
const SEED = Number(process.env.SEED ?? 20_261_129)

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

const IDS = {
  Course: range(10_001, 60),
  Lesson: range(100_001, 60),
  Quiz: range(300_001, 30),
  Group: range(1_001, 14),
  Topic: range(400_001, 12),
  Question: range(500_001, 40),
  FeaturedImage: range(800_001, 12),
  LmsTerm: range(700_001, 38),
  User: [2, 3, 3, 3, 600_001, 600_002, 600_005, 600_006],
  Author: range(1, 20),
}

const SITES: Readonly<Record<string, { school: LmsOptions; names: SiteNames }>> = {
  'the sample school': { school: {}, names: OWN_ROUTES },
  'a site of the plugin': { school: { profile: 'learndash' }, names: PRESETS.learndash },
  'a school twice as large, in pages of 30': { school: { scale: 2 }, names: { ...OWN_ROUTES, pageCap: 30 } },
}

/** Sites whose operations only have to keep below the most. */
const ODD_SITES: typeof SITES = {
  'a site without field filter and with small pages': {
    school: {},
    names: {
      ...OWN_ROUTES,
      pageCap: 7,
      fieldFilter: null,
      unbatched: ['Quiz', 'Lesson'],
      missingColumns: [
        'Course.title',
        'Course.prerequisiteIds',
        'GroupCourse.title',
        'GroupCourse.priceTypeSlug',
        'CourseProgress.status',
        'CourseProgress.stepsTotal',
        'Group.parentId',
        'Lesson.courseId',
      ],
    },
  },
  'a site that ignores and drops filters': {
    school: {},
    names: {
      ...OWN_ROUTES,
      pageCap: 3,
      ignoredFilters: [
        'v2/groups/:id/courses include',
        'v2/groups/:id/courses exclude',
        'v1/sfwd-courses include',
        'v1/sfwd-courses exclude',
      ],
      droppedFilters: ['v2/sfwd-lessons course', 'v1/sfwd-quiz course', 'v1/groups include'],
    },
  },
}

interface Asked {
  readonly query: string
  readonly variables?: object
  readonly caller: Login | undefined
  readonly edges?: number
}

interface Sample extends Asked {
  readonly max: number
  readonly expected: number
  readonly actual: number
}

const schema = graphSchema()
const start = (school: LmsOptions, names: SiteNames): Promise<World> =>
  World.start(
    {
      observe: { explainFor: ['everybody'] },
      tuning: { explainOthersFor: ['everybody'] },
      limits: { maxCalls: 100_000 },
      protection: { maxInFlight: 8 },
    },
    school,
    names,
  )

async function ask(world: World, { query, variables, caller }: Asked, explain: 'plan' | 'run'): Promise<any> {
  world.calls.length = 0
  const headers = caller ? { authorization: authorizationOf(caller) } : {}
  const response = await world.gateway.post({ query, variables, extensions: { explain } }, headers)
  return response.json()
}

/** Runs an operation, which must not cost more than was foreseen. */
async function run(world: World, asked: Asked): Promise<Sample> {
  const { extensions, errors } = await ask(world, asked, 'run')
  expect(extensions?.explain, `${asked.query} ${JSON.stringify(errors)}`).toBeDefined()
  const { predicted, actual, steps } = extensions.explain
  const what = `${asked.caller} ${asked.query} ${JSON.stringify(asked.variables)}\n${JSON.stringify({ predicted, steps })}`
  expect(actual.calls, what).toBeLessThanOrEqual(predicted.max)
  // Wrong arguments of a mutation send nothing.
  if (!asked.query.startsWith('mutation')) expect(actual.calls, what).toBeGreaterThanOrEqual(predicted.min)
  expect([predicted.min <= predicted.expected, predicted.expected <= predicted.max], what).toEqual([true, true])
  expect(actual.waves, what).toBeLessThanOrEqual(predicted.waves)
  // Calls that are joined count as well, though they are not sent.
  expect(world.calls.length, what).toBe(actual.calls - actual.shared)
  return { ...asked, actual: actual.calls, max: predicted.max, expected: predicted.expected }
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] as number

const generators = (seed: number) => {
  const random = new Random(seed)
  const options = { schema, random, ids: IDS, steering: new Coverage(schema, random) }
  return { options, edges: new EdgeOperations(options) }
}

/** What was measured, over all sites: operations of their first run, and of their second. */
const all: Sample[] = []
const seen: Sample[] = []

function figures(samples: readonly Sample[]) {
  const errors = samples.map(({ expected, actual }) => Math.abs(expected - actual) / actual)
  const factors = samples.map(({ expected, actual }) => Math.max(expected / actual, actual / expected))
  const tightness = samples.map(({ max, actual }) => max / actual)
  return {
    tightness: quantile(tightness, 0.5),
    error: quantile(errors, 0.5),
    factor: quantile(factors, 0.9),
    text:
      `${samples.length} operations, ${samples.filter(({ edges = 0 }) => edges >= 3).length} of them with three edges or more; ` +
      `calls p50 ${quantile(
        samples.map(({ actual }) => actual),
        0.5,
      )}, p90 ${quantile(
        samples.map(({ actual }) => actual),
        0.9,
      )}, most ${Math.max(...samples.map(({ actual }) => actual))}; max/actual p50 ${quantile(tightness, 0.5).toFixed(2)}, ` +
      `p90 ${quantile(tightness, 0.9).toFixed(1)}; expected: error p50 ${(100 * quantile(errors, 0.5)).toFixed(1)} %, ` +
      `off by a factor of p50 ${quantile(factors, 0.5).toFixed(2)}, p75 ${quantile(factors, 0.75).toFixed(2)}, p90 ${quantile(factors, 0.9).toFixed(2)}`,
  }
}

describe.each(Object.entries(SITES))('operations on %s', (name, { school, names }) => {
  let world: World
  beforeAll(async () => {
    world = await start(school, names)
  })
  afterAll(() => world.close())

  it('make at most the estimated maximum of calls, and about the expected number', { timeout: 1_800_000 }, async () => {
    const { options, edges } = generators(SEED)
    const samples: Sample[] = []
    const again: Sample[] = []
    for (let count = 0; count < WARM_UP + MEASURED; count++) {
      const operation = edges.make(count % 3 === 0 ? 1 : 3)
      const sample = await run(world, operation)
      // Those that were wrongly asked cost nothing.
      if (count < WARM_UP || sample.actual === 0) continue
      samples.push(sample)
      again.push(await run(world, operation))
    }
    for (let count = 0; count < ODD; count++) await run(world, randomOperation(options))
    all.push(...samples)
    seen.push(...again)
    const { tightness, error, text } = figures(samples)
    console.log(`${name}: ${text}`)
    console.log(`${name}, seen once: ${figures(again).text}`)
    expect(tightness).toBeLessThanOrEqual(3)
    expect(error).toBeLessThanOrEqual(0.1)
  })

  it('send no call when they are only explained', async () => {
    const { edges } = generators(SEED + 1)
    for (let count = 0; count < 30; count++) {
      const { data, extensions, errors } = await ask(world, edges.make(3), 'plan')
      expect([data, errors, world.calls.length]).toEqual([null, undefined, 0])
      expect(extensions.explain.predicted.max).toBeGreaterThanOrEqual(0)
    }
  })
})

describe('operations on all of these sites', () => {
  it('need at least a third of the maximum, and the expected number within a factor of two', () => {
    const { tightness, error, factor, text } = figures(all)
    console.log(`all: ${text}`)
    console.log(`all, seen once: ${figures(seen).text}`)
    expect(all.length).toBeGreaterThanOrEqual(SOAK ? 300 : 100)
    expect(all.filter(({ edges = 0 }) => edges >= 3).length).toBeGreaterThanOrEqual(all.length / 2)
    expect(tightness).toBeLessThanOrEqual(3)
    expect(error).toBeLessThanOrEqual(0.1)
    expect(factor).toBeLessThanOrEqual(SOAK ? 2 : 2.5)
    // Expected calls of an operation that was seen before.
    expect(figures(seen).factor).toBeLessThanOrEqual(SOAK ? 1.5 : 1.7)
  })
})

it.each(Object.entries(ODD_SITES))(
  'operations on %s cost at most what is foreseen',
  { timeout: 1_800_000 },
  async (_, { school, names }) => {
    const world = await start(school, names)
    const { edges } = generators(SEED + 2)
    try {
      for (let count = 0; count < ODD * 2; count++) await run(world, edges.make(3))
    } finally {
      await world.close()
    }
  },
)

it('mutations make at most the estimated maximum of calls', { timeout: 600_000 }, async () => {
  const world = await start({}, {})
  const { edges, options } = generators(SEED + 3)
  const { random } = options
  const course = (): string => `course ${edges.below('Course', random.int(0, 3))}`
  const make: readonly (() => string)[] = [
    () => `createCourse(input: { title: "New" }) { ... on CreateCourseSuccess { ${course()} } }`,
    () => `updateCourse(input: { id: ${random.pick(IDS.Course)}, points: 2 }) { ... on UpdateCourseSuccess { ${course()} } }`,
    () =>
      `updateLesson(input: { id: ${random.pick(IDS.Lesson)}, title: "x" }) { ... on UpdateLessonSuccess { lesson ${edges.below('Lesson', 2)} } }`,
    () =>
      `updateGroup(input: { id: ${random.pick(IDS.Group)}, title: "x" }) { ... on UpdateGroupSuccess { group ${edges.below('Group', 2)} } }`,
    () => `deleteGroup(input: { id: ${random.pick(IDS.Group)} }) { ... on DeleteGroupSuccess { group ${edges.below('Group', 1)} } }`,
    () =>
      `addCoursesToGroup(input: { id: 1002, courseIds: [${random.some(IDS.Course, random.int(1, 8))}] }) ` +
      `{ ... on AddCoursesToGroupSuccess { additions { added course ${edges.below('Course', random.int(0, 2), 4)} } group ${edges.below('Group', 1)} } }`,
  ]
  const samples: Sample[] = []
  try {
    for (let count = 0; count < (SOAK ? 300 : 20); count++) {
      const fields = Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => `m${index}: ${random.pick(make)()}`)
      samples.push(await run(world, { query: `mutation { ${fields.join(' ')} }`, caller: random.chance(0.85) ? 'admin' : 'leader' }))
    }
    console.log(`mutations: ${figures(samples).text}`)
    expect(Math.min(...samples.map(({ actual }) => actual))).toBeGreaterThanOrEqual(1)
    const plan = await ask(world, { query: `mutation { ${make[0]?.()} }`, caller: 'admin' }, 'plan')
    expect([plan.data, plan.extensions.explain.steps[0], world.calls]).toMatchObject([
      null,
      { wave: 1, method: 'POST', route: 'v1/sfwd-courses', max: 1, expected: 1, paths: ['createCourse'] },
      [],
    ])
  } finally {
    await world.close()
  }
})

describe('a refused operation', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({
      limits: { maxCalls: 2 },
      observe: { explainFor: ['everybody'] },
      tuning: { explainOthersFor: ['everybody'] },
    })
  })
  afterAll(() => world.close())

  it('sends no call', async () => {
    const { edges } = generators(SEED + 4)
    let refused = 0
    for (let count = 0; count < 60; count++) {
      const operation = edges.make(3)
      const { query, caller } = operation
      const { extensions } = await ask(world, operation, 'plan')
      const answer = await world.query(query, caller ? { as: caller } : {})
      const codes = new Set(answer.errors.map((error) => error.extensions.code))
      if (answer.data !== undefined) continue
      refused++
      expect([[...codes], answer.calls, answer.status], query).toEqual([['CALL_BUDGET_EXCEEDED'], [], 400])
      expect(extensions.explain.predicted.max, query).toBeGreaterThan(2)
    }
    expect(refused).toBeGreaterThan(30)
  })

  it('is not refused for calls that only callers with few rights cause', async () => {
    // Records in a batch may all have to be read one by one: that is known when it has happened.
    const { extensions } = await ask(
      world,
      { query: `{ a: lesson(id: 100001) { title } b: lesson(id: 100002) { title } }`, caller: 'admin' },
      'plan',
    )
    expect(extensions.explain.predicted).toEqual({ min: 1, max: 6, expected: 1, waves: 1 })
  })
})

describe('the expected number of calls', () => {
  it('is learned from the records that edges lead to, for each caller', async () => {
    const world = await start({}, {})
    const lists = {
      query: '{ group(id: 1001) { courses(first: 100) { nodes { lessons(first: 100) { totalCount } } } } }',
      caller: undefined,
    }
    const progress = { query: '{ user(id: 600001) { courseProgress { nodes { course { title } } } } }', caller: 'learner' as const }
    try {
      const cold = (await ask(world, lists, 'plan')).extensions.explain.predicted
      expect(cold).toEqual({ min: 2, max: 102, expected: 102, waves: 2 })
      for (const id of [1003, 1004, 1005, 1006, 1007]) await ask(world, { ...lists, query: lists.query.replace('1001', `${id}`) }, 'run')
      const { max, expected } = (await ask(world, lists, 'plan')).extensions.explain.predicted
      expect([max, expected > 10, expected < 25]).toEqual([102, true, true])
      expect((await ask(world, progress, 'plan')).extensions.explain.predicted.expected).toBe(2)
      await ask(world, progress, 'run')
      expect((await ask(world, progress, 'plan')).extensions.explain.predicted.expected).toBe(1)
      expect((await ask(world, { ...progress, caller: 'admin' }, 'plan')).extensions.explain.predicted.expected).toBe(2)
    } finally {
      await world.close()
    }
  })

  it('counts shared calls once, whatever fields they are for', async () => {
    const world = await start({}, {})
    const query = `{ a: course(id: ${SAMPLES.cycle[0]}) { prerequisites { title } } b: course(id: ${SAMPLES.cycle[1]}) { prerequisites { title priceType { name } } priceType { name } } }`
    const { predicted, steps } = (await ask(world, { query, caller: undefined }, 'plan')).extensions.explain
    await world.close()
    expect(steps.map(({ wave, route, batch, max, paths }: any) => [wave, route, batch, max, paths.join()])).toEqual([
      [1, 'v1/sfwd-courses', 2, 5, 'a,b'],
      [2, 'v1/sfwd-courses', 20, 29, 'a.prerequisites,b.prerequisites'],
      [2, 'v2/price-types/:slug', 1, 1, 'b.priceType'],
      [3, 'v2/price-types', 10, 1, 'b.prerequisites.priceType'],
    ])
    expect(predicted).toEqual({ min: 1, max: 36, expected: 4, waves: 3 })
  })
})
