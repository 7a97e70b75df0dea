import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Json, SITE, useLms } from './world.js'

const { get, list } = useLms()

describe('_filter and _fields', () => {
  const course = '/lms/v1/sfwd-courses/10001'

  it('accept names, members and arrays', async () => {
    const whole = (await get(course)).body
    expect((await get(`${course}?_filter=id,title.rendered`)).body).toEqual({ id: whole.id, title: { rendered: whole.title.rendered } })
    expect((await get(`${course}?_fields[]=slug&_fields[]=content.protected`)).body).toEqual({
      slug: whole.slug,
      content: { protected: false },
    })
    expect((await get(`${course}?_fields=slug&_filter=id`)).body).toEqual({ id: whole.id, slug: whole.slug })
    expect((await get(`${course}?_filter=meta.level`)).body).toEqual({ meta: { level: whole.meta.level } })
    expect((await get(`${course}?_filter=title,title.rendered`)).body).toEqual({ title: whole.title })
    expect((await get(`${course}?_filter=`)).body).toEqual(whole)
    expect((await get(`${course}?_filter=nothing,password`)).body).toEqual({})
  })

  it('select arrays and _links only as a whole', async () => {
    const whole = (await get(course)).body
    expect((await get(`${course}?_filter=_links.self`)).body).toEqual({ _links: whole._links })
    const question = (await get('/lms/v1/sfwd-questions/500001')).body
    expect((await get('/lms/v1/sfwd-questions/500001?_filter=_answerData._answer')).body).toEqual({ _answerData: question._answerData })
  })

  it.each([
    '/lms/v1/groups',
    '/lms/v1/sfwd-courses',
    '/lms/v1/sfwd-quiz',
    '/lms/v2/sfwd-lessons',
    `/lms/v2/groups/${SAMPLES.largeGroup}/courses`,
    '/lms/v2/price-types',
    '/lms/v2/users/3/course-progress',
    '/lms/v1/sfwd-questions/500001',
    '/lms/v2/price-types/open',
    '/lms/v2/sfwd-lessons/100001',
  ])('give the same values as the whole record on %s', async (path) => {
    const one = (body: any): Json => (Array.isArray(body) ? body[0] : body)
    const whole = one((await get(path)).body)
    for (const name of Object.keys(whole)) expect(one((await get(`${path}?_filter=${name}`)).body)).toEqual({ [name]: whole[name] })
  })
})

describe('_links', () => {
  it('has the relations of each record', async () => {
    const course = (await get('/lms/v1/sfwd-courses/10001')).body._links
    expect(Object.keys(course)).toEqual(
      expect.arrayContaining([
        'self',
        'collection',
        'about',
        'author',
        'version-history',
        'steps',
        'users',
        'groups',
        'wp:attachment',
        'wp:term',
        'curies',
      ]),
    )
    expect(course.self[0].href).toBe(`${SITE}/lms/v1/sfwd-courses/10001`)
    expect(course['version-history'][0].count).toEqual(expect.any(Number))
    expect(course['wp:term'].map(({ taxonomy }: Json) => taxonomy)).toEqual([
      'category',
      'post_tag',
      'lms_course_category',
      'lms_course_tag',
    ])
    expect(course.curies[0]).toEqual({ name: 'wp', href: 'https://api.w.org/{rel}', templated: true })
    const quiz = (await get('/lms/v1/sfwd-quiz/300001')).body._links
    expect(quiz).not.toHaveProperty('steps')
    expect(quiz).not.toHaveProperty('wp:term')
    for (const path of ['/lms/v2/price-types/open', '/lms/v1/sfwd-questions/500001']) {
      expect(Object.keys((await get(path)).body._links)).toEqual(['self', 'collection', 'about'])
    }
  })

  it('has a featured image only where there is one', async () => {
    for (const { featured_media, _links } of await list('/lms/v1/sfwd-courses?per_page=100'))
      expect('wp:featuredmedia' in _links).toBe(featured_media > 0)
  })

  it('leads to the record, but not to steps, users, groups and revisions', async () => {
    const { _links } = (await get('/lms/v1/sfwd-courses/10001')).body
    const path = (href: string): string => href.slice(SITE.length)
    expect((await get(path(_links.self[0].href))).body.id).toBe(10_001)
    for (const name of ['steps', 'users', 'groups', 'version-history']) {
      const answer = await get(path(_links[name][0].href))
      expect([answer.status, answer.body.code]).toEqual([404, 'rest_no_route'])
    }
  })
})
