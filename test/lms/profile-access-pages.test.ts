import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { ACCESS_SAMPLES } from '../support/access-samples.js'
import { type Ask, type Raw, Switched } from './quirks.js'
import { type Json, type Login, SITE } from './world.js'

const site = new Switched()

const recordOf = async (ask: Ask, kind: 'course' | 'lesson', id: number): Promise<Json> =>
  (await ask(`${kind === 'course' ? 'v1/sfwd-courses' : 'v2/sfwd-lessons'}/${id}`)).body

const pageOf = (ask: Ask, { link }: Json, login: Login, init?: RequestInit): Promise<Raw> => ask(link.slice(SITE.length), login, init)

/** Kinds of the reasons on a page. */
const reasonsOn = ({ text }: Raw): string[] => [...text.matchAll(/<p data-reason="(\w+)">/g)].map(([, kind]) => kind!)

/** The status of a page, and the reasons on it. */
const outcomeOf = (page: Raw): readonly [number, readonly string[]] => [page.status, reasonsOn(page)]

describe.each(['learndash', 'learndash-5'] as const)('pages of profile %s', (profile) => {
  it.each(ACCESS_SAMPLES)('follow the rules of access: $what, for $login', async ({ course, lesson, login, reasons }) => {
    const ask = await site.set({ profile })
    const record = lesson === undefined ? await recordOf(ask, 'course', course) : await recordOf(ask, 'lesson', lesson)
    const page = await pageOf(ask, record, login)
    expect(outcomeOf(page)).toEqual(reasons.length === 0 ? [200, []] : [403, reasons])
    expect(page.text.includes(record.content.rendered)).toBe(reasons.length === 0)
    expect(outcomeOf(await pageOf(ask, record, 'admin'))).toEqual([200, []])
  })

  it('name what is missing', async () => {
    const ask = await site.set({ profile })
    const textOf = async (kind: 'course' | 'lesson', id: number): Promise<string> =>
      (await pageOf(ask, await recordOf(ask, kind, id), 'learner')).text
    const titleOf = async (kind: 'course' | 'lesson', id: number): Promise<string> => (await recordOf(ask, kind, id)).title.rendered
    expect(await textOf('course', 10_041)).toContain('The course starts at 2099-01-04T09:00:00Z.')
    expect(await textOf('course', 10_073)).toContain('The course ended at 2025-06-30T22:00:00Z.')
    expect(await textOf('course', 10_095)).toContain('The course needs 40 points. You have 15.5.')
    expect(await textOf('course', 10_021)).toContain(`These courses must be completed first: ${await titleOf('course', 10_010)}.`)
    expect(await textOf('lesson', 100_557)).toContain(
      `This lesson must be completed first: ${(await titleOf('lesson', 100_556)).replaceAll('"', '&quot;')}.`,
    )
    expect(await textOf('lesson', 100_639)).toContain('The lesson is released at 2099-01-04T23:00:00Z.')
    const [progress] = [(await ask('v2/users/3/course-progress?include=10023')).body].flat()
    expect(progress.progress_status).toMatch(/^not.started$/)
    expect(await textOf('course', 10_023)).toMatch(/Access to the course expired at 202[45]-\d\d-\d\dT\d\d:\d\d:\d\dZ\./)
  })

  it('with a password ask for it after the rules', async () => {
    const ask = await site.set({ profile })
    const record = await recordOf(ask, 'course', 10_031)
    expect(record.content.protected).toBe(true)
    const unlock = (login: Login) =>
      pageOf(ask, record, login, { method: 'POST', body: new URLSearchParams({ post_password: SAMPLES.password }) })
    for (const answer of [await pageOf(ask, record, 'newcomer'), await unlock('newcomer')])
      expect(outcomeOf(answer)).toEqual([403, ['NotEnrolled']])
    expect((await pageOf(ask, record, 'learner')).text).toContain('name="post_password"')
    expect(outcomeOf(await unlock('learner'))).toEqual([200, []])
  })
})

describe('pages', () => {
  it('are for everybody by the specification', async () => {
    const ask = await site.set()
    for (const { course, lesson } of ACCESS_SAMPLES) {
      const record = lesson === undefined ? await recordOf(ask, 'course', course) : await recordOf(ask, 'lesson', lesson)
      expect([course, lesson, ...outcomeOf(await pageOf(ask, record, 'anonymous'))]).toEqual([course, lesson, 200, []])
    }
  })
})

const [first, second] = [100_283, 100_286]

site.quirk(
  'the order of lessons is enforced in open courses',
  { adminOnly: true, openProgression: true },
  async (ask) => {
    const outcome = async (lesson: number, login: Login) => outcomeOf(await pageOf(ask, await recordOf(ask, 'lesson', lesson), login))
    expect(await outcome(first, 'learner')).toEqual([200, []])
    // Lesson 3 is completed, the topic below it is not: lesson 4 is next, and lesson 5 comes after it.
    expect(await outcome(second, 'learner')).toEqual([200, []])
    expect(await outcome(second + 1, 'learner')).toEqual([403, ['PreviousLessonIncomplete']])
  },
  ['learndash-5'],
)

it('the order of lessons is not enforced in open courses of version 4', async () => {
  const ask = await site.set({ profile: 'learndash' })
  expect(outcomeOf(await pageOf(ask, await recordOf(ask, 'lesson', second + 1), 'learner'))).toEqual([200, []])
})
