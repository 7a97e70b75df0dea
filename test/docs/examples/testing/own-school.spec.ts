import { type StartedGateway, startGateway } from 'lms-graphql'
import { type RunningLms, startLms } from 'lms-graphql/lms'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findCourses, type Gateway, renameCourse } from './school.js'

/** Milliseconds for the start of a school that is twice as large. */
const PATIENCE = 60_000

let lms: RunningLms
let started: StartedGateway
let gateway: Gateway
/** The REST calls of a test. */
const calls: string[] = []

beforeAll(async () => {
  lms = await startLms({
    profile: 'learndash',
    scale: 2,
    onCall: ({ method, url }) => calls.push(`${method} ${url.replace(/\?.*/, '')}`),
  })
  started = await startGateway({ site: { url: `${lms.url}/wp-json`, preset: 'learndash' }, http: { port: 0 }, protection: { retries: 0 } })
  gateway = { url: started.url, authorization: `Basic ${btoa('admin:admin-demo')}` }
}, PATIENCE)
afterAll(async () => {
  await started.close()
  await lms.close()
})
beforeEach(() => {
  calls.length = 0
})

it('finds courses with one REST call', async () => {
  expect(await findCourses(gateway, 'algebra')).toMatchObject({ courses: [{}, {}, {}] })
  expect(calls).toEqual(['GET /wp-json/ldlms/v1/sfwd-courses'])
})

it('shows the error of one call, and what is there after the next', async () => {
  await lms.set({ fatalHtml: 'next:1' })
  expect(await findCourses(gateway, 'algebra')).toEqual({ problem: 'UPSTREAM_UNAVAILABLE' })
  expect(await findCourses(gateway, 'algebra')).toMatchObject({ courses: [{}, {}, {}] })
})

it('begins with the same school again', async () => {
  await renameCourse(gateway, '10001', 'Topology')
  expect(await findCourses(gateway, 'topology')).toMatchObject({ courses: [{ title: 'Topology' }] })
  await lms.reset()
  expect(await findCourses(gateway, 'topology')).toEqual({ courses: [] })
})
