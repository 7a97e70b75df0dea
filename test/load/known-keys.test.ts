import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

// A record whose key is known, and whose other columns cannot be read. The suite runs on both paths.

const faults: unknown[] = []
let site: FakeSite
let gateway: Served

beforeAll(async () => {
  site = await FakeSite.start(async ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://site.test')
    if (/\/sfwd-(courses\/5|lessons\/9)$/.test(pathname)) {
      await wait(50)
      json(response, { code: 'odd', message: 'Odd.', data: { status: 500 } }, { status: 500 })
    } else if (pathname.endsWith('/sfwd-courses')) json(response, [{ id: 5, title: { rendered: 'Five' } }], TOTAL)
    else if (searchParams.get('course') === '5') json(response, [{ id: 9, title: { rendered: 'Nine' } }], TOTAL)
    else json(response, { code: 'bad', message: url, data: { status: 400 } }, { status: 400 })
  })
  gateway = await serve({ site: { url: site.url }, protection: { retries: 0 }, on: { fault: (fault) => faults.push(fault) } })
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const TOTAL = { headers: { 'x-wp-total': '1', 'x-wp-totalpages': '1' } }

it('it keeps its key and the lists below it, and its other columns have errors', async () => {
  const query = `{
    list: courses(first: 1) { nodes { title } }
    course(id: 5) { databaseId slug lessons(first: 1) { nodes { title } } quizzes(first: 1) { nodes { title } } }
  }`
  const { data, errors } = (await (await gateway.post({ query })).json()) as { data: object; errors: any[] }
  expect(faults).toEqual([])
  expect(data).toEqual({
    list: { nodes: [{ title: 'Five' }] },
    course: { databaseId: 5, slug: null, lessons: { nodes: [{ title: 'Nine' }] }, quizzes: { nodes: [{ title: 'Nine' }] } },
  })
  expect(errors.map(({ path, extensions }) => [path.join('.'), extensions.code])).toEqual([['course.slug', 'UPSTREAM_UNAVAILABLE']])
})

it('its relations from columns that could not be read are not followed', async () => {
  const before = site.paths.length
  const query = '{ list: lessons(first: 1, where: { course: 5 }) { nodes { title } } lesson(id: 9) { title course { title } } }'
  const { data, errors } = (await (await gateway.post({ query })).json()) as { data: object; errors: any[] }
  expect(faults).toEqual([])
  expect(data).toEqual({ list: { nodes: [{ title: 'Nine' }] }, lesson: { title: 'Nine', course: null } })
  expect(errors.map(({ path, extensions }) => [path.join('.'), extensions.code])).toEqual([['lesson.course', 'UPSTREAM_UNAVAILABLE']])
  expect(site.paths.slice(before)).toHaveLength(2)
})
