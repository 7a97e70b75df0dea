import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

// Responses of sites to reads by slug.

let site: FakeSite
let gateway: Served
let rows: object[] = []

beforeAll(async () => {
  site = await FakeSite.start((_, response) => json(response, rows, { headers: { 'x-wp-total': String(rows.length) } }))
  gateway = await serve({ site: { url: site.url }, protection: { retries: 0 } })
})
beforeEach(() => {
  site.requests.length = 0
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const ask = async (query: string): Promise<{ data: any; errors?: any[] }> => (await (await gateway.post({ query })).json()) as never

it.each([
  ['in another case', 'Algebra', 'algebra'],
  ['without its accents', 'übung', 'ubung'],
  ['encoded for addresses', 'урок', '%d1%83%d1%80%d0%be%d0%ba'],
])('accepts the slug %s as the requested one', async (_, asked, shown) => {
  rows = [{ id: 5, slug: shown }]
  const { data, errors } = await ask(`{ course(slug: "${asked}") { databaseId slug } }`)
  expect([data, errors]).toEqual([{ course: { databaseId: 5, slug: shown } }, undefined])
  expect(site.requests).toHaveLength(1)
})

it('never shows another record, and reports an error if the site ignores the filter', async () => {
  rows = [{ id: 7, slug: 'other' }]
  const { data, errors } = await ask('{ course(slug: "algebra") { databaseId } }')
  expect(data).toEqual({ course: null })
  expect(errors).toMatchObject([{ path: ['course'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }])
})

it('shows the records that were found, and an error for the others', async () => {
  rows = [
    { id: 7, slug: 'other' },
    { id: 5, slug: 'algebra' },
  ]
  const { data, errors } = await ask('{ a: course(slug: "algebra") { databaseId } b: course(slug: "nope") { databaseId } }')
  expect(data).toEqual({ a: { databaseId: 5 }, b: null })
  expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }])
  expect(site.requests).toHaveLength(1)
})

it('refuses a slug before any call if the site is known to ignore the filter', async () => {
  const other = await serve({ site: { url: site.url, ignoredFilters: ['v1/sfwd-courses slug'] }, protection: { retries: 0 } })
  try {
    const { data, errors } = (await (await other.post({ query: '{ course(slug: "a") { id } }' })).json()) as any
    expect([data, errors[0].extensions.code]).toEqual([{ course: null }, 'BAD_USER_INPUT'])
    expect(site.requests).toHaveLength(0)
  } finally {
    await other.close()
  }
})
