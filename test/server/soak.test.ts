import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Command, UNLIMITED_FLAGS } from '../support/command.js'
import { TELLS } from '../support/hosted.js'
import { authorizationOf, SOAK } from '../support/world.js'
import type { Attack } from './attacks/attack.js'
import { type Answer, exchange, post } from './attacks/client.js'
import { DOCUMENTS } from './attacks/documents.js'
import { HEADERS } from './attacks/headers.js'
import { HONEST } from './attacks/honest.js'
import { HTTP } from './attacks/http.js'
import { IDS } from './attacks/ids.js'
import { VARIABLES } from './attacks/variables.js'
import { piecesOf, repliesIn, exchange as send } from './raw.js'
import { REQUESTS } from './requests.js'

// Good and bad traffic of all kinds, mixed, on the real command in front of its embedded LMS.

/** Seconds it lasts, at full speed. */
const SECONDS = Number(process.env.SECONDS ?? (SOAK ? 300 : 5))
/** Requests that are sent in any case, also on a busy machine. */
const LEAST = 100
const LANES = 12
/** Milliseconds after which a request is stuck. */
const STUCK = 30_000
/** Megabytes by which the process may grow after a quarter of the time; young garbage and caches settle only after thousands of requests. */
const GROWTH = SECONDS >= 300 ? 40 : 250
const MOST = 600

const ADMIN = { authorization: authorizationOf('admin') }

/** Operations with other values each time. */
const OPERATIONS: readonly ((i: number) => object)[] = [
  (i) => ({ query: 'query One($id: ID!) { course(id: $id) { title slug price } }', variables: { id: String(10_001 + (i % 60)) } }),
  (i) => ({
    query: 'query Some($first: Int) { courses(first: $first) { nodes { title priceType { name } } } }',
    variables: { first: 1 + (i % 60) },
  }),
  () => ({ query: '{ groups(first: 5) { nodes { title courses(first: 20) { edges { node { title prerequisites { title } } } } } } }' }),
  (i) => ({
    query: `{ user(id: ${1 + (i % 9)}) { courseProgress(first: 10) { nodes { status course { title lessons { totalCount } } } } } }`,
  }),
  (i) => ({ query: `query New${i} { a${i}: lessons(where: { course: ${10_001 + (i % 60)} }) { nodes { id title } } }` }),
  (i) => ({ query: `{ course(id: 10001) { title } wrong${i} }` }),
  (i) => ({
    query: 'mutation ($input: UpdateCourseInput!) { updateCourse(input: $input) { __typename } }',
    variables: { input: { id: '10005', points: i % 100 } },
  }),
]

/** Operations whose answers depend on the role: content, enrolments, outlines, progress. */
const OF_ROLES: readonly ((i: number) => object)[] = [
  (i) => ({
    query: 'query Lessons($id: ID!) { course(id: $id) { access { state } lessons(first: 20) { nodes { title content } } } }',
    variables: { id: String(10_001 + (i % 60)) },
  }),
  (i) => ({ query: `{ course(id: ${10_001 + (i % 60)}) { outline { sections { title lessons { lesson { title content } } } } } }` }),
  () => ({
    query:
      '{ viewer { courses { edges { enrolledAt node { title access { state reasons { message } } } } } nextLessons { lesson { title } } } }',
  }),
  (i) => ({ query: `{ user(id: ${1 + (i % 9)}) { courses { nodes { title } } } course(id: 10005) { users { nodes { id name } } } }` }),
  (i) => ({
    query: 'mutation ($input: EnrolUsersInput!) { enrolUsers(input: $input) { __typename } }',
    variables: { input: { courseId: '10012', userIds: [String(600_001 + (i % 50))] } },
  }),
]

const KEYS = { web: 'web-key-0123456789', app: 'app-key-0123456789', desk: 'desk-key-0123456789', rest: 'rest-key-0123456789' }

interface Gateway {
  readonly name: string
  /** The profile of an LMS in a process of its own; undefined for an embedded one. */
  readonly profile?: string
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly operations: readonly ((i: number) => object)[]
  /** The headers of callers, who take turns. */
  readonly callers: readonly Readonly<Record<string, string>>[]
}

const GATEWAYS: readonly Gateway[] = [
  { name: 'for callers with their own credentials', flags: ['--embedded'], env: {}, operations: OPERATIONS, callers: [{}, ADMIN, ADMIN] },
  {
    name: 'for the roles of an account',
    profile: 'learndash-5',
    flags: ['--open', '--cache', '5', '--preset', 'learndash', '--roles', 'visitor=key:web,learner=key:app:3,editor=key:desk'],
    env: {
      SITE_ROUTES: 'users/me,users,users/courses,users/course-progress/steps,sfwd-courses/users,sfwd-courses/steps,sfwd-topic',
      LMS_USER: 'admin',
      LMS_PASSWORD: 'admin-demo',
      GATEWAY_API_KEYS: Object.entries(KEYS)
        .map((pair) => pair.join(':'))
        .join(),
    },
    operations: [...OF_ROLES, ...OPERATIONS],
    callers: [{}, ...Object.values(KEYS).map((key) => ({ 'x-api-key': key }))],
  },
]

const ATTACKS: readonly Attack[] = [...DOCUMENTS, ...VARIABLES, ...HTTP, ...IDS, ...HEADERS, ...HONEST].filter(
  // What is written over time takes as long as it likes, and some get no answer.
  ({ send, status }) => Buffer.isBuffer(send) && status !== 0,
)

