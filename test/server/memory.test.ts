import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Command, UNLIMITED_FLAGS } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { SOAK } from '../support/world.js'

// Operations of all shapes, one after another, on a gateway in a process of its own with the flags it is started with.

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 200_000 : 2_000))
/** Megabytes by which the process may grow after a quarter of them; young garbage settles only after many. */
const GROWTH = SOAK ? 20 : 200
const IDLE = 150
const AFTER = 320

const record = (id: number) => ({
  id,
  title: { rendered: `Title ${id}` },
  slug: `title-${id}`,
  course_price: '10.00',
  course_price_type: 'open',
  course_prerequisite: [id + 1, id + 2],
  price_type: 'open',
  prerequisites: [id + 1],
  course: id % 50,
  user: 3,
  progress_status: 'completed',
  steps_completed: 2,
})

function rowsOf(query: URLSearchParams): object[] {
  const ids = query.get('include')?.split(',').map(Number)
  return ids?.map(record) ?? Array.from({ length: Number(query.get('per_page') ?? 10) }, (_, index) => record(index + 1))
}

/** A site of endless records. */
function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://site.test')
  const id = Number(/\/(\d+)$/.exec(pathname)?.[1])
  if (id % 97 === 0) json(response, { code: 'rest_post_invalid_id', message: 'None.', data: { status: 404 } }, { status: 404 })
  else if (id > 0) json(response, record(id))
  else {
    const rows = pathname.endsWith('price-types') ? [{ slug: 'open', name: 'Open' }] : rowsOf(searchParams)
    json(response, rows, { headers: { 'x-wp-total': String(rows.length + 5), 'x-wp-totalpages': '2' } })
  }
}

/** Operations by number: known ones with other variables, new documents, wrong ones, and failures of the site. */
const SHAPES: readonly ((i: number) => object)[] = [
  (i) => ({ query: 'query One($id: ID!) { course(id: $id) { title slug price } }', variables: { id: String(1 + (i % 5_000)) } }),
  (i) => ({
    query: 'query Some($first: Int) { courses(first: $first) { nodes { title priceType { name } } } }',
    variables: { first: 1 + (i % 60) },
  }),
  () => ({ query: '{ groups(first: 5) { nodes { title courses(first: 20) { edges { node { title prerequisites { title } } } } } } }' }),
  (i) => ({
    query: `{ user(id: ${1 + (i % 900)}) { courseProgress(first: 10) { nodes { status course { title lessons { totalCount } } } } } }`,
  }),
  (i) => ({ query: `query New${i} { a${i}: lessons(where: { course: ${1 + (i % 300)} }) { nodes { id title } } }` }),
  (i) => ({ query: `{ course(id: ${97 * (1 + (i % 50))}) { title } wrong${i} }` }),
  (i) => ({ query: '{ course(id: 194) { title } }', operationName: `Not${i}` }),
  (i) => ({
    query: 'mutation ($input: UpdateCourseInput!) { updateCourse(input: $input) { __typename } }',
    variables: { input: { id: '5', points: -i } },
  }),
]

let site: FakeSite
let gateway: Command
let pool: Pool

beforeAll(async () => {
  site = await FakeSite.start(answer)
  gateway = new Command(['--upstream', site.url, '--port', '0', '--max-in-flight', '16', ...UNLIMITED_FLAGS], { NODE_ENV: 'production' })
  pool = new Pool(await gateway.address(), { connections: 16, pipelining: 1 })
})
afterAll(async () => {
  await pool.destroy()
  await gateway.stop()
  await site.close()
})

/** Megabytes the gateway's process has in memory. */
function resident(): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

async function ask(i: number): Promise<number> {
  const body = JSON.stringify((SHAPES[i % SHAPES.length] as (i: number) => object)(i))
  const response = await pool.request({ path: '/graphql', method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { data, errors } = (await response.body.json()) as { data?: unknown; errors?: unknown[] }
  expect(data !== undefined || (errors?.length ?? 0) > 0).toBe(true)
  return response.statusCode
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

describe.skipIf(!existsSync('/proc/self/status'))('the memory of a gateway', () => {
  it('is stable after many operations', { timeout: 1_800_000 }, async () => {
    const idle = resident()
    const samples: number[] = []
    const statuses = new Map<number, number>()
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < OPERATIONS) {
        const i = next++
        const status = await ask(i)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (i % Math.ceil(OPERATIONS / 100) === 0) {
          samples.push(resident())
          site.requests.length = 0
        }
      }
    }
    await Promise.all(Array.from({ length: 16 }, worker))
    const [early, late] = [median(samples.slice(25, 35)), median(samples.slice(-10))]
    console.log(
      `${OPERATIONS} operations (${[...statuses].map(([status, count]) => `${count} answered ${status}`).join(', ')}): ` +
        `${idle.toFixed(0)} MB idle, ${early.toFixed(0)} MB after a quarter, ${late.toFixed(0)} MB in the end, at most ${Math.max(...samples).toFixed(0)} MB`,
    )
    expect(statuses.size).toBeGreaterThan(1)
    expect(idle).toBeLessThan(IDLE)
    expect(late - early).toBeLessThan(GROWTH)
    expect(Math.max(...samples)).toBeLessThan(AFTER)
  })
})
