import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { authorizationOf, World } from '../support/world.js'

const worlds: World[] = []
async function start(options: Parameters<typeof World.start>[1] = {}, names: SiteNames = PRESETS.lms): Promise<World> {
  const world = await World.start({}, { profile: 'lms', ...options }, names)
  worlds.push(world)
  return world
}
afterAll(() => Promise.all(worlds.map((world) => world.close())))

const STEPS = 'status stepsCompleted stepsTotal lastStepId percent course { databaseId disableLessonProgression priceTypeSlug }'
const NEXT = `nextLesson { databaseId title } nextLessonReason`

interface Progress {
  readonly status: 'NOT_STARTED' | 'IN_PROGRESS' | 'COMPLETED'
  readonly stepsCompleted: number
  readonly stepsTotal: number
  readonly lastStepId: number | null
  readonly percent: number
  readonly course: { readonly databaseId: number; readonly disableLessonProgression: boolean; readonly priceTypeSlug: string }
  readonly nextLesson: { readonly databaseId: number } | null
  readonly nextLessonReason: string | null
}

/** The progress of the demo learner in all courses, and the lessons of these in their order. */
async function progressIn(world: World): Promise<{ rows: readonly Progress[]; lessons: ReadonlyMap<number, readonly number[]> }> {
  const { data, errors } = await world.query(`{ user(id: 3) { courseProgress(first: 100) { nodes { ${STEPS} ${NEXT} } } } }`, {
    as: 'admin',
  })
  expect(errors).toEqual([])
  const rows: readonly Progress[] = data.user.courseProgress.nodes
  const lessons = new Map<number, readonly number[]>()
  for (const { course } of rows) {
    const query = `{ course(id: ${course.databaseId}) { lessons(first: 100) { nodes { databaseId } } } }`
    const { data } = await world.query(query, { as: 'admin' })
    lessons.set(
      course.databaseId,
      data.course.lessons.nodes.map(({ databaseId }: { databaseId: number }) => databaseId),
    )
  }
  return { rows, lessons }
}

describe('the next lesson on a site as specified', () => {
  let world: World
  let progress: Awaited<ReturnType<typeof progressIn>>
  beforeAll(async () => {
    world = await start()
    progress = await progressIn(world)
  })

  it('follows the last completed step where the order is enforced and the step is a lesson', () => {
    const counts = { next: 0, completed: 0, first: 0, unknown: 0, last: 0 }
    for (const { status, stepsCompleted, lastStepId, course, nextLesson, nextLessonReason } of progress.rows) {
      const order = progress.lessons.get(course.databaseId) as readonly number[]
      const index = order.indexOf(lastStepId as number)
      const isOrdered = !course.disableLessonProgression && course.priceTypeSlug !== 'open'
      const found = [nextLesson?.databaseId ?? null, nextLessonReason]
      if (status === 'COMPLETED') {
        counts.completed++
        expect(found).toEqual([null, 'COURSE_COMPLETED'])
      } else if (stepsCompleted === 0) {
        counts.first++
        expect(found).toEqual([order[0], null])
      } else if (isOrdered && index >= 0 && index < order.length - 1) {
        counts.next++
        expect(found).toEqual([order[index + 1], null])
      } else if (isOrdered && index >= 0) {
        counts.last++
        expect(found).toEqual([null, 'ALL_LESSONS_COMPLETED'])
      } else {
        counts.unknown++
        expect(found).toEqual([null, 'COMPLETED_STEPS_UNKNOWN'])
      }
    }
    console.log('next lessons', counts)
    expect(Math.min(counts.next, counts.completed, counts.unknown)).toBeGreaterThan(0)
  })

  it('comes with the completed part in percent', () => {
    for (const { status, stepsCompleted, stepsTotal, percent } of progress.rows)
      expect(percent).toBe(status === 'COMPLETED' ? 100 : Math.floor((100 * stepsCompleted) / stepsTotal))
  })

  it('is listed for the courses under way, the latest started ones first', async () => {
    const fields = `progress { status dateStarted } course { databaseId } lesson { databaseId } reason`
    const ask = async (first: number) =>
      (await world.query(`{ user(id: 3) { nextLessons(first: ${first}) { ${fields} } } }`, { as: 'admin' })).data.user.nextLessons
    const all = await ask(50)
    const underWay = progress.rows.filter(({ status }) => status === 'IN_PROGRESS')
    expect(underWay.length).toBeGreaterThan(3)
    expect(all.map(({ course }: any) => course.databaseId).sort()).toEqual(underWay.map(({ course }) => course.databaseId).sort())
    const started = all.map(({ progress }: any) => progress.dateStarted)
    expect(started).toEqual([...started].sort().reverse())
    for (const { course, lesson, reason } of all) {
      const own = progress.rows.find((row) => row.course.databaseId === course.databaseId)
      expect([lesson?.databaseId, reason]).toEqual([own?.nextLesson?.databaseId, own?.nextLessonReason])
    }
    expect(await ask(2)).toEqual(all.slice(0, 2))
    expect((await world.query('{ user(id: 3) { nextLessons { reason } } }', { as: 'admin' })).data.user.nextLessons).toHaveLength(
      Math.min(10, all.length),
    )
  })

  it('is an error for a caller who may not read the progress', async () => {
    const { data, errors } = await world.query('{ user(id: 3) { databaseId nextLessons { reason } } }', { as: 'newcomer' })
    expect(data).toEqual({ user: { databaseId: 3, nextLessons: null } })
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['user', 'nextLessons'], 'FORBIDDEN']])
  })
})

/** The profiles send the steps as a list in a list, and in pages. */
describe.each(['learndash', 'learndash-5'] as const)('the next lesson on a site of profile %s, which lists the steps', (profile) => {
  it('is the first lesson whose step is not completed', async () => {
    const world = await start({ profile }, PRESETS.learndash)
    const { rows, lessons } = await progressIn(world)
    let exact = 0
    for (const { status, course, nextLesson, nextLessonReason } of rows) {
      if (status === 'COMPLETED') continue
      const completed = await completedIn(world, course.databaseId)
      const expected = lessons.get(course.databaseId)?.find((id) => !completed.has(id))
      if (completed.size > 0) exact++
      const reason = lessons.get(course.databaseId)?.length === 0 ? 'NO_LESSONS' : 'ALL_LESSONS_COMPLETED'
      expect([nextLesson?.databaseId, nextLessonReason]).toEqual(expected === undefined ? [undefined, reason] : [expected, null])
    }
    expect(exact).toBeGreaterThan(3)
  })
})

/** The steps that the demo learner has completed in a course, as the site sends them. */
async function completedIn({ lms }: World, course: number): Promise<ReadonlySet<number>> {
  const response = await fetch(`${lms.url}/ldlms/v2/users/3/course-progress/${course}/steps?per_page=100`, {
    headers: { authorization: authorizationOf('admin') },
  })
  expect(response.status).toBe(200)
  const steps: { step: number; step_status: string }[] = [await response.json()].flat(2)
  return new Set(steps.filter(({ step_status }) => step_status === 'completed').map(({ step }) => step))
}
