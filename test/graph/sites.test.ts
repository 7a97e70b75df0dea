import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineSite, type Site } from '../../src/rest/site.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

/** The same LMS, described otherwise. */
async function on<T>(names: Partial<Omit<Site, 'url'>>, use: (other: World) => Promise<T>): Promise<T> {
  const other = await World.start({ upstream: defineSite(world.lms.url, names) })
  try {
    return await use(other)
  } finally {
    await other.close()
  }
}

describe('a site that differs from the specification', () => {
  it('has its own prefix in taxonomy columns and in filters', () =>
    on({ termPrefix: 'ld_' }, async (other) => {
      const { calls } = await other.query(
        '{ courses(first: 2, where: { courseTags: { in: [7], notIn: [8] } }) { nodes { courseCategoryIds } } }',
      )
      expect(calls).toEqual([
        '/lms/v1/sfwd-courses?per_page=2&context=view&_filter=id,ld_course_category&ld_course_tag=7&ld_course_tag_exclude=8',
      ])
    }))

  it('may not batch an entity: each record is a single read, with the same answer', () =>
    on({ unbatched: ['Course'] }, async (other) => {
      const query = '{ user(id: 3) { courseProgress(first: 3) { nodes { course { title } } } } }'
      const [batched, single] = [await world.query(query, { as: 'learner' }), await other.query(query, { as: 'learner' })]
      expect(single.data).toEqual(batched.data)
      expect(single.calls.filter((call) => /sfwd-courses\/\d+\?/.test(call))).toHaveLength(3)
    }))

  it('may not carry columns in a list: they are read by id in one batch, with the same answer', () =>
    on({ lacking: { GroupCourse: ['priceTypeSlug', 'prerequisiteIds'] } }, async (other) => {
      const query = '{ group(id: 1009) { courses(first: 5) { nodes { title priceType { name } prerequisites { title } } } } }'
      const [carried, lacking] = [await world.query(query), await other.query(query)]
      expect(lacking.errors).toEqual([])
      expect(lacking.data).toEqual(carried.data)
      expect(lacking.calls.filter((call) => call.includes('_filter=course_prerequisite,course_price_type,id&include='))).toHaveLength(1)
      expect(lacking.calls.length).toBeLessThanOrEqual(carried.calls.length + 1)
    }))
})
