import { existsSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.js'
import { Command } from '../support/command.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { SOAK } from '../support/world.js'

// Many callers at once whose operations need much memory, with the gateway in a process of its own and a small heap.

/** Heap in megabytes, clients, and megabytes of an answer: more together than the process has. */
const { heap, clients, size } = SOAK ? { heap: 512, clients: 80, size: 6 } : { heap: 160, clients: 40, size: 3 }
/** Megabytes by which the heap limit of later versions of Node is larger at the same old generation, for their young generation. */
const YOUNG = Number(process.versions.node.split('.')[0]) > 20 ? 150 : 0
/** Megabytes the process may have at most; without the budget it does not survive the first two of these. */
const MOST = (SOAK ? 450 : 290) + YOUNG

const ROWS = 100
const LARGE = '{ courses(first: 100) { nodes { id content } } }'
const SMALL = '{ course(id: 1) { title } }'

/** The id of the record that a path leads to. */
function idIn(path = ''): number | undefined {
  const [, id] = /\/(\d+)(?:\?|$)/.exec(path) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Lists are large, records are not. */
const largeLists = (): Handler => {
  const content = { rendered: 'x'.repeat((size * 1e6) / ROWS), protected: false }
  const list = JSON.stringify(Array.from({ length: ROWS }, (_, i) => ({ id: i + 1, title: { rendered: 'Large' }, content })))
  const headers = { 'content-type': 'application/json', 'x-wp-total': String(ROWS), 'x-wp-totalpages': '1' }
  return ({ url = '' }, response) => {
    const id = idIn(url)
    if (id !== undefined) json(response, { id, title: { rendered: 'Small' } })
    else response.writeHead(200, headers).end(list)
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly bytes: number
  readonly start: string
}

function post(url: string, query: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, ...(agent && { agent }) }
    const sent = request(`${url}/graphql`, options, (response) => {
      let bytes = 0
      let start = ''
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (start.length < 300) start += chunk.toString('latin1', 0, 300)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], bytes, start }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ query }))
  })
}

/** An operation on a connection of its own, whose client reads nothing. */
function neverRead(url: string, query: string, times = 1): Socket {
  const body = JSON.stringify({ query })
  const head = `POST /graphql HTTP/1.1\r\nhost: gateway.test\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${head}${body}`.repeat(times)))
  socket.on('error', () => {})
  return socket.pause()
}

