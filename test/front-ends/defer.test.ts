import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.js'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { globalId } from '../support/global-id.js'
import { byVersion } from '../support/graphql-version.js'
import { type RunningProxy, startProxy } from '../support/proxy.js'
import { authorizationOf } from '../support/world.js'
import { joined, type Part, partsOf } from './parts.js'

const PARTS = 'multipart/mixed; deferSpec=20220824, application/json'
const V2 = 'multipart/mixed;incrementalSpec=v0.2'

/** Events in order: REST calls as they arrive at the site, and parts of the response as they are written to the socket. */
const log: string[] = []
/** When the embedded LMS started each call, and when the first part was written to the socket, in epoch milliseconds. */
const begun: number[] = []
let handedOver = Number.POSITIVE_INFINITY

/** Whether the socket is as slow as a distant client. */
let slow = false

/** The text of a response as far as it was written. */
function decoded(written: Buffer, encoding: unknown): string {
  if (encoding === 'gzip') return gunzipSync(written, { finishFlush: constants.Z_SYNC_FLUSH }).toString()
  if (encoding === 'br') return brotliDecompressSync(written, { finishFlush: constants.BROTLI_OPERATION_FLUSH }).toString()
  return written.toString()
}

let lms: RunningLms
let proxy: RunningProxy
let gateway: Gateway
let server: Server
let url: string

beforeAll(async () => {
  lms = await startLms({ onCall: ({ startedAt }) => begun.push(startedAt) })
  proxy = await startProxy(lms.url, (path) => void log.push(path.replace(/\?.*|\/lms\/v\d/g, '')))
  gateway = createGateway({ site: { url: proxy.url }, on: { fault: (fault) => log.push(`fault: ${fault}`) } })
  server = createServer((request, response) => {
    const write = response.write.bind(response) as (...args: unknown[]) => boolean
    let full = false
    let written = Buffer.alloc(0)
    let shown = 0
    const noting = (chunk: Uint8Array, ...args: unknown[]): boolean => {
      const taken = write(chunk, ...args) && !slow
      full = slow
      if (slow)
        setTimeout(() => {
          full = false
          response.emit('drain')
        }, 300)
      written = Buffer.concat([written, Buffer.from(chunk)])
      const text = decoded(written, response.getHeader('content-encoding'))
      if (/"(data|incremental)":/.test(text.slice(shown))) log.push('part')
      shown = text.length
      if (log.filter((line) => line === 'part').length === 1 && handedOver > Date.now()) handedOver = Date.now()
      return taken
    }
    Object.defineProperties(response, { write: { value: noting }, writableNeedDrain: { get: () => full } })
    gateway.handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await gateway.close()
  await proxy.close()
  await lms.close()
})
beforeEach(() => {
  log.length = 0
  begun.length = 0
  handedOver = Number.POSITIVE_INFINITY
  slow = false
})

interface Asked {
  readonly variables?: object
  readonly accept?: string
  readonly encoding?: string
  readonly as?: 'admin' | 'learner'
}

const post = (query: string, { variables, accept = PARTS, encoding = 'identity', as = 'admin' }: Asked = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'accept-encoding': encoding, authorization: authorizationOf(as) },
    body: JSON.stringify({ query, variables }),
  })

async function parts(query: string, asked?: Asked): Promise<Part[]> {
  const all: Part[] = []
  for await (const part of partsOf(await post(query, asked))) all.push(part)
  return all
}

async function whole(query: string, asked?: Asked): Promise<{ data: any; errors?: any[] }> {
  return (await (await post(query, { ...asked, accept: 'application/json' })).json()) as { data: any; errors?: any[] }
}

