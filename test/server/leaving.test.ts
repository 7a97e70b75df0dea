import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { PATIENCE } from '../support/world.js'

// Clients that go away before their answers, with a gateway in a process of its own.

/** Milliseconds in which the site is rid of what nobody waits for. */
const WITHIN = 100 * PATIENCE
const ROUNDS = 20

interface Held {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

let site: FakeSite
let gateway: Command
let address: string
/** Requests the site has not answered, those that have gone included. */
const held: Held[] = []
/** When connections to the site were broken off. */
const gone: number[] = []

beforeAll(async () => {
  site = await FakeSite.start()
  gateway = new Command(['--upstream', site.url, '--port', '0', '--cache', '60'])
  address = await gateway.address()
})
afterAll(async () => {
  await gateway.stop()
  await site.close()
})
beforeEach(async () => {
  await expect.poll(() => site.open).toBe(0)
  site.requests.length = held.length = gone.length = 0
  site.handler = (request, response) => {
    held.push({ request, response })
    response.once('close', () => response.writableEnded || gone.push(performance.now()))
  }
})

const course = (id: number): string => `{ course(id: ${id}) { title } }`
/** Six calls, of which four have a place. */
const MANY = `{ ${[1, 2, 3, 4, 5, 6].map((id) => `q${id}: question(id: ${id}) { title }`).join(' ')} }`

/** A client that can go away. */
function client(query: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  const answer = fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
    signal: leaving.signal,
  }).then((response) => response.json() as Promise<{ data?: any; errors?: { extensions: { code: string } }[] }>)
  answer.catch(() => {})
  return { answer, leave: () => leaving.abort() }
}

const arrived = (count: number): Promise<void> => expect.poll(() => site.requests.length, { interval: 5 }).toBe(count)
/** Long enough for the gateway to have noticed, and to have sent what it should not. */
const aWhile = (): Promise<void> => sleep(200)

describe('a client that leaves', () => {
  it(`ends its calls soon, and queued calls are not sent`, async () => {
    const times: number[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const { leave } = client(MANY)
      await arrived(4 * round)
      const since = performance.now()
      leave()
      await expect.poll(() => gone.length, { interval: 5 }).toBe(4 * round)
      times.push((gone.at(-1) as number) - since)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const [median, most] = [sorted[ROUNDS >> 1] as number, sorted.at(-1) as number]
    console.log(`${4 * ROUNDS} calls of clients that left had ended after ${median.toFixed(0)} ms (median), ${most.toFixed(0)} ms (most)`)
    await aWhile()
    expect(site.requests).toHaveLength(4 * ROUNDS)
    // All but the one that a busy machine may hold up.
    expect(sorted.at(-2)).toBeLessThan(WITHIN)
  })

  it('does not end a call that others share', async () => {
    const [first, second, third] = [client(course(2)), client(course(2)), client(course(2))]
    await arrived(1)
    // Until the others have joined.
    await aWhile()
    first.leave()
    third.leave()
    await aWhile()
    expect([gone.length, site.open]).toEqual([0, 1])
    json((held[0] as Held).response, { id: 2, title: { rendered: 'Shared' } })
    expect(await second.answer).toEqual({ data: { course: { title: 'Shared' } } })
    expect(site.requests).toHaveLength(1)
  })

  it('ends a shared call when it is the last', async () => {
    const both = [client(course(1)), client(course(1))]
    await arrived(1)
    await aWhile()
    const since = performance.now()
    for (const { leave } of both) leave()
    await expect.poll(() => gone.length, { interval: 5 }).toBe(1)
    expect((gone[0] as number) - since).toBeLessThan(WITHIN)
  })

  it('does not end calls of other callers, even for the same record', async () => {
    const [mine, theirs] = ['Basic YTpi', 'Basic YTpj'].map((authorization) => client(course(1), { authorization }))
    await arrived(2)
    mine?.leave()
    await expect.poll(() => gone.length).toBe(1)
    const other = held.find(({ request }) => request.headers.authorization === 'Basic YTpj') as Held
    json(other.response, { id: 1, title: { rendered: 'Theirs' } })
    expect(await theirs?.answer).toEqual({ data: { course: { title: 'Theirs' } } })
  })

  it('ends the retries of its calls', async () => {
    const { leave } = client(course(1))
    await arrived(1)
    json((held[0] as Held).response, {}, { status: 503, headers: { 'retry-after': '1' } })
    await sleep(WITHIN)
    leave()
    await sleep(1_500)
    expect(site.requests).toHaveLength(1)
  })

  it('does not end its write, but the reads after it', async () => {
    const { leave } = client(
      'mutation { updateCourse(input: { id: 1, title: "x" }) { ... on UpdateCourseSuccess { course { content } } } }',
    )
    await arrived(1)
    leave()
    await aWhile()
    expect([gone.length, site.open]).toEqual([0, 1])
    json((held[0] as Held).response, { id: 1 })
    await aWhile()
    expect(site.requests).toHaveLength(1)
  })
})
