import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Call } from '../../src/index.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

let site: FakeSite
let gateway: Served
const calls: Call[] = []
const repairs: string[] = []
beforeAll(async () => {
  site = await FakeSite.start()
  gateway = await serve({
    site: { url: site.url },
    on: {
      call: (call) => calls.push(call),
      repair: (shape, column) => repairs.push(`${shape}.${column}`),
    },
  })
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const ROWS = [
  { id: 1, title: { rendered: 'Good' }, course_points: '5', course_prerequisite: [] },
  { id: 2, title: { rendered: 'Odd' }, course_points: { no: 'number' }, course_prerequisite: 'x' },
]

async function ask(extensions?: object) {
  const response = await gateway.post({ query: '{ courses { nodes { title score: points prerequisiteIds } } }', extensions })
  return (await response.json()) as Record<string, any>
}

it('lists values that could not be decoded on request, and always counts them', async () => {
  site.handler = (_, response) => json(response, ROWS)
  const asked = await ask({ repairs: true })
  expect(asked.data.courses.nodes).toEqual([
    { title: 'Good', score: 5, prerequisiteIds: [] },
    { title: 'Odd', score: null, prerequisiteIds: null },
  ])
  expect(asked.extensions).toEqual({
    repairs: [
      { path: ['courses', 'nodes', 1, 'score'], field: 'Course.points' },
      { path: ['courses', 'nodes', 1, 'prerequisiteIds'], field: 'Course.prerequisiteIds' },
    ],
  })
  expect(await ask()).toEqual({ data: asked.data })
  expect(await ask({ repairs: false })).toEqual({ data: asked.data })
  expect(repairs.sort()).toEqual([...Array(3).fill('Course.points'), ...Array(3).fill('Course.prerequisiteIds')])
})

it('lists and counts them for rows of which only columns are selected', async () => {
  repairs.length = 0
  site.handler = (_, response) => json(response, ROWS)
  const response = await gateway.post({ query: '{ courses { nodes { __typename id title points } } }', extensions: { repairs: true } })
  const { data, extensions } = (await response.json()) as Record<string, any>
  expect(data.courses.nodes.map(({ __typename, title, points }: any) => [__typename, title, points])).toEqual([
    ['Course', 'Good', 5],
    ['Course', 'Odd', null],
  ])
  expect(extensions).toEqual({ repairs: [{ path: ['courses', 'nodes', 1, 'points'], field: 'Course.points' }] })
  expect(repairs).toEqual(['Course.points'])
})

it('counts answers with text before their JSON', async () => {
  calls.length = 0
  for (const before of ['', '\uFEFF', '<br />\n<b>Warning</b>: Undefined array key in <b>x.php</b>\n']) {
    site.handler = (_, response) => response.setHeader('x-wp-total', '1').end(before + JSON.stringify(ROWS.slice(0, 1)))
    expect((await ask()).data.courses.nodes).toEqual([{ title: 'Good', score: 5, prerequisiteIds: [] }])
  }
  expect(calls.map(({ cleaned }) => cleaned)).toEqual([false, true, true])
})

it('ends a list of a site that ignores offsets and sends no totals', async () => {
  calls.length = 0
  site.handler = (_, response) => json(response, ROWS)
  expect((await ask()).data.courses.nodes).toHaveLength(2)
  expect(calls).toHaveLength(2)
})
