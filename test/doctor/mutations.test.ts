import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_CALLS } from '../../src/doctor/prober.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { type AlteringProxy, startAlteringProxy } from '../support/altering-proxy.js'
import { authorizationOf, SOAK } from '../support/world.js'
import { type KINDS, type Mutation, membersOf, namedBy, OF_PLUGIN, ofAll, ofManners, ofMembers, ofRoutes } from './mutations.js'
import { alarms, examineAs, QUESTION } from './patient.js'

/** Interval of mutations that are tried. Long runs try all. */
const EVERY = SOAK ? 1 : 29
const EVERY_ROUTE = SOAK ? 1 : 5

/** Records of each kind in the edit context, with all members. */
const SAMPLES: Readonly<Record<keyof typeof KINDS, string>> = {
  'price types': 'v2/price-types/free',
  groups: 'v1/groups?context=edit',
  courses: 'v1/sfwd-courses?context=edit',
  'courses of a group': 'v2/groups/1001/courses',
  lessons: 'v2/sfwd-lessons?context=edit',
  quizzes: 'v1/sfwd-quiz?context=edit',
  questions: `v1/sfwd-questions/${QUESTION}`,
  'course progress': 'v2/users/3/course-progress',
}

describe.each([
  ['lms', 'lms'],
  ['learndash', 'ldlms'],
  ['learndash-5', 'ldlms'],
] as const)('on a site of the kind %s the doctor names', (profile, namespace) => {
  let lms: RunningLms
  let proxy: AlteringProxy
  let mutation: Partial<Mutation> = {}
  /** Members that the graph does not use with the preset of the profile. */
  const unused = profile === 'lms' ? [] : ['_quizId']
  const clean = new Set<string>()

  beforeAll(async () => {
    lms = await startLms({ profile })
    proxy = await startAlteringProxy(lms.url, {
      ask: (path) => mutation.ask?.(path) ?? path,
      answer: (path, reply) => mutation.answer?.(path, reply) ?? reply,
    })
    const examination = await examineAs(proxy.url, 'admin', { user: 3, question: QUESTION })
    expect(alarms(examination)).toEqual([])
    for (const { id, state, found } of examination.findings) if (id !== 'pace' && id !== 'reach.site') clean.add(`${id} ${state} ${found}`)
  })
  afterAll(async () => {
    await proxy.close()
    await lms.close()
  })

  /** Mutations that no new finding names. */
  async function missed(mutations: readonly Mutation[]): Promise<string[]> {
    const misses: string[] = []
    for (const each of mutations) {
      mutation = each
      const { findings, calls } = await examineAs(proxy.url, 'admin', { user: 3, question: QUESTION })
      const fresh = findings.filter(({ id, state, found }) => !clean.has(`${id} ${state} ${found}`))
      if (!fresh.some((finding) => namedBy(each, finding))) misses.push(each.name)
      expect(calls.length, each.name).toBeLessThanOrEqual(MAX_CALLS)
    }
    mutation = {}
    return misses
  }

  async function columnMutations(): Promise<Mutation[]> {
    const found: Mutation[] = []
    for (const [kind, path] of Object.entries(SAMPLES)) {
      const { body } = await proxy.honest(`/${namespace}/${path}`, authorizationOf('admin'))
      const rows = (Array.isArray(body) ? body : [body]) as Record<string, unknown>[]
      found.push(
        ...ofMembers(
          kind as keyof typeof KINDS,
          membersOf(kind, rows).filter((member) => !unused.includes(member)),
        ),
      )
    }
    return found
  }

  const tell = (what: string, tried: readonly unknown[], misses: readonly string[]): void =>
    console.info(
      `doctor on ${profile}: named ${tried.length - misses.length} of ${tried.length} ${what}; missed: ${misses.join('; ') || 'none'}`,
    )

  it('of every removed column and every changed type at least 95 %', async () => {
    const all = await columnMutations()
    expect(all.length).toBeGreaterThan(400)
    const tried = all.filter((_, place) => place % EVERY === 0)
    const misses = await missed(tried)
    tell(`mutations of columns, of ${all.length}`, tried, misses)
    expect(misses.length).toBeLessThanOrEqual(tried.length * 0.05)
  }, 600_000)

  it('of removed and broken routes, ignored parameters and broken sites at least 95 %', async () => {
    const capabilities = ofManners().filter(({ name }) => profile === 'lms' || !OF_PLUGIN.includes(name))
    const all = [...ofRoutes(), ...capabilities, ...ofAll()]
    const tried = all.filter((_, place) => place % EVERY_ROUTE === 0)
    const misses = await missed(tried)
    tell('mutations of routes and capabilities', tried, misses)
    expect(misses.length).toBeLessThanOrEqual(tried.length * 0.05)
  }, 600_000)
})
