import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Examination } from '../../src/doctor/examine.js'
import { MAX_CALLS } from '../../src/doctor/prober.js'
import { createGateway } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { startAlteringProxy } from '../support/altering-proxy.js'
import { authorizationOf } from '../support/world.js'
import { type Mutation, ofManners } from './mutations.js'
import { alarms, examineAs, findingOf, optionsOf, parsedConfig } from './patient.js'

let lms: RunningLms
/** The data in front of a site that is not altered: one as specified, and one of the plugin. */
let usualData: any
let dataOfPlugin: any
beforeAll(async () => {
  lms = await startLms()
  usualData = (await answerOf(await examineAs(lms.url, 'admin'))).data
  const plugin = await startLms({ profile: 'learndash' })
  dataOfPlugin = (await answerOf(await examineAs(plugin.url, 'admin'))).data
  await plugin.close()
})
afterAll(() => lms.close())

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const NESTED = `{
  groups(first: 2) {
    nodes {
      title groupCategoryIds
      courses(first: 2) {
        totalCount
        nodes {
          title materials courseCategoryIds priceType { slug }
          lessons(first: 2) { totalCount nodes { title course { databaseId } } }
          quizzes(first: 1) { nodes { title passingPercentage } }
        }
      }
    }
  }
  user(id: 3) { courseProgress(first: 2) { nodes { status course { title } } } }
}`

/** The response of a gateway with the written settings to a nested query. */
async function answerOf(examination: Examination): Promise<{ data: any; errors?: unknown }> {
  const gateway = createGateway(parsedConfig(examination))
  closers.push(() => gateway.close())
  const response = await gateway.fetch('http://gateway.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: authorizationOf('admin') },
    body: JSON.stringify({ query: NESTED }),
  })
  return (await response.json()) as { data: any }
}

