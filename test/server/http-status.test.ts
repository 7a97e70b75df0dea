import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { type Served, serve } from '../support/served.js'
import { authorizationOf } from '../support/world.js'

// HTTP statuses and media types, as the GraphQL-over-HTTP specification has them.

const JSON_TYPE = 'application/json'
const RESPONSE = 'application/graphql-response+json'

let lms: RunningLms
let gateway: Served
let locked: Served
let cookied: Served
const calls: Call[] = []
beforeAll(async () => {
  lms = await startLms()
  gateway = await serve({ site: { url: lms.url }, limits: { maxBodyBytes: 5_000 }, on: { call: (call) => calls.push(call) } })
  cookied = await serve({ site: { url: lms.url, forwardCookie: true }, on: { call: (call) => calls.push(call) } })
  locked = await serve({ site: { url: lms.url }, access: { apiKeys: ['some-key-0123456789'] } })
})
afterAll(async () => {
  await gateway.close()
  await cookied.close()
  await locked.close()
  await lms.close()
})
beforeEach(() => {
  calls.length = 0
})

interface Sent extends RequestInit {
  /** What follows `/graphql` in the address. */
  readonly more?: string
  readonly headers?: Record<string, string>
}

async function send({ more = '', ...init }: Sent, to = gateway) {
  const headers = { 'content-type': JSON_TYPE, ...init.headers }
  const response = await fetch(`${to.url}/graphql${more}`, { method: 'POST', ...init, headers })
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as { data?: any; errors?: { message: string; extensions: Record<string, unknown> }[] }
  const codes = [...new Set((body.errors ?? []).map(({ extensions }) => extensions.code))]
  return { status: response.status, headers: response.headers, type: response.headers.get('content-type'), text, body, codes }
}

const query = (query: unknown, more: object = {}): Sent => ({ body: JSON.stringify({ query, ...more }) })
const get = (parameters: Record<string, string>): Sent => ({ method: 'GET', more: `?${new URLSearchParams(parameters)}` })
const form = (parameters: Record<string, string>): Sent => ({
  body: new URLSearchParams(parameters).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})
const as = (type: string): Sent => ({ body: '{"query":"{ __typename }"}', headers: { 'content-type': type } })

const WRITE = 'mutation { createQuiz(input: {}) { __typename } }'
const COURSES = 'query A($first: Int!) { courses(first: $first) { totalCount } }'
const deep = { variables: { first: { first: { first: 1 } } } }

