import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

// A table that is read completely, and a row of it that is needed while the table is in flight.

const ROWS = [
  { slug: 'open', name: 'Open' },
  { slug: 'free', name: 'Free' },
]
const COURSE = { id: 1, title: { rendered: 'One' }, course_price_type: 'free' }

let site: FakeSite
let gateway: Served
beforeAll(async () => {
  site = await FakeSite.start()
  gateway = await serve({ site: { url: site.url } })
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

async function ask(table: unknown, status = 200) {
  site.requests.length = 0
  site.handler = ({ url = '' }, response) => {
    if (!url.includes('price-types')) return json(response, COURSE)
    if (url.includes('price-types/')) return json(response, ROWS[1])
    // Long after the course, which names the row.
    setTimeout(() => json(response, table, { status }), 50)
  }
  const response = await gateway.post({ query: '{ priceTypes { slug name } course(id: 1) { title priceType { name } } }' })
  return { ...((await response.json()) as { data: any; errors?: any[] }), paths: site.paths.map((path) => path.split('?')[0]).sort() }
}

it('a table in flight is used for one of its rows', async () => {
  const { data, errors, paths } = await ask(ROWS)
  expect(errors).toBeUndefined()
  expect(data).toEqual({ priceTypes: ROWS, course: { title: 'One', priceType: { name: 'Free' } } })
  expect(paths).toEqual(['/lms/v1/sfwd-courses/1', '/lms/v2/price-types'])
})

it('a table without the row proves that the row is missing', async () => {
  const { data, paths } = await ask(ROWS.slice(0, 1))
  expect(data.course).toEqual({ title: 'One', priceType: null })
  expect(paths).toHaveLength(2)
})

it('a table that fails is followed by a single read of the row', async () => {
  const { data, errors, paths } = await ask({ code: 'odd', message: 'No.' }, 418)
  expect(data).toEqual({ priceTypes: null, course: { title: 'One', priceType: { name: 'Free' } } })
  expect(errors).toMatchObject([{ path: ['priceTypes'], extensions: { code: 'UPSTREAM_REJECTED' } }])
  expect(paths).toEqual(['/lms/v1/sfwd-courses/1', '/lms/v2/price-types', '/lms/v2/price-types/free'])
})