describe('a deferred fragment', () => {
  it.each([
    ['at once', 'identity'],
    ['slowly', 'identity'],
    ['at once', 'gzip'],
    ['slowly', 'gzip'],
    ['at once', 'br'],
    ['slowly', 'br'],
  ])('is fetched only after the rest was written to a socket that accepts it %s, with Accept-Encoding: %s', async (pace, encoding) => {
    slow = pace === 'slowly'
    const query = '{ courses(first: 3) { nodes { title ... @defer { lessons(first: 2) { nodes { title } } priceType { name } } } } }'
    const answer = await parts(query, { encoding })
    expect(answer[0]?.data.courses.nodes).toEqual([1, 2, 3].map(() => ({ title: expect.any(String) })))
    expect(log.slice(0, 2)).toEqual(['/sfwd-courses', 'part'])
    expect(begun).toHaveLength(5)
    expect(begun.slice(1).every((start) => start >= handedOver)).toBe(true)
    expect(answer.at(-1)?.hasNext).toBe(false)
  })

  it.each([
    [
      'an edge',
      '{ course(id: 10001) { title ... @defer { lessons(first: 2) { nodes { title } } } } }',
      ['/sfwd-courses/10001', 'part', '/sfwd-lessons'],
    ],
    ['columns', '{ course(id: 10001) { title ... @defer { content } } }', ['/sfwd-courses/10001', 'part', '/sfwd-courses/10001']],
    [
      'columns of a list, in one batch',
      '{ courses(first: 50) { nodes { title ...later @defer } } } fragment later on Course { content guid }',
      ['/sfwd-courses', 'part', '/sfwd-courses'],
    ],
    ['roots', '{ priceTypes { name } ... @defer { courses(first: 1) { nodes { title } } } }', ['/price-types', 'part', '/sfwd-courses']],
    [
      'a fragment within another',
      '{ course(id: 10001) { title ... @defer { priceType { name } ... @defer { lessons(first: 1) { nodes { title } } } } } }',
      ['/sfwd-courses/10001', 'part', '/price-types/subscribe', '/sfwd-lessons'],
    ],
    [
      'what is deferred several levels down',
      '{ group(id: 1009) { courses(first: 2) { nodes { title ... @defer { prerequisites { title lessons(first: 1) { nodes { title } } } } } } } }',
      ['/groups/1009', '/groups/1009/courses', 'part', '/sfwd-courses/10009', '/sfwd-lessons'],
    ],
    [
      'a node of whatever type',
      '{ node(id: "Q291cnNlOjEwMDAx") { id ... on Course @defer { title quizzes(first: 1) { nodes { title } } } } }',
      ['/sfwd-courses/10001', 'part', '/sfwd-courses/10001', '/sfwd-quiz'],
    ],
    [
      'a user',
      '{ user(id: 3) { databaseId ... @defer { courseProgress(first: 2) { totalCount } } } }',
      ['part', '/users/3/course-progress'],
    ],
    [
      'a record that a password has opened',
      `{ course(id: ${SAMPLES.protectedCourse}, password: "${SAMPLES.password}") { title ... @defer { content } } }`,
      [`/sfwd-courses/${SAMPLES.protectedCourse}`, 'part', `/sfwd-courses/${SAMPLES.protectedCourse}`],
    ],
  ])('defers %s, and shows what the whole would', async (_, query, order) => {
    const answer = await parts(query)
    const happened = [...log]
    const { data, errors = [] } = await whole(query)
    expect(joined(answer)).toEqual({ data, errors })
    expect(happened.slice(0, order.indexOf('part') + 1).sort()).toEqual(order.slice(0, order.indexOf('part') + 1).sort())
    expect(happened.filter((line) => line !== 'part').sort()).toEqual(order.filter((line) => line !== 'part').sort())
  })

  it.each([
    ['without a need', '{ course(id: 10001) { title ... @defer(if: false) { priceType { name } } } }', {}],
    [
      'by a variable',
      'query ($later: Boolean!) { course(id: 10001) { title ... @defer(if: $later) { priceType { name } } } }',
      { later: false },
    ],
  ])('is answered with the rest %s', async (_, query, variables) => {
    const answer = await parts(query, { variables })
    expect(answer.map(({ data }) => data?.course.priceType.name)).toEqual([expect.any(String)])
    expect(log.at(-1)).toBe('part')
  })

  it('is answered with the rest for clients that do not accept parts, every time', async () => {
    const query = '{ course(id: 10001) { title ... @defer { priceType { name } } } }'
    for (let time = 0; time < 3; time++) expect((await whole(query)).data.course.priceType.name).toEqual(expect.any(String))
  })

  it('has its errors in its own part, as in a complete response', async () => {
    const query = '{ courses(first: 2) { nodes { title ... @defer { titleRaw } } } group(id: 1009) { title } }'
    const answer = await parts(query, { as: 'learner' })
    expect(answer[0]).toEqual({ data: expect.anything(), hasNext: true })
    const { data, errors } = joined(answer)
    const expected = await whole(query, { as: 'learner' })
    expect(data).toEqual(expected.data)
    expect(errors.map(({ path, message, extensions }) => [path, message, extensions])).toEqual(
      expected.errors?.map(({ path, message, extensions }) => [path, message, extensions]),
    )
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN'])
    expect(JSON.stringify(answer)).not.toMatch(/stack|originalError/)
  })

  it('counts in the cost of its operation', async () => {
    const ids = Array.from({ length: 310 }, (_, index) => globalId('Course', 10_001 + index))
    const answer = await parts(
      `{ nodes(ids: ${JSON.stringify(ids)}) { ... on Course { title ... @defer { lessons(first: 1) { totalCount } } } } }`,
    )
    expect(answer.map(({ errors }) => errors?.[0].extensions.code)).toEqual(['CALL_BUDGET_EXCEEDED'])
    expect(log.filter((line) => line !== 'part')).toEqual([])
  })

  it('is not fetched when the client has disconnected', async () => {
    const response = await post(
      '{ course(id: 10001) { title ... @defer { priceType { name } lessons(first: 100) { nodes { content } } } } }',
    )
    for await (const part of partsOf(response)) {
      expect(part.data.course.title).toEqual(expect.any(String))
      break
    }
    const next = await whole('{ course(id: 10001) { title } }')
    expect(next.data.course.title).toEqual(expect.any(String))
    expect(log.filter((line) => line.startsWith('fault'))).toEqual([])
  })
})

