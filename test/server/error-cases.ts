import { SAMPLES } from '../../src/lms/index.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { type Handler, json } from '../support/site.js'
import { authorizationOf, CANDID } from '../support/world.js'

export const KEY = 'some-key-0123456789'

class BrokenMap extends Map<string, string> {
  override get(): never {
    throw new Error('A map broke at /srv/app.js')
  }
}

/** What one gateway is started with; its site is the embedded LMS unless it is a test's own. */
export const GATEWAYS = {
  lms: {},
  site: merged({ protection: { timeout: 150, maxResponseBytes: 5_000 } }, CANDID),
  hurried: { protection: { operationTimeout: 100, timeout: 200 } },
  busy: { protection: { maxInFlight: 1, maxQueue: 0, timeout: 200 } },
  suspended: { protection: { retries: 0 }, tuning: { protection: { breakerCalls: 1, breakerCooldown: 60_000 } } },
  small: { limits: { maxBodyBytes: 50 } },
  locked: { access: { apiKeys: [KEY] } },
  keySet: {
    site: { user: 'admin', password: 'admin-demo' },
    access: { jwtJwksUrl: 'http://127.0.0.1:9/keys', jwtIssuer: 'https://login.example.org/', jwtAudience: 'lms' },
  },
  frugal: { limits: { maxCalls: 3 }, tuning: { limits: { maxUnpaged: 1 } } },
  unreachable: { site: { url: 'http://127.0.0.1:9' } },
  broken: {
    // With a cache, reads share calls that were sent before.
    cache: { maxAge: 60 },
    on: {
      repair: () => {
        throw new Error('A listener broke at /srv/app.js')
      },
    },
  },
  strict: { limits: { maxAnswerSize: 1_000 }, http: { requestTimeout: 200 } },
  trusting: { http: { operations: new Map([['known', '{ __typename }']]), onlyTrusted: true } },
  full: { limits: { memoryBudget: 100_000 }, protection: { timeout: 2_000, retries: 0 } },
  filled: { limits: { memoryBudget: 1_000 } },
  once: { limits: { operationsPerMinute: 1 } },
  short: { limits: { documentCostPerMinute: 1 } },
  // With its name, the site is not asked for its address.
  cut: { cache: { maxAge: 60 }, redis: { url: 'redis://127.0.0.1:9', siteId: 'school' } },
  faulty: { http: { operations: new BrokenMap([['known', '{ __typename }']]) } },
} satisfies Record<string, TunedOptions>

/** One way to an error, and what is answered. */
export interface Case {
  readonly how: string
  readonly on: keyof typeof GATEWAYS
  /** Text of the operation, or all of the request. */
  readonly ask: string | RequestInit | (() => RequestInit)
  /** What the site answers, where it is a test's own. */
  readonly site?: Handler
  /** Whether the site is asked for something before, which is then under way still, or over. */
  readonly before?: 'under way' | 'over'
  /** HTTP status where there are no data, in the order of the media types; 200 otherwise. */
  readonly status?: readonly [number, number]
  readonly upstream?: object
  /** Type of the error as a member of a mutation's union. */
  readonly type?: string
}

export const COURSE = '{ course(id: 10001) { title } }'
const ERRORS = '__typename ... on LmsError { code message } ... on UpstreamError { upstream { status code } }'
const ADMIN = { authorization: authorizationOf('admin') }
/** Of the right form, but signed by nobody. */
export const TOKEN = [{ alg: 'RS256', kid: 'one' }, { sub: '3' }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')
const UPDATE = `mutation { result: updateCourse(input: { id: 10001, title: "x" }) { ${ERRORS} } }`

const CREATE = 'createCourse(input: { title: null }) { ... on LmsError { code message } }'

const posted = (params: object): RequestInit => ({ body: JSON.stringify(params) })
const hashed = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })

