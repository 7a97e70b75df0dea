import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { outcomeOf, Switched } from './quirks.js'
import { basic, type Json, type Login } from './world.js'

const site = new Switched()

const LOGINS: readonly Login[] = ['anonymous', 'newcomer', 'learner', 'leader', 'admin']

/** Error codes. Those of version 1 have the prefix of the site. */
const OWN = 'own_rest_forbidden'
const VIEW = 'ld_rest_cannot_view'

/** Results for anonymous, newcomer, learner, leader and admin: the columns of section 4. A code stands for 401 or 403. */
const MATRIX: readonly (readonly [string, ...string[]])[] = [
  ['v1/sfwd-courses', OWN, OWN, OWN, OWN, '200'],
  ['v1/sfwd-courses/10001', OWN, OWN, OWN, OWN, '200'],
  ['v1/groups', OWN, OWN, OWN, '200', '200'],
  ['v1/groups/1001', OWN, OWN, OWN, '200', '200'],
  ['v1/sfwd-quiz', VIEW, VIEW, VIEW, VIEW, '200'],
  ['v1/sfwd-quiz?course=COURSE', VIEW, VIEW, VIEW, VIEW, '200'],
  ['v1/sfwd-quiz/300001', VIEW, VIEW, VIEW, VIEW, '200'],
  ['v2/sfwd-lessons', ...Array(4).fill('404 rest_post_invalid_id'), '200'],
  ['v2/sfwd-lessons?course=COURSE', VIEW, VIEW, '200', VIEW, '200'],
  ['v2/sfwd-lessons/LESSON', VIEW, VIEW, '200', VIEW, '200'],
  ['v2/users/3/course-progress', VIEW, VIEW, '200', '200', '200'],
  ['v2/users/4/course-progress', VIEW, '200', VIEW, VIEW, '200'],
  ['v2/price-types', '200', '200', '200', '200', '200'],
  [`v2/groups/${SAMPLES.ledGroups[0]}/courses`, VIEW, VIEW, VIEW, VIEW, '200'],
  ['v1/sfwd-questions/500001', 'rest_forbidden', 'rest_forbidden', 'rest_forbidden', 'rest_forbidden', '200'],
]

describe.each([
  ['its switch', { switches: { adminOnly: true } }, 'lms'],
  ['learndash', { profile: 'learndash' }, 'learndash'],
  ['learndash-5', { profile: 'learndash-5' }, 'learndash'],
] as const)('4: who may read what, by %s', (_name, setup, prefix) => {
  it.each(MATRIX)('%s', async (path, ...expected) => {
    const ask = await site.set(setup)
    const [{ course }] = (await ask('v2/users/3/course-progress')).body
    const [lesson] = await ask.ids(`v2/sfwd-lessons?course=${course}`)
    const found: string[] = []
    for (const login of LOGINS) found.push(outcomeOf(await ask(path.replace('COURSE', course).replace('LESSON', String(lesson)), login)))
    const codes = expected.map((code, place) =>
      /^\d/.test(code) ? code : `${LOGINS[place] === 'anonymous' ? 401 : 403} ${code.replace('own', prefix)}`,
    )
    expect(found).toEqual(codes)
  })

  it('leaders list their groups, and the progress of learners in the courses of those groups', async () => {
    const ask = await site.set(setup)
    expect((await ask.ids('v1/groups', 'leader')).sort()).toEqual(SAMPLES.ledGroups)
    const shared = await ask.ids(`v2/groups/${SAMPLES.ledGroups[0]}/courses?per_page=100`)
    const courses = (rows: Json[]): number[] => rows.map(({ course }) => course).sort()
    const all = courses((await ask('v2/users/3/course-progress?per_page=100')).body)
    const seen = courses((await ask('v2/users/3/course-progress?per_page=100', 'leader')).body)
    expect(seen).toEqual(all.filter((course) => shared.includes(course)))
    expect(seen.length).toBeLessThan(all.length)
  })

  it('learners read lessons of the courses of their groups too', async () => {
    const ask = await site.set(setup)
    const [course] = await ask.ids(`v2/groups/${SAMPLES.ledGroups[0]}/courses?per_page=1`)
    expect(outcomeOf(await ask(`v2/sfwd-lessons?course=${course}`, 'learner'))).toBe('200')
    expect(outcomeOf(await ask('v2/sfwd-lessons?course=77', 'learner'))).toBe('404 rest_post_invalid_id')
  })

  it('only administrators may write', async () => {
    const ask = await site.set(setup)
    for (const [login, status] of [
      ['anonymous', 401],
      ['leader', 403],
    ] as const) {
      expect(outcomeOf(await ask('v1/groups', login, { method: 'POST' }))).toBe(`${status} rest_cannot_create`)
      expect(outcomeOf(await ask(`v1/groups/${SAMPLES.ledGroups[0]}`, login, { method: 'PATCH' }))).toBe(`${status} rest_cannot_edit`)
      expect(outcomeOf(await ask(`v1/groups/${SAMPLES.ledGroups[0]}`, login, { method: 'DELETE' }))).toBe(`${status} rest_cannot_delete`)
    }
  })
})

site.quirk('4: only administrators may read', { adminOnly: true }, async (ask) => {
  expect((await ask('v1/sfwd-courses', 'anonymous')).status).toBe(401)
})

site.quirk('trap 17: a caller with wrong credentials is anonymous', { wrongPasswordAnonymous: true }, async (ask) => {
  for (const authorization of [basic('admin', 'wrong'), basic('nobody', 'admin-demo')]) {
    const headers = { authorization }
    expect(outcomeOf(await ask('v2/price-types', 'anonymous', { headers }))).toBe('200')
    expect(outcomeOf(await ask('v1/sfwd-questions/500001', 'anonymous', { headers }))).toBe('401 rest_forbidden')
  }
})
