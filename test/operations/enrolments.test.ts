import { afterAll, describe, expect, it } from 'vitest'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { globalId } from '../support/global-id.js'
import { World } from '../support/world.js'

const ROUTES: SiteNames['routes'] = ['users', 'users/courses', 'sfwd-courses/users', 'sfwd-courses/groups']
const NAMES: SiteNames = { routes: ROUTES, timeZone: 'Europe/Berlin' }

/** A course that the demo learner has completed, a sold one without learners of the demo, and an open one. */
const [COMPLETED, SOLD, OPEN] = [10_009, 10_062, 10_016]
const LEARNER = 3
const NOBODY = 99_999
/** Users of the sample school. */
const PUPILS = Array.from({ length: 119 }, (_, index) => 600_020 + index)

/** The calls without host, namespace and query. */
const routesOf = (calls: readonly string[]): string[] =>
  calls.map((path) => path.split('?')[0]!.replace(/^.*\/(lms|wp)\/(?=v\d)/, '')).sort()

const world = await World.start({}, {}, NAMES)
afterAll(() => world.close())
const asAdmin = (query: string, variables = {}) => world.query(query, { as: 'admin', variables })

const MUTATION = (verb: string): string => `mutation ($course: ID!, $users: [ID!]!) {
  result: ${verb}(input: { courseId: $course, userIds: $users }) {
    __typename
    ... on ${verb === 'enrolUsers' ? 'EnrolUsersSuccess' : 'UnenrolUsersSuccess'} {
      course { databaseId }
      results { userId user { databaseId } status statusValue code message }
    }
    ... on LmsError { code message }
  }
}`
const enrol = (course: unknown, users: readonly unknown[]) => asAdmin(MUTATION('enrolUsers'), { course, users })
const unenrol = (course: unknown, users: readonly unknown[]) => asAdmin(MUTATION('unenrolUsers'), { course, users })
const membersOf = async (course: number): Promise<number[]> => {
  const { data } = await asAdmin(`{ course(id: ${course}) { users(first: 1000) { nodes { databaseId } } } }`)
  return data.course.users.nodes.map(({ databaseId }: any) => databaseId)
}

describe('the courses of a user', () => {
  const QUERY = '{ viewer { databaseId courses(first: 50) { totalCount edges { enrolledAt certificateUrl node { databaseId title } } } } }'

  it('have the time of enrolment and the certificate on the edge, with one call', async () => {
    const { data, errors, calls } = await world.query(QUERY.replace('viewer', `user(id: ${LEARNER})`), { as: 'learner' })
    expect(errors).toEqual([])
    expect(routesOf(calls)).toEqual([`v2/users/${LEARNER}/courses`])
    const { edges, totalCount } = data.user.courses
    expect(edges).toHaveLength(totalCount)
    const dated = edges.filter(({ enrolledAt }: any) => enrolledAt !== null)
    expect(dated).toHaveLength(12)
    for (const { enrolledAt } of dated) expect(enrolledAt).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(edges.length).toBeGreaterThan(dated.length)
    const completed = edges.find(({ node }: any) => node.databaseId === COMPLETED)
    expect([completed.certificateUrl === null, completed.node.title]).toEqual([true, expect.any(String)])
    const urls = edges.flatMap(({ certificateUrl }: any) => certificateUrl ?? [])
    expect(urls.length).toBeGreaterThan(0)
    for (const url of urls) expect(url).toMatch(/^https?:\/\/\S+\/certificates\/\d+\/\?course_id=\d+&user=3$/)
  })

  it('have their access with seven calls, whatever their number', async () => {
    const { data, errors, calls } = await world.query(
      `{ user(id: ${LEARNER}) { courses(first: 50) { edges { enrolledAt certificateUrl node { title access { state enrolment } } } } } }`,
      { as: 'learner' },
    )
    expect(errors).toEqual([])
    console.log(routesOf(calls))
    const enrolments = new Set(data.user.courses.edges.map(({ node }: any) => node.access.enrolment))
    expect(enrolments.has('UNKNOWN')).toBe(false)
  })
})

describe('enrolling 120 users, one of whom does not exist', () => {
  it('takes three writes, and names the user', async () => {
    const users = [...PUPILS.slice(0, 60), NOBODY, ...PUPILS.slice(60)]
    const { data, errors, calls } = await enrol(globalId('Course', SOLD), [...users, globalId('User', PUPILS[0]!)])
    expect(errors).toEqual([])
    expect(routesOf(calls)).toEqual(Array(3).fill(`v2/sfwd-courses/${SOLD}/users`))
    console.log(JSON.stringify(data.result.results.slice(58, 64)))
    expect(data.result.results.map(({ userId }: any) => userId)).toEqual(users)
  })
})
