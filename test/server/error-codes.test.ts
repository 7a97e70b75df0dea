import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { ERROR_CODES } from '../../src/upstream/error-codes.js'
import { UnresolvedError, UpstreamError } from '../../src/upstream/errors.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { create, type Served, serve, shortPath } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf } from '../support/world.js'
import { CASES, type Case, COURSE, GATEWAYS, KEY, TOKEN, UNSEEN } from './error-cases.js'

// Each documented code, as a client receives it: over HTTP, in both media types.

const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const

/** The documented codes: HTTP statuses and types in mutations. */
const LISTED = ERROR_CODES.map((info) => ({ ...info, statuses: [...info.http].sort(), type: 'type' in info ? info.type : undefined }))

const OWN_SITE: readonly string[] = ['site', 'broken', 'hurried', 'busy', 'suspended', 'full']

let lms: RunningLms
let site: FakeSite
const gateways = {} as Record<keyof typeof GATEWAYS, Served>
const calls: Call[] = []
const faults: unknown[] = []
const bodies: string[] = []

beforeAll(async () => {
  lms = await startLms()
  site = await FakeSite.start()
  for (const name of Object.keys(GATEWAYS) as (keyof typeof GATEWAYS)[]) {
    const upstream = OWN_SITE.includes(name) ? site.url : lms.url
    const on = { call: (call: Call) => calls.push(call), fault: (fault: unknown) => faults.push(fault) }
    const options: TunedOptions = GATEWAYS[name]
    gateways[name] = await serve(merged({ site: { url: upstream } }, options, { on: { ...on, ...options.on } }))
  }
})
afterAll(async () => {
  for (const gateway of Object.values(gateways)) await gateway.close()
  await site.close()
  await lms.close()
})