const ERROR = { code: 'rest_missing_callback_param', message: 'No.', data: { status: 400 } }
const PAGE = { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<!doctype html><title>School</title>') }

describe('the written settings', () => {
  it.each([
    ['at its REST root', '/wp-json', '/wp-json', {}],
    ['at its front page', '', '/wp-json', {}],
    ['without permalinks', '', '/?rest_route=', { routing: 'query' }],
    ['with other names', '/wp-json', '/wp-json', { segments: 'groups:gruppen+sfwd-courses:kurse+sfwd-quiz:quizze' }],
    ['with more of them', '/wp-json', '/wp-json', { segments: 'sfwd-lessons:lektionen+course-progress:fortschritt+courses:kurse' }],
  ])('serves a site that is looked for %s', async (_, given, root, switches) => {
    const other = await startLms({ profile: 'learndash', switches })
    const front = await startAlteringProxy(other.url, {
      answer: (path, reply) => (path.startsWith(root.replace('=', '')) || path.startsWith('/-/') ? reply : PAGE),
    })
    closers.push(...[front, other].map((each) => () => each.close()))
    const examination = await examineAs(`${front.url}${given}`, 'admin')
    expect(alarms(examination)).toEqual([])
    expect(examination.calls.length).toBeLessThanOrEqual(MAX_CALLS)
    const { preset, url } = optionsOf(examination).site
    expect([preset, url]).toEqual(['learndash', `${front.url}${root}`])
    const renamed = Object.entries(examination.site.segments).map((pair) => pair.join(':'))
    expect(renamed.sort()).toEqual(((switches as { segments?: string }).segments ?? '').split('+').filter(Boolean).sort())
    const { data, errors } = await answerOf(examination)
    expect(errors).toBeUndefined()
    expect(data).toEqual(dataOfPlugin)
    expect(data.groups.nodes[0].courses.nodes[0].lessons.totalCount).toBeGreaterThan(0)
  })

  /** Written settings of sites with differences, by description. */
  const WRITTEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'the field filter is ignored': { fieldFilter: null },
    'groups: ids are ignored': { unbatched: ['Group'] },
    'courses: ids are ignored': { unbatched: ['Course'] },
    'lessons: batches are cut': { unbatched: ['Lesson'] },
    'quizzes: batches are cut': { unbatched: ['Quiz'] },
    'courses of a group: include is ignored': { ignoredFilters: ['v2/groups/:id/courses include'] },
    'courses of a group: exclude is ignored': { ignoredFilters: ['v2/groups/:id/courses exclude'] },
    'lessons: a course there is not is dropped': { droppedFilters: ['v2/sfwd-lessons course'] },
    'quizzes: a course there is not is dropped': { droppedFilters: ['v1/sfwd-quiz course'] },
    'pages of more than 50 are refused, and it says so': { pageCap: 50 },
    'pages of more than 50 are refused without a word': { pageCap: 50 },
    'pages are cut at 50': { pageCap: 50 },
    'lessons of a course keep to a size of their own': { pageSizeParams: ['posts_per_page'] },
    'price types answer nothing for the field filter': { unfilteredRoutes: ['v2/price-types'] },
    'taxonomies with another prefix': { termPrefix: 'ld_' },
    'courses of a group: materials is gone': { missingColumns: ['GroupCourse.materials'] },
  }

  const GONE: Mutation = {
    name: 'courses of a group: materials is gone',
    says: /./,
    answer: (path, reply) =>
      path.includes('/courses?') && Array.isArray(reply.body)
        ? { ...reply, body: reply.body.map(({ materials: _, ...row }) => row) }
        : reply,
  }

  it.each(Object.entries(WRITTEN))('record that %s', async (name, written) => {
    const mutation = [...ofManners(), GONE].find((each) => each.name === name)!
    const proxy = await startAlteringProxy(lms.url, { answer: (_, reply) => reply, ...mutation })
    closers.push(() => proxy.close())
    const examination = await examineAs(proxy.url, 'admin')
    expect(optionsOf(examination).site).toMatchObject({ url: proxy.url, preset: 'lms', ...written })
    const { data, errors } = await answerOf(examination)
    expect(errors).toBeUndefined()
    expect(data).toEqual(usualData)
  })

  it('have the address to which the same host redirects', async () => {
    const proxy = await startAlteringProxy(lms.url, {
      ask: (path) => path.replace(/^\/wp-json/, ''),
      answer: (path, reply) => (path.startsWith('/wp-json') ? reply : { status: 301, headers: { location: `/wp-json${path}` }, body: {} }),
    })
    closers.push(() => proxy.close())
    const examination = await examineAs(proxy.url, 'admin')
    expect(alarms(examination).map(({ id }) => id)).toEqual(['reach.redirect'])
    expect(optionsOf(examination).site).toMatchObject({ url: `${proxy.url}/wp-json`, preset: 'lms' })
  })

  it.each([
    ['to itself', (path: string) => path],
    ['to itself without a query', () => '/'],
    ['to a page of its own', () => '/en/'],
    ['to a page that redirects to itself', (path: string) => (path.startsWith('/en') ? '/en/' : '/en/')],
  ])('finds the interface of a bare host whose front page redirects %s', async (_, leadsTo) => {
    for (const root of ['/wp-json', '/?rest_route=']) {
      const site = await startLms({ switches: { routing: root === '/wp-json' ? 'paths' : 'query' } })
      const front = await startAlteringProxy(site.url, {
        answer: (path, reply) => (path.startsWith(root) ? reply : { status: 301, headers: { location: leadsTo(path) }, body: {} }),
      })
      closers.push(...[front, site].map((each) => () => each.close()))
      const examination = await examineAs(front.url, 'admin')
      expect(optionsOf(examination).site).toMatchObject({ url: `${front.url}${root}`, preset: 'lms' })
      expect(alarms(examination).map(({ id }) => id)).toEqual(['reach.redirect'])
    }
  })

  it('have the REST root in the `Link` header of the front page', async () => {
    const front = await startAlteringProxy(lms.url, {
      ask: (path) => path.replace(/^\/api/, '/wp-json'),
      answer: (path, reply) =>
        path.startsWith('/api') ? reply : { ...PAGE, headers: { ...PAGE.headers, link: '</api/>; rel="https://api.w.org/"' } },
    })
    closers.push(() => front.close())
    expect(optionsOf(await examineAs(front.url, 'admin')).site).toMatchObject({ url: `${front.url}/api`, preset: 'lms' })
  })

  it('find lessons and quizzes when the first courses have none, within the budget', async () => {
    const courses = new Set<string>()
    const proxy = await startAlteringProxy(lms.url, {
      answer: (path, reply) => {
        const course = /(?:sfwd-lessons|sfwd-quiz)\?.*course=(\d+)/.exec(path)?.[1]
        if (course === undefined || path.includes('2147')) {
          // Without a course the list is refused, as for callers who are not administrators.
          return /(?:sfwd-lessons|sfwd-quiz)\?/.test(path)
            ? { status: 400, headers: { 'content-type': 'application/json' }, body: ERROR }
            : reply
        }
        courses.add(course)
        return [...courses].indexOf(course) < 5 ? { ...reply, headers: { ...reply.headers, 'x-wp-total': '0' }, body: [] } : reply
      },
    })
    closers.push(() => proxy.close())
    const examination = await examineAs(proxy.url, 'learner')
    expect(courses.size).toBeGreaterThan(5)
    expect(examination.calls.length).toBeLessThanOrEqual(MAX_CALLS)
    expect(findingOf(examination, 'columns.unseen')?.found).not.toMatch(/lessons|quizzes/)
  })

  it('take two calls at a time when the site answers one after the other', async () => {
    let last = Promise.resolve()
    const server = createServer((request, response) => {
      last = last.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, 60))
        const answer = await fetch(`${lms.url}${request.url}`, { headers: { authorization: request.headers.authorization ?? '' } })
        const headers = Object.fromEntries([...answer.headers].filter(([header]) => header.startsWith('x-wp') || header === 'content-type'))
        response.writeHead(answer.status, headers).end(await answer.text())
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const examination = await examineAs(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'admin')
    server.closeAllConnections()
    server.close()
    expect(optionsOf(examination).protection.maxInFlight).toBe(2)
    expect(findingOf(examination, 'pace')?.meaning).toContain('--max-in-flight 2')
  })
})