describe.each<[string, Sent, json: number, response: number, codes: string[]]>([
  // What can be answered is answered by 200.
  ['a query', query('{ course(id: 10001) { databaseId } }'), 200, 200, []],
  ['a query by GET', get({ query: '{ __typename }' }), 200, 200, []],
  ['JSON with a charset', as('application/json; charset=utf-8'), 200, 200, []],
  ['JSON in capitals', as('Application/JSON;Charset="UTF-8"'), 200, 200, []],
  ['nulls for all that may be left out', query('{ __typename }', { variables: null, operationName: null, extensions: null }), 200, 200, []],
  ['null data of a record that is not there', query('{ course(id: 77) { title } }'), 200, 200, []],
  ['an error beside data', query('{ course(id: 10001) { databaseId } lesson(id: "x") { id } }'), 200, 200, ['BAD_USER_INPUT']],
  ['an error beside a null', query('{ lesson(id: "x") { id } }'), 200, 200, ['BAD_USER_INPUT']],
  ['data that are null as a whole', query('{ user(id: "x") { id } }'), 200, 200, ['BAD_USER_INPUT']],
  ['a mutation that is refused', query(WRITE), 200, 200, []],

  // Requests that are well-formed, but can't be executed.
  ['a document that does not parse', query('{ course'), 200, 400, ['GRAPHQL_PARSE_FAILED']],
  ['an empty document', query(''), 200, 400, ['GRAPHQL_PARSE_FAILED']],
  ['a document that does not fit the graph', query('{ nothing }'), 200, 400, ['GRAPHQL_VALIDATION_FAILED']],
  ['a literal of the wrong type', query('{ courses(first: "x") { totalCount } }'), 200, 400, ['GRAPHQL_VALIDATION_FAILED']],
  ['a variable of an unknown type', query('query ($a: Nothing) { course(id: $a) { id } }'), 200, 400, ['GRAPHQL_VALIDATION_FAILED']],
  ['a variable that is missing', query(COURSES), 200, 400, ['BAD_USER_INPUT']],
  ['a variable that is null', query(COURSES, { variables: { first: null } }), 200, 400, ['BAD_USER_INPUT']],
  ['a variable of the wrong type', query(COURSES, deep), 200, 400, ['BAD_USER_INPUT']],
  ['an operation that is not there', query(COURSES, { operationName: 'B' }), 200, 400, ['OPERATION_RESOLUTION_FAILURE']],
  ['several operations and no name', query('query A { __typename } query B { __typename }'), 200, 400, ['OPERATION_RESOLUTION_FAILURE']],
  ['no operation', query('fragment A on Query { __typename }'), 200, 400, ['OPERATION_RESOLUTION_FAILURE']],
  ['a subscription', query('subscription { __typename }'), 200, 400, ['BAD_USER_INPUT']],

  // What is no GraphQL request.
  ['no query', query(undefined), 400, 400, ['BAD_REQUEST']],
  ['no query by GET', get({}), 400, 400, ['BAD_REQUEST']],
  ['a query that is no text', query(1), 400, 400, ['BAD_REQUEST']],
  ['a misspelt query', { body: '{ "qeury": "{ __typename }" }' }, 400, 400, ['BAD_REQUEST']],
  ['a list of variables', query(COURSES, { variables: [7] }), 400, 400, ['BAD_REQUEST']],
  ['variables as text', query(COURSES, { variables: '{}' }), 400, 400, ['BAD_REQUEST']],
  ['an operation name that is no text', query(COURSES, { operationName: 1 }), 400, 400, ['BAD_REQUEST']],
  ['a list of extensions', query(COURSES, { extensions: [] }), 400, 400, ['BAD_REQUEST']],
  ['broken variables by GET', get({ query: COURSES, variables: '{ "first": ' }), 400, 400, ['BAD_REQUEST']],
  ['broken extensions by GET', get({ query: COURSES, extensions: 'x' }), 400, 400, ['BAD_REQUEST']],
  ['a list of requests', { body: '[{ "query": "{ __typename }" }]' }, 400, 400, ['BAD_REQUEST']],
  ['broken JSON', { body: '{ "query": ' }, 400, 400, ['BAD_REQUEST']],
  ['nonsense', { body: 'NONSENSE' }, 400, 400, ['BAD_REQUEST']],
  ['JSON that is null', { body: 'null' }, 400, 400, ['BAD_REQUEST']],
  ['JSON that is a text', { body: '"{ __typename }"' }, 400, 400, ['BAD_REQUEST']],
  ['an empty body', { body: '' }, 400, 400, ['BAD_REQUEST']],

  // What HTTP has a status of its own for.
  ['a mutation by GET', get({ query: WRITE }), 405, 405, ['BAD_REQUEST']],
  ['another method', { method: 'PUT', body: '{}' }, 405, 405, ['BAD_REQUEST']],
  ['a query in a form', form({ query: '{ __typename }' }), 415, 415, ['BAD_REQUEST']],
  ['a query as text', { body: '{ __typename }', headers: { 'content-type': 'application/graphql' } }, 415, 415, ['BAD_REQUEST']],
  ['JSON in UTF-16', as('application/json; charset=utf-16'), 415, 415, ['BAD_REQUEST']],
  ['a body of text', as('text/plain'), 415, 415, ['BAD_REQUEST']],
  ['a body of XML', as('application/xml'), 415, 415, ['BAD_REQUEST']],
  ['files', as('multipart/form-data; boundary=x'), 415, 415, ['BAD_REQUEST']],
  ['a body that is too large', query(`{ __typename } # ${'x'.repeat(6_000)}`), 413, 413, ['BODY_TOO_LARGE']],
])('%s', (_, sent, json, response, codes) => {
  it.each([
    [JSON_TYPE, json],
    [RESPONSE, response],
  ])('as %s is answered by %i', async (accept, status) => {
    const answer = await send({ ...sent, headers: { ...sent.headers, accept } })
    expect([answer.status, answer.codes]).toEqual([status, codes])
    // A body that is too large is refused before it is known what it is.
    if (status !== 413) expect(answer.type).toBe(`${accept}; charset=utf-8`)
    const executed = 'data' in answer.body
    if (accept === RESPONSE) expect(status < 300).toBe(executed)
    if (executed) expect(status).toBe(200)
    else expect(calls).toEqual([])
    for (const { message, extensions } of answer.body.errors ?? []) {
      expect(message).not.toBe('')
      expect(Object.keys(extensions)).not.toContain('originalError')
      expect(Object.keys(extensions)).not.toContain('http')
    }
  })
})

