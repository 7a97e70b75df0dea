import type { IncomingMessage } from 'node:http'
import { expect } from 'vitest'
import { type Attack, type Environment, valueIn } from './attack.js'
import type { Answer } from './client.js'

/** Milliseconds in which everything is answered. */
export const DEADLINE = 2_000

/** Headers that may go to the site, and those Node needs to get there. */
const ALLOWED = [
  'accept',
  'content-type',
  'authorization',
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'user-agent',
  'x-request-id',
]

/** What every answer has. */
const ALWAYS = [
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
]

/** What nobody is told. */
const SECRETS: readonly RegExp[] = [
  /\bat \S+ \(|\bat (file|node):|\n {4}at /,
  /node_modules|node:internal|\.(m?js|ts):\d/,
  /\/(tmp|work|home|usr|var|root|srv)\/\w/,
  /127\.0\.0\.1|localhost/,
  /(TypeError|SyntaxError|RangeError|URIError|ReferenceError)/,
  /Maximum call stack|out of memory|Unexpected token|is not a function|Cannot read/,
  /wp-json|\/lms\/v\d|sfwd-/,
]

/** Fails where an answer is not what must come of an attack, or tells what nobody is told. */
export function judge(answer: Answer, attack: Attack, environment: Environment): void {
  const { status, headers, text, took } = answer
  const wanted = valueIn(attack.status, environment)
  const hides = valueIn(attack.hides, environment)
  const says = valueIn(attack.says, environment)
  if (!Number.isNaN(wanted)) expect([status, text.slice(0, 300)]).toEqual([wanted, expect.anything()])
  expect(took).toBeLessThan(DEADLINE)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(attack.most ?? 10_000)
  if (says) expect(text).toMatch(says)
  if (hides) expect(text).not.toMatch(hides)
  if (status === 0) return
  expect(ALWAYS.filter((name) => headers[name] === undefined)).toEqual([])
  for (const name of ['server', 'x-powered-by', attack.lacks ?? 'access-control-allow-origin']) expect(headers).not.toHaveProperty(name)
  if (/html|javascript/.test(headers['content-type'] ?? '')) return
  // Descriptions of the graph name what they like.
  if (!text.startsWith('{"data":{"__schema"')) for (const secret of SECRETS) expect(text).not.toMatch(secret)
  if (/json/.test(headers['content-type'] ?? '')) judgeJson(answer, attack, environment)
  else expect(text.length).toBeLessThan(100)
}

function judgeJson({ status, text }: Answer, attack: Attack, environment: Environment): void {
  const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: { message: string; extensions?: { code?: unknown } }[] }
  for (const { message, extensions } of errors) {
    expect(extensions?.code).toMatch(/^[A-Z_]+$/)
    expect(message.length).toBeLessThanOrEqual(501)
  }
  const code = valueIn(attack.code, environment)
  if (!valueIn(attack.says, environment) && !Number.isNaN(attack.status))
    expect([...new Set(errors.map(({ extensions }) => extensions?.code))]).toEqual(code === undefined ? [] : [code])
  if (attack.data !== undefined) expect(data).toEqual(attack.data)
  if (status >= 400) expect(data).toBeUndefined()
}

/** Fails where the site was asked for what it should not have been, or got what a stranger sent. */
export function judgeCalls(requests: readonly IncomingMessage[], { calls = 0 }: Attack): void {
  if (!Number.isNaN(calls)) expect(requests.map(({ url }) => url)).toHaveLength(calls)
  for (const { headers, rawHeaders } of requests) {
    expect(Object.keys(headers).filter((name) => !ALLOWED.includes(name))).toEqual([])
    expect(rawHeaders.join()).not.toMatch(/evil|Injected/i)
  }
}