/** Steps through the tables, so that a short run meets something of everything. */
const STRIDE = 61

type Kind = 'operations' | 'attacks' | 'requests'

interface Came {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Something of each kind, by number. */
const ASK: Readonly<Record<Kind, (url: string, i: number, gateway: Gateway) => Promise<Came>>> = {
  operations: async (url, i, { operations, callers }) => {
    // All pairs of both, whatever they have in common.
    const [turn, place] = [Math.floor(i / operations.length), i % operations.length]
    const operation = operations[place] as (i: number) => object
    return cameOf(await exchange(Number(new URL(url).port), post(operation(i), callers[(turn + place) % callers.length])))
  },
  attacks: async (url, i) => cameOf(await exchange(Number(new URL(url).port), (ATTACKS[(i * STRIDE) % ATTACKS.length] as Attack).send)),
  requests: async (url, i) => {
    const [, raw] = REQUESTS[(i * STRIDE) % REQUESTS.length] as (typeof REQUESTS)[number]
    const [reply] = repliesIn(await send(url, piecesOf(raw)))
    const type = reply?.headers.find((header) => header.startsWith('content-type: '))?.slice(14) ?? ''
    return {
      status: Number(/ (\d{3}) /.exec(reply?.status ?? '')?.[1] ?? 0),
      type,
      text: type.includes('json') && isChunked(reply?.headers) ? '' : (reply?.body ?? ''),
    }
  },
}

const isChunked = (headers: readonly string[] = []): boolean => headers.includes('transfer-encoding: chunked')
const cameOf = ({ status, headers, text }: Answer): Came => ({ status, type: headers['content-type'] ?? '', text })

/** What is wrong with an answer, whatever was asked. */
function faultOf({ status, type, text }: Came): string | undefined {
  if (status === 0) return 'no answer'
  if (status === 500 || status === 502) return `status ${status}: ${text.slice(0, 200)}`
  if (!type.includes('json') || text === '') return undefined
  try {
    const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: { extensions?: { code?: unknown } }[] }
    if (data === undefined && errors === undefined)
      return text.startsWith('{"status":') ? undefined : `neither data nor errors: ${text.slice(0, 200)}`
    if (errors?.some(({ extensions }) => typeof extensions?.code !== 'string')) return `an error without code: ${text.slice(0, 200)}`
    return /INTERNAL_SERVER_ERROR/.test(text) ? `a fault: ${text.slice(0, 200)}` : undefined
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
}

const resident = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

describe.skipIf(!TELLS).each(GATEWAYS)('the command $name', (gateway) => {
  let command: Command
  let lms: Command | undefined
  let url: string
  beforeAll(async () => {
    lms = gateway.profile === undefined ? undefined : new Command(['lms', '--profile', gateway.profile, '--port', '0'])
    const site = lms ? ['--upstream', `${await lms.address()}/wp-json`] : []
    const flags = ['--port', '0', '--max-in-flight', '8', ...UNLIMITED_FLAGS, ...site, ...gateway.flags]
    command = new Command(flags, { NODE_ENV: 'production', ...gateway.env })
    url = await command.address()
  })
  afterAll(() => Promise.all([command, lms].map((each) => each?.stop('SIGKILL'))))

  it('answers everything for a long time, with stable memory', { timeout: (SECONDS + 120) * 1_000 }, async () => {
    const counts: Record<Kind, number> = { operations: 0, attacks: 0, requests: 0 }
    const statuses = new Map<number, number>()
    const faults: string[] = []
    const samples: number[] = []
    let slowest = 0
    let next = 0
    const since = performance.now()
    const over = since + SECONDS * 1_000
    const sampling = setInterval(() => samples.push(resident(command.child.pid as number)), SECONDS * 10)
    const lane = async (): Promise<void> => {
      while (performance.now() < over || next < LEAST) {
        const i = next++
        const kind = (['operations', 'attacks', 'operations', 'requests'] as const)[i % 4] as Kind
        const asked = performance.now()
        const number = counts[kind]++
        const came = await ASK[kind](url, number, gateway)
        const took = performance.now() - asked
        slowest = Math.max(slowest, took)
        statuses.set(came.status, (statuses.get(came.status) ?? 0) + 1)
        const fault = took > STUCK ? 'stuck' : faultOf(came)
        if (fault !== undefined) faults.push(`${kind} ${number}: ${fault}`)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    clearInterval(sampling)
    const lasted = (performance.now() - since) / 1_000
    const [early, late] = [median(samples.slice(samples.length >> 2, (samples.length >> 2) + 10)), median(samples.slice(-10))]
    const most = Math.max(...samples)
    console.log(
      `${gateway.name}: ${next} requests in ${lasted.toFixed(0)} s (${Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)}; ` +
        `${[...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} answered ${status}`)}); slowest ${slowest.toFixed(0)} ms; ` +
        `memory ${early.toFixed(0)}, ${late.toFixed(0)}, at most ${most.toFixed(0)} MB`,
    )
    expect(faults.slice(0, 10)).toEqual([])
    expect(statuses.size).toBeGreaterThan(2)
    expect(late - early).toBeLessThan(GROWTH)
    expect(most).toBeLessThan(MOST)
    // It goes when it is told to, with nothing left open.
    expect(await command.stop()).toMatchObject({ code: 0, stderr: '' })
  })
})