it.each([
  [get({ query: WRITE }), 'POST'],
  [{ method: 'DELETE' }, 'GET, POST'],
] as [Sent, string][])('405 says which methods are allowed', async (sent, allowed) => {
  const { status, headers } = await send({ ...sent, headers: { accept: JSON_TYPE } })
  expect([status, headers.get('allow')]).toEqual([405, allowed])
})

describe('a GET', () => {
  const COURSE = `?${new URLSearchParams({ query: '{ course(id: 10001) { title } }' })}`
  const READ = ['/lms/v1/sfwd-courses/10001?context=view&_filter=id,title.rendered']
  const basic = { authorization: authorizationOf('admin') }
  const cookies = { cookie: 'consent=yes; wordpress_logged_in_1a=me' }

  /** Sends no other headers than these. */
  async function statusOf(headers: Record<string, string>, method = 'GET', to = cookied) {
    const response = await fetch(`${to.url}/graphql${COURSE}`, { method, headers })
    const text = await response.text()
    const [error] = text === '' ? [] : ((JSON.parse(text).errors ?? []) as { message: string; extensions: { code: string } }[])
    return { status: response.status, code: error?.extensions.code, message: error?.message, kept: response.headers.get('cache-control') }
  }

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'application/json; charset=utf-16',
  ])('with the content type %s is 415, and nothing is done', async (type) => {
    for (const headers of [{}, basic, { ...basic, 'apollo-require-preflight': 'true' }]) {
      const { status, code, message } = await statusOf({ 'content-type': type, ...headers })
      expect([status, code, message, calls]).toEqual([415, 'BAD_REQUEST', '`Content-Type` must be application/json.', []])
    }
  })

  it.each<[string, Record<string, string>]>([
    ['a password', basic],
    ['a password, in other letters', { authorization: basic.authorization.replace('Basic', 'bASIC') }],
    ['a password and an empty header', { ...basic, 'apollo-require-preflight': '' }],
    ['a password and cookies', { ...basic, ...cookies }],
    ['a password from a page of another origin', { ...basic, origin: 'https://evil.example.org', 'sec-fetch-site': 'cross-site' }],
    ['credentials of Windows', { authorization: 'Negotiate YII=' }],
    ['a digest', { authorization: 'Digest username="a"' }],
  ])('with %s, as a browser adds it for any page, is refused, and nothing is done', async (_, headers) => {
    const { status, code, message, kept } = await statusOf(headers)
    expect([status, code, kept, calls]).toEqual([400, 'BAD_REQUEST', 'no-store', []])
    for (const name of ['Content-Type: application/json', 'apollo-require-preflight', 'x-apollo-operation-name', 'x-graphql-yoga-csrf'])
      expect(message).toContain(`\`${name}\``)
  })

  it.each<[string, Record<string, string>]>([
    ['no credentials', {}],
    ['no credentials, as JSON', { 'content-type': JSON_TYPE }],
    ['cookies without a nonce, which are not passed on', cookies],
    ['cookies with their nonce, which needs a preflight', { ...cookies, 'x-wp-nonce': 'n' }],
    ['a password, as JSON', { ...basic, 'content-type': JSON_TYPE }],
    ['a password, as JSON with a charset', { ...basic, 'content-type': 'application/json; charset=utf-8' }],
    ['a password, and the header of Apollo for it', { ...basic, 'apollo-require-preflight': 'true' }],
    ['a password, and the name of the operation as clients of Apollo send it', { ...basic, 'x-apollo-operation-name': 'Course' }],
    ['a password, and the header of Yoga for it', { ...basic, 'x-graphql-yoga-csrf': '1' }],
  ])('with %s is answered', async (_, headers) => {
    const { status, code } = await statusOf(headers)
    expect([status, code, calls.map(({ path }) => path)]).toEqual([200, undefined, READ])
  })

  it('with a token or a key is answered: a page needs a preflight to send these', async () => {
    expect((await statusOf({ authorization: 'Bearer x' })).status).toBe(200)
    expect((await statusOf({ 'x-api-key': 'some-key-0123456789' }, 'GET', locked)).status).toBe(200)
    expect((await statusOf({ ...basic, 'x-api-key': 'some-key-0123456789' }, 'GET', locked)).status).toBe(200)
  })

  it.each([{}, basic, { 'content-type': 'text/plain' }])('that is a HEAD is 405 with %o', async (headers) => {
    expect([await statusOf(headers, 'HEAD'), calls]).toMatchObject([{ status: 405 }, []])
  })
})

