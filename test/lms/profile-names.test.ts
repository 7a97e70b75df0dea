import { describe, expect, it } from 'vitest'
import { outcomeOf, Switched } from './quirks.js'
import { SITE } from './world.js'

const site = new Switched()

site.quirk('namespace: the site sets the first path segment', { namespace: 'ldlms' }, async (ask) => {
  expect(outcomeOf(await ask('/ldlms/v1/groups'))).toBe('200')
  expect(outcomeOf(await ask('/wp-json/ldlms/v2/price-types'))).toBe('200')
  expect(outcomeOf(await ask('/lms/v1/groups'))).toBe('404 rest_no_route')
})

site.quirk('termPrefix: the prefix of taxonomies changes in fields, filters, links and classes', { termPrefix: 'ld_' }, async (ask) => {
  const [course] = (await ask('v1/sfwd-courses?include=10001&context=edit')).body
  expect(course).toHaveProperty('ld_course_category')
  expect(course).not.toHaveProperty('lms_course_category')
  const [term] = course.ld_course_category
  expect(await ask.ids(`v1/sfwd-courses?ld_course_category_exclude=${term}&include=10001`)).toEqual([])
  expect(await ask.ids(`v1/sfwd-courses?lms_course_category_exclude=${term}&include=10001`)).toEqual([10_001])
  expect(JSON.stringify(course._links['wp:term'])).toContain('/wp/v2/ld_course_category?post=10001')
  expect(course.class_list.filter((name: string) => /course_category/.test(name))).toEqual([expect.stringMatching(/^ld_course_category-/)])
})

site.quirk('fieldsOnly: `_filter` has no effect; `_fields` accepts members, and `_links` as a whole', { fieldsOnly: true }, async (ask) => {
  expect(Object.keys((await ask('v1/groups/1001?_filter=id')).body).length).toBeGreaterThan(10)
  const { body } = await ask('v1/groups/1001?_fields=id,title.rendered,content.protected,_links.self')
  expect(Object.keys(body)).toEqual(['id', 'title', 'content', '_links'])
  expect([Object.keys(body.title), Object.keys(body.content)]).toEqual([['rendered'], ['protected']])
  expect(body._links).toHaveProperty('collection')
})

site.quirk('3.1: `/?rest_route=` names the route', { routing: 'both' }, async (ask) => {
  const [{ pathname }] = [new URL((await ask('v1/groups/1001')).body._links.collection[0].href)]
  const route = pathname.replace(/^(\/wp-json)?\/(wp\/v2|\w+\/v1)/, '')
  expect(route).toBe('/groups')
  const namespace = (await ask('/ldlms/v1/groups')).status === 200 ? 'ldlms' : 'lms'
  expect((await ask(`/?rest_route=/${namespace}/v1/groups/1001/&_fields=id`)).body).toMatchObject({ id: 1001 })
  expect((await ask(`/index.php?_fields=id&rest_route=/${namespace}/v2/price-types/open`)).status).toBe(200)
})

site.addition('3.5: indexes list the routes of a site with their parameters', 'siteRoutes', async (ask) => {
  const { namespaces, routes, authentication } = (await ask('/wp-json/')).body
  const namespace = namespaces[0].split('/')[0]
  expect(namespaces).toEqual([`${namespace}/v1`, `${namespace}/v2`, 'wp/v2'])
  expect(authentication['application-passwords'].endpoints.authorization).toBe(`${SITE}/wp-admin/authorize-application.php`)
  const own = (await ask('v2')).body
  expect(own.namespace).toBe(`${namespace}/v2`)
  expect(routes['/wp/v2/categories'].endpoints[0].args).toHaveProperty('hide_empty')
  expect(Object.keys((await ask('/wp-json/wp/v2')).body.routes)).toContain('/wp/v2/users/me')
  const pattern = `/${namespace}/v2/users/(?P<id>[\\d]+)/course-progress/(?P<course>[\\d]+)`
  expect(own.routes[pattern]).toEqual(routes[pattern])
  expect(own.routes[`/${namespace}/v2/sfwd-lessons`]).toMatchObject({ methods: ['GET', 'POST'], endpoints: [{ args: { course: {} } }, {}] })
  expect(own.routes).not.toHaveProperty(`/${namespace}/v1/groups`)
  expect(routes[`/${namespace}/v1/groups/(?P<id>[\\d]+)`].methods).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
})

site.addition('4: `wp/v2/users/me` returns the caller', 'siteRoutes', async (ask) => {
  const me = '/wp-json/wp/v2/users/me?context=edit&_fields=id,roles,capabilities'
  expect((await ask(me)).body).toMatchObject({ id: 1, roles: ['administrator'], capabilities: { manage_options: true } })
  expect((await ask(me, 'learner')).body.capabilities).not.toHaveProperty('manage_options')
  const { body } = await ask('/wp-json/wp/v2/users/me', 'leader')
  expect(body).toMatchObject({ id: 2, name: 'Leo Leader', slug: 'leader', link: `${SITE}/author/leader/` })
  expect(Object.keys(body)).toEqual(['id', 'name', 'url', 'description', 'link', 'slug', 'avatar_urls', 'meta', '_links'])
  expect((await ask('/wp-json/wp/v2/users/me?_fields=name,id', 'leader')).body).toEqual({ name: 'Leo Leader', id: 2 })
  expect(outcomeOf(await ask('/wp-json/wp/v2/users/me', 'anonymous'))).toBe('401 rest_not_logged_in')
  expect(outcomeOf(await ask(me, 'anonymous'))).toBe('401 rest_not_logged_in')
})

site.quirk(
  'segments: path segments have other names',
  { segments: 'sfwd-courses:classes+course-progress:journey' },
  async (ask) => {
    expect(outcomeOf(await ask('v1/classes/10001'))).toBe('200')
    expect(outcomeOf(await ask('v1/sfwd-courses/10001'))).toBe('404 rest_no_route')
    expect(outcomeOf(await ask('v2/users/3/journey'))).toBe('200')
  },
  [],
)

site.quirk(
  'routing=query: paths match no route',
  { routing: 'query' },
  async (ask) => {
    expect((await ask('v1/groups')).status).toBe(404)
    expect((await ask('/?rest_route=/lms/v1/groups')).status).toBe(200)
  },
  [],
)

describe('3.5: HEAD', () => {
  it('has headers and no body, on every site', async () => {
    for (const profile of ['lms', 'learndash'] as const) {
      const answer = await (await site.set({ profile }))('v1/groups', 'admin', { method: 'HEAD' })
      expect([answer.status, answer.headers.get('x-wp-total'), answer.text]).toEqual([200, '15', ''])
    }
  })
})
