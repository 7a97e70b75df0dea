import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Call } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { merged } from '../support/merged.js'
import { Random } from '../support/random.js'
import { type Served, serve } from '../support/served.js'
import { type Strike, TroubledProxy } from '../support/troubled-proxy.js'
import { authorizationOf, CANDID, SOAK } from '../support/world.js'
import { FAULTS } from './faults.js'

// Many callers at once, and a site that answers every fourth request with garbage of all kinds. What they see is right, or an error.

const OPERATIONS = SOAK ? 20_000 : 400
const AT_ONCE = 64
const SHARE = 0.25

type Errors = readonly { path?: readonly (string | number)[]; message: string; extensions: { code: string } }[]
type Answer = { data: unknown; errors?: Errors }

const random = new Random(20_261_122)

/** What stands before the JSON does not spoil it. */
const before =
  (text: string): Strike =>
  async (response, _, truth) => {
    const { status, headers, body } = await truth()
    response.writeHead(status, headers).end(Buffer.concat([Buffer.from(text), body]))
  }
const MENDED = { 'a byte order mark': before('\uFEFF'), 'a warning': before('<br />\n<b>Warning</b>: odd [x] in <b>a.php</b><br />\n') }

/** What calls may end in. */
const CODES = ['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_UNAVAILABLE']

/** All that strikes one request alone, soon, and is no word of the site on who may do what. */
const STRIKES: readonly (readonly [name: string, strike: Strike])[] = [
  ...FAULTS.flatMap(({ name, strike, read }) => (strike && [...CODES, 'data'].includes(read) ? [[name, strike] as const] : [])),
  ...Object.entries(MENDED),
]

let lms: RunningLms
let proxy: TroubledProxy
let gateway: Served
const calls: Call[] = []
const struck = new Map<string, number>()

beforeAll(async () => {
  lms = await startLms()
  proxy = await TroubledProxy.start(lms.url)
  gateway = await serve(
    merged({ site: { url: proxy.url }, protection: { maxInFlight: 16, maxResponseBytes: 190_000 } }, CANDID, {
      on: {
        call: (call) => calls.push(call),
      },
    }),
  )
})
afterAll(async () => {
  await gateway.close()
  await proxy.close()
  await lms.close()
})

/** Operations of different kinds, each over records of its own. */
const queries: readonly string[] = Array.from({ length: 60 }, (_, i) => {
  const [course, group, question] = [10_001 + i, 1_001 + (i % 12), 500_001 + i]
  return [
    `{ course(id: ${course}) { title status prerequisites { title } priceType { name } lessons(first: 3) { totalCount nodes { title } } } }`,
    `{ group(id: ${group}) { title courses(first: 3) { totalCount nodes { title quizzes(first: 2) { nodes { title } } } } } }`,
    `{ courses(first: 5, offset: ${i}) { totalCount nodes { title lessons(first: 2) { nodes { title course { title } } } } } }`,
    `{ user(id: 3) { courseProgress(first: ${i + 1}) { totalCount nodes { status stepsTotal course { title } } } } question(id: ${question}) { title } }`,
  ][i % 4] as string
})

async function ask(query: string): Promise<Answer> {
  const response = await gateway.post({ query }, { authorization: authorizationOf('admin') })
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

const seen = { right: 0, excused: 0, values: 0 }

/** Holds what is shown against what is so: each null that is none needs an error at its place, or below it. */
function judge(shown: unknown, truth: unknown, errors: readonly string[], path: string): void {
  if (shown === null && truth !== null) {
    expect(
      errors.some((each) => each === path || each.startsWith(`${path}.`)),
      `${path} is null without an error`,
    ).toBe(true)
    seen.excused++
  } else if (typeof truth === 'object' && truth !== null) {
    expect(Object.keys(shown as object), path).toEqual(Object.keys(truth))
    for (const [key, value] of Object.entries(truth)) judge((shown as any)[key], value, errors, path === '' ? key : `${path}.${key}`)
  } else {
    expect(shown, path).toEqual(truth)
    seen.values++
  }
}

it('is never shown as data, and never lost silently', { timeout: 600_000 }, async () => {
  const truths = new Map<string, unknown>()
  for (const query of queries) {
    const { data, errors } = await ask(query)
    expect(errors).toBeUndefined()
    truths.set(query, data)
  }
  let deck: typeof STRIKES = []
  proxy.strikes = () => {
    if (!random.chance(SHARE)) return undefined
    if (deck.length === 0) deck = random.shuffle(STRIKES)
    const [name, strike] = deck[0] as (typeof STRIKES)[number]
    deck = deck.slice(1)
    struck.set(name, (struck.get(name) ?? 0) + 1)
    return strike
  }
  calls.length = 0
  const codes = new Map<string, number>()
  let left = OPERATIONS
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const query = random.pick(queries)
      const { data, errors = [] } = await ask(query)
      expect(JSON.stringify([data, errors])).not.toContain('GARBAGE')
      for (const { extensions } of errors) codes.set(extensions.code, (codes.get(extensions.code) ?? 0) + 1)
      const paths = errors.map(({ path = [] }) => path.join('.'))
      judge(data, truths.get(query), paths, '')
      if (errors.length === 0) seen.right++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const all = [...struck.values()].reduce((sum, count) => sum + count, 0)
  console.log(
    `${OPERATIONS} operations, ${calls.length} calls of which ${all} were struck in ${struck.size} ways; ${seen.right} operations whole, ` +
      `${seen.values} values right, ${seen.excused} missing with ${[...codes].map(([code, count]) => `${count} ${code}`).join(', ')}`,
  )
  expect([...struck.keys()].sort()).toEqual(STRIKES.map(([name]) => name).sort())
  const cleaned = Object.keys(MENDED).reduce((sum, name) => sum + (struck.get(name) ?? 0), 0)
  expect(calls.filter((call) => call.cleaned)).toHaveLength(cleaned)
  expect([...codes.keys()].filter((code) => ![...CODES, 'RECORD_UNRESOLVED'].includes(code))).toEqual([])
  expect(seen.right).toBeGreaterThan(OPERATIONS / 10)
  expect(seen.excused).toBeGreaterThan(OPERATIONS / 10)
})
