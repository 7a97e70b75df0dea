import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import type { LmsOptions } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { Coverage } from '../support/coverage.js'
import { EdgeOperations } from '../support/edge-operations.js'
import { OWN_ROUTES } from '../support/profile.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { IDS } from '../support/random-site.js'
import { authorizationOf, type Login, SOAK, World } from '../support/world.js'

// What `explain: plan` says of an operation before its first call, and what `explain: run` has recorded of its calls: both are read from one layout.

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 1_000 : 40))
const SEED = Number(process.env.SEED ?? 20_261_128)

const SITES: Readonly<Record<string, { school: LmsOptions; names: SiteNames }>> = {
  'the sample school': { school: {}, names: OWN_ROUTES },
  'a site of the plugin, which is asked for the viewer': { school: { profile: 'learndash' }, names: PRESETS.learndash },
  'a site with small pages that lacks columns': {
    school: {},
    names: {
      ...OWN_ROUTES,
      pageCap: 7,
      missingColumns: ['Course.title', 'Course.prerequisiteIds', 'GroupCourse.priceTypeSlug', 'CourseProgress.status', 'Lesson.courseId'],
    },
  },
}

interface Asked {
  readonly query: string
  readonly variables?: object
  readonly caller: Login | undefined
}

interface PlannedStep {
  readonly wave: number
  readonly method: string
  readonly route: string
  readonly min: number
  readonly paths: readonly string[]
}

interface MadeCall {
  readonly wave: number | null
  readonly method: string
  readonly route: string
  readonly attempt?: number
  readonly paths: readonly string[]
}

/** The route of a list of records, also for that of one of them. */
const listOf = (route: string): string => route.replace(/\/:\w+$/, '')

const isOf = ({ method, route }: MadeCall, step: PlannedStep): boolean => method === step.method && listOf(route) === listOf(step.route)

const schema = graphSchema()

async function ask(world: World, { query, variables, caller }: Asked, explain: 'plan' | 'run'): Promise<any> {
  const headers = caller ? { authorization: authorizationOf(caller) } : {}
  const response = await world.gateway.post({ query, variables, extensions: { explain } }, headers)
  const { data, extensions, errors } = (await response.json()) as { data: any; extensions?: any; errors?: unknown }
  expect(extensions?.explain, `${query} ${JSON.stringify(errors)}`).toBeDefined()
  return { data, ...extensions.explain }
}

/** Whether the arguments of the root field above a path lead to no record: to no viewer, or to ids that are refused. */
function leadsNowhere(path: string, data: any): boolean {
  const root = data?.[path.split('.')[0] as string]
  return root === null || (Array.isArray(root) && root.every((item) => item === null))
}

/**
 * By how many waves the steps of a mutation field are after its calls. The waves of a run are counted as they are made, and those of a plan before
 * it is known that an earlier field needs fewer of them.
 */
function wavesBetween(steps: readonly PlannedStep[], calls: readonly MadeCall[]): (call: MadeCall) => number {
  const between = new Map<string, number>()
  for (const { method, paths, wave } of calls.filter(({ method }) => method !== 'GET')) {
    const [field = ''] = paths
    const step = steps.find((step) => step.method === method && step.paths.includes(field))
    between.set(field, (step?.wave ?? Number.NaN) - (wave as number))
  }
  return ({ paths }) => between.get(paths[0]?.split('.')[0] as string) ?? 0
}

const NOTHING = { operations: 0, calls: 0, unplanned: 0, named: 0, certain: 0, waves: 0 }
const seen = { ...NOTHING }
const reset = (): void => void Object.assign(seen, NOTHING)

