import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ListRoute } from '../../src/kit.js'
import { fetchWindow, type Window, windowArgs } from '../../src/load/windows.js'
import { cursorOf } from '../../src/model/connection.js'
import { Client, type Row } from '../../src/upstream/client.js'
import { RejectedError } from '../../src/upstream/errors.js'
import { idOf } from '../../src/upstream/routes.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { FakeSite, json } from '../support/site.js'
import { SOAK } from '../support/world.js'

const MAX_ROWS = 1_000

interface Paging {
  readonly window: ListRoute['window']
  readonly totals: boolean
  /** Most rows of a page, whatever is requested. */
  readonly short?: number
}

const CAP = 100

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

/** Makes the site list the ids 1 to `size`, as WordPress would. */
function serve(size: number, { window, totals, short = CAP }: Paging): void {
  site.requests.length = 0
  site.handler = ({ url }, response) => {
    const query = new URL(url as string, 'http://x').searchParams
    const [perPage, page, offset] = ['per_page', 'page', 'offset'].map((name) => (query.has(name) ? Number(query.get(name)) : null))
    if (!perPage || perPage > CAP) return json(response, { code: 'rest_invalid_param', message: 'per_page', data: {} }, { status: 400 })
    if (window === 'page' && offset !== null) throw new Error('This route knows no offset.')
    const start = offset ?? ((page ?? 1) - 1) * perPage
    if (offset == null && (page ?? 1) > 1 && start >= size && size > 0) {
      return json(response, { code: 'rest_post_invalid_page_number', message: 'Too far.', data: {} }, { status: 400 })
    }
    const ids = Array.from({ length: size }, (_, i) => i + 1).slice(start, start + Math.min(perPage, short))
    const total = ids.length === 0 && offset ? 0 : size
    json(
      response,
      ids.map((id) => ({ id })),
      { headers: totals ? { 'x-wp-total': String(total), 'x-wp-totalpages': String(Math.ceil(total / perPage)) } : {} },
    )
  }
}

async function read(
  paging: Paging,
  args: Record<string, unknown>,
  wants = { rows: true, total: true, next: true },
): Promise<Window & { ids: unknown[] }> {
  const route: ListRoute = { path: 'v1/list', window: paging.window, filters: {}, orders: {} }
  const client = new Client(defineSite(site.url, { pageCap: CAP }), transport)
  const request = { route, params: {}, query: {}, keyOf: (row: Row) => idOf(row) }
  const window = await fetchWindow({ client, request, call: callScope() }, windowArgs(args, MAX_ROWS), wants)
  return { ...window, ids: window.rows.map(({ id }) => id) }
}

/** The rows of a list of `size` for arguments, by definition, without paging. */
function defined(size: number, args: Record<string, unknown>): { ids: number[]; start: number; end: number } {
  const all = Array.from({ length: size }, (_, i) => i + 1)
  const { start: from, end: before, first, last } = windowArgs(args, MAX_ROWS)
  let [start, end] = [from, Math.max(from, Math.min(before ?? size, size))]
  if (first !== null) end = Math.min(end, start + first)
  if (last !== null) start = Math.max(start, end - last)
  return { ids: all.slice(start, end), start, end }
}

const PAGINGS: readonly (readonly [string, Paging])[] = [
  ['offsets, with totals', { window: 'offset', totals: true }],
  ['offsets, without totals', { window: 'offset', totals: false }],
  ['pages, with totals', { window: 'page', totals: true }],
  ['pages, without totals', { window: 'page', totals: false }],
]

const SIZES = [0, 1, 2, 9, 10, 11, 99, 100, 101, 200, 250, 301]
const COUNTS = [1, 3, 10, 49, 99, 100, 101, 150, 250]
const some = SIZES.flatMap((size) => COUNTS.map((count) => [size, count] as const)).filter(([size, count]) => size / count <= 35)
/** Every size from 0 to 301 and every count from 1 to 250, each with some of the others. */
const every = [
  ...Array.from({ length: 302 }, (_, size) => [size, 1 + ((size * 83) % 250)] as const),
  ...Array.from({ length: 250 }, (_, index) => [(index * 101) % 302, index + 1] as const),
]
const pairs = SOAK ? every : some

