import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { authorizationOf, World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

/** The same LMS with another description. */
async function on<T>(names: Partial<Omit<Site, 'url'>>, use: (other: World) => Promise<T>): Promise<T> {
  const other = await World.start({ tuning: { site: defineSite(world.lms.url, names) } })
  try {
    return await use(other)
  } finally {
    await other.close()
  }
}

describe('a site that differs from the specification', () => {
  it('may have its own prefix in taxonomy columns and filters', () =>
    on({ termPrefix: 'ld_' }, async (other) => {
      const { calls } = await other.query(
        '{ courses(first: 2, where: { courseTags: { in: [7], notIn: [8] } }) { nodes { courseCategoryIds } } }',
      )
      expect(calls).toEqual([
        '/lms/v1/sfwd-courses?per_page=2&context=view&_filter=id,ld_course_category&ld_course_tag=7&ld_course_tag_exclude=8',
      ])
    }))

  it('may lack batches of an entity: each record is a single read, with the same response', () =>
    on({ unbatched: ['Course'] }, async (other) => {
      const query = '{ user(id: 3) { courseProgress(first: 3) { nodes { course { title } } } } }'
      const [batched, single] = [await world.query(query, { as: 'learner' }), await other.query(query, { as: 'learner' })]
      expect(single.data).toEqual(batched.data)
      expect(single.calls.filter((call) => /sfwd-courses\/\d+\?/.test(call))).toHaveLength(3)
    }))

  it('may lack columns in a list: they are read by id in one batch, with the same response', () =>
    on({ missingColumns: ['GroupCourse.priceTypeSlug', 'GroupCourse.prerequisiteIds'] }, async (other) => {
      const query = '{ group(id: 1009) { courses(first: 5) { nodes { title priceType { name } prerequisites { title } } } } }'
      const [carried, lacking] = [await world.query(query), await other.query(query)]
      expect(lacking.errors).toEqual([])
      expect(lacking.data).toEqual(carried.data)
      expect(lacking.calls.filter((call) => call.includes('_filter=course_prerequisite,course_price_type,id&include='))).toHaveLength(1)
      expect(lacking.calls.length).toBeLessThanOrEqual(carried.calls.length + 1)
    }))

  it.each([
    ['paynow', {}, {}],
    ['buynow', { buyNow: true }, { payNowSpelling: 'buynow' }],
    ['buynow', { profile: 'learndash' }, PRESETS.learndash],
  ] as const)(
    'spells the price type `paynow` as %s when it is written: %j',
    async (spelling, { profile = 'lms', ...switches }: any, names) => {
      const other = await World.start({}, { profile, switches }, names)
      const course = '... on LmsError { message } ... on CreateCourseSuccess { course { databaseId priceTypeSlug priceType { slug } } }'
      const created = await other.query(`mutation { createCourse(input: { priceTypeSlug: "paynow" }) { ${course} } }`, { as: 'admin' })
      expect(created.data.createCourse.course).toMatchObject({ priceTypeSlug: 'paynow', priceType: { slug: 'paynow' } })
      const base = profile === 'lms' ? '/lms' : '/ldlms'
      const priceType = expect.stringMatching(new RegExp(`^${base}/v2/price-types`))
      expect(created.calls).toEqual([`${base}/v1/sfwd-courses`, priceType])
      const id = created.data.createCourse.course.databaseId
      const written = async (): Promise<string> => {
        const response = await fetch(`${other.lms.url}${base}/v1/sfwd-courses/${id}`, {
          headers: { authorization: authorizationOf('admin') },
        })
        return ((await response.json()) as { course_price_type: string }).course_price_type
      }
      expect(await written()).toBe(spelling)
      for (const given of ['closed', 'paynow', 'free', 'buynow']) {
        const updated = await other.query(
          `mutation { updateCourse(input: { id: ${id}, priceTypeSlug: "${given}" }) { ... on UpdateCourseSuccess { course { priceTypeSlug } } } }`,
          { as: 'admin' },
        )
        expect(updated.data.updateCourse.course.priceTypeSlug).toBe(given === 'buynow' ? 'paynow' : given)
        expect(updated.calls).toEqual([`${base}/v1/sfwd-courses/${id}`])
        expect(await written()).toBe(/now$/.test(given) ? spelling : given)
      }
      await other.close()
    },
  )

  it('refuses the other spelling of `paynow`, with an error that names the field', async () => {
    const other = await World.start({}, { profile: 'lms', switches: { buyNow: true } }, {})
    const { data, calls } = await other.query(
      'mutation { createCourse(input: { priceTypeSlug: "paynow" }) { ... on LmsError { code message } ... on CreateCourseSuccess { course { id } } } }',
      { as: 'admin' },
    )
    expect(data.createCourse).toEqual({ code: 'BAD_USER_INPUT', message: expect.stringContaining('priceTypeSlug') })
    expect(calls).toEqual(['/lms/v1/sfwd-courses'])
    await other.close()
  })
})
