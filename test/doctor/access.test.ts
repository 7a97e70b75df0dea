import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Check } from '../../src/doctor/check.js'
import { namespaces } from '../../src/doctor/checks/namespaces.js'
import { optionalRoutes } from '../../src/doctor/checks/optional-routes.js'
import { reach } from '../../src/doctor/checks/reach.js'
import { timeZone } from '../../src/doctor/checks/time-zone.js'
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

/** Runs a check, after those that find the interface. */
async function examine(check: Check, url: string) {
  const credentials = new Credentials({ authorization: authorizationOf('admin') })
  const prober = new Prober({ credentials, timeout: 5_000, maxBytes: 1_000_000 })
  closers.push(() => prober.close())
  const survey = new Survey(prober, url)
  await reach.probe?.(survey)
  await namespaces.probe?.(survey)
  const findings = check.judge(survey, await check.probe?.(survey))
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

/** What the index of a site says, and the time zone that is written. */
const ZONES: readonly (readonly [index: Record<string, unknown>, timeZone: string | undefined])[] = [
  [{ timezone_string: 'America/St_Johns', gmt_offset: -3.5 }, 'America/St_Johns'],
  [{ timezone_string: '', gmt_offset: '-3.5' }, '-03:30'],
  [{ timezone_string: '', gmt_offset: 5.75 }, '+05:45'],
  [{ timezone_string: '', gmt_offset: 0 }, '+00:00'],
  [{ timezone_string: '', gmt_offset: '' }, undefined],
  [{ timezone_string: '', gmt_offset: 99 }, undefined],
  [{ timezone_string: 'Mars/Olympus', gmt_offset: 1 }, undefined],
  [{ gmt_offset: 'soon' }, undefined],
  [{}, undefined],
]

it.each(ZONES)('%j is the time zone %s', async (index, zone) => {
  const proxy = await startAlteringProxy(lms.url, {
    answer: (path, reply) => {
      if (!/^\/wp-json\/?(\?|$)/.test(path) || typeof reply.body !== 'object') return reply
      const { timezone_string: _, gmt_offset: __, ...others } = reply.body as Record<string, unknown>
      return { ...reply, body: { ...others, ...index } }
    },
  })
  closers.push(() => proxy.close())
  const { settings, of, calls } = await examine(timeZone, `${proxy.url}/wp-json`)
  expect([settings.preset, settings.timeZone]).toEqual(['learndash', zone])
  expect(of('access.time-zone')).toMatchObject({ state: zone === undefined ? 'note' : 'ok', found: zone ?? 'not known' })
  expect(calls.filter(({ path }) => /^\/wp-json\/?(\?|$)/.test(path))).toHaveLength(1)
})

/** Routes of the LMS beyond the specification: entries of the option `routes`, and their paths. */
const OF_LMS: readonly (readonly [entry: string, path: RegExp])[] = [
  ['users/course-progress/steps', /\/users\/\d+\/course-progress\/\d+\/steps(\?|$)/],
  ['users/courses', /\/users\/\d+\/courses(\?|$)/],
  ['sfwd-courses/users', /\/v2\/sfwd-courses\/\d+\/users(\?|$)/],
  ['sfwd-courses/groups', /\/v2\/sfwd-courses\/\d+\/groups(\?|$)/],
  ['sfwd-courses/steps', /\/v2\/sfwd-courses\/\d+\/steps(\?|$)/],
  ['sfwd-topic', /\/v2\/sfwd-topic(\?|$)/],
  ['sfwd-question', /\/v2\/sfwd-question(\?|$)/],
]
const OF_WORDPRESS = ['users/me', 'users', 'media', 'terms']
const OF_PRESET = [...OF_WORDPRESS, 'users/course-progress/steps']

const TREE = { h: { 'sfwd-lessons': {}, 'sfwd-quiz': [] } }
const READ = 'the site has them'
const HIDDEN = 'not shown to this account'
const MISSING = 'the site does not have them'
const NOT_KNOWN = 'not known'

/** What the routes answer, what is found, and what is written: all of them, none, or what the preset says. */
const ANSWERS: readonly (readonly [name: string, (entry: string) => Reply, found: string, written: 'all' | 'none' | 'preset'])[] = [
  ['data', (entry) => json(entry === 'sfwd-courses/steps' ? TREE : [{ id: 1 }]), READ, 'all'],
  ['a list in a list', (entry) => json(entry === 'sfwd-courses/steps' ? TREE : [[{ id: 1 }]]), READ, 'all'],
  ['nothing yet', (entry) => json(entry === 'sfwd-courses/steps' ? TREE : []), READ, 'all'],
  ['a refusal', () => error(403, 'rest_forbidden'), HIDDEN, 'all'],
  ['a refusal of strangers', () => error(401, 'rest_forbidden'), HIDDEN, 'all'],
  ['no such record', () => error(404, 'rest_post_invalid_id'), READ, 'all'],
  ['no route', () => error(404, 'rest_no_route'), MISSING, 'none'],
  ['no page', () => html(404), MISSING, 'none'],
  ['a page', () => html(200), NOT_KNOWN, 'preset'],
  ['a fault', () => error(500, 'internal_server_error'), NOT_KNOWN, 'preset'],
]

it.each(ANSWERS)('routes beyond the specification that answer %s', async (_, answer, found, written) => {
  const proxy = await startAlteringProxy(lms.url, {
    answer: (path, reply) => {
      const route = OF_LMS.find(([, pattern]) => pattern.test(path))
      return route ? answer(route[0]) : reply
    },
  })
  closers.push(() => proxy.close())
  const { site, settings, of } = await examine(optionalRoutes, `${proxy.url}/wp-json`)
  const expected = { all: [...OF_WORDPRESS, ...OF_LMS.map(([entry]) => entry)], none: OF_WORDPRESS, preset: OF_PRESET }[written]
  expect([...site.routes].sort()).toEqual([...expected].sort())
  expect(settings.routes === undefined).toBe(written === 'preset')
  for (const [entry] of OF_LMS)
    expect(of(`optional.${entry}`)).toMatchObject({ state: found === READ ? 'ok' : 'note', found, title: expect.any(String) })
})
