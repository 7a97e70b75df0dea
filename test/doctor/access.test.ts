import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { namespaces } from '../../src/doctor/checks/namespaces.js'
import { reach } from '../../src/doctor/checks/reach.js'
import { timeZone } from '../../src/doctor/checks/time-zone.js'
import type { Finding } from '../../src/doctor/finding.js'
import { Prober } from '../../src/doctor/prober.js'
import { Survey } from '../../src/doctor/survey.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Credentials } from '../../src/upstream/credentials.js'
import { type Reply, startAlteringProxy } from '../support/altering-proxy.js'
import { authorizationOf } from '../support/world.js'
import { settingsOf } from './patient.js'

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms({ profile: 'learndash' })
})
afterAll(() => lms.close())

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Runs the check, and those that find the interface. */
async function examine(url: string) {
  const credentials = new Credentials({ authorization: authorizationOf('admin') })
  const prober = new Prober({ credentials, timeout: 5_000, maxBytes: 1_000_000 })
  closers.push(() => prober.close())
  const survey = new Survey(prober, url)
  await reach.probe?.(survey)
  await namespaces.probe?.(survey)
  const findings: readonly Finding[] = timeZone.judge(survey, (await timeZone.probe?.(survey)) ?? { steps: undefined })
  const examination = { site: survey.site, findings, calls: prober.calls, found: true, maxInFlight: undefined }
  return { ...examination, settings: settingsOf(examination), of: (id: string) => findings.find((finding) => finding.id === id) }
}

const json = (body: unknown, status = 200): Reply => ({ status, headers: { 'content-type': 'application/json' }, body })
const error = (status: number, code: string): Reply => json({ code, message: 'No.', data: { status } }, status)
const html = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<!doctype html><title>School</title>'),
})
const STEP = { step: 101, post_type: 'sfwd-lessons', date_started: '', date_completed: '', step_status: 'not-started' }

const LISTED = 'the site lists them'
const NOT_LISTED = 'the site does not list them'
const NOT_KNOWN = 'not known'

/** What the index says, and the time zone that is written; what the route of steps answers, what is found and what is written. */
const WITHOUT_STEPS = ['users/me', 'users', 'media', 'terms']

const SITES: readonly (readonly [
  index: Record<string, unknown>,
  timeZone: string | undefined,
  answer: Reply,
  found: string,
  hasSteps: boolean,
])[] = [
  [{ timezone_string: 'America/St_Johns', gmt_offset: -3.5 }, 'America/St_Johns', json([[STEP]]), LISTED, true],
  [{ timezone_string: '', gmt_offset: '-3.5' }, '-03:30', json([STEP, STEP]), LISTED, true],
  [{ timezone_string: '', gmt_offset: 5.75 }, '+05:45', json([]), LISTED, true],
  [{ timezone_string: '', gmt_offset: 0 }, '+00:00', error(403, 'rest_post_access_denied'), LISTED, true],
  [{ timezone_string: '', gmt_offset: '' }, undefined, error(404, 'rest_no_route'), NOT_LISTED, false],
  [{ timezone_string: '', gmt_offset: 99 }, undefined, error(404, 'rest_post_invalid_id'), LISTED, true],
  [{ timezone_string: 'Mars/Olympus', gmt_offset: 1 }, undefined, html(404), NOT_LISTED, false],
  [{ gmt_offset: 'soon' }, undefined, html(200), NOT_KNOWN, true],
  [{}, undefined, error(500, 'internal_server_error'), NOT_KNOWN, true],
]

it.each(SITES)('%j is the time zone %s, and the other answers are read', async (index, timeZone, answer, found, hasSteps) => {
  const proxy = await startAlteringProxy(lms.url, {
    answer: (path, reply) => {
      if (/\/steps(\?|$)/.test(path)) return answer
      if (!/^\/wp-json\/?(\?|$)/.test(path) || typeof reply.body !== 'object') return reply
      const { timezone_string: _, gmt_offset: __, ...others } = reply.body as Record<string, unknown>
      return { ...reply, body: { ...others, ...index } }
    },
  })
  closers.push(() => proxy.close())
  const { settings, of, calls } = await examine(`${proxy.url}/wp-json`)
  expect([settings.preset, settings.timeZone, settings.routes]).toEqual(['learndash', timeZone, hasSteps ? undefined : WITHOUT_STEPS])
  expect(of('access.time-zone')).toMatchObject({ state: timeZone === undefined ? 'note' : 'ok', found: timeZone ?? NOT_KNOWN })
  expect(of('access.steps')).toMatchObject({ state: found === LISTED ? 'ok' : 'note', found })
  expect(calls.filter(({ path }) => /^\/wp-json\/?(\?|$)/.test(path))).toHaveLength(1)
})
