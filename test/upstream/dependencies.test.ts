import { describe, expect, it } from 'vitest'
import { courseList } from '../../src/graph/course/routes.js'
import { progressList, progressRoute, stepList } from '../../src/graph/course-progress/routes.js'
import { groupList } from '../../src/graph/group/routes.js'
import { groupCourseList } from '../../src/graph/group-course/routes.js'
import { lessonList } from '../../src/graph/lesson/routes.js'
import { priceTypeRoute, priceTypeTable } from '../../src/graph/price-type/routes.js'
import { questionRoute } from '../../src/graph/question/routes.js'
import { quizList } from '../../src/graph/quiz/routes.js'
import { CHANGE_TYPES, TAGGING } from '../../src/graph/schema.js'
import { postList } from '../../src/kit.js'
import { Dependencies } from '../../src/upstream/cache/dependencies.js'
import { tagsOfRead } from '../../src/upstream/cache/record-tags.js'
import { CHANGE_KINDS, type Tag } from '../../src/upstream/cache/tags.js'
import { type Params, type Route, recordRoute } from '../../src/upstream/routes.js'
import type { Answer } from '../../src/upstream/transport/responses.js'

type Read = readonly [route: Route, params?: Params, query?: Readonly<Record<string, unknown>>]

/** A list of a resource from outside. */
const assignments = postList('Assignment', { path: 'v2/sfwd-assignment', filters: {}, orders: {} })

const READS: readonly Read[] = [
  ...[groupList, courseList, lessonList, quizList, assignments].flatMap((list): Read[] => [
    [list],
    [recordRoute(list), { id: 7 }],
    [list, {}, { include: [7, 8] }],
  ]),
  [groupCourseList, { id: 7 }],
  [questionRoute, { id: 7 }],
  [priceTypeTable],
  [priceTypeRoute, { slug: 'free' }],
  [progressList, { user: 7 }],
  [progressRoute, { user: 7, course: 8 }],
  [stepList, { user: 7, course: 8 }],
  [{ path: 'wp/v2/media' }],
]

const answer = (body: unknown): Promise<Answer> => Promise.resolve({ body, headers: {}, status: 200, bytes: 2 } as unknown as Answer)

async function dependenciesOf(reads: readonly Read[], body: unknown): Promise<Dependencies> {
  const dependencies = new Dependencies(TAGGING)
  for (const [route, params = {}, query = {}] of reads) {
    const followed = dependencies.follow(
      tagsOfRead(route, params, query, query._filter),
      body instanceof Error ? Promise.reject(body) : answer(body),
    )
    await followed.catch(() => {})
  }
  return dependencies
}

const CHANGES = [...CHANGE_TYPES, 'assignment'].flatMap((type) =>
  CHANGE_KINDS.flatMap((kind) => [7, 9, undefined].map((id) => ({ type, kind, id: type === 'site' ? undefined : id }))),
)
const meet = (some: readonly Tag[], others: readonly Tag[]): boolean => some.some((tag) => others.includes(tag))

describe('the tags of an answer', () => {
  it.each(READS.map((read): [string, string, Read] => [read[0].path, JSON.stringify(read.slice(1)), read]))(
    'that are too long are replaced by tags that the same changes raise: %s %s',
    async (_, __, read) => {
      for (const body of [[{}, {}], [{}], new Error('not found')]) {
        const dependencies = await dependenciesOf([read], body)
        const [whole, wide] = [dependencies.tagsWithin(8_000), dependencies.tagsWithin(0)]
        expect(wide.filter((tag) => tag.includes(':'))).toEqual([])
        let raised = 0
        for (const change of CHANGES) {
          const tags = TAGGING.ofChange(change)
          if (!meet(whole, tags)) continue
          raised++
          expect([change, meet(wide, tags)]).toEqual([change, true])
        }
        expect(raised).toBeGreaterThan(2)
      }
    },
  )

  it('have the lists of a type when a record does not exist', async () => {
    const read: Read = [courseList, {}, { include: [7, 8] }]
    expect((await dependenciesOf([read], [{}, {}])).tagsWithin(8_000)).not.toContain('courses')
    expect((await dependenciesOf([read], [{}])).tagsWithin(8_000)).toContain('courses')
    expect(
      (await dependenciesOf([[recordRoute(courseList), { id: 7 }, { _filter: ['title.rendered'] }]], {})).tagsWithin(8_000),
    ).not.toContain('courses')
    expect(
      (await dependenciesOf([[recordRoute(courseList), { id: 7 }, { _filter: ['title.rendered'] }]], new Error('404'))).tagsWithin(8_000),
    ).toContain('courses')
  })

  it.each(['a b', 'a,b', 'a\r\nx: y', 'ü', '\ud800', 'x'.repeat(200)])('have no tag that headers can not have: %j', async (slug) => {
    const tags = (await dependenciesOf([[priceTypeRoute, { slug }]], {})).tagsWithin(8_000)
    expect(tags).toEqual(['priceType', 'site'])
  })

  it('may take up to their limit', async () => {
    const dependencies = await dependenciesOf([[recordRoute(courseList), { id: 7 }, { _filter: ['title.rendered'] }]], {})
    const length = 'course,course:7,site'.length
    expect(dependencies.tagsWithin(length)).toEqual(['course', 'course:7', 'site'])
    expect(dependencies.tagsWithin(length - 1)).toEqual(['course', 'courses', 'site'])
  })
})
