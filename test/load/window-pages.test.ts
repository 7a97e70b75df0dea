import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ListRoute } from '../../src/kit.js'
import { fetchWindow } from '../../src/load/windows.js'
import type { WindowArgs, WindowWants } from '../../src/model/edge.js'
import { Client, type Row } from '../../src/upstream/client.js'
import { RejectedError } from '../../src/upstream/errors.js'
import { idOf } from '../../src/upstream/routes.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { FakeSite, json } from '../support/site.js'

// The pages in which windows of short lists are read, at most ten rows each: the requests and the rows.

const CAP = 10

/** How the site lists the ids from 1 to `size`, and how it differs from WordPress. */
interface Listing {
  readonly window: ListRoute['window']
  readonly size: number
  readonly totals: boolean
  /** Rows it gives at most. */
  readonly short?: number
  /** What it makes of the ids of a page. */
  readonly shown?: (ids: number[], start: number) => (number | string)[]
  /** Total that it sends with a page. */
  readonly told?: (start: number, rows: number) => number | null
}

let site: FakeSite
let transport: Transport
let asked: string[]
beforeAll(async () => {
  site = await FakeSite.start()
  transport = new Transport({ origin: site.url, maxInFlight: 8, timeout: 5_000, connectTimeout: 5_000, maxBytes: 1e6, share: false })
})
afterAll(async () => {
  await transport.close()
  await site.close()
})
beforeEach(() => {
  asked = []
})

function answer({ window, size, totals, short = CAP, shown, told }: Listing, { url }: IncomingMessage, response: ServerResponse): void {
  const query = new URL(url as string, site.url).searchParams
  const [perPage, page, offset] = ['per_page', 'page', 'offset'].map((name) => Number(query.get(name) ?? 0)) as [number, number, number]
  asked.push(`${perPage}${query.has('offset') ? `+${offset}` : ''}${query.has('page') ? `p${page}` : ''}`)
  const start = window === 'offset' ? offset : Math.max(page - 1, 0) * perPage
  const isPast = window === 'page' && page > 1 && start >= size
  const refused = perPage < 1 || perPage > CAP || (window === 'page' && query.has('offset')) || query.get('fixed') !== '1'
  if (isPast || refused) {
    const code = isPast ? 'rest_post_invalid_page_number' : 'rest_invalid_param'
    json(response, { code, message: 'No.', data: {} }, { status: 400 })
    return
  }
  const ids = Array.from({ length: size }, (_, i) => i + 1).slice(start, start + Math.min(perPage, short))
  const rows = (shown?.(ids, start) ?? ids).map((id) => ({ id }))
  const total = told ? told(start, rows.length) : !totals ? null : ids.length === 0 && start > 0 ? 0 : size
  json(response, rows, { headers: total === null ? {} : { 'x-wp-total': `${total}`, 'x-wp-totalpages': '1' } })
}

const ALL: WindowWants = { rows: true, total: true, next: true }

/** A window in short: `ids of total`, `<` if rows precede it, `>` if rows follow it; and the requests. */
async function read(
  listing: Listing,
  args: Partial<WindowArgs>,
  wants: WindowWants = ALL,
  handler?: FakeSite['handler'],
): Promise<[string, string]> {
  site.handler = handler ?? ((request, response) => answer(listing, request, response))
  const route: ListRoute = { path: 'v1/list', window: listing.window, filters: {}, orders: {} }
  const client = new Client(defineSite(site.url, { pageCap: CAP }), transport)
  const request = { route, params: {}, query: { fixed: 1 }, keyOf: (row: Row) => idOf(row) }
  const whole = { start: 0, end: null, first: null, last: null, ...args }
  const { rows, start, total, hasNext, hasPrevious } = await fetchWindow({ client, request, call: callScope() }, whole, wants)
  const ids = rows.map(({ id }) => id)
  return [`${hasPrevious ? '<' : ''}${start}:${ids} of ${total ?? '?'}${hasNext ? '>' : ''}`, asked.sort().join(' ')]
}

