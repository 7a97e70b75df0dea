import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ListRoute } from '../../src/kit.js'
import { callsAt, mostCalls, rowsIn } from '../../src/load/pages.js'
import { fetchWindow, windowArgs } from '../../src/load/windows.js'
import { cursorOf } from '../../src/model/connection.js'
import { widthOf } from '../../src/model/edge.js'
import { Client, type Row } from '../../src/upstream/client.js'
import { idOf } from '../../src/upstream/routes.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { Random } from '../support/random.js'
import { FakeSite, json } from '../support/site.js'
import { SOAK } from '../support/world.js'

const CAP = 20
const MAX_ROWS = 200
const RUNS = SOAK ? 8_000 : 600

let site: FakeSite
let transport: Transport
beforeAll(async () => {
  site = await FakeSite.start()
  transport = new Transport({ origin: site.url, maxInFlight: 8, timeout: 5_000, connectTimeout: 5_000, maxBytes: 1e7, share: false })
})
afterAll(async () => {
  await transport.close()
  await site.close()
})

/** Makes the site list the given number of ids like WordPress: without a total past the end, and without a page there. */
function serve(size: number): void {
  site.requests.length = 0
  site.handler = ({ url }, response) => {
    const query = new URL(url as string, 'http://x').searchParams
    const number = (name: string): number | null => (query.has(name) ? Number(query.get(name)) : null)
    const [perPage, page, offset] = [number('per_page') as number, number('page') ?? 1, number('offset')]
    const start = offset ?? (page - 1) * perPage
    if (offset === null && page > 1 && start >= size)
      return json(response, { code: 'rest_post_invalid_page_number', message: 'Too far.', data: {} }, { status: 400 })
    const rows = Array.from({ length: Math.max(0, Math.min(perPage, size - start)) }, (_, index) => ({ id: start + index + 1 }))
    const total = rows.length === 0 && start > 0 ? 0 : size
    json(response, rows, { headers: { 'x-wp-total': `${total}`, 'x-wp-totalpages': `${Math.ceil(total / perPage)}` } })
  }
}

it.each(['offset', 'page'] as const)(
  'windows by %s need the estimated calls for any list, and at most the maximum',
  { timeout: 600_000 },
  async (kind) => {
    const random = new Random(kind.length)
    const route: ListRoute = { path: 'v1/list', window: kind, filters: {}, orders: {} }
    const client = new Client(defineSite(site.url, { pageCap: CAP }), transport)
    const dearest = new Map<string, number>()
    for (let run = 0; run < RUNS; run++) {
      const size = random.pick([0, 1, 3, 19, 20, 21, 40, 57, 100])
      const count = random.pick([0, 1, 2, 7, 19, 20, 21, 40, 45, 90])
      const at = cursorOf(random.int(0, 110))
      const to = cursorOf(random.int(0, 110))
      const [form, given] = random.pick<[string, Record<string, unknown>]>([
        ['first', { first: count }],
        ['offset', { first: count, offset: random.int(0, 110) }],
        ['first, after', { first: count, after: at }],
        ['first, before', { first: count, before: at }],
        ['first, after, before', { first: count, after: at, before: to }],
        ['last', { last: count }],
        ['last, after', { last: count, after: at }],
        ['last, before', { last: count, before: at }],
        ['last, after, before', { last: count, after: at, before: to }],
      ])
      const wants = { rows: random.chance(0.9), total: random.chance(0.5), next: random.chance(0.5) }
      const args = windowArgs(given, MAX_ROWS)
      const window = { kind, args, wants, cap: CAP }
      serve(size)
      const request = { route, params: {}, query: {}, keyOf: (row: Row) => idOf(row) }
      const { rows } = await fetchWindow({ client, request, call: callScope() }, args, wants)
      const calls = site.requests.length
      const what = `${JSON.stringify({ size, ...args, ...wants })}\n${site.paths.join('\n')}`
      expect(calls, what).toBe(callsAt(window, size))
      expect(calls, what).toBeLessThanOrEqual(mostCalls(window))
      if (wants.rows) expect([rowsIn(args, size), rows.length <= widthOf(args)], what).toEqual([rows.length, true])
      dearest.set(form, Math.max(dearest.get(form) ?? 0, calls / Math.max(1, mostCalls(window))))
    }
    // The bound is met by each form of window, so none is too high.
    expect(Object.fromEntries(dearest)).toEqual(Object.fromEntries([...dearest.keys()].map((form) => [form, 1])))
  },
)
