import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { type RunningProxy, startProxy } from '../support/proxy.js'
import { type Served, serve } from '../support/served.js'
import { authorizationOf } from '../support/world.js'

// Each read of these operations fails once: the answer then has an error, or it needed nothing of that read.

const ACCESS = `state enrolment expiresAt
  reasons {
    ... on NotEnrolled { priceType { slug } }
    ... on PrerequisitesMissing { missing { title content } completed { title } }
    ... on PreviousLessonIncomplete { lesson { title content } }
  }
  unknowns { rule missing }`

const OPERATIONS = {
  'a map of prerequisites': '{ course(id: 10071) { prerequisiteMap(maxDepth: 10) { isComplete nodes { courseId depth } } } }',
  'a map without its courses': '{ course(id: 10071) { prerequisiteMap(maxDepth: 10) { isComplete } } }',
  'a map with its courses': '{ course(id: 10071) { prerequisiteMap(maxDepth: 10) { isComplete nodes { course { title content } } } } }',
  'a map of what is completed': '{ course(id: 10071) { prerequisiteMap(user: 3, maxDepth: 10) { nodes { courseId completed } } } }',
  'a map of courses that a list shows':
    '{ courses(first: 100) { nodes { title } } course(id: 10071) { prerequisiteMap(maxDepth: 1) { isComplete } } }',
  'the access to courses': `{ courses(first: 60) { nodes { databaseId access(user: 3) { ${ACCESS} } } } }`,
  'the access to lessons': `{ course(id: 10061) { lessons(first: 8) { nodes { access(user: 3, course: 10061) { ${ACCESS} } } } } }`,
  'the next lesson of progress':
    '{ user(id: 3) { courseProgress(first: 10) { nodes { percent nextLesson { title content } nextLessonReason } } } }',
  'the next lessons of a user': '{ user(id: 3) { nextLessons { course { title } lesson { title content } reason } } }',
  'the outline of a course':
    '{ course(id: 10003) { outline { missing sections { title lessons { lesson { title } topics { topicId } } } quizzes { title } } } }',
  'the next step of a progress':
    '{ user(id: 3) { courseProgress(first: 3) { nodes { course { title } nextStepReason nextStep { stepId step { title } } } } } }',
} as const

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe.each(['lms', 'learndash-5'] as const)('in front of a site of profile %s', (profile) => {
  let lms: RunningLms
  let proxy: RunningProxy
  let gateway: Served
  const paths: string[] = []
  /** The read that fails. */
  let failing: string | undefined
  let failed = 0
  beforeAll(async () => {
    lms = await startLms({ profile })
    proxy = await startProxy(lms.url, (path) => {
      paths.push(path)
      if (path !== failing) return undefined
      failed++
      return { status: 500, body: '{"code":"internal_server_error","message":"No.","data":{"status":500}}' }
    })
    gateway = await serve({
      site: { url: proxy.url, preset: profile === 'lms' ? 'lms' : 'learndash', openProgression: 'enforced' },
      http: { operations: new Map(Object.values(OPERATIONS).map((text) => [sha256(text), text])), maxAge: 60 },
      protection: { retries: 0 },
      tuning: { protection: { breakerCalls: 1_000 } },
    })
  })
  afterAll(async () => {
    await gateway.close()
    await proxy.close()
    await lms.close()
  })

  /** Sends a trusted document by `GET`, whose answer caches may keep. */
  async function answerTo(text: string) {
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: sha256(text) } })
    const headers = { authorization: authorizationOf('admin'), 'apollo-require-preflight': 'true' }
    const response = await fetch(`${gateway.url}/graphql?${new URLSearchParams({ extensions })}`, { headers })
    const { data, errors = [] } = (await response.json()) as { data: unknown; errors?: any[] }
    return { data, errors, kept: response.headers.get('cache-control') }
  }

  it.each(Object.entries(OPERATIONS))('%s has an error after a failed read, and is not kept', async (_, text) => {
    failing = undefined
    await answerTo(text)
    paths.length = 0
    const whole = await answerTo(text)
    const reads = [...new Set(paths)]
    expect(reads.length).toBeGreaterThan(1)
    const lost: string[] = []
    for (const read of reads) {
      failing = read
      failed = 0
      const { data, errors, kept } = await answerTo(text)
      expect(failed, read).toBeGreaterThan(0)
      if (errors.length === 0 && JSON.stringify(data) === JSON.stringify(whole.data)) continue
      if (errors.length === 0 || kept !== 'no-store')
        lost.push(`${read}: ${errors.length} errors, ${kept}, ${JSON.stringify(data).slice(0, 300)}`)
      for (const { path, extensions } of errors)
        expect([path?.length > 0, extensions.code]).toEqual([true, expect.stringMatching(/^(UPSTREAM_UNAVAILABLE|RECORD_UNRESOLVED)$/)])
    }
    expect(lost).toEqual([])
    failing = undefined
    // Nothing of the failed reads is left.
    expect(await answerTo(text)).toEqual(whole)
  })
})