describe('Accept', () => {
  it.each([
    [JSON_TYPE, JSON_TYPE],
    [RESPONSE, RESPONSE],
    ['APPLICATION/GraphQL-Response+JSON', RESPONSE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    [`${RESPONSE}, ${JSON_TYPE}`, RESPONSE],
    [`${JSON_TYPE}, ${RESPONSE}`, JSON_TYPE],
    [`${RESPONSE}, ${JSON_TYPE};q=0.9`, RESPONSE],
    [`${RESPONSE};q=0.1,${JSON_TYPE}`, JSON_TYPE],
    [`${JSON_TYPE} ; q=0.5 , ${RESPONSE} ; q=0.6`, RESPONSE],
    [`${RESPONSE};q=0, */*;q=0.1`, JSON_TYPE],
    [`text/plain, ${RESPONSE}; charset=utf-8`, RESPONSE],
    [`multipart/mixed;deferSpec=20220824, ${RESPONSE}, ${JSON_TYPE}`, RESPONSE],
  ])('%s is answered as %s', async (accept, type) => {
    const { status, type: found } = await send({ ...query('{ nothing }'), headers: { accept } })
    expect([found, status]).toEqual([`${type}; charset=utf-8`, type === JSON_TYPE ? 200 : 400])
  })

  it.each(['text/plain', 'image/*', 'text/html', `${JSON_TYPE};q=0`, `${JSON_TYPE}; charset=latin1`])(
    '%s is 406, and nothing is done',
    async (accept) => {
      const authorization = authorizationOf('admin')
      const { status, body } = await send({ ...query(WRITE), headers: { accept, authorization } })
      expect([status, body.data, calls]).toEqual([406, undefined, []])
      expect(body.errors?.[0]?.message).toContain(RESPONSE)
    },
  )
})

it('a request without authentication is 401 in both media types', async () => {
  for (const accept of [JSON_TYPE, RESPONSE])
    for (const sent of [query('{ __typename }'), query('{ nothing }'), { body: 'NONSENSE' }, get({ query: WRITE }), as('text/plain')]) {
      const { status, codes, headers } = await send({ ...sent, headers: { ...sent.headers, accept } }, locked)
      expect([status, codes, headers.get('www-authenticate')]).toEqual([401, ['UNAUTHENTICATED'], 'ApiKey'])
    }
})

it('another address is 404', async () => {
  for (const path of ['/', '/graph', '/graphql/x']) expect((await fetch(`${gateway.url}${path}`)).status).toBe(404)
})
