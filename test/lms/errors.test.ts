import { describe, expect, it } from 'vitest'
import { useLms } from './world.js'

const { get } = useLms()

describe('errors', () => {
  it('name all invalid parameters at once', async () => {
    const query =
      'per_page=101&page=0&order=ASC&orderby=color&include=1,x&after=2024-01-01&context=full&tax_relation=XOR&menu_order=a&status=gone'
    const { status, body } = await get(`/lms/v1/sfwd-courses?${query}`)
    const codes = Object.fromEntries(Object.entries(body.data.details).map(([name, detail]) => [name, (detail as { code: string }).code]))
    expect([status, body.code, body.data.status]).toEqual([400, 'rest_invalid_param', 400])
    expect(codes).toEqual({
      per_page: 'rest_out_of_bounds',
      page: 'rest_out_of_bounds',
      order: 'rest_not_in_enum',
      orderby: 'rest_not_in_enum',
      include: 'rest_invalid_type',
      after: 'rest_invalid_date',
      context: 'rest_not_in_enum',
      tax_relation: 'rest_not_in_enum',
      menu_order: 'rest_invalid_type',
      status: 'rest_not_in_enum',
    })
    expect(body.data.params.per_page).toBe('per_page must be between 1 (inclusive) and 100 (inclusive)')
    expect(Object.keys(body.data.params)).toEqual(Object.keys(body.data.details))
    for (const name of Object.keys(codes)) expect(body.message).toContain(name)
  })

  it.each([
    ['/lms/v1/groups?per_page=0', 'per_page', 'rest_out_of_bounds'],
    ['/lms/v1/groups?per_page=-1', 'per_page', 'rest_out_of_bounds'],
    ['/lms/v1/groups?per_page=', 'per_page', 'rest_invalid_type'],
    ['/lms/v1/groups?page[]=1', 'page', 'rest_invalid_type'],
    ['/lms/v1/groups?offset=-1', 'offset', 'rest_out_of_bounds'],
    ['/lms/v1/groups?orderby=menu_order', 'orderby', 'rest_not_in_enum'],
    ['/lms/v1/groups?before=yesterday', 'before', 'rest_invalid_date'],
    ['/lms/v1/groups?before=2024-13-01T00:00:00', 'before', 'rest_invalid_date'],
    ['/lms/v1/groups?search_semantics=fuzzy', 'search_semantics', 'rest_not_in_enum'],
    ['/lms/v1/groups?search_columns=id', 'search_columns', 'rest_not_in_enum'],
    ['/lms/v1/groups?categories=red', 'categories', 'rest_invalid_type'],
    ['/lms/v1/sfwd-quiz?course=x', 'course', 'rest_invalid_type'],
    ['/lms/v2/users/3/course-progress?per_page=1000', 'per_page', 'rest_out_of_bounds'],
    ['/lms/v2/price-types?context=all', 'context', 'rest_not_in_enum'],
    ['/lms/v1/sfwd-courses/10001?context=all', 'context', 'rest_not_in_enum'],
  ])('%s: %s', async (path, name, code) => {
    const { status, body } = await get(path)
    expect([status, body.code, body.data.details[name]?.code]).toEqual([400, 'rest_invalid_param', code])
  })

  it('ignore unknown parameters', async () => {
    expect((await get('/lms/v1/sfwd-courses?parent=x&color=red&lesson=1')).status).toBe(200)
  })

  it.each([
    '/lms',
    '/wp/v2/posts',
    '/wp/v2/users/x',
    '/lms/v2/sfwd-courses',
    '/lms/v1/sfwd-lessons',
    '/lms/v1/sfwd-questions',
    '/lms/v1/groups/abc',
    '/lms/v1/groups/1001/courses',
    '/lms/v2/users/me/course-progress',
    '/lms/v2/users/3/course-progress/x',
    '/lms/v1/groups/1001/revisions',
    '/lms/v1/__proto__',
  ])('no route: %s', async (path) => {
    const { status, body, headers } = await get(path)
    expect([status, body.code, body.data]).toEqual([404, 'rest_no_route', { status: 404 }])
    expect(headers.get('content-type')).toContain('application/json')
  })

  it.each([
    ['/lms/v1/groups', 'PUT', 'PATCH', 'DELETE'],
    ['/lms/v2/groups/1001/courses', 'DELETE'],
    ['/lms/v1/sfwd-questions/500001', 'POST', 'PUT', 'PATCH', 'DELETE'],
    ['/lms/v2/users/3/course-progress', 'POST', 'PUT', 'PATCH', 'DELETE'],
    ['/lms/v2/price-types/free', 'POST', 'PUT', 'PATCH', 'DELETE'],
  ])('no route: other methods of %s', async (path, ...methods) => {
    for (const method of methods) {
      const { status, body } = await get(path, 'admin', { method })
      expect([method, status, body.code]).toEqual([method, 404, 'rest_no_route'])
    }
  })
})