describe.skipIf(!existsSync('/proc/self/status'))('a process with a small heap', () => {
  let site: FakeSite
  let gateway: Command
  let url: string
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  const sockets: Socket[] = []
  const start = async (...flags: string[]): Promise<void> => {
    gateway = new Command(
      ['--upstream', site.url, '--port', '0', '--metrics', '--log-level', 'warn', ...flags],
      { NODE_ENV: 'production' },
      [`--max-old-space-size=${heap}`],
    )
    url = await gateway.address()
  }
  /** Most megabytes the process ever had in memory. */
  const peak = (): number => {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  }
  beforeEach(async () => {
    site = await FakeSite.start(largeLists())
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await gateway.stop('SIGKILL')
    await site.close()
  })
  afterAll(() => agent.destroy())

  const ordinary = async (): Promise<string> => (await post(url, SMALL)).start

  it('answers or refuses many large operations at once, and then ordinary ones', async () => {
    await start()
    const answers: Answer[] = []
    const caller = async (): Promise<void> => {
      for (let round = 0; round < 2; round++) answers.push(await post(url, LARGE, agent))
    }
    await Promise.all(Array.from({ length: clients }, caller))
    const whole = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 503)
    console.log(
      `${answers.length} answers of ${size} MB, a heap of ${heap} MB: ${whole.length} whole, ${refused.length} refused, ${peak().toFixed(0)} MB at most`,
    )
    expect(whole.length).toBeGreaterThan(0)
    expect(refused.length).toBe(answers.length - whole.length)
    for (const { bytes } of whole) expect(bytes).toBeGreaterThan(size * 1e6)
    for (const { start, retryAfter } of refused) expect([start, retryAfter]).toEqual([expect.stringContaining('"code":"SERVER_BUSY"'), '2'])
    expect(peak()).toBeLessThan(MOST)
    expect(await ordinary()).toBe('{"data":{"course":{"title":"Small"}}}')
  })

  it('disconnects clients that never read, and releases their memory', { timeout: 120_000 }, async () => {
    await start()
    for (let i = 0; i < clients / 2; i++) sockets.push(neverRead(url, LARGE, 4))
    // After 20 seconds.
    await expect.poll(metric('lms_stalled_clients_total'), { timeout: 60_000 }).toBeGreaterThan(0)
    await expect.poll(async () => (await post(url, LARGE)).bytes, { timeout: 30_000 }).toBeGreaterThan(size * 1e6)
    console.log(`${clients * 2} answers of ${size} MB that nobody reads, a heap of ${heap} MB: ${peak().toFixed(0)} MB at most`)
    expect(peak()).toBeLessThan(MOST)
    expect(await ordinary()).toBe('{"data":{"course":{"title":"Small"}}}')
    const { stderr, stdout } = await gateway.stop()
    expect(`${stdout}${stderr}`).toContain('does not read its response')
  })

  it('receives only as many large answers of the site at a time as there is memory', async () => {
    await start('--max-in-flight', '32')
    const count = SOAK ? 64 : 24
    const tail = Buffer.alloc(size * 2e6, ' ')
    // None of them ends before the gateway has given one up.
    let givenUp = 0
    const ends: (() => void)[] = []
    site.handler = ({ url }, response) => {
      response.once('close', () => response.writableEnded || givenUp++)
      response.writeHead(200, { 'content-type': 'application/json' }).write(`{"id":${idIn(url)},"title":{"rendered":"Large"},"x":1`)
      response.write(tail)
      if (givenUp > 0) response.end('}')
      else ends.push(() => response.end('}'))
    }
    const answers = Array.from({ length: count }, (_, i) => post(url, `{ course(id: ${i + 1}) { title } }`, agent))
    await expect.poll(() => givenUp, { timeout: 30_000 }).toBeGreaterThan(0)
    for (const end of ends) end()
    const settled = await Promise.all(answers)
    const refused = settled.filter(({ start }) => start.includes('"code":"SERVER_BUSY"'))
    console.log(`${count} answers of the site of ${2 * size} MB: ${refused.length} refused, ${peak().toFixed(0)} MB at most`)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, retryAfter } of refused) expect([status, retryAfter]).toEqual([503, '2'])
    for (const { start, status } of settled) if (status === 200) expect(start).toBe('{"data":{"course":{"title":"Large"}}}')
    expect(peak()).toBeLessThan(MOST)
    site.handler = largeLists()
    expect(await ordinary()).toBe('{"data":{"course":{"title":"Small"}}}')
  })

  const metric = (name: string) => async (): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)
  }
})

