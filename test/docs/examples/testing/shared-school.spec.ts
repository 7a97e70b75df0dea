import { DEMO_USERS } from 'lms-graphql/lms'
import { beforeEach, expect, inject, it } from 'vitest'
import { findCourses, renameCourse } from './school.js'

/** Calls a control route of the embedded LMS. */
const control = (method: string, path: string, body: object = {}): Promise<Response> =>
  fetch(`${inject('lmsUrl')}/-/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The gateway, asked by a demo user. */
function gatewayAs(login: string) {
  const user = DEMO_USERS.find((each) => each.login === login)
  return { url: inject('gatewayUrl'), authorization: `Basic ${btoa(`${user?.login}:${user?.password}`)}` }
}

beforeEach(async () => {
  await control('POST', 'reset')
})

it('finds courses', async () => {
  expect(await findCourses(gatewayAs('learner'), 'algebra')).toMatchObject({
    courses: [{ title: expect.stringContaining('Algebra') }, { title: expect.stringContaining('Algebra') }, {}],
  })
})

it.each(['first', 'second'])('renames a course, the %s time from the same school', async () => {
  const admin = gatewayAs('admin')
  expect(await findCourses(admin, 'topology')).toEqual({ courses: [] })
  expect(await renameCourse(admin, '10001', 'Topology')).toMatchObject({ courses: [{ title: 'Topology' }] })
  expect(await findCourses(admin, 'topology')).toMatchObject({ courses: [{ title: 'Topology' }] })
})

it('shows that a learner may not rename a course', async () => {
  expect(await renameCourse(gatewayAs('learner'), '10001', 'Topology')).toEqual({ problem: 'FORBIDDEN' })
})

it('shows an error of the site', async () => {
  await control('PATCH', 'switches', { switches: { fatalHtml: 'route:GET */sfwd-courses*' } })
  expect(await findCourses(gatewayAs('learner'), 'algebra')).toEqual({ problem: 'UPSTREAM_UNAVAILABLE' })
})

it('shows that the site is slow', async () => {
  await control('PATCH', 'switches', { switches: { latency: 'median:2000+p95:2001' } })
  expect(await findCourses({ ...gatewayAs('learner'), patience: 300 }, 'algebra')).toEqual({ problem: 'TimeoutError' })
})