describe.each(PAGINGS)('windows by %s', (_, paging) => {
  it('forward show each row once, in order, and report the end', async () => {
    for (const [size, count] of pairs) {
      serve(size, paging)
      const seen: unknown[] = []
      let after: string | null = null
      for (let more = true; more; ) {
        const { ids, start, hasNext, hasPrevious, total } = await read(paging, { first: count, after })
        expect([size, count, start, hasPrevious]).toEqual([size, count, seen.length, seen.length > 0])
        if (paging.totals && size > 0) expect(total).toBe(size)
        else expect([null, size]).toContain(total)
        seen.push(...ids)
        expect([size, count, start, hasNext]).toEqual([size, count, start, seen.length < size])
        after = cursorOf(start + ids.length - 1)
        more = hasNext
      }
      expect([size, count, seen]).toEqual([size, count, defined(size, { first: MAX_ROWS }).ids])
    }
  })

  it('backward show each row once, in order, and report the start', async () => {
    for (const [size, count] of pairs.filter(([size]) => size > 0)) {
      serve(size, paging)
      let seen: unknown[] = []
      // Without totals, backward paging begins at a cursor.
      let before = paging.totals ? null : cursorOf(size)
      for (let more = true; more; ) {
        const { ids, start, hasNext, hasPrevious } = await read(paging, { last: count, before })
        expect([size, count, start, hasNext]).toEqual([size, count, start, seen.length > 0])
        seen = [...ids, ...seen]
        expect([size, count, start, hasPrevious]).toEqual([size, count, start, seen.length < size])
        before = cursorOf(start)
        more = hasPrevious
      }
      expect([size, count, seen]).toEqual([size, count, defined(size, { first: MAX_ROWS }).ids])
    }
  })

  it('at any offset and between any cursors match the definition', async () => {
    const random = numbers(7)
    for (let run = 0; run < 600; run++) {
      const size = SIZES[random(SIZES.length)] as number
      const at = (): number => random(size + 20)
      const count = random(130)
      const args = [
        { first: count, offset: at() },
        { first: count, after: cursorOf(at()), before: cursorOf(at()) },
        { last: count, after: cursorOf(at()), before: cursorOf(at()) },
        { first: count, before: cursorOf(at()) },
        paging.totals ? { last: count, after: cursorOf(at()) } : {},
      ][run % 5] as Record<string, unknown>
      serve(size, paging)
      const found = await read(paging, args).catch((error) => error as Error)
      if (found instanceof Error) {
        // From the end of a list without a total.
        expect([args.last !== undefined && !paging.totals, found]).toEqual([true, expect.any(RejectedError)])
        continue
      }
      const { ids, hasNext, total } = found
      const wanted = defined(size, args)
      expect([size, args, ids]).toEqual([size, args, wanted.ids])
      if (paging.totals) expect([size, args, total]).toEqual([size, args, size])
      if (wanted.ids.length > 0) expect([size, args, hasNext]).toEqual([size, args, wanted.end < size])
    }
  })

  it('request no more rows than they need', async () => {
    serve(301, paging)
    await read(paging, { first: 10 }, { rows: true, total: false, next: false })
    expect(site.paths).toEqual(['/lms/v1/list?per_page=10'])
    site.requests.length = 0
    await read(paging, { first: 0 }, { rows: true, total: false, next: false })
    expect(site.paths).toEqual([])
    await read(paging, { first: 10 }, { rows: false, total: true, next: true })
    expect(site.paths).toEqual(['/lms/v1/list?per_page=1'])
    site.requests.length = 0
    await read(paging, { first: 250 }, { rows: true, total: false, next: false })
    expect(site.requests).toHaveLength(3)
    site.requests.length = 0
    await read(paging, { first: 100, offset: 100 }, { rows: true, total: false, next: false })
    expect(site.requests).toHaveLength(1)
  })
})

describe('lists with fewer rows than requested', () => {
  it.each([1, 7, 20])('are read further from their last row: %i rows at a time', async (short) => {
    for (const totals of [true, false]) {
      const paging: Paging = { window: 'offset', totals, short }
      for (const [size, first] of [
        [0, 10],
        [5, 10],
        [61, 50],
        [61, 61],
        [61, 130],
      ] as const) {
        serve(size, paging)
        const { ids, hasNext } = await read(paging, { first })
        expect([size, first, ids, hasNext]).toEqual([size, first, defined(size, { first }).ids, size > first])
      }
    }
  })
})

describe('lists of unknown length', () => {
  it.each(['offset', 'page'] as const)('cannot be read from their end by %s', async (window) => {
    serve(25, { window, totals: false })
    const error = await read({ window, totals: false }, { last: 5 }).catch((error) => error)
    expect(error).toBeInstanceOf(RejectedError)
    expect(error.message).toContain('Use `first`')
  })
})

/** Whole numbers below a bound, the same in every run. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