describe('the memory budget', () => {
  let site: FakeSite
  let gateway: Served
  const events: { status: number; codes?: object; outcome: string; calls: number }[] = []
  beforeEach(async () => {
    site = await FakeSite.start(largeLists())
    events.length = 0
  })
  afterEach(async () => {
    await gateway.close()
    await site.close()
  })
  const start = async (memoryBudget: number): Promise<void> => {
    gateway = await serve({
      site: { url: site.url },
      limits: { memoryBudget },
      observe: { metrics: true },
      http: { drainTimeout: 100 },
      on: {
        operation: (event) => events.push(event),
      },
    })
  }
  const silence: Handler = () => {}
  const statusOf = async (query: string): Promise<number> => {
    const response = await gateway.post({ query })
    await response.text()
    return response.status
  }
  /** A document of so many characters that nobody sent before. */
  const fresh = (characters: number, name: string): string => `query ${name} { course(id: 1) { title slug } }`.padEnd(characters)

  it('counts new documents, and refuses those without memory before any REST call', async () => {
    await start(712_000)
    site.handler = silence
    // A hundred bytes for each character: with a third request they hold half of the budget, which is what one address may hold.
    const leave = new AbortController()
    const running = ['A', 'B'].map((name) => gateway.post({ query: fresh(1_600, name) }, {}, { signal: leave.signal }).catch(() => {}))
    await expect.poll(() => site.requests.length).toBeGreaterThan(0)
    const response = await gateway.post({ query: '{ course(id: 2) { id } }' })
    expect([response.status, response.headers.get('retry-after'), response.headers.get('x-content-type-options')]).toEqual([
      503,
      '2',
      'nosniff',
    ])
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'The gateway is low on memory. Try again later.',
          extensions: { code: 'SERVER_BUSY', retryAfter: 2 },
        },
      ],
    })
    expect(site.paths.some((path) => path.includes('/2'))).toBe(false)
    await expect
      .poll(() => events)
      .toEqual([expect.objectContaining({ status: 503, outcome: 'refused', calls: 0, codes: { SERVER_BUSY: 1 } })])
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain('lms_refused_operations_total{code="SERVER_BUSY"} 1\n')
    // Clients that leave give back what they held.
    leave.abort()
    await Promise.all(running)
    site.handler = largeLists()
    await expect.poll(() => statusOf(SMALL)).toBe(200)
  })

  it('is released for pipelined requests whose connection closes before their turn', async () => {
    await start(160_000)
    site.handler = silence
    const socket = neverRead(gateway.url, fresh(260, 'Same'), 3)
    await expect.poll(() => site.requests.length).toBeGreaterThan(0)
    await sleep(300)
    expect(await statusOf(SMALL)).toBe(503)
    socket.destroy()
    site.handler = largeLists()
    await expect.poll(() => statusOf(SMALL)).toBe(200)
    await expect.poll(() => events.filter(({ outcome }) => outcome === 'cancelled').length).toBe(3)
  })

  it('shows the address of a client that it disconnects for pipelining as in other lines', async () => {
    const warnings: unknown[] = []
    const ignore = (): void => {}
    const log = { debug: ignore, info: ignore, warn: (fields: unknown) => void warnings.push(fields), error: ignore }
    // Such a socket has `::ffff:127.0.0.1` for this client.
    gateway = await serve({ site: { url: site.url }, limits: { memoryBudget: 160_000 }, http: { host: '::', drainTimeout: 100 }, log })
    site.handler = silence
    const socket = neverRead(gateway.url, fresh(260, 'Same'), 3)
    await expect.poll(() => site.requests.length).toBeGreaterThan(0)
    await sleep(300)
    socket.write('GET / HTTP/1.1\r\nhost: gateway.test\r\n\r\n')
    await expect.poll(() => warnings).toContainEqual({ reason: 'pipelined', client: '127.0.0.1', connections: 1 })
  })

  it('is released by every kind of request and answer', async () => {
    await start(700_000)
    const record = (id: number) => ({ id, title: { rendered: 'Some' } })
    site.handler = ({ url }, response) => json(response, idIn(url) === undefined ? [record(1), record(2)] : record(Number(idIn(url))))
    const url = `${gateway.url}/graphql`
    const long = `{ course(id: 1) { title } a: course(id: 2) { ${'title '.repeat(80)} } }`
    const headers = { 'content-type': 'application/json' }
    const parts = { ...headers, accept: 'multipart/mixed' }
    const ways: readonly (() => Promise<Response>)[] = [
      () => gateway.post({ query: long }),
      () => gateway.post({ query: `${long} # new ${Math.random()}` }),
      () => gateway.post({ query: '{ wrong }' }),
      () => gateway.post({ query: '{' }),
      () => gateway.post({ query: long, operationName: 'None' }),
      () => fetch(`${url}?query=${encodeURIComponent(long)}`),
      () => fetch(url, { method: 'POST', headers, body: 'no JSON' }),
      () => fetch(url, { method: 'POST', headers, body: `{"query":"${'x'.repeat(110_000)}"}` }),
      () => fetch(url, { method: 'POST', headers: { ...headers, accept: 'text/event-stream' }, body: JSON.stringify({ query: long }) }),
      () =>
        fetch(url, { method: 'POST', headers: parts, body: JSON.stringify({ query: '{ course(id: 1) { id ... @defer { title } } }' }) }),
    ]
    // Without that the budget would be used up several times.
    for (let round = 0; round < 15; round++)
      for (const [way, ask] of ways.entries()) {
        const response = await ask()
        expect([way, response.status, await response.text()]).not.toEqual([way, 503, expect.anything()])
      }
  })

  it('is released by every kind of answer without a socket', async () => {
    site.handler = (_, response) => json(response, { id: 1, title: { rendered: 'Some' } })
    gateway = await serve({ site: { url: site.url } })
    const own = createGateway({ site: { url: site.url }, limits: { memoryBudget: 400_000 } })
    const shapes: readonly (readonly [accept: string, query: string])[] = [
      ['text/event-stream', '{ __typename }'],
      ['multipart/mixed', '{ __typename }'],
      ['text/event-stream', '{ wrong }'],
      ['multipart/mixed', '{'],
      ['multipart/mixed', '{ course(id: 1) { id ... @defer { title } } }'],
      ['application/json', '{ course(id: 1) { id title } }'],
    ]
    const ask = (accept: string, query: string): Promise<Response> =>
      own.fetch('http://gateway.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'content-length': 'abc' },
        body: JSON.stringify({ query }),
      })
    // The budget has room for twelve requests of one address.
    for (let round = 0; round < 10; round++)
      for (const shape of shapes) {
        const response = await ask(...shape)
        expect([shape, response.status, await response.text()]).not.toEqual([shape, 503, expect.anything()])
        // Nobody reads this one.
        await ask(...shape)
      }
    expect((await ask('application/json', '{ __typename }')).status).toBe(200)
    await own.close()
  })

  it('ends an answer in parts when there is no memory for the next part', async () => {
    await start(150_000)
    const content = { rendered: 'x'.repeat(25_000) }
    site.handler = ({ url = '' }, response) => json(response, { id: 1, ...(url.includes('content') && { content }) })
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'multipart/mixed' },
      body: JSON.stringify({ query: '{ course(id: 1) { id ... @defer { content } } }' }),
    })
    const text = await response.text()
    expect(text).toContain('"course":{"id":')
    expect(text).toContain('SERVER_BUSY')
    expect(text).not.toContain('xxx')
  })

  it('refuses an answer that is larger than the whole budget with ANSWER_TOO_LARGE', async () => {
    await start(200_000)
    const copies = Array.from({ length: 10 }, (_, i) => `a${i}: content`)
    site.handler = (_, response) => json(response, { id: 1, content: { rendered: 'x'.repeat(15_000) } })
    const response = await gateway.post({ query: `{ course(id: 1) { ${copies.join(' ')} } }` })
    const { data, errors } = (await response.json()) as { data?: unknown; errors: { extensions: object }[] }
    expect([response.status, data, errors[0]?.extensions]).toEqual([400, undefined, { code: 'ANSWER_TOO_LARGE' }])
  })

  it('reports the result of a write, even without memory', async () => {
    await start(80_000)
    site.handler = ({ method }, response) =>
      json(
        response,
        { id: 5, title: { rendered: 'Written', raw: 'Written' }, content: { rendered: 'x'.repeat(60_000) } },
        { status: method === 'GET' ? 200 : 200 },
      )
    const query = 'mutation { updateCourse(input: { id: "5", points: 3 }) { ... on UpdateCourseSuccess { course { title content } } } }'
    const response = await gateway.post({ query })
    const { data } = (await response.json()) as { data: { updateCourse: { course: { title: string } } } }
    expect([response.status, data.updateCourse.course.title]).toEqual([200, 'Written'])
  })

  it('sends a long answer in pieces, unchanged', async () => {
    await start(50_000_000)
    site.handler = (_, response) => json(response, { id: 1, title: { rendered: 'T' }, content: { rendered: 'ü€日本'.repeat(50_000) } })
    for (const accept of ['application/json', 'multipart/mixed']) {
      const headers = { 'content-type': 'application/json', accept }
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: '{ course(id: 1) { content } }' }),
      })
      expect(await response.text()).toContain(`"${'ü€日本'.repeat(50_000)}"`)
    }
  })
})
