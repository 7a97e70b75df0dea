import { expect, it } from 'vitest'
import { createGateway, defineSite, PRESETS } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import { credentials, type Json, type Login } from './world.js'

const ACCESS = 'state reasons { __typename } unknowns { rule missing }'

/** Courses whose lessons are compared: in order, open, completed, not begun, with samples, long. */
const COURSES = [10_061, 10_025, 10_072, 10_095, 10_062, 10_009] as const

const COURSES_PER_OPERATION = 10

const USERS: readonly (readonly [Login, number])[] = [
  ['learner', 3],
  ['newcomer', 4],
]

/** A record of the graph with the access of a user to it. */
type Asked = { readonly databaseId: number; readonly link: string; readonly access: Json }

/** A gateway in front of the LMS that knows everything that its interface can send. */
async function start(profile: 'learndash' | 'learndash-5') {
  const lms = await startLms({ profile, switches: { enrolmentDates: true } })
  const site = defineSite(lms.url, {
    ...PRESETS.learndash,
    timeZone: 'Europe/Berlin',
    openProgression: profile === 'learndash' ? 'ignored' : 'enforced',
    missingPrerequisites: 'ignored',
    unusable: profile === 'learndash' ? { Course: ['startDate', 'endDate', 'seatsLimit'] } : {},
  })
  const gateway = createGateway({ upstream: site, maxCalls: 10_000 })
  async function ask(query: string): Promise<any> {
    const response = await gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials('admin') },
      body: JSON.stringify({ query }),
    })
    const { data, errors } = (await response.json()) as Json
    expect(errors).toBeUndefined()
    return data
  }
  async function recordsFor(user: number): Promise<readonly Asked[]> {
    const records: Asked[] = []
    for (let offset = 0; offset < 120; offset += COURSES_PER_OPERATION) {
      const list = `courses(first: ${COURSES_PER_OPERATION}, offset: ${offset})`
      records.push(...(await ask(`{ ${list} { nodes { databaseId link access(user: ${user}) { ${ACCESS} } } } }`)).courses.nodes)
    }
    for (const course of COURSES) {
      const lessons = `lessons(first: 20) { nodes { databaseId link access(user: ${user}, course: ${course}) { ${ACCESS} } } }`
      records.push(...(await ask(`{ course(id: ${course}) { ${lessons} } }`)).course.lessons.nodes)
    }
    return records
  }
  const close = async (): Promise<void> => {
    await gateway.close()
    await lms.close()
  }
  return { recordsFor, close }
}

it.each(['learndash', 'learndash-5'] as const)(
  'the graph and the pages of the LMS agree on access, in profile %s',
  { timeout: 120_000 },
  async (profile) => {
    const { recordsFor, close } = await start(profile)
    const count: Record<string, number> = { AVAILABLE: 0, LOCKED: 0, UNKNOWN: 0 }
    for (const [login, user] of USERS) {
      for (const { databaseId, link, access } of await recordsFor(user)) {
        const response = await fetch(link, { headers: credentials(login) })
        const text = await response.text()
        const shown = [...text.matchAll(/<p data-reason="(\w+)">/g)].map(([, kind]) => kind)
        const asksForPassword = text.includes('name="post_password"')
        const known = shown.filter((kind) => kind !== 'PointsMissing')
        const reasons = (access.reasons as Json[]).map(({ __typename }) => __typename).filter((kind) => kind !== 'PasswordRequired')
        count[access.state as string]! += 1
        const what = [login, databaseId, access.state]
        // Version 4 does not send the dates of courses: the graph does not know these two reasons.
        const sent = profile === 'learndash' ? known.filter((kind) => !/^Course(NotStarted|Ended)$/.test(kind!)) : known
        expect([...what, sent]).toEqual([...what, reasons])
        if (access.state === 'LOCKED') expect([...what, response.status === 403 || asksForPassword]).toEqual([...what, true])
        if (access.state === 'AVAILABLE' && sent.length === known.length) expect([...what, response.status]).toEqual([...what, 200])
        const missing = access.state === 'UNKNOWN' ? (access.unknowns as Json[]).map(({ rule, missing: fact }) => `${rule} ${fact}`) : []
        expect([...what, missing.filter((each) => !OPEN_QUESTIONS.includes(each))]).toEqual([...what, []])
        expect([...what, shown.includes('PointsMissing') && access.state === 'AVAILABLE']).toEqual([...what, false])
      }
    }
    await close()
    expect(count.AVAILABLE).toBeGreaterThan(30)
    expect(count.LOCKED).toBeGreaterThan(200)
    expect(count.UNKNOWN).toBeGreaterThan(3)
  },
)

/**
 * What stays unknown: points that are awarded by hand, when an open course was begun that has no enrolment, and whether sample lessons have
 * an order.
 */
const OPEN_QUESTIONS: readonly string[] = ['POINTS POINTS_AWARDED_BY_HAND', 'RELEASE ENROLMENT_DATE', 'PROGRESSION SITE_BEHAVIOR']
