import { describe, expect, it } from 'vitest'
import { CHANGE_TYPES, TAGGING } from '../../src/graph/schema.js'
import { Dependencies } from '../../src/upstream/cache/dependencies.js'
import { CHANGE_KINDS, type Tag } from '../../src/upstream/cache/tags.js'
import type { Params, Route } from '../../src/upstream/routes.js'
import type { Answer } from '../../src/upstream/transport/responses.js'

/** A read: the path of its route, its parameters and its query. */
type Read = readonly [path: Route['path'], params?: Params, query?: Readonly<Record<string, unknown>>]

const READS: readonly Read[] = [
  ['v2/groups'],
  ['v2/groups/:id', { id: 7 }],
  ['v2/groups', {}, { include: [7, 8] }],
  ['v2/groups/:id/courses', { id: 7 }],
  ...['sfwd-courses', 'sfwd-lessons', 'sfwd-topic', 'sfwd-quiz', 'sfwd-questions'].flatMap((segment): Read[] => [
    [`v2/${segment}`],
    [`v2/${segment}/:id`, { id: 7 }],
    [`v2/${segment}`, {}, { include: [7, 8] }],
  ]),
  ['v2/price-types/:slug', { slug: 'free' }],
  ['v2/users/:user/course-progress', { user: 7 }],
  ['v2/users/:user/course-progress/:course', { user: 7, course: 8 }],
  ['wp/v2/media'],
]

const answer = (body: unknown): Promise<Answer> => Promise.resolve({ body, headers: {}, status: 200, bytes: 2 } as unknown as Answer)

async function dependenciesOf(reads: readonly Read[], body: unknown): Promise<Dependencies> {
  const dependencies = new Dependencies(TAGGING)
  for (const [path, params = {}, query = {}] of reads) {
    const followed = dependencies.follow(
      TAGGING.ofRead({ path }, params, query, '_filter'),
      body instanceof Error ? Promise.reject(body) : answer(body),
    )
    await followed.catch(() => {})
  }
  return dependencies
}

const CHANGES = CHANGE_TYPES.flatMap((type) =>
  CHANGE_KINDS.flatMap((kind) => [7, 9, undefined].map((id) => ({ type, kind, id: type === 'site' ? undefined : id }))),
)
const meet = (some: readonly Tag[], others: readonly Tag[]): boolean => some.some((tag) => others.includes(tag))

describe('the tags of an answer', () => {
  it.each(READS)('that are too long are replaced by tags that the same changes raise: %s', async (...given) => {
    const read = given as unknown as Read
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
  })

  it('have the lists of a type when a record does not exist', async () => {
    const read: Read = ['v2/sfwd-courses', {}, { include: [7, 8] }]
    expect((await dependenciesOf([read], [{}, {}])).tagsWithin(8_000)).not.toContain('courses')
    expect((await dependenciesOf([read], [{}])).tagsWithin(8_000)).toContain('courses')
    expect(
      (await dependenciesOf([['v2/sfwd-courses/:id', { id: 7 }, { _filter: ['title.rendered'] }]], {})).tagsWithin(8_000),
    ).not.toContain('courses')
    expect(
      (await dependenciesOf([['v2/sfwd-courses/:id', { id: 7 }, { _filter: ['title.rendered'] }]], new Error('404'))).tagsWithin(8_000),
    ).toContain('courses')
  })

  it.each(['a b', 'a,b', 'a\r\nx: y', 'ü', '\ud800', 'x'.repeat(200)])('have no tag that headers can not have: %j', async (slug) => {
    const tags = (await dependenciesOf([['v2/price-types/:slug', { slug }]], {})).tagsWithin(8_000)
    expect(tags).toEqual(['priceType', 'site'])
  })

  it('may take up to their limit', async () => {
    const dependencies = await dependenciesOf([['v2/sfwd-courses/:id', { id: 7 }, { _filter: ['title.rendered'] }]], {})
    const length = 'course,course:7,site'.length
    expect(dependencies.tagsWithin(length)).toEqual(['course', 'course:7', 'site'])
    expect(dependencies.tagsWithin(length - 1)).toEqual(['course', 'courses', 'site'])
  })
})