const post = (on: keyof typeof GATEWAYS, query: string) =>
  fetch(`${gateways[on].url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }).then((response) => response.text())

async function answerTo({ on, ask, site: handler, before }: Case, accept: string) {
  if (handler) site.handler = handler
  const sooner = before && post(on, '{ quiz(id: 1) { title } }')
  if (before === 'over') await sooner
  else if (before) await expect.poll(() => site.open).toBe(1)
  const request = typeof ask === 'string' ? { body: JSON.stringify({ query: ask }) } : typeof ask === 'function' ? ask() : ask
  const headers = { 'content-type': 'application/json', accept, ...(request.headers as object) }
  const response = await fetch(`${gateways[on].url}/graphql`, { method: 'POST', ...request, headers })
  const text = await response.text()
  bodies.push(text)
  await sooner
  const { data, errors = [] } = JSON.parse(text) as { data?: any; errors?: { message: string; extensions: Record<string, any> }[] }
  return { status: response.status, data, errors }
}

describe.each(LISTED.filter(({ code }) => !UNSEEN.includes(code)))('$code', ({ code, statuses, type }) => {
  const cases = CASES[code] ?? []

  it('is produced with every status and as the type that is documented', () => {
    expect([...new Set(cases.map(({ status }) => status?.[1] ?? 200))].sort()).toEqual(statuses)
    const types = new Set(cases.flatMap((each) => each.type ?? []))
    // No mutation's answer holds as many records as this needs.
    if (code === 'RECORD_UNRESOLVED' && new UnresolvedError('') instanceof UpstreamError) types.add(UpstreamError.name)
    expect([...types]).toEqual(type === undefined ? [] : [type])
  })

  it.each(cases)('by $how', async (each) => {
    for (const [place, accept] of MEDIA_TYPES.entries()) {
      const { status, data, errors } = await answerTo(each, accept)
      expect(status).toBe(each.status?.[place] ?? 200)
      expect(data === undefined).toBe(each.status !== undefined)
      const found = each.type === undefined ? errors.map(({ message, extensions }) => ({ message, ...extensions })) : [data.result]
      if (each.type !== undefined) expect([errors, data.result.__typename]).toEqual([[], each.type])
      expect([...new Set(found.map((error) => error.code))]).toEqual([code])
      for (const { message, upstream } of found as { message: string; upstream?: object | null }[]) {
        expect(message).toMatch(/\S/)
        if (each.type === undefined || each.type === 'UpstreamError') expect(upstream ?? undefined).toEqual(each.upstream)
      }
    }
  })
})

it('the documented codes are those of these cases, and no other', () => {
  expect(LISTED.map(({ code }) => code).sort()).toEqual([...Object.keys(CASES), ...UNSEEN].sort())
})

describe('REQUEST_CANCELLED', () => {
  it.each(MEDIA_TYPES)('is the code of calls that a closed gateway does not make, as %s', async (accept) => {
    const closing = create({ site: { url: site.url }, tuning: { shortPath } })
    const server = createServer(closing.handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    site.handler = (_, response) => {
      void closing.close()
      json(response, { id: 10_001, title: { rendered: 'Late' }, course_prerequisite: [10_002, 10_003] })
    }
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query: '{ course(id: 10001) { title prerequisites { title } } }' }),
    })
    const text = await response.text()
    bodies.push(text)
    const { data, errors } = JSON.parse(text)
    await new Promise((resolve) => server.close(resolve))
    expect(response.status).toBe(200)
    expect(data).toEqual({ course: { title: 'Late', prerequisites: [null, null] } })
    expect(errors.map(({ extensions }: any) => extensions.code)).toEqual(['REQUEST_CANCELLED', 'REQUEST_CANCELLED'])
  })

  // Nobody is left to see it: what it does is seen by the site, the listener and those who ask for the same.
  it.each([
    [1, 'ends the REST call of a client that has gone'],
    [2, 'is not for those who wait for the same REST call'],
  ])('with %i clients: %s', async (clients) => {
    const arrived = new Promise<() => void>((resolve) => {
      site.handler = (_, response) => resolve(() => json(response, { id: 10_001, title: { rendered: 'Late' } }))
    })
    // Writes are seen through, also those of operations that took too long.
    await expect.poll(() => site.open, { timeout: 5_000 }).toBe(0)
    calls.length = faults.length = site.requests.length = 0
    const leaving = new AbortController()
    const ask = (signal?: AbortSignal) =>
      fetch(`${gateways.broken.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: COURSE }),
        ...(signal && { signal }),
      })
    const [leaver, stayer] = [ask(leaving.signal), clients === 2 ? ask() : undefined]
    const answer = await arrived
    await setTimeout(50)
    leaving.abort()
    await expect(leaver).rejects.toThrow('aborted')
    if (clients === 1) await expect.poll(() => [site.open, ...calls.map(({ status }) => status)]).toEqual([0, 0])
    answer()
    if (stayer) expect(await (await stayer).json()).toEqual({ data: { course: { title: 'Late' } } })
    expect([site.requests.length, faults]).toEqual([1, []])
  })
})

describe('error texts', () => {
  /** All texts of all answers, whatever they are for. */
  const texts = (value: unknown = bodies.map((body) => JSON.parse(body))): string[] => {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap((member) => texts(member)) : []
  }

  it.each([
    ['a URL', /\w+:\/\//],
    ['a host', /127\.0\.0\.1|localhost|example\.org|:\d{4,5}\b/],
    ['a path', /\/(lms|wp-json|var|usr|home|srv|work|tmp|src|node_modules)\b|\w\.(ts|js|mjs|php)\b/],
    ['a stack', /\bat \S+ \(|\n/],
    ['a tag', /<(?!EOF>)\/?[a-z!]/i],
    ['an entity', /&(\w+|#\d+);/],
    ['a header of the site', /secret/i],
    ['a credential', new RegExp([KEY, TOKEN, authorizationOf('admin')].join('|'))],
  ] as [string, RegExp][])('hold not %s', (_, pattern) => {
    expect(texts().length).toBeGreaterThan(50)
    for (const text of texts()) expect(text).not.toMatch(pattern)
  })

  it('of the site are plain and bounded', () => {
    const said = texts().filter((text) => text.includes('Fatal'))
    expect(said.length).toBeGreaterThan(10)
    for (const text of said) {
      expect(text).toMatch(/^Fatal error & more at …/)
      expect(text.length).toBeLessThanOrEqual(300)
    }
  })
})