describe('a stream', () => {
  it('sends the first items of a list before the others', async () => {
    const query =
      '{ priceTypes @stream(initialCount: 2) { name } courses(first: 5) { nodes @stream(initialCount: 1) { title lessons(first: 1) { totalCount } } } }'
    const answer = await parts(query)
    expect(answer[0]?.data.priceTypes).toHaveLength(2)
    expect(answer[0]?.data.courses.nodes).toHaveLength(1)
    const { data } = await whole(query)
    expect(joined(answer)).toEqual({ data, errors: [] })
  })

  it('can contain deferred fragments', async () => {
    const query = '{ courses(first: 5) { nodes @stream(initialCount: 2) { title ... @defer { lessons(first: 1) { nodes { title } } } } } }'
    const answer = await parts(query)
    const restCalls = log.filter((line) => line !== 'part')
    const { data } = await whole(query)
    expect(joined(answer)).toEqual({ data, errors: [] })
    expect(restCalls.sort()).toEqual(['/sfwd-courses', ...[1, 2, 3, 4, 5].map(() => '/sfwd-lessons')])
  })
})

describe('a field that is selected in a deferred fragment and after it', () => {
  it.each([
    ['a column', '{ course(id: 10001) { ... @defer { title content } title } }'],
    ['an edge', '{ course(id: 10001) { ... @defer { priceType { name slug } } priceType { name } } }'],
    ['a root', '{ ... @defer { course(id: 10001) { title content } } course(id: 10001) { title } }'],
  ])('does not wait for it: %s', async (_, query) => {
    const answer = await parts(query)
    expect(answer.length).toBeGreaterThan(1)
    const { data } = await whole(query)
    expect(joined(answer)).toEqual({ data, errors: [] })
  })
})

