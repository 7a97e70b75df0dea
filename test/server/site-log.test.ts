import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SiteLog } from '../../src/server/log/site-log.js'
import type { Call } from '../../src/upstream/transport/transport.js'

// The times of lines about a failing site. `log.test.ts` has the lines of a real gateway.

const lines: (readonly [level: string, message: string, failures: number])[] = []
const keep =
  (level: string) =>
  (fields: object, message: string): void =>
    void lines.push([level, message, (fields as { failures: number }).failures])

let siteLog: SiteLog
let now = 0
beforeEach(() => {
  now = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  lines.length = 0
  siteLog = new SiteLog({ debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const call = (reason: string, route = 'v1/groups'): void => {
  const times = { startedAt: 0, duration: 1, queued: 0 }
  siteLog.ended({
    requestId: undefined,
    method: 'GET',
    route,
    path: '/',
    status: 500,
    bytes: 0,
    reason,
    cleaned: false,
    ...times,
  } satisfies Call)
}

it('writes failures of one kind at most once in ten seconds, with their number', () => {
  for (let second = 0; second < 25; second++) {
    call('UPSTREAM_TIMEOUT')
    call('ok')
    now += 1_000
  }
  expect(lines).toEqual([
    ['warn', 'call failed', 1],
    ['warn', 'call failed', 10],
    ['warn', 'call failed', 10],
  ])
})

it('tells of an outage after a few failures in ten seconds, when there are few calls', () => {
  call('UPSTREAM_UNAVAILABLE')
  now += 9_000
  call('UPSTREAM_UNAVAILABLE', 'v1/sfwd-courses')
  expect(lines.map(([level]) => level)).toEqual(['warn', 'warn'])
  now += 1_000
  // Calls that their clients have given up, or that a proxy did not send, say nothing about the site.
  call('REQUEST_CANCELLED')
  call('UPSTREAM_BUSY')
  call('UPSTREAM_UNAVAILABLE')
  call('UPSTREAM_UNAVAILABLE')
  call('FORBIDDEN')
  expect(lines.slice(2)).toEqual([
    ['error', 'site outage', 3],
    ['info', 'site answers again', 4],
  ])
})

it('tells of no outage while a site limits the rate of calls', () => {
  for (let each = 0; each < 50; each++) call('UPSTREAM_RATE_LIMITED')
  expect(lines).toEqual([['warn', 'call failed', 1]])
})
