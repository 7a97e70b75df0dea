import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { authorizationOf, CANDID, World } from '../support/world.js'

/** All fields of an access. */
const ASKED = `fragment Asked on Access {
  state enrolment availableAt expiresAt
  reasons {
    __typename message
    ... on NotEnrolled { priceType { slug name } price buttonUrl seatsLimit }
    ... on PrerequisitesMissing { compare missing { title } completed { title } }
    ... on CourseNotStarted { availableAt } ... on NotYetReleased { releasedAt: availableAt }
    ... on CourseEnded { since } ... on Expired { since }
    ... on PreviousLessonIncomplete { lesson { title } } ... on NotPublished { status }
  }
  unknowns { rule missing message availableAt expiresAt points pointsNeeded }
}`

const LESSON = 'id title link'
const NEXT = `progress { percent stepsCompleted stepsTotal } course { title } lesson { ${LESSON} } reason`
const NODE = 'courseId depth parents completed isInCycle course { title }'

const list = (count: number, fields: string): string =>
  `{ courses(first: ${count}, orderBy: { field: ID, direction: ASC }) { nodes { databaseId ${fields} } } }`

/** The first courses of the sample school, each by id: lessons of sites with shared steps do not name their course. */
const byId = (count: number, fields: (id: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, index) => `c${index}: course(id: ${10_001 + index}) { ${fields(10_001 + index)} }`).join(' ')} }`

/** Operations about a number of courses, by their names in the documentation. */
const OPERATIONS: Readonly<Record<string, (count: number) => string>> = {
  '`Course.access`': (count) => list(count, `access(user: 3) { ...Asked }`),
  'the same, and three lessons of each course with `access`': (count) =>
    byId(count, (id) => `access(user: 3) { ...Asked } lessons(first: 3) { nodes { title access(user: 3, course: ${id}) { ...Asked } } }`),
  '`Course.prerequisiteMap`, five levels': (count) => list(count, `prerequisiteMap(user: 3) { isComplete nodes { ${NODE} } }`),
  '`Course.progress` with `percent` and `nextLesson`': (count) =>
    list(count, `progress(user: 3) { percent nextLesson { ${LESSON} } nextLessonReason }`),
  '`User.nextLessons`': (count) => `{ user(id: 3) { nextLessons(first: ${count}) { ${NEXT} } } }`,
}

const COUNTS = [1, 10, 50] as const
const PROFILES = ['lms', 'learndash'] as const
const SETTINGS = { lms: {}, learndash: { openProgression: 'ignored', missingPrerequisites: 'ignored' } } as const

/** The route of a call, such as `sfwd-courses/<id>`. */
const routeOf = (path: string): string => (path.split('?')[0] as string).replace(/^.*\/v\d\//, '').replace(/\/\d+(?=\/|$)/g, '/<id>')

describe('REST calls for answers about learners', () => {
  const worlds = new Map<string, World>()
  const total = new Map<string, number>()

  beforeAll(async () => {
    const options = { ...CANDID, observe: { explainFor: ['everybody'] }, limits: { maxCalls: 100_000 } } as const
    for (const profile of PROFILES)
      worlds.set(profile, await World.start(options, { profile }, { ...PRESETS[profile], ...SETTINGS[profile] }))
  })
  afterAll(() => Promise.all([...worlds.values()].map((world) => world.close())))

  /** Runs an operation as administrator. Returns its REST calls by route, and what was predicted. */
  async function run(profile: string, query: string) {
    const world = worlds.get(profile) as World
    world.calls.length = 0
    const response = await world.gateway.post(
      { query: query.includes('...Asked') ? `${query} ${ASKED}` : query, extensions: { explain: 'run' } },
      { authorization: authorizationOf('admin') },
    )
    const { errors = [], extensions } = (await response.json()) as any
    expect(errors).toEqual([])
    const routes: Record<string, number> = {}
    for (const { path } of world.calls) routes[routeOf(path)] = (routes[routeOf(path)] ?? 0) + 1
    return { routes, calls: world.calls.length, predicted: extensions.explain.predicted }
  }

  describe.each(PROFILES)('on a site of the kind %s', (profile) => {
    it.each(Object.entries(OPERATIONS))('%s: batches where the interface has them, within the estimate', async (name, operation) => {
      for (const count of COUNTS) {
        const { routes, calls, predicted } = await run(profile, operation(count))
        total.set(`${name} ${profile} ${count}`, calls)
        console.log(`${profile}, ${name}, ${count}: ${calls} calls, ${JSON.stringify(routes)}, predicted ${JSON.stringify(predicted)}`)
        expect(calls).toBeGreaterThanOrEqual(predicted.min)
        expect(calls).toBeLessThanOrEqual(predicted.max)
        const of = (route: string): number => routes[route] ?? 0
        // At most one call for each level of prerequisites, and single reads of those that a batch left out.
        expect(of('sfwd-courses')).toBeLessThanOrEqual(7)
        expect(of('sfwd-courses/<id>')).toBeLessThanOrEqual(3)
        // One for the courses, one for their prerequisites, one for those of the lessons.
        expect(of('users/<id>/course-progress') + of('users/<id>/course-progress/<id>')).toBeLessThanOrEqual(3)
        expect(of('price-types') + of('price-types/<id>')).toBeLessThanOrEqual(1)
        // Of each course at most one list for the order of its lessons, beside the selected one.
        expect(of('sfwd-lessons')).toBeLessThanOrEqual(count * (name.includes('three lessons') ? 2 : 1))
        expect(of('users/<id>/course-progress/<id>/steps')).toBeLessThanOrEqual(count)
      }
    })
  })

  it('are those of the table in docs/access.md', () => {
    const page = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8')
    for (const name of Object.keys(OPERATIONS)) {
      const cells = PROFILES.map((profile) => COUNTS.map((count) => total.get(`${name} ${profile} ${count}`)).join(', '))
      expect(page).toContain(`| ${name} | ${cells.join(' | ')} |`)
    }
  })
})
