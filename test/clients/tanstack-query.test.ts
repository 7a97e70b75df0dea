import { InfiniteQueryObserver, MutationObserver, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { GraphQLClient } from 'graphql-request'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WITH_WORDPRESS } from '../support/profile.js'
import { authorizationOf, World } from '../support/world.js'
import { Catalogue, catalogue, coursePage, createCourse, queryKeys } from './recipes/tanstack-query.js'

const twice = (path: string): string[] => [path, path]

describe('TanStack Query', () => {
  let world: World
  let client: GraphQLClient
  let queryClient: QueryClient
  beforeAll(async () => {
    world = await World.start({}, {}, WITH_WORDPRESS)
    client = new GraphQLClient(`${world.gateway.url}/graphql`, { headers: { authorization: authorizationOf('admin') } })
  })
  afterAll(() => world.close())
  beforeEach(() => {
    queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
    world.calls.length = 0
  })

  it('loads the pages of a list, and each of them once', async () => {
    const { data } = await world.query(
      '{ courses(first: 24, where: { search: "steps" }, orderBy: { field: DATE, direction: DESC }) { totalCount nodes { id title } } }',
      { as: 'admin' },
    )
    expect(data.courses.totalCount).toBeGreaterThan(12)
    world.calls.length = 0
    await queryClient.prefetchInfiniteQuery(catalogue(client, 'steps'))
    const observer = new InfiniteQueryObserver(queryClient, catalogue(client, 'steps'))
    const leave = observer.subscribe(() => {})
    expect(observer.getCurrentResult()).toMatchObject({ hasNextPage: true })
    const { data: shown, hasNextPage } = await observer.fetchNextPage()
    expect(hasNextPage).toBe(data.courses.totalCount > 24)
    expect(shown?.pages.flatMap(({ courses }) => courses?.nodes.map((course) => course?.title) ?? [])).toEqual(
      data.courses.nodes.map(({ title }: { title: string }) => title),
    )
    leave()
    // Two pages of courses, and with each of them what their cards show and the names of the filters.
    expect(world.calls.map(({ path }) => path.replace(/\?.*/, '')).sort()).toEqual([
      ...twice('/lms/v1/sfwd-courses'),
      ...twice('/lms/v2/price-types'),
      ...twice('/wp/v2/lms_course_category'),
      ...twice('/wp/v2/lms_course_category'),
      ...twice('/wp/v2/lms_course_tag'),
      ...twice('/wp/v2/media'),
      ...twice('/wp/v2/users'),
    ])
  })

  it('renders what was prefetched', async () => {
    await queryClient.prefetchInfiniteQuery(catalogue(client, 'steps'))
    const { data } = await world.query(
      '{ courses(first: 12, where: { search: "steps" }, orderBy: { field: DATE, direction: DESC }) { nodes { title } } }',
      { as: 'admin' },
    )
    const html = renderToStaticMarkup(
      createElement(QueryClientProvider, { client: queryClient }, createElement(Catalogue, { client, search: 'steps' })),
    )
    const titles = [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, title]) => title?.replaceAll('&amp;', '&').replaceAll('&#x27;', "'"))
    expect(titles).toEqual(data.courses.nodes.map(({ title }: { title: string }) => title))
    expect(html).toContain('<button type="button">More</button>')
  })

  it('reads the courses again after a mutation, and rejects with the error of a mutation', async () => {
    await queryClient.fetchQuery(coursePage(client, '10001'))
    const mutation = new MutationObserver(queryClient, createCourse(client, queryClient))
    await expect(mutation.mutate({ title: 'Graphs', featuredMediaId: -1 })).rejects.toThrow(/featuredMediaId/)
    expect(queryClient.getQueryState(queryKeys.coursePage('10001'))?.isInvalidated).toBe(false)
    expect(await mutation.mutate({ title: 'Graphs' })).toMatchObject({ title: 'Graphs' })
    expect(queryClient.getQueryState(queryKeys.coursePage('10001'))?.isInvalidated).toBe(true)
  })

  it('ends the REST calls of a query that is cancelled', async () => {
    const slow = await World.start({}, { switches: { latency: 'median:2000+p95:2001' } })
    const distant = new GraphQLClient(`${slow.gateway.url}/graphql`)
    const pending = queryClient.fetchQuery(coursePage(distant, '10001'))
    const outcome = expect(pending).rejects.toThrow('CancelledError')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await queryClient.cancelQueries({ queryKey: queryKeys.courses() })
    await outcome
    await expect.poll(() => slow.calls.map(({ status }) => status), { timeout: 1500 }).toContain(0)
    await slow.close()
  })
})