const offset = (size: number, more: Partial<Listing> = {}): Listing => ({ window: 'offset', size, totals: true, ...more })
const paged = (size: number, more: Partial<Listing> = {}): Listing => ({ window: 'page', size, totals: true, ...more })

const MUTE = { totals: false }
const ROWS: WindowWants = { rows: true, total: false, next: false }
const TOTAL: WindowWants = { rows: false, total: true, next: true }

/** Row 3 stands there as row 2, as something without an id; each page shows the first rows; each page has ten rows. */
const twice = (ids: number[]): number[] => ids.map((id) => (id === 3 ? 2 : id))
const junk = (ids: number[]): (number | string)[] => ids.map((id) => (id === 3 ? 'x' : id))
const stuck = (ids: number[]): number[] => ids.map((_, index) => index + 1)
const full = (_: number[], start: number): number[] => Array.from({ length: CAP }, (_, index) => start + index + 1)

describe('windows', () => {
  it.each<[Listing, Partial<WindowArgs>, found: string, pages: string, wants?: WindowWants]>([
    [offset(25), { first: 3 }, '0:1,2,3 of 25>', '3'],
    [offset(25), { first: 10 }, '0:1,2,3,4,5,6,7,8,9,10 of 25>', '10'],
    [offset(25), { first: 11 }, '0:1,2,3,4,5,6,7,8,9,10,11 of 25>', '1+10 10'],
    [offset(25), { first: 25 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10+10 5+20'],
    [offset(25), { first: 26 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10+10 5+20'],
    [offset(25), { first: 3, start: 22 }, '<22:23,24,25 of 25', '3+22'],
    [offset(25), { first: 3, start: 23 }, '<23:24,25 of 25', '3+23'],
    [offset(25), { first: 3, start: 25 }, '<25: of 25', '1 3+25'],
    [offset(25), { first: 3, start: 25 }, '<25: of ?', '3+25', ROWS],
    [offset(25), { first: 0 }, '0: of 25>', '1'],
    [offset(25), { first: 0 }, '0: of ?', '', ROWS],
    [offset(25), { first: 0, start: 25 }, '<25: of 25', '1'],
    [offset(25), { first: 3 }, '0: of 25>', '1', TOTAL],
    [offset(25), { first: 3, start: 24 }, '<24: of 25', '1', TOTAL],
    [offset(25), { first: 25 }, '0: of 25', '1', TOTAL],
    [offset(25), { last: 3 }, '<22:23,24,25 of 25', '3 3+22'],
    [offset(25), { last: 3 }, '<22:23,24,25 of 25', '3 3+22', ROWS],
    [offset(25), { last: 3 }, '<22: of 25', '1', TOTAL],
    [offset(25), { last: 12 }, '<13:14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10+13 2+23'],
    [offset(25), { last: 30 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10 10+10 5+20'],
    [offset(7), { last: 8 }, '0:1,2,3,4,5,6,7 of 7', '8'],
    [offset(7), { last: 7, start: 5 }, '<5:6,7 of 7', '7'],
    [offset(7, { shown: twice }), { last: 8 }, '0:1,2,4,5,6,7 of 7', '1+6 7 8'],
    [offset(7), { last: 8 }, '0: of 7', '1', TOTAL],
    [offset(25), { last: 0 }, '<25: of 25', '1'],
    [offset(25), { last: 3, start: 24 }, '<24:25 of 25', '1+24 3'],
    [offset(25), { last: 3, start: 25 }, '<25: of 25', '3'],
    [offset(25), { last: 3, end: 9 }, '<6:7,8,9 of 25>', '3+6'],
    [offset(25), { last: 3, end: 9, start: 7 }, '<7:8,9 of 25>', '2+7'],
    [offset(25), { last: 3, end: 9, start: 12 }, '<12: of 25>', '1'],
    [offset(25), { last: 3, end: 40 }, '<22:23,24,25 of 25', '1 3+22 3+37'],
    [offset(25), { last: 3, end: 27 }, '<22:23,24,25 of 25', '3+22 3+24'],
    [offset(25), { last: 3, end: 25 }, '<22:23,24,25 of 25', '3+22'],
    [offset(25), { first: 3, end: 9 }, '0:1,2,3 of 25>', '3'],
    [offset(25), { first: 9, end: 3 }, '0:1,2,3 of 25>', '3'],
    [offset(25), { first: 3, end: 3, start: 3 }, '<3: of 25>', '1'],
    [offset(25), { first: 3, end: 30, start: 24 }, '<24:25 of 25', '3+24'],
    [offset(0), { first: 3 }, '0: of 0', '3'],
    [offset(0), { first: 3, start: 2 }, '2: of 0', '1 3+2'],
    [offset(0), { last: 3 }, '0: of 0', '3'],
    [offset(0), { first: 3 }, '0: of 0', '1', TOTAL],
    [offset(25, MUTE), { first: 3 }, '0:1,2,3 of ?>', '1+3 3'],
    [offset(25, MUTE), { first: 3 }, '0:1,2,3 of ?', '3', ROWS],
    [offset(25, MUTE), { first: 25 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of ?', '1+25 10 10+10 5+20'],
    [offset(25, MUTE), { first: 26 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '1+25 10 10+10 6+20'],
    [offset(25, MUTE), { first: 3, start: 23 }, '<23:24,25 of 25', '1+25 3+23'],
    [offset(25, MUTE), { first: 3, start: 25 }, '<25: of ?', '1 3+25'],
    [offset(25, MUTE), { first: 0 }, '0: of ?', '1'],
    [offset(25, MUTE), { last: 3, end: 9 }, '<6:7,8,9 of ?>', '1+9 3+6'],
    [offset(25, MUTE), { last: 3, end: 27 }, '<22:23,24,25 of ?', '1+25 2+25 3+22 3+24'],
    [offset(0, MUTE), { first: 3 }, '0: of 0', '3'],
    [offset(0, MUTE), { first: 3, start: 2 }, '2: of 0', '1 3+2'],
    [offset(0, MUTE), { last: 3 }, '0: of 0', '3'],
    [offset(25, { short: 4 }), { first: 10 }, '0:1,2,3,4,5,6,7,8,9,10 of 25>', '10 2+8 6+4'],
    [
      offset(25, { short: 4 }),
      { first: 25 },
      '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25',
      '1+24 10 10+10 2+18 2+8 5+20 6+14 6+4',
    ],
    [offset(25, { short: 4, totals: false }), { first: 10 }, '0:1,2,3,4,5,6,7,8,9,10 of ?>', '1+10 10 2+8 6+4'],
    [offset(25, { shown: twice }), { first: 5 }, '0:1,2,4,5 of 25>', '1+4 5'],
    [offset(25, { shown: junk }), { first: 5 }, '0:1,2,4,5 of 25>', '1+4 5'],
    [offset(25, { shown: stuck, totals: false }), { first: 25 }, '0:1,2,3,4,5,6,7,8,9,10 of 10', '10 10+10'],
    [offset(25, { shown: full }), { first: 3 }, '0:1,2,3 of 25>', '3'],
    [offset(25, { shown: full }), { first: 12 }, '0:1,2,3,4,5,6,7,8,9,10,11,12 of 25>', '10 2+10'],
    [offset(25, { told: (_, rows) => (rows === 0 ? null : 25) }), { first: 5, start: 30 }, '<30: of 25', '1 5+30'],
    [paged(25), { first: 3 }, '0:1,2,3 of 25>', '3'],
    [paged(25), { first: 10 }, '0:1,2,3,4,5,6,7,8,9,10 of 25>', '10'],
    [paged(25), { first: 11 }, '0:1,2,3,4,5,6,7,8,9,10,11 of 25>', '10 10p2'],
    [paged(25), { first: 25 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10p2 10p3'],
    [paged(25), { first: 26 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10p2 10p3'],
    [paged(25), { first: 5, start: 5 }, '<5:6,7,8,9,10 of 25>', '5p2'],
    [paged(25), { first: 5, start: 6 }, '<6:7,8,9,10,11 of 25>', '10 10p2'],
    [paged(25), { first: 5, start: 20 }, '<20:21,22,23,24,25 of 25', '5p5'],
    [paged(25), { first: 5, start: 22 }, '<22:23,24,25 of 25', '10p3'],
    [paged(25), { first: 5, start: 25 }, '<25: of 25', '1 5p6'],
    [paged(25), { first: 5, start: 25 }, '<25: of ?', '5p6', ROWS],
    [paged(25), { first: 12, start: 12 }, '<12:13,14,15,16,17,18,19,20,21,22,23,24 of 25>', '10p2 10p3'],
    [paged(25), { last: 3 }, '<22:23,24,25 of 25', '10p3 3'],
    [paged(7), { last: 8 }, '0:1,2,3,4,5,6,7 of 7', '8'],
    [paged(25), { last: 12 }, '<13:14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10p2 10p3'],
    [paged(25), { last: 3, end: 27 }, '<22:23,24,25 of 25', '10p3 3p9'],
    [paged(0), { first: 3 }, '0: of 0', '3'],
    [paged(25, MUTE), { first: 5 }, '0:1,2,3,4,5 of ?>', '5 5p2'],
    [paged(25, MUTE), { first: 5 }, '0:1,2,3,4,5 of ?', '5', ROWS],
    [paged(25, MUTE), { first: 25 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 of 25', '10 10p2 10p3'],
    [paged(20, MUTE), { first: 20 }, '0:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20 of ?', '10 10p2 10p3'],
    [paged(20, MUTE), { first: 12, start: 10 }, '<10:11,12,13,14,15,16,17,18,19,20 of 20', '10p2 10p3'],
    [paged(25, MUTE), { first: 3, start: 6 }, '<6:7,8,9 of ?>', '3p3 3p4'],
    [paged(10, MUTE), { first: 3, start: 8 }, '<8:9,10 of 10', '10 10p2'],
    [paged(25, MUTE), { first: 5, start: 25 }, '<25: of ?', '1 5p6'],
    [paged(25, MUTE), { last: 3, end: 9 }, '<6:7,8,9 of ?>', '3p3 3p4'],
    [paged(0, MUTE), { first: 3 }, '0: of 0', '3'],
    [paged(25, { short: 4 }), { first: 10 }, '0:1,2,3,4,5,6,7,8,9,10 of 25>', '10 2p3 2p4 2p5'],
    [paged(25, { short: 9 }), { first: 10 }, '0:1,2,3,4,5,6,7,8,9,10 of 25>', '10 5p2'],
    [paged(25, { short: 1 }), { first: 4 }, '0:1,2,3,4 of 25>', '1p2 1p3 1p4 4'],
    [paged(25, { short: 5 }), { first: 10, start: 10 }, '<10:11,12,13,14,15,16,17,18,19,20 of 25>', '10p2 5p4'],
    [paged(25, { shown: full }), { first: 3 }, '0:1,2,3 of 25>', '3'],
    [paged(25, { shown: junk }), { first: 5 }, '0:1,2,4,5 of 25>', '1p5 5'],
  ])('of %j with %j are %s, read as %s', async (listing, args, found, pages, wants) => {
    expect(await read(listing, args, wants)).toEqual([found, pages])
  })

  it.each([
    ['offset', { last: 3 }],
    ['page', { last: 3 }],
    ['offset', { last: 3, start: 30 }],
  ] as const)('by %s of a list without a total cannot be read from the end: %j', async (window, args) => {
    const message = 'The site does not send the length of this list, so it cannot be read from its end. Use `first`.'
    await expect(read({ window, size: 25, totals: false }, args)).rejects.toThrow(new RejectedError(message))
    expect(asked).toEqual(['3'])
  })

  it.each([
    [400, 'rest_invalid_param', 'RejectedError'],
    [500, 'rest_post_invalid_page_number', 'UnavailableError'],
    [404, 'rest_post_invalid_page_number', 'NotFoundError'],
  ])('fail if a page fails, unless it is past the last one: %i %s', async (status, code, name) => {
    const listing = paged(25)
    const failing: FakeSite['handler'] = (request, response) =>
      request.url?.includes('page=2') ? json(response, { code, message: 'No.', data: {} }, { status }) : answer(listing, request, response)
    await expect(read(listing, { first: 25 }, ALL, failing)).rejects.toMatchObject({ name })
  })
})