describe('a wrong argument of @defer or @stream', () => {
  const streamed = (directive: string, variables = '') => `query ${variables} { courses(first: 3) { nodes ${directive} { title } } }`
  const deferred = (directive: string, variables = '') => `query ${variables} { course(id: 10001) { title ... ${directive} { slug } } }`
  const ACCEPTED = [PARTS, 'text/event-stream', 'application/json', 'application/graphql-response+json']
  const told = (value: unknown) => `\`initialCount\` of \`@stream\` is ${value}; it must be 0 or more.`
  const IF_NULL = expect.stringMatching(
    byVersion(/^Argument "if" of non-null type .* must not be null/, /^Argument "@\w+\(if:\)" has invalid value: .* not to be null/),
  )

  async function answersTo(query: string, variables?: object): Promise<unknown[]> {
    const answers: unknown[] = []
    for (const accept of ACCEPTED) {
      const response = await post(query, { accept, ...(variables && { variables }) })
      const json = /\{"(?:data|errors)".*/.exec(await response.text())?.[0] ?? '{}'
      const { data, errors = [] } = JSON.parse(json) as { data?: unknown; errors?: any[] }
      answers.push([data === undefined, ...errors.map(({ message, extensions }) => [extensions.code, message])])
    }
    return answers
  }

  it.each<[string, object | undefined, unknown]>([
    [streamed('@stream(initialCount: -1)'), undefined, told(-1)],
    [streamed('@stream(initialCount: null)'), undefined, told(null)],
    [streamed('@stream(initialCount: -2147483648, label: "a")'), undefined, told(-2147483648)],
    [streamed('@stream(initialCount: $n)', '($n: Int)'), { n: -1 }, told(-1)],
    [streamed('@stream(initialCount: $n)', '($n: Int)'), { n: null }, told(null)],
    [streamed('@stream(initialCount: $n)', '($n: Int!)'), { n: -7 }, told(-7)],
    [streamed('@stream(initialCount: $n)', '($n: Int = -1)'), undefined, told(-1)],
    [streamed('@stream(initialCount: $n)', '($n: Int = 1)'), { n: null }, told(null)],
    [
      '{ course(id: 10001) { ...a @defer } } fragment a on Course { lessons { nodes @stream(initialCount: -1) { id } } }',
      undefined,
      told(-1),
    ],
    [streamed('@stream(if: $b)', '($b: Boolean = true)'), { b: null }, IF_NULL],
    [deferred('@defer(if: $b)', '($b: Boolean = true)'), { b: null }, IF_NULL],
  ])('is BAD_USER_INPUT for every client, and nothing is read: %s %o', async (query, variables, message) => {
    expect(await answersTo(query, variables)).toEqual(ACCEPTED.map(() => [true, ['BAD_USER_INPUT', message]]))
    expect(log).toEqual([])
  })

  it.each<[string, object?]>([
    [streamed('@stream(initialCount: 99999999999)')],
    [streamed('@stream(initialCount: 1.5)')],
    [streamed('@stream(initialCount: "1")')],
    [streamed('@stream(if: null)')],
    [streamed('@stream(label: 1)')],
    [deferred('@defer(if: null)')],
    [deferred('@defer(label: 1)')],
    [deferred('@defer(label: $l)', '($l: String)'), { l: 'a' }],
    ['{ courses(first: 1) { nodes @stream(label: "a") { title ... @defer(label: "a") { slug } } } }'],
  ])('of the wrong type is refused by validation: %s', async (query, variables) => {
    for (const [isWithoutData, ...errors] of (await answersTo(query, variables)) as [boolean, ...[string, string][]][]) {
      expect([isWithoutData, ...new Set(errors.map(([code]) => code))]).toEqual([true, 'GRAPHQL_VALIDATION_FAILED'])
    }
    expect(log).toEqual([])
  })

  it.each<[string, object?]>([
    [streamed('@stream(initialCount: 0)')],
    [streamed('@stream(initialCount: 5)')],
    // graphql-js 16 refuses it.
    ...byVersion<[string][]>([], [[streamed('@stream(label: null)')]]),
    [streamed('@stream(if: false, initialCount: -1)')],
    [streamed('@stream(initialCount: $n)', '($n: Int)')],
    [streamed('@skip(if: true) @stream(initialCount: -1)').replace('{ title }', '{ title } totalCount')],
    [`${streamed('').replace('query', 'query A')} ${streamed('@stream(initialCount: $n)', '($n: Int)').replace('query', 'query B')}`],
  ])('does not matter where it is not used: %s', async (query) => {
    const named = (init: object) => ({ ...init, ...(query.startsWith('query A') && { operationName: 'A' }) })
    for (const accept of ACCEPTED) {
      const headers = { 'content-type': 'application/json', accept }
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(named({ query })) })
      expect([response.status, await response.text()]).toEqual([200, expect.not.stringContaining('"errors"')])
    }
    expect(log.filter((line) => line.startsWith('fault'))).toEqual([])
  })
})

describe('the format of parts', () => {
  const query = '{ courses(first: 2) { nodes { title ... @defer { priceType { name } } } } }'

  it.each([
    [V2, 406, 'application/json'],
    [`${V2}, application/json`, 200, 'application/json'],
    [`multipart/mixed; incrementalSpec="v0.2", application/json`, 200, 'application/json'],
    [`${V2}, text/event-stream`, 200, 'text/event-stream'],
    ['multipart/mixed;incrementalSpec=20220824', 406, 'application/json'],
    [`${V2}, multipart/mixed;deferSpec=20220824`, 200, 'multipart/mixed'],
  ] as [string, number, string][])('is one that the client reads: %s', async (accept, status, type) => {
    const response = await post(query, { accept })
    await response.text()
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([status, type])
  })

  it('is that of `deferSpec=20220824` for clients that accept it, or name none', async () => {
    for (const accept of [PARTS, 'multipart/mixed', `${V2}, multipart/mixed;deferSpec=20220824`]) {
      const answer = await parts(query, { accept })
      expect(answer.flatMap(Object.keys)).not.toContain('pending')
      expect(answer.flatMap(({ incremental = [] }) => incremental.map(({ path }) => path)).sort()).toEqual([
        ['courses', 'nodes', 0],
        ['courses', 'nodes', 1],
      ])
    }
  })

  it('has the errors of its fragments, with the code and without details of the gateway', async () => {
    const refused = '{ courses(first: 2) { nodes { title ... @defer { titleRaw } } } }'
    const answer = await parts(refused, { as: 'learner' })
    const { errors } = joined(answer)
    const expected = await whole(refused, { as: 'learner' })
    expect(errors.map(({ path, extensions }) => [path, extensions])).toEqual(
      expected.errors?.map(({ path, extensions }) => [path, extensions]),
    )
    expect(JSON.stringify(answer)).not.toMatch(/stack|originalError/)
  })

  it('keeps the items of a stream', async () => {
    const streamed = '{ courses(first: 5) { nodes @stream(initialCount: 1) { title ... @defer { priceType { name } } } } }'
    const { data } = await whole(streamed)
    expect(joined(await parts(streamed))).toEqual({ data, errors: [] })
  })
})