/** Holds the calls of a run against the steps that were explained before it. */
async function compare(world: World, asked: Asked, dropsFilters: boolean): Promise<void> {
  const { steps } = (await ask(world, asked, 'plan')) as { steps: readonly PlannedStep[] }
  const { data, calls: made } = (await ask(world, asked, 'run')) as { data: unknown; calls: readonly MadeCall[] }
  const told = `${asked.caller} ${asked.query} ${JSON.stringify(asked.variables)}\n${JSON.stringify({ steps, made }, null, 1)}`
  const calls = made.filter(({ attempt = 1 }) => attempt === 1)
  const later = wavesBetween(steps, calls)
  const planned = calls.filter(({ wave }) => wave !== null).map((call) => ({ ...call, wave: (call.wave as number) + later(call) }))
  const all = new Set(steps.flatMap(({ paths }) => paths))
  for (const call of planned) {
    const inWave = steps.filter(({ wave }) => wave === call.wave)
    const same = inWave.filter((step) => isOf(call, step))
    const known = new Set(same.flatMap(({ paths }) => paths))
    // A field for which no call is expected can share the batch of others: its list is refused before it is read, or its slug shows the whole record.
    const bySlug = new Set(steps.filter((step) => step.wave + 1 === call.wave && isOf(call, step)).flatMap(({ paths }) => paths))
    // Where a site drops filters, the record that a filter names is read with the list.
    const ofFilter = (path: string): boolean =>
      dropsFilters && call.route.endsWith('/:id') && inWave.some(({ paths }) => paths.includes(path))
    const isFree = (path: string): boolean => !all.has(path) || bySlug.has(path) || leadsNowhere(path, data) || ofFilter(path)
    expect([call.route, call.paths.filter((path) => !known.has(path) && !isFree(path))], told).toEqual([call.route, []])
    if (call.paths.some((path) => known.has(path))) continue
    expect([call.route, call.paths.some(ofFilter)], told).toEqual([call.route, true])
    seen.named++
  }
  // A write that the site refuses leads to no record.
  const isMutation = asked.query.startsWith('mutation')
  for (const step of steps.filter(({ min, method }) => min > 0 && (method !== 'GET' || !isMutation))) {
    const of = planned.filter((call) => call.wave === step.wave && isOf(call, step) && step.paths.some((path) => call.paths.includes(path)))
    expect([step, of.length > 0], told).toEqual([step, true])
    seen.certain++
  }
  seen.operations++
  seen.calls += planned.length
  seen.unplanned += calls.length - planned.length
  seen.waves = Math.max(seen.waves, ...planned.map(({ wave }) => wave as number))
}

describe.each(Object.entries(SITES))('on %s', (name, { school, names }) => {
  let world: World
  beforeAll(async () => {
    world = await World.start(
      { observe: { explainFor: ['everybody'] }, tuning: { explainOthersFor: ['everybody'] }, limits: { maxCalls: 100_000, maxDepth: 100 } },
      school,
      names,
    )
  })
  afterAll(() => world.close())

  it('each planned call of a query belongs to an explained step, and each certain step has a call', { timeout: 1_800_000 }, async () => {
    const random = new Random(SEED)
    const options = { schema, random, ids: IDS, steering: new Coverage(schema, random) }
    const edges = new EdgeOperations(options)
    reset()
    const dropsFilters = (names.droppedFilters ?? []).length > 0
    while (seen.operations < OPERATIONS) {
      const asked: Asked = seen.operations % 2 === 0 ? edges.make(3) : randomOperation(options)
      await compare(world, asked, dropsFilters)
    }
    console.log(`${name} (seed ${SEED}): ${JSON.stringify(seen)}`)
    expect(seen.calls).toBeGreaterThan(2 * OPERATIONS)
    expect(seen.certain).toBeGreaterThan(OPERATIONS / 2)
    expect(seen.waves).toBeGreaterThanOrEqual(3)
    expect(seen.unplanned).toBeLessThan(seen.calls / 20)
  })

  it('each planned call of a mutation belongs to an explained step, as many waves after its write', { timeout: 600_000 }, async () => {
    const random = new Random(SEED + 1)
    const edges = new EdgeOperations({ schema, random, ids: IDS, steering: new Coverage(schema, random) })
    const idOf = (type: string): number => random.pick(IDS[type] ?? [])
    const below = (type: string, field: string, depth: number): string => `${field} ${edges.below(type, depth)}`
    const make: readonly (() => string)[] = [
      () => `createCourse(input: { title: "New" }) { ... on CreateCourseSuccess { ${below('Course', 'course', random.int(1, 3))} } }`,
      () => `updateCourse(input: { id: ${idOf('Course')}, points: 2 }) { ... on UpdateCourseSuccess { ${below('Course', 'course', 3)} } }`,
      () => `updateLesson(input: { id: ${idOf('Lesson')}, title: "x" }) { ... on UpdateLessonSuccess { ${below('Lesson', 'lesson', 2)} } }`,
      () => `updateGroup(input: { id: ${idOf('Group')}, title: "x" }) { ... on UpdateGroupSuccess { ${below('Group', 'group', 2)} } }`,
    ]
    reset()
    while (seen.operations < OPERATIONS / 2) {
      const fields = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => `m${index}: ${random.pick(make)()}`)
      const asked: Asked = { query: `mutation { ${fields.join(' ')} }`, caller: random.chance(0.85) ? 'admin' : 'leader' }
      await compare(world, asked, (names.droppedFilters ?? []).length > 0)
    }
    console.log(`${name}, mutations (seed ${SEED}): ${JSON.stringify(seen)}`)
    expect(seen.certain).toBeGreaterThanOrEqual(OPERATIONS / 2)
    expect(seen.calls).toBeGreaterThan(OPERATIONS)
    expect(seen.waves).toBeGreaterThanOrEqual(3)
  })
})
