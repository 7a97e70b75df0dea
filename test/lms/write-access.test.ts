import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { basic, type Login, outcome, ROUTES, useLms } from './world.js'

const { get, write, create } = useLms()

const LOGINS: readonly Login[] = ['anonymous', 'newcomer', 'learner', 'leader', 'admin']
const denied = (code: string): string[] => [`401 ${code}`, ...Array(3).fill(`403 ${code}`)]

/** Method, path and body, then the results for anonymous, newcomer, learner, leader and admin. */
const MATRIX: readonly (readonly [string, string, unknown, readonly string[]])[] = Object.values(ROUTES).flatMap((route) => {
  const unknown = Array(5).fill('404 rest_post_invalid_id')
  return [
    ['POST', route, { title: 'x' }, [...denied('rest_cannot_create'), '201']],
    // Rights are checked before the body: only callers who may write get errors about it.
    ['POST', route, { menu_order: 'x', author: 'x', id: 5 }, [...denied('rest_cannot_create'), '400 rest_post_exists']],
    // The existence of the record is checked first, as on real sites.
    ['PATCH', `${route}/77`, { title: 'x' }, unknown],
    ['DELETE', `${route}/77`, undefined, unknown],
    ['DELETE', `${route}/77?force=true`, undefined, unknown],
    // An invalid body is refused before the record is looked up.
    ['PATCH', `${route}/77`, [], Array(5).fill('400 rest_invalid_json')],
  ] as const
})

describe('write access to', () => {
  it.each(MATRIX)('%s %s %j', async (method, path, body, expected) => {
    const found = []
    for (const login of LOGINS) found.push(outcome(await write(method, path, body, login)))
    expect(found).toEqual(expected)
  })

  it.each(Object.values(ROUTES))('%s/<id>: only administrators, for every status', async (route) => {
    for (const status of ['publish', 'draft', 'private']) {
      const { id } = await create(route, { status })
      const before = (await get(`${route}/${id}?context=edit`)).text
      for (const login of LOGINS.slice(0, 4)) {
        const code = login === 'anonymous' ? 401 : 403
        for (const method of ['POST', 'PUT', 'PATCH']) {
          expect(outcome(await write(method, `${route}/${id}`, { title: 'Mine' }, login))).toBe(`${code} rest_cannot_edit`)
        }
        expect(outcome(await write('DELETE', `${route}/${id}`, undefined, login))).toBe(`${code} rest_cannot_delete`)
        expect(outcome(await write('DELETE', `${route}/${id}?force=true`, undefined, login))).toBe(`${code} rest_cannot_delete`)
      }
      expect((await get(`${route}/${id}?context=edit`)).text).toBe(before)
      expect(outcome(await write('PATCH', `${route}/${id}`, { title: 'Ours' }))).toBe('200')
    }
  })

  it('groups: leaders may not write the groups they lead', async () => {
    const [led] = SAMPLES.ledGroups
    expect(outcome(await write('PATCH', `${ROUTES.Group}/${led}`, { title: 'x' }, 'leader'))).toBe('403 rest_cannot_edit')
    expect(outcome(await write('POST', `/lms/v2/groups/${led}/courses`, { course_ids: [10_001] }, 'leader'))).toBe('403 rest_cannot_edit')
  })

  it('any record: wrong credentials are refused first', async () => {
    const answer = await get(ROUTES.Group, 'anonymous', { method: 'POST', headers: { authorization: basic('admin', 'nope') } })
    expect(outcome(answer)).toBe('401 incorrect_password')
  })
})
