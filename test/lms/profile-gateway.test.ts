import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type SiteOptions } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { credentials } from './world.js'

/** Operations that every profile can answer. */
const QUERY = `{
  group(id: 1009) {
    title slug status
    courses(first: 4) {
      totalCount
      nodes {
        databaseId title priceTypeSlug price pointsEnabled points
        priceType { slug description }
        prerequisites { databaseId title }
        lessons(first: 25) { totalCount nodes { databaseId title videoAutoCompleteDelay visibleAfterSpecificDate } }
        quizzes(first: 3) { totalCount nodes { databaseId title threshold } }
      }
    }
  }
  course(id: 10009) { lessons(first: 110) { totalCount nodes { databaseId } } }
  question(id: 500007) { title answers { answer graded } }
  user(id: 3) { courseProgress(first: 20) { totalCount nodes { status stepsCompleted course { databaseId } } } }
}`

async function answerOf(lms: RunningLms, preset: SiteOptions['preset']): Promise<any> {
  const gateway = createGateway({ site: { url: lms.url, preset } })
  try {
    const response = await gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials('admin') },
      body: JSON.stringify({ query: QUERY }),
    })
    return await response.json()
  } finally {
    await gateway.close()
  }
}

describe('a gateway in front of a site like real sites', () => {
  const sites = new Map<string, RunningLms>()
  beforeAll(async () => {
    for (const profile of ['lms', 'learndash', 'learndash-5'] as const)
      sites.set(profile, await startLms({ profile, switches: profile === 'lms' ? {} : { groupProgress: false } }))
  })
  afterAll(() => Promise.all([...sites.values()].map((lms) => lms.close())))

  it.each(['learndash', 'learndash-5'])('has the same answers on %s', async (profile) => {
    const expected = await answerOf(sites.get('lms')!, 'lms')
    expect(expected.errors).toBeUndefined()
    expect(expected.data.group.courses.nodes.some(({ prerequisites }: any) => prerequisites.length)).toBe(true)
    expect(await answerOf(sites.get(profile)!, 'learndash')).toEqual(expected)
  })
})
