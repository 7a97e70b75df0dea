import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { outcomeOf, Switched } from './quirks.js'
import { complaints, type Json, type Login, outcome, total, useLms } from './world.js'

const { get, list, ids, write } = useLms()

const LOGINS = ['anonymous', 'learner', 'leader', 'admin'] as const
const WP = '/wp/v2'
const [TEACHER, LEARNER] = [5, 3]
const STRANGERS = [401, 403, 403] as const

/** The outcome of a request by each caller: an error code for all but the administrator, or a status for everybody. */
const outcomes = (code: string): string[] => [...STRANGERS.map((status) => `${status} ${code}`), '200']
const EVERYBODY = ['200', '200', '200', '200']

/** The picture of a draft, which strangers do not see. */
async function hiddenPicture(): Promise<number> {
  const seen = await ids(`${WP}/media?per_page=100&_fields=id&parent=${SAMPLES.draftCourse}`)
  expect(seen).toHaveLength(1)
  return seen[0]!
}

describe('the routes of WordPress itself', () => {
  it.each([
    ['users', EVERYBODY],
    ['users?context=embed', EVERYBODY],
    ['users?context=edit', outcomes('rest_forbidden_context')],
    ['users?roles=subscriber', outcomes('rest_user_cannot_view')],
    ['users?orderby=email', outcomes('rest_forbidden_orderby')],
    ['users?orderby=registered_date', outcomes('rest_forbidden_orderby')],
    [`users/${TEACHER}`, EVERYBODY],
    [`users/${TEACHER}?context=edit`, outcomes('rest_forbidden_context')],
    ['users/600001', outcomes('rest_user_cannot_view')],
    [`users/${LEARNER}`, ['401 rest_user_cannot_view', '200', '403 rest_user_cannot_view', '200']],
    [`users/${LEARNER}?context=edit`, ['401 rest_forbidden_context', '200', '403 rest_forbidden_context', '200']],
    ['users/me', ['401 rest_not_logged_in', '200', '200', '200']],
    ['users/me?context=edit', ['401 rest_not_logged_in', '200', '200', '200']],
    ['users/99999', LOGINS.map(() => '404 rest_user_invalid_id')],
    ['media', EVERYBODY],
    ['media?context=edit', outcomes('rest_forbidden_context')],
    ['media/800142', EVERYBODY],
    ['media/800142?context=edit', outcomes('rest_forbidden_context')],
    ['media/10001', LOGINS.map(() => '404 rest_post_invalid_id')],
    ['categories', EVERYBODY],
    ['categories?context=edit', outcomes('rest_forbidden_context')],
    ['lms_course_tag/700019', EVERYBODY],
    ['lms_course_tag/700019?context=edit', outcomes('rest_forbidden_context')],
    // A term of another taxonomy.
    ['lms_course_tag/700001', LOGINS.map(() => '404 rest_term_invalid')],
    ['categories?post=10001', EVERYBODY],
    [`categories?post=${SAMPLES.draftCourse}`, outcomes('rest_forbidden_context')],
    ['categories?post=77', LOGINS.map(() => '400 rest_post_invalid_id')],
    ['taxonomies', EVERYBODY],
    ['taxonomies/category', EVERYBODY],
    ['taxonomies?context=edit', outcomes('rest_forbidden_context')],
    ['taxonomies/none', LOGINS.map(() => '404 rest_taxonomy_invalid')],
    ['types', EVERYBODY],
    ['types/sfwd-courses', EVERYBODY],
    ['types/none', LOGINS.map(() => '404 rest_type_invalid')],
  ] as const)('answer %s as each caller may read it', async (path, expected) => {
    const found = []
    for (const login of LOGINS) found.push(outcome(await get(`${WP}/${path}`, login)))
    expect(found).toEqual(expected)
  })

  it.each([
    ['users?per_page=101', 'per_page', 'rest_out_of_bounds'],
    ['users?include=a', 'include', 'rest_invalid_type'],
    ['users?orderby=title', 'orderby', 'rest_not_in_enum'],
    ['users/me?context=all', 'context', 'rest_not_in_enum'],
    ['users/5?context=all', 'context', 'rest_not_in_enum'],
    ['media?orderby=name', 'orderby', 'rest_not_in_enum'],
    ['media?media_type=book', 'media_type[0]', 'rest_not_in_enum'],
    ['media?after=yesterday', 'after', 'rest_invalid_date'],
    ['categories?parent=1,2', 'parent', 'rest_invalid_type'],
    ['tags?hide_empty=maybe', 'hide_empty', 'rest_invalid_type'],
    ['tags?post=x', 'post', 'rest_invalid_type'],
    ['taxonomies?context=all', 'context', 'rest_not_in_enum'],
  ])('refuse %s', async (path, name, code) => {
    const answer = await get(`${WP}/${path}`)
    expect(outcome(answer)).toBe('400 rest_invalid_param')
    expect(complaints(answer)).toEqual({ [name.replace(/\[.*/, '')]: code })
  })

  it('have no others, and none where the switch is off', async () => {
    for (const path of ['posts', 'comments', 'users/5/posts']) expect(outcome(await get(`${WP}/${path}`))).toBe('404 rest_no_route')
    for (const method of ['POST', 'DELETE']) expect(outcome(await write(method, `${WP}/users/5`, {}))).toBe('404 rest_no_route')
  })

  it('leave out ids that do not exist or are hidden, and have totals of what the caller sees', async () => {
    const picture = await hiddenPicture()
    for (const [path, admin, stranger] of [
      ['users?include=1,5,99999', [1, 5], [5]],
      [`media?include=800142,${picture},5&orderby=include`, [800_142, picture], [800_142]],
      ['categories?include=700001,700008,5', [700_001], [700_001]],
    ] as const)
      for (const [login, expected] of [
        ['admin', admin],
        ['anonymous', stranger],
      ] as const) {
        const answer = await get(`${WP}/${path}`, login)
        expect([path, answer.body.map(({ id }: Json) => id).sort(), total(answer)]).toEqual([path, [...expected].sort(), expected.length])
      }
    expect((await get(`${WP}/users`, 'anonymous')).headers.get('x-wp-total')).toBe('16')
    expect((await get(`${WP}/users`)).headers.get('x-wp-total')).toBe('200')
  })

  it('have pages with links; those behind the last are empty for users and terms, and an error for pictures', async () => {
    const { headers } = await get(`${WP}/users?per_page=5&page=2`, 'anonymous')
    expect([headers.get('x-wp-totalpages'), headers.get('link')]).toEqual([
      '4',
      '<https://school.example/wp/v2/users?per_page=5&page=1>; rel="prev", <https://school.example/wp/v2/users?per_page=5&page=3>; rel="next"',
    ])
    for (const path of ['users', 'tags']) {
      const answer = await get(`${WP}/${path}?page=99`)
      expect([path, answer.status, answer.body, total(answer) > 0]).toEqual([path, 200, [], true])
    }
    expect(outcome(await get(`${WP}/media?page=99`))).toBe('400 rest_post_invalid_page_number')
    const all = await ids(`${WP}/users?per_page=100&_fields=id`, 'anonymous')
    expect(await ids(`${WP}/users?per_page=5&page=4&_fields=id`, 'anonymous')).toEqual(all.slice(15))
    expect(await ids(`${WP}/users?offset=14&_fields=id`, 'anonymous')).toEqual(all.slice(14))
  })
})

describe('users', () => {
  it('have the members that WordPress shows in each context', async () => {
    const [view, embed] = [['avatar_urls', 'description', 'id', 'link', 'name', 'slug', 'url'], ['_links']]
    const own = ['capabilities', 'email', 'extra_capabilities', 'first_name', 'last_name', 'locale', 'nickname', 'registered_date']
    for (const [context, expected] of [
      ['embed', [...view, ...embed]],
      ['view', [...view, ...embed, 'meta']],
      ['edit', [...view, ...embed, 'meta', ...own, 'roles', 'username']],
    ] as const) {
      const { body } = await get(`${WP}/users/${TEACHER}?context=${context}`)
      expect([context, Object.keys(body).sort()]).toEqual([context, [...expected].sort()])
    }
  })

  it('are the caller with roles and capabilities, from which nobody else is read', async () => {
    for (const [login, id, role, lists] of [
      ['admin', 1, 'administrator', true],
      ['leader', 2, 'group_leader', undefined],
      ['learner', 3, 'subscriber', undefined],
    ] as const) {
      const { body } = await get(`${WP}/users/me?context=edit`, login)
      expect(body).toMatchObject({
        id,
        username: login,
        roles: [role],
        email: `${login}@riverside.example`,
        capabilities: { [role]: true },
      })
      expect(body.capabilities.list_users).toBe(lists)
    }
  })

  it('are searched by name; only administrators find them by e-mail', async () => {
    expect((await list(`${WP}/users?search=MORÉAU&_fields=name`)).length).toBeGreaterThan(0)
    const found = async (search: string, login: Login) => (await list(`${WP}/users?search=${search}&_fields=slug`, login)).length
    expect([(await found('teacher1', 'anonymous')) > 0, await found('riverside.example', 'anonymous')]).toEqual([true, 0])
    expect(await found('teacher1@riverside.example', 'admin')).toBe(1)
    expect(await list(`${WP}/users?slug=teacher1,learner&_fields=id`, 'anonymous')).toEqual([{ id: TEACHER }])
  })

  it('are ordered by name', async () => {
    const names = async (query: string) => (await list(`${WP}/users?per_page=100&_fields=name${query}`)).map(({ name }) => name)
    const all = [...(await names('')), ...(await names('&page=2'))]
    expect(all).toEqual(all.toSorted(new Intl.Collator('de').compare))
    expect(await names('&order=desc')).toEqual(all.slice(100).toReversed())
  })

  it('who are authors of published records only are seen by strangers, as long as they are', async () => {
    const authors = new Set<number>()
    for (const path of ['/lms/v1/groups', '/lms/v1/sfwd-courses', '/lms/v2/sfwd-lessons', '/lms/v1/sfwd-quiz'])
      for (let page = 1; ; page++) {
        const answer = await get(`${path}?per_page=100&page=${page}&_filter=author`)
        for (const { author } of answer.body) authors.add(author)
        if (page >= Number(answer.headers.get('x-wp-totalpages'))) break
      }
    const seen = await ids(`${WP}/users?per_page=100&_fields=id`, 'learner')
    expect(seen.sort()).toEqual([...authors].sort())
    const { body } = await write('POST', '/lms/v1/sfwd-courses', { title: 'By the newcomer', status: 'publish', author: 4 })
    expect(outcome(await get(`${WP}/users/4`, 'anonymous'))).toBe('200')
    await write('DELETE', `/lms/v1/sfwd-courses/${body.id}?force=true`)
    expect(outcome(await get(`${WP}/users/4`, 'anonymous'))).toBe('401 rest_user_cannot_view')
  })
})

describe('pictures', () => {
  it('are there for every featured picture, attached to a record', async () => {
    const featured = new Set<number>()
    for (const path of [
      '/lms/v1/groups?',
      '/lms/v1/sfwd-courses?',
      '/lms/v1/sfwd-courses?page=2&',
      '/lms/v1/sfwd-quiz?',
      '/lms/v2/sfwd-lessons?',
    ])
      for (const { featured_media } of await list(`${path}per_page=100&_filter=featured_media`))
        if (featured_media) featured.add(featured_media)
    expect(featured.size).toBeGreaterThan(200)
    const wanted = [...featured]
    while (wanted.length > 0) {
      const some = wanted.splice(0, 100)
      expect((await ids(`${WP}/media?include=${some}&per_page=100&_fields=id`)).sort()).toEqual(some.sort())
    }
    const course = (await get('/lms/v1/sfwd-courses/10001')).body
    expect((await get(`${WP}/media/${course.featured_media}`)).body).toMatchObject({
      type: 'attachment',
      status: 'inherit',
      media_type: 'image',
      mime_type: 'image/png',
      alt_text: 'Circles in many colours, drawn for Algebra & Equations',
      caption: { rendered: '<p>Algebra & Equations at Riverside School</p>\n' },
      post: 10_001,
    })
  })

  it('of unpublished records are hidden from strangers, until the record is published or deleted', async () => {
    const picture = await hiddenPicture()
    const seen = async (): Promise<string> => outcome(await get(`${WP}/media/${picture}`, 'anonymous'))
    expect([await seen(), outcome(await get(`${WP}/media/${picture}`, 'learner'))]).toEqual(['401 rest_forbidden', '403 rest_forbidden'])
    await write('POST', `/lms/v1/sfwd-courses/${SAMPLES.draftCourse}`, { status: 'publish' })
    expect(await seen()).toBe('200')
    await write('POST', `/lms/v1/sfwd-courses/${SAMPLES.draftCourse}`, { status: 'draft' })
    expect(await seen()).toBe('401 rest_forbidden')
    const { body } = await get(`${WP}/media?parent=${SAMPLES.privateCourse}`)
    await write('DELETE', `/lms/v1/sfwd-courses/${SAMPLES.privateCourse}?force=true`)
    expect((await get(`${WP}/media/${body[0].id}`, 'anonymous')).body.post).toBe(null)
  })

  it('are listed by date from the newest, and are searched by title', async () => {
    const dates = (await list(`${WP}/media?per_page=100&_fields=date_gmt`)).map(({ date_gmt }) => date_gmt)
    expect(dates).toEqual(dates.toSorted().toReversed())
    const titles = await list(`${WP}/media?search=physics&per_page=100&_fields=title.rendered`)
    expect(titles.length).toBeGreaterThan(5)
    for (const { title } of titles) expect(title.rendered).toContain('Physics')
  })
})

describe('terms', () => {
  it('count published records, and are empty where they have none', async () => {
    for (const [taxonomy, filter] of [
      ['lms_course_category', ['/lms/v1/sfwd-courses?lms_course_category=']],
      ['categories', ['/lms/v1/sfwd-courses?categories=', '/lms/v1/groups?categories=', '/lms/v2/sfwd-lessons?categories=']],
      ['lms_lesson_tag', ['/lms/v2/sfwd-lessons?lms_lesson_tag=']],
    ] as const)
      for (const { id, count } of await list(`${WP}/${taxonomy}?_fields=id,count`)) {
        let sum = 0
        for (const path of filter) sum += total(await get(`${path}${id}&per_page=1`))
        expect([taxonomy, id, count]).toEqual([taxonomy, id, sum])
      }
    const [all, used] = [await list(`${WP}/lms_course_tag`), await list(`${WP}/lms_course_tag?hide_empty=1`)]
    expect(all.filter(({ count }) => count === 0).map(({ name }) => name)).toEqual(['Summer School'])
    expect(used).toEqual(all.filter(({ count }) => count > 0))
  })

  it('are below others, in taxonomies with levels', async () => {
    const categories = await list(`${WP}/categories?per_page=100`)
    const humanities = categories.find(({ slug }) => slug === 'humanities')!
    const below = await list(`${WP}/categories?parent=${humanities.id}&_fields=slug,_links`)
    expect(below.map(({ slug }) => slug)).toEqual(['arts', 'languages'])
    expect(below[0]!._links.up).toEqual([{ embeddable: true, href: `https://school.example/wp/v2/categories/${humanities.id}` }])
    expect(await list(`${WP}/categories?parent=0`)).toEqual(categories.filter(({ parent }) => parent === 0))
    expect(Object.keys((await list(`${WP}/tags`))[0]!)).not.toContain('parent')
    expect(Object.keys(humanities).sort()).toEqual(
      ['_links', 'count', 'description', 'id', 'link', 'meta', 'name', 'parent', 'slug', 'taxonomy'].sort(),
    )
  })

  it('are those of a record, as its field has them', async () => {
    const course = (await get('/lms/v1/sfwd-courses/10001')).body
    for (const [route, field] of [
      ['categories', 'categories'],
      ['tags', 'tags'],
      ['lms_course_category', 'lms_course_category'],
      ['lms_course_tag', 'lms_course_tag'],
    ] as const)
      expect((await ids(`${WP}/${route}?post=10001`, 'anonymous')).sort()).toEqual([...course[field]].sort())
  })

  it('are ordered by name, and by other members', async () => {
    const by = (order: string, member: string) =>
      list(`${WP}/tags?orderby=${order}&_fields=${member}`).then((terms) => terms.map((term) => term[member]))
    for (const [order, member] of [
      ['name', 'name'],
      ['slug', 'slug'],
      ['id', 'id'],
      ['description', 'description'],
    ] as const)
      expect((await by(order, member)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(await by(order, member))
    const counts = await by('count', 'count')
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })

  it('have taxonomies and types that lead to each other', async () => {
    const [taxonomies, types] = [(await get(`${WP}/taxonomies`)).body, (await get(`${WP}/types`)).body]
    expect(Object.keys(taxonomies)).toHaveLength(10)
    for (const [slug, { types: own, rest_base, rest_namespace }] of Object.entries<Json>(taxonomies)) {
      const terms: Json[] = (await get(`/${rest_namespace}/${rest_base}`, 'anonymous')).body
      // No topic of the sample school has a term of its own taxonomies.
      expect([slug, terms[0]?.taxonomy ?? own]).toEqual([slug, terms.length > 0 ? slug : ['sfwd-topic']])
      for (const type of own) expect(types[type].taxonomies).toContain(slug)
    }
    for (const { slug, rest_base, rest_namespace } of Object.values<Json>(types))
      expect((await get(`/${rest_namespace}/${rest_base}`)).body[0].type).toBe(slug)
    expect(Object.keys((await get(`${WP}/taxonomies?type=groups&_fields=name`)).body)).toEqual([
      'category',
      'post_tag',
      'lms_group_category',
      'lms_group_tag',
    ])
    expect((await get(`${WP}/taxonomies/lms_course_category?_fields=name`)).body).toEqual({ name: 'Course categories' })
  })
})

describe('the routes of WordPress on other sites', () => {
  const site = new Switched()

  it('have the names of the taxonomies of the site, and are below its REST root', async () => {
    const ask = await site.set({ profile: 'learndash' })
    const [term] = (await ask('/wp-json/wp/v2/ld_course_category', 'anonymous')).body
    expect(term).toMatchObject({
      taxonomy: 'ld_course_category',
      _links: { self: [{ href: expect.stringContaining('/wp-json/wp/v2/ld_') }] },
    })
    expect(outcomeOf(await ask('/wp-json/wp/v2/lms_course_category'))).toBe('404 rest_no_route')
    // Courses have no categories there.
    const { body } = await ask('/wp-json/wp/v2/taxonomies')
    expect([body.category.types, body.ld_course_tag.types]).toEqual([['groups'], ['sfwd-courses']])
    for (const path of ['users?_filter=id', 'media?_filter=id']) {
      const [record] = (await ask(`/wp-json/wp/v2/${path}`)).body
      expect(Object.keys(record).length).toBeGreaterThan(5)
    }
  })

  it('are absent where the switch is off', async () => {
    const ask = await site.set({ switches: { siteRoutes: false } })
    for (const path of ['users', 'users/me', 'media', 'categories', 'lms_course_tag', 'taxonomies', 'types'])
      expect([path, outcomeOf(await ask(`/wp/v2/${path}`))]).toEqual([path, '404 rest_no_route'])
    expect(outcomeOf(await ask('/wp-content/uploads/avatar-5-96x96.png'))).toBe('404 rest_no_route')
  })
})
