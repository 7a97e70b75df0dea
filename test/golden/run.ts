import { type Part, partsOf } from '../front-ends/parts.js'
import { merged } from '../support/merged.js'
import type { Entries, KindName, RunningSite } from './sites.js'

/** An operation, and who sends it. */
export interface Operation {
  readonly name: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  /** Login of a demo user; without one the caller is anonymous. */
  readonly as?: string
  /** Whether the answer is asked for in parts. */
  readonly parts?: boolean
}

/** Operations that one gateway answers, one after the other. */
export interface Sequence {
  readonly kind: KindName
  readonly operations: readonly Operation[]
}

/** What an operation shows. Addresses and times are left out, and what has no order is sorted. */
export interface Outcome {
  /** What `explain: plan` answers, and the REST calls that it must not make. */
  readonly estimate: unknown
  /** The explained run: its answer, and what the explanation says beside its calls. */
  readonly run: unknown
  /** The REST calls of this run by wave, with the fields that they serve. */
  readonly calls: readonly string[]
  /** The requests of this run that reached the site. */
  readonly sent: readonly string[]
  /** The answer without an explanation if it is another one, and its requests. Absent for mutations, which run once. */
  readonly plain?: unknown
  /** Faults of the gateway. */
  readonly faults?: readonly string[]
}

/** One call at a time, so that nothing depends on which of two answers arrives first; no second attempts, and no timeouts on a busy machine. */
const OPTIONS = {
  http: { port: 0 },
  protection: { maxInFlight: 1, retries: 0, breakerThreshold: 100, operationTimeout: 600_000, timeout: 120_000 },
  tuning: { protection: { queueTimeout: 600_000 }, explainOthersFor: ['everybody'] },
  observe: { explainFor: ['everybody'] },
  // All operations come from one address.
  limits: { operationsPerMinute: 0, callsPerMinute: 0, documentCostPerMinute: 0 },
} as const

const PARTS = 'multipart/mixed; deferSpec=20220824, application/json'

type Received = Part & { readonly extensions?: Readonly<Record<string, any>> }
type Incremental = NonNullable<Part['incremental']>[number] & { readonly label?: string }

/** An answer: its first part, the deferred fragments and streamed lists by their places, and its explanation. */
interface Answer {
  readonly answer: unknown
  readonly explain: Readonly<Record<string, any>> | undefined
}

/** Answers a sequence by a gateway of its own. `more` are further options of it. */
export async function runSequence(entries: Entries, site: RunningSite, operations: readonly Operation[], more = {}): Promise<Outcome[]> {
  const faults: string[] = []
  const on = { fault: (fault: unknown): void => void faults.push(String(fault)) }
  const { tuning, ...options } = merged(OPTIONS, { site: site.site, on }, more)
  const gateway = await entries.start.startTuned(options, tuning)
  const ask = (operation: Operation, explain?: string): Promise<Answer> => post(entries, gateway.url, operation, explain)
  const outcomes: Outcome[] = []
  for (const operation of operations) {
    const { answer: planned, explain: plan } = await ask(operation, 'plan')
    const estimate = { ...(plan ? inOrder(plan) : { answer: planned }), ...unlessEmpty('sent', site.sent.splice(0)) }
    const { answer, explain } = await ask(operation, 'run')
    const sent = site.sent.splice(0)
    const { calls = [], ...explained } = explain ?? {}
    const run = { answer, ...(explain && { explain: inOrder(explained) }) }
    const outcome = { estimate, run, calls: (calls as any[]).map(callText).sort(), sent }
    if (!/^\s*mutation\b/m.test(operation.query)) {
      const plain = await ask(operation)
      const isSame = JSON.stringify(plain.answer) === JSON.stringify(answer)
      Object.assign(outcome, { plain: { answer: isSame ? 'the same' : plain.answer, sent: site.sent.splice(0) } })
    }
    outcomes.push({ ...outcome, ...unlessEmpty('faults', faults.splice(0)) })
  }
  await gateway.close()
  return JSON.parse(JSON.stringify(outcomes).replaceAll(site.site.url, 'http://site.example'))
}

const unlessEmpty = (name: string, items: readonly string[]): object => (items.length > 0 ? { [name]: items } : {})

async function post({ lms }: Entries, url: string, operation: Operation, explain: string | undefined): Promise<Answer> {
  const { query, variables, operationName, as, parts } = operation
  const user = lms.DEMO_USERS.find(({ login }) => login === as)
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: parts ? PARTS : 'application/graphql-response+json',
      ...(user && { authorization: `Basic ${Buffer.from(`${user.login}:${user.password}`).toString('base64')}` }),
    },
    body: JSON.stringify({ query, variables, operationName, ...(explain && { extensions: { explain } }) }),
  })
  const received: Received[] = []
  for await (const part of partsOf(response)) received.push(part as Received)
  const { data, errors } = received[0] ?? {}
  const later = placesOf(received.slice(1).flatMap(({ incremental = [] }) => incremental as Incremental[]))
  const answer = { status: response.status, data, errors, ...(received.length > 1 && { later }) }
  return { answer, explain: received.at(-1)?.extensions?.explain }
}

/** Deferred data and streamed items by their places: how they are grouped into parts depends on time. */
function placesOf(results: readonly Incremental[]): object {
  const places = new Map<string, object[]>()
  for (const { path = [], label, ...result } of results) {
    const place = [...(result.items ? path.slice(0, -1) : path), ...(label ? [`@${label}`] : [])].join('.')
    places.set(place, [...(places.get(place) ?? []), result.items ? { ...result, from: path.at(-1) } : result])
  }
  return Object.fromEntries([...places].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** An explanation without times, and with the steps of each wave and the paths of each step sorted. */
function inOrder({ actual, steps = [], ...more }: Readonly<Record<string, any>>): object {
  const { duration: _, ...counts } = actual ?? {}
  const sorted = (steps as any[]).map((step) => JSON.stringify({ ...step, paths: [...step.paths].sort() })).sort()
  return { ...more, ...(actual && { actual: counts }), steps: sorted }
}

function callText({ wave, method, route, params, ids, attempt, status, bytes, shared, paths }: Readonly<Record<string, any>>): string {
  const asked = [`wave ${wave}: ${method} ${route}`, JSON.stringify(params), ...(ids ? [`ids ${[...ids].sort()}`] : [])]
  const answered = [`status ${status}`, `${bytes} bytes`, ...(shared ? ['shared'] : []), ...(attempt ? [`attempt ${attempt}`] : [])]
  return `${asked.join(' ')} -> ${answered.join(', ')}, for ${[...paths].sort().join(' ')}`
}
