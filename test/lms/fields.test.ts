import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { contract, type Json, SITE, useLms } from './world.js'

const { get, list } = useLms()

const LISTS: Readonly<Record<string, string>> = {
  Group: '/lms/v1/groups?',
  Course: '/lms/v1/sfwd-courses?',
  Quiz: '/lms/v1/sfwd-quiz?',
  Lesson: '/lms/v2/sfwd-lessons?',
  GroupCourse: `/lms/v2/groups/${SAMPLES.largeGroup}/courses?`,
}
const EDIT_ONLY = ['password', 'permalink_template', 'generated_slug']
const EMBED = ['id', 'date', 'slug', 'type', 'link', 'title', 'author', 'featured_media']

/** Writable fields of a group that the specification does not list as fields. Real sites show them too. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { Group: ['featured_media'] }

const names = (type: string): string[] => contract.fields[type]!.map(({ name }) => name)
const all = async (path: string): Promise<Json[]> => {
  const pages: Json[] = []
  for (let page = 1; ; page++) {
    const records = await list(`${path}&per_page=100&page=${page}`)
    pages.push(...records)
    if (records.length < 100) return pages
  }
}

describe('every field of the specification', () => {
  let seen = 0

  it.each(Object.entries(LISTS))('%s has its fields in each context', async (type, path) => {
    const fields = [...names(type), ...(BESIDE[type] ?? [])]
    for (const record of await all(`${path}context=edit&status=any`)) {
      expect(
        Object.keys(record)
          .filter((name) => name !== '_links')
          .sort(),
      ).toEqual([...fields].sort())
    }
    const [view] = await list(`${path}per_page=1`)
    expect(Object.keys(view!).sort()).toEqual([...fields.filter((name) => !EDIT_ONLY.includes(name)), '_links'].sort())
    const [embed] = await list(`${path}per_page=1&context=embed`)
    expect(Object.keys(embed!).sort()).toEqual([...fields.filter((name) => EMBED.includes(name)), '_links'].sort())
    seen += names(type).length
  })

  it('has the contexts of the specification for groups', async () => {
    for (const context of ['view', 'embed', 'edit']) {
      const record = (await get(`/lms/v1/groups/${SAMPLES.largeGroup}?context=${context}`)).body
      for (const field of contract.fields.Group!) {
        if (field.context) expect([field.name, field.name in record]).toEqual([field.name, field.context.includes(context)])
      }
    }
  })

  it('is present in progress, price types, questions and answers', async () => {
    const [progress] = await list('/lms/v2/users/3/course-progress')
    const [price] = await list('/lms/v2/price-types')
    const question = (await get('/lms/v1/sfwd-questions/500001')).body as Json
    for (const [type, record] of Object.entries({
      CourseProgress: progress!,
      PriceType: price!,
      Question: question,
      Answer: question._answerData[0],
    })) {
      expect(
        Object.keys(record)
          .filter((name) => name !== '_links')
          .sort(),
      ).toEqual(names(type).sort())
      seen += names(type).length
    }
  })

  it('is one of 223', () => {
    expect(seen).toBe(223)
  })
})

describe('sample values', () => {
  it.each(Object.entries(LISTS))('%s has a value for every field in at least three of ten records', async (_type, path) => {
    const records = await all(`${path}context=edit&status=any`)
    const empty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)
    for (const name of Object.keys(records[0]!)) {
      const filled = records.filter((record) => !empty(record[name])).length
      expect([name, filled / records.length >= 0.3]).toEqual([name, true])
    }
  })

  it('have toggles and numbers as text in version 1', async () => {
    for (const course of await all(`${LISTS.Course}`)) {
      for (const name of ['course_prerequisite_enabled', 'course_points_enabled', 'course_disable_lesson_progression', 'expire_access']) {
        expect(['on', '']).toContain(course[name])
      }
      for (const name of ['course_points', 'course_points_access', 'expire_access_days']) expect(course[name]).toMatch(/^(\d+(\.\d+)?)?$/)
      expect(['open', 'free', 'paynow', 'subscribe', 'closed']).toContain(course.course_price_type)
    }
  })

  it('have booleans and numbers in version 2', async () => {
    const v1 = new Map((await all(`${LISTS.Course}`)).map((course) => [course.id, course]))
    for (const course of await all(LISTS.GroupCourse!)) {
      const same = v1.get(course.id)!
      expect(course.prerequisite_enabled).toBe(same.course_prerequisite_enabled === 'on')
      expect(course.prerequisites).toEqual(same.course_prerequisite)
      expect(course.points_amount).toBe(Number(same.course_points))
      expect(course.price_type).toBe(same.course_price_type)
      if (course.price_type === 'paynow') expect(course.price_type_paynow_price).toBe(same.course_price)
    }
  })

  it('have quiz settings as text', async () => {
    const [quiz] = await list('/lms/v1/sfwd-quiz?include=300001')
    expect(quiz).toMatchObject({
      threshold: expect.stringMatching(/^0\.\d+$/),
      passingpercentage: expect.stringMatching(/^\d+(\.\d+)?$/),
      certificate: expect.stringMatching(/^\d*$/),
    })
  })

  it('have dates in site time and GMT, with daylight saving time', async () => {
    for (const { date, date_gmt, modified, modified_gmt } of await all(`${LISTS.Course}`)) {
      for (const [local, gmt] of [
        [date, date_gmt],
        [modified, modified_gmt],
      ]) {
        expect(local).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
        const hours = (Date.parse(`${local}Z`) - Date.parse(`${gmt}Z`)) / 3_600_000
        expect(hours).toBe(/-0[4-9]-/.test(gmt) ? 2 : /-(11|12|01|02)-/.test(gmt) ? 1 : hours)
      }
    }
    expect((await get(`/lms/v1/sfwd-courses/${SAMPLES.undatedCourse}`)).body).toMatchObject({ date: null, date_gmt: null, slug: '' })
  })

  it('have titles as HTML, and the raw text for administrators', async () => {
    const [course] = await list('/lms/v1/sfwd-courses?search=%22Hands-On%22&per_page=1&context=edit')
    expect(course!.title.raw).toContain('"Hands-On"')
    expect(course!.title.rendered).toContain('&#8220;Hands-On&#8221;')
    expect(course!.content.raw).toContain('<!-- wp:paragraph -->')
    expect(course!.content.rendered).not.toContain('<!--')
    expect(course!.content).toMatchObject({ protected: false, block_version: 1 })
    expect(course!.guid.rendered).toBe(`${SITE}/?post_type=sfwd-courses&#038;p=${course!.id}`)
    expect(course!.guid.raw).toBe(`${SITE}/?post_type=sfwd-courses&p=${course!.id}`)
    expect(course!.class_list).toContain(`post-${course!.id}`)
  })

  it('have different ids for a question and its post', async () => {
    const question = (await get('/lms/v1/sfwd-questions/500001')).body
    expect(question).toMatchObject({ question_id: 500_001, _id: 900_001, _quizId: 300_001 })
    expect((await get(`/lms/v1/sfwd-questions/${question._id}`)).body.code).toBe('rest_post_invalid_id')
  })

  it('have price types as an array', async () => {
    const types = await list('/lms/v2/price-types')
    expect(types.map(({ slug }) => slug)).toEqual(['open', 'free', 'paynow', 'subscribe', 'closed'])
    const one = await get('/lms/v2/price-types/paynow')
    expect(one.body).toEqual(types[2])
    const unknown = await get('/lms/v2/price-types/buynow')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'rest_price_type_invalid'])
  })

  it('have the progress in one course as an object', async () => {
    const [first] = await list('/lms/v2/users/3/course-progress')
    expect((await get(`/lms/v2/users/3/course-progress/${first!.course}`)).body).toEqual(first)
    const none = await get(`/lms/v2/users/4/course-progress/${first!.course}`)
    expect([none.status, none.body.code]).toEqual([404, 'rest_post_not_found'])
    const nobody = await get('/lms/v2/users/99/course-progress')
    expect([nobody.status, nobody.body.code]).toEqual([404, 'rest_user_invalid_id'])
  })
})