/** What a site may say of itself and must not be passed on. */
const CHATTER =
  '<p>Fatal <b>error</b> &amp; more at https://user:secret@db.example.org/x in /var/www/html/wp-content/plugins/x.php: ' +
  `#0 /var/www/html/index.php(17): require() &lt;script&gt;alert(1)&lt;/script&gt; ${'long '.repeat(200)}</p>`

const says =
  (status: number, code = 'odd'): Handler =>
  (_, response) =>
    json(response, { code, message: CHATTER, data: { status } }, { status, headers: { 'x-powered-by': 'Secret/8.2', server: 'Secret' } })

/** The same answer of a site, met by a query and by a mutation. */
const bySite = (how: string, site: Handler, upstream: object | undefined, type = 'UpstreamError'): Case[] => [
  { how: `${how}, to a query`, on: 'site', ask: COURSE, site, ...(upstream && { upstream }) },
  { how: `${how}, to a mutation`, on: 'site', ask: UPDATE, site, type, ...(upstream && { upstream }) },
]

/** How each code comes about. */
export const CASES: Readonly<Record<string, readonly Case[]>> = {
  BAD_USER_INPUT: [
    { how: 'an argument', on: 'lms', ask: '{ course(id: "zz") { title } }' },
    { how: 'a literal', on: 'lms', ask: '{ courses(where: { publishedAfter: "soon" }) { totalCount } }', status: [200, 400] },
    { how: 'a variable', on: 'lms', ask: 'query ($first: Int!) { courses(first: $first) { totalCount } }', status: [200, 400] },
    { how: 'an input', on: 'lms', ask: `mutation { result: updateCourse(input: { id: "zz" }) { ${ERRORS} } }`, type: 'InvalidInputError' },
  ],
  GRAPHQL_PARSE_FAILED: [{ how: 'a document', on: 'lms', ask: '{ course', status: [200, 400] }],
  GRAPHQL_VALIDATION_FAILED: [{ how: 'a field', on: 'lms', ask: '{ nothing }', status: [200, 400] }],
  LIMIT_EXCEEDED: [
    { how: 'a document too deep to be read', on: 'lms', ask: `{${'a{'.repeat(20_000)}`, status: [200, 400] },
    { how: 'variables', on: 'lms', ask: posted({ query: COURSE, variables: { ids: Array(1_001).fill(1) } }), status: [200, 400] },
  ],
  ANSWER_TOO_LARGE: [
    { how: 'a list', on: 'strict', ask: '{ courses(first: 20) { nodes { title titleHtml link } } }', status: [200, 400] },
    {
      how: 'a mutation',
      on: 'strict',
      ask: `mutation { ${Array.from({ length: 30 }, (_, i) => `a${i}: ${CREATE}`)} }`,
      status: [200, 400],
    },
    {
      how: 'a record that does not fit into memory',
      on: 'full',
      ask: '{ course(id: 1) { title } }',
      site: (_, response) => json(response, { id: 1, content: 'x'.repeat(20_000) }),
    },
  ],
  SERVER_BUSY: [
    { how: 'a document for which there is no memory', on: 'filled', ask: COURSE, status: [503, 503] },
    {
      how: 'a record for which another operation leaves no memory',
      on: 'full',
      ask: '{ a: lesson(id: 1) { title } b: course(id: 2) { title } }',
      before: 'under way',
      site: ({ url = '' }, response) => {
        if (!url.includes('quiz/'))
          json(response, { id: Number(/(\d+)\?/.exec(url)?.[1]), content: 'x'.repeat(url.includes('courses') ? 11_400 : 1) })
      },
    },
  ],
  RATE_LIMITED: [
    { how: 'a second operation', on: 'once', ask: COURSE, before: 'over', status: [429, 429] },
    { how: 'a second new document', on: 'short', ask: COURSE, before: 'over', status: [429, 429] },
  ],
  PERSISTED_QUERY_NOT_FOUND: [{ how: 'a new hash', on: 'lms', ask: posted(hashed('0'.repeat(64))), status: [200, 400] }],
  DOCUMENT_NOT_TRUSTED: [
    { how: 'a text', on: 'trusting', ask: COURSE, status: [200, 400] },
    { how: 'a hash', on: 'trusting', ask: posted(hashed('unknown')), status: [200, 400] },
  ],
  REQUEST_TIMEOUT: [
    {
      how: 'a body that never ends',
      on: 'strict',
      ask: () => ({ body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) }), duplex: 'half' }),
      status: [408, 408],
    },
  ],
  BAD_REQUEST: [
    { how: 'no query', on: 'lms', ask: { body: '{}' }, status: [400, 400] },
    { how: 'a method', on: 'lms', ask: { method: 'PUT', body: '{}' }, status: [405, 405] },
    { how: 'Accept', on: 'lms', ask: { body: '{}', headers: { accept: 'image/png' } }, status: [406, 406] },
    { how: 'headers', on: 'lms', ask: { body: '{}', headers: { 'x-long': 'x'.repeat(20_000) } }, status: [431, 431] },
    { how: 'Content-Type', on: 'lms', ask: { body: '{}', headers: { 'content-type': 'text/plain' } }, status: [415, 415] },
  ],
  BODY_TOO_LARGE: [{ how: 'a body', on: 'small', ask: `{ __typename } # ${'x'.repeat(60)}`, status: [413, 413] }],
  CALL_BUDGET_EXCEEDED: [
    { how: 'many calls', on: 'frugal', ask: '{ courses { nodes { lessons { totalCount } } } }', status: [200, 400] },
    // It needs two courses, where one is taken for the most.
    {
      how: 'more calls than it seemed',
      on: 'frugal',
      ask: `{ course(id: ${SAMPLES.dangling}) { prerequisites { lessons { totalCount } } } }`,
    },
  ],
  OPERATION_RESOLUTION_FAILURE: [
    { how: 'two operations', on: 'lms', ask: 'query A { viewer { id } } query B { viewer { id } }', status: [200, 400] },
  ],
  UNAUTHENTICATED: [
    { how: 'no key', on: 'locked', ask: COURSE, status: [401, 401] },
    {
      how: 'the LMS',
      on: 'lms',
      ask: '{ user(id: 3) { courseProgress { totalCount } } }',
      upstream: { status: 401, code: 'rest_user_cannot_view' },
    },
    ...bySite('401', says(401, 'rest_not_logged_in'), { status: 401, code: 'rest_not_logged_in' }, 'UnauthenticatedError'),
  ],
  FORBIDDEN: [
    {
      how: 'an explanation that is not for everybody',
      on: 'lms',
      ask: { body: JSON.stringify({ query: COURSE, extensions: { explain: 'plan' } }) },
      status: [200, 403],
    },
    ...bySite('403', says(403, 'rest_forbidden'), { status: 403, code: 'rest_forbidden' }, 'ForbiddenError'),
  ],
  NOT_FOUND: [
    {
      how: 'the LMS, to a list',
      on: 'lms',
      ask: { body: JSON.stringify({ query: '{ user(id: 999999) { courseProgress { totalCount } } }' }), headers: ADMIN },
      upstream: { status: 404, code: 'rest_user_invalid_id' },
    },
    ...bySite('404', says(404, 'rest_no_route'), { status: 404, code: 'rest_no_route' }, 'NotFoundError'),
    { how: '410, to a mutation', on: 'site', ask: UPDATE, site: says(410), type: 'NotFoundError' },
  ],
  NOT_AVAILABLE: [{ how: 'a field', on: 'lms', ask: '{ course(id: 10001) { featuredImage { url } } }' }],
  CONFLICT: bySite('409', says(409, 'rest_post_exists'), { status: 409, code: 'rest_post_exists' }, 'ConflictError'),
  RECORD_UNRESOLVED: [
    {
      how: 'batches that leave records out',
      on: 'site',
      ask: '{ courses(first: 1) { nodes { prerequisites { title } } } }',
      // More are left out than are looked for alone.
      site: (request, response) => {
        const ids = Array.from({ length: 12 }, (_, place) => place + 1)
        if (/include=/.test(request.url as string)) return json(response, [])
        const id = /sfwd-courses\/(\d+)/.exec(request.url as string)?.[1]
        if (id !== undefined) return json(response, { id: Number(id), title: { rendered: 'Found' } })
        return json(response, [{ id: 99, course_prerequisite: ids }], { headers: { 'x-wp-total': '1', 'x-wp-totalpages': '1' } })
      },
    },
  ],
  UPSTREAM_REJECTED: bySite('418', says(418), { status: 418, code: 'odd' }),
  UPSTREAM_BUSY: [
    {
      how: 'a site with its hands full, to all of a query',
      on: 'busy',
      ask: COURSE,
      before: 'under way',
      site: () => {},
      status: [503, 503],
    },
    {
      how: 'a site with its hands full, to a part of a query',
      on: 'busy',
      ask: '{ course(id: 10001) { title } lesson(id: 10001) { title } }',
      site: (_, response) => json(response, { id: 10_001, title: { rendered: 'Found' } }),
    },
    {
      how: 'a site with its hands full, to a mutation',
      on: 'busy',
      ask: UPDATE,
      before: 'under way',
      site: () => {},
      type: 'UpstreamError',
    },
  ],
  CACHE_UNAVAILABLE: [{ how: 'no Redis, to a mutation', on: 'cut', ask: UPDATE, type: 'UpstreamError' }],
  UPSTREAM_RATE_LIMITED: bySite('429', says(429), { status: 429, code: 'odd' }),
  UPSTREAM_UNAVAILABLE: [
    {
      how: 'no key set',
      on: 'keySet',
      ask: { body: JSON.stringify({ query: COURSE }), headers: { authorization: `Bearer ${TOKEN}` } },
      status: [503, 503],
    },
    { how: 'no site, to a query', on: 'unreachable', ask: COURSE },
    { how: 'no site, to a mutation', on: 'unreachable', ask: UPDATE, type: 'UpstreamError' },
    ...bySite('500', says(500), { status: 500, code: 'odd' }),
    ...bySite('a broken connection', (request) => request.socket.destroy(), undefined),
    { how: 'a site that is left alone, to a query', on: 'suspended', ask: COURSE, before: 'over', site: says(500), status: [503, 503] },
    {
      how: 'a site that is left alone, to a mutation',
      on: 'suspended',
      ask: UPDATE,
      before: 'over',
      site: says(500),
      type: 'UpstreamError',
    },
  ],
  UPSTREAM_TIMEOUT: [
    ...bySite('silence', () => {}, undefined),
    { how: 'an operation that takes too long', on: 'hurried', ask: COURSE, site: () => {} },
    { how: 'a mutation that takes too long', on: 'hurried', ask: UPDATE, site: () => {}, type: 'UpstreamError' },
  ],
  UPSTREAM_INVALID_RESPONSE: [
    ...bySite('HTML', (_, response) => response.end(CHATTER), { status: 200, code: null }),
    ...bySite('too much', (_, response) => json(response, { id: 10_001, title: { rendered: 'x'.repeat(6_000) } }), {
      status: 200,
      code: null,
    }),
    ...bySite('a redirect', (_, response) => response.writeHead(302, { location: 'https://elsewhere.example.org/' }).end(), {
      status: 302,
      code: null,
    }),
  ],
  INTERNAL_SERVER_ERROR: [
    {
      how: 'a listener that throws',
      on: 'broken',
      ask: '{ course(id: 7) { menuOrder } }',
      site: (_, response) => json(response, { id: 7, menu_order: 'odd' }),
    },
    { how: 'a manifest that throws', on: 'faulty', ask: posted(hashed('known')), status: [500, 500] },
  ],
}

/** Codes nobody is left to see. */
export const UNSEEN = ['REQUEST_CANCELLED']
