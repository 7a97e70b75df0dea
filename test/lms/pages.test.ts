import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from 'html-entities'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { SAMPLES, startLms } from '../../src/lms/index.js'
import { type Ask, type Raw, Switched } from './quirks.js'
import { basic, type Json, type Login, SITE } from './world.js'

const site = new Switched()
const PROFILES = ['lms', 'learndash', 'learndash-5'] as const

const POLICY =
  /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action ('none'|'self'); frame-ancestors 'none'; sandbox( allow-forms)?$/

/** The path of a link of the site. */
function pathOf(link: string): string {
  expect(link.startsWith(`${SITE}/`)).toBe(true)
  return link.slice(SITE.length)
}

/** The title of a page, from both places that show it. */
function titleOf({ text }: Raw): string {
  const [, title] = /<title>([^<>]*) &#8211; Riverside School<\/title>/.exec(text)!
  expect(/<h1>(.*)<\/h1>/.exec(text)![1]).toBe(title)
  return title!
}

/** The HTML below the title of a page. */
const bodyOf = ({ text }: Raw): string => /<\/h1>\n(.*)\n<\/main>/s.exec(text)![1]!

const FORM = /^<form method="post">.*<input type="password" name="post_password".*<\/form>$/s

function expectPage(answer: Raw, form = false): void {
  expect(answer.text).toMatch(/^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
  expect(answer.text).toContain(`<a href="${SITE}/">Riverside School</a>`)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8')
  const policy = answer.headers.get('content-security-policy')
  expect(policy).toMatch(POLICY)
  expect([policy!.includes("form-action 'self'"), policy!.endsWith('allow-forms')]).toEqual([form, form])
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

function expectNoPage(answer: Raw): void {
  expectPage(answer)
  expect([answer.status, titleOf(answer)]).toEqual([404, 'Page not found'])
}

const recordOf = async (ask: Ask, path: string): Promise<Json> => {
  const answer = await ask(path)
  expect(answer.status).toBe(200)
  return answer.body
}

const pageOf = (ask: Ask, { link }: Json, login: Login = 'anonymous', init?: RequestInit): Promise<Raw> => ask(pathOf(link), login, init)

const sendPassword = (ask: Ask, record: Json, password: string, login: Login = 'anonymous'): Promise<Raw> =>
  pageOf(ask, record, login, { method: 'POST', body: new URLSearchParams({ post_password: password }) })

/** Lists of the records with a link, and whether their content is for everybody where most routes are for administrators. */
const LISTS: readonly (readonly [path: string, isPublic: boolean])[] = [
  ['v1/groups', true],
  ['v1/sfwd-courses', false],
  [`v2/groups/${SAMPLES.largeGroup}/courses`, false],
  [`v2/sfwd-lessons?course=${SAMPLES.longCourse}`, false],
  ['v1/sfwd-quiz', false],
  ['v2/sfwd-topic', true],
]

describe.each(PROFILES)('pages of profile %s', (profile) => {
  it.each(LISTS)('exist at every link of %s', async (path, isPublic) => {
    const ask = await site.set({ profile, switches: { topics: true } })
    const records: Json[] = (await ask(path)).body
    expect(records.length).toBeGreaterThan(4)
    for (const record of records) {
      const page = await pageOf(ask, record, isPublic || profile === 'lms' ? 'anonymous' : 'admin')
      expectPage(page, record.content.protected)
      expect(page.status).toBe(200)
      expect(decode(titleOf(page))).toBe(decode(record.title.rendered))
      if (record.content.protected) expect(bodyOf(page)).toMatch(FORM)
      else expect(bodyOf(page)).toBe(record.content.rendered)
    }
  })

  it.each([
    ['private', SAMPLES.privateCourse],
    ['draft', SAMPLES.draftCourse],
    ['pending', SAMPLES.pendingCourse],
    ['future', SAMPLES.futureCourse],
    ['trash', SAMPLES.trashedCourse],
    ['draft', SAMPLES.undatedCourse],
  ])('of a course that is %s (%i) exist for administrators only', async (status, id) => {
    const ask = await site.set({ profile })
    const record = await recordOf(ask, `v1/sfwd-courses/${id}`)
    expect(record.status).toBe(status)
    for (const login of ['anonymous', 'newcomer', 'learner', 'leader'] as const) expectNoPage(await pageOf(ask, record, login))
    const page = await pageOf(ask, record, 'admin')
    expectPage(page)
    expect([page.status, bodyOf(page)]).toEqual([200, record.content.rendered])
  })

  it('of a record without a slug exist at the address with its id', async () => {
    const ask = await site.set({ profile })
    const { body: draft } = await ask.write('POST', 'v1/sfwd-courses', { content: '<p>Words</p>' })
    expect(draft.link).toBe(`${SITE}/?post_type=sfwd-courses&p=${draft.id}`)
    expectNoPage(await pageOf(ask, draft))
    expect(bodyOf(await pageOf(ask, draft, 'admin'))).toBe('<p>Words</p>')
    await ask.write('POST', `v1/sfwd-courses/${draft.id}`, { status: 'publish' })
    expect(bodyOf(await pageOf(ask, draft))).toBe('<p>Words</p>')
    expectNoPage(await ask(`/?post_type=groups&p=${draft.id}`, 'admin'))
    expectNoPage(await ask('/?post_type=groups&p=one', 'admin'))
    await ask.write('DELETE', `v1/sfwd-courses/${draft.id}`, { force: true })
    expectNoPage(await pageOf(ask, draft, 'admin'))
  })

  it('exist for groups below others, and are gone with a former slug', async () => {
    const ask = await site.set({ profile })
    const { body: parent } = await ask.write('POST', 'v1/groups', { title: 'Above', status: 'publish' })
    const { body: group } = await ask.write('POST', 'v1/groups', { title: 'Below', status: 'publish', parent: parent.id })
    expect(titleOf(await pageOf(ask, group))).toBe('Below')
    const { body: renamed } = await ask.write('POST', `v1/groups/${group.id}`, { slug: 'further-below' })
    expectNoPage(await pageOf(ask, group))
    expect(titleOf(await pageOf(ask, renamed))).toBe('Below')
    const { body: trashed } = await ask.write('DELETE', `v1/groups/${group.id}`, {})
    for (const record of [group, renamed, trashed]) expectNoPage(await pageOf(ask, record))
  })

  it.each([
    `v1/groups/${SAMPLES.protectedGroup}`,
    `v1/sfwd-courses/${SAMPLES.protectedCourse}`,
    `v2/sfwd-lessons/${SAMPLES.protectedLesson}`,
    `v1/sfwd-quiz/${SAMPLES.protectedQuiz}`,
  ])('show the content of %s for its password, sent in a form', async (path) => {
    const ask = await site.set({ profile })
    const record = await recordOf(ask, `${path}?password=${encodeURIComponent(SAMPLES.password)}`)
    expect(record.content.rendered.length).toBeGreaterThan(50)
    const locked = await pageOf(ask, record, 'admin')
    expectPage(locked, true)
    expect(bodyOf(locked)).toMatch(FORM)
    expect(locked.text).not.toContain(record.content.rendered.slice(0, 50))

    const open = await sendPassword(ask, record, SAMPLES.password, 'admin')
    expectPage(open)
    expect([open.status, bodyOf(open)]).toEqual([200, record.content.rendered])

    const wrong = await sendPassword(ask, record, 'close sesame', 'admin')
    expectPage(wrong, true)
    expect(wrong.status).toBe(403)
    expect(bodyOf(wrong).replace('<p role="alert">The password is wrong.</p>\n', '')).toBe(bodyOf(locked))
  })
})

describe('pages of password-protected records', () => {
  const protectedCourse = async (): Promise<readonly [Ask, Json]> => {
    const ask = await site.set()
    return [ask, await recordOf(ask, `v1/sfwd-courses/${SAMPLES.protectedCourse}`)]
  }

  it('do not take a password from the address', async () => {
    const [ask, { link }] = await protectedCourse()
    const inAddress = `${pathOf(link)}?${new URLSearchParams({ password: SAMPLES.password, post_password: SAMPLES.password })}`
    expect(bodyOf(await ask(inAddress, 'anonymous'))).toMatch(FORM)
    expect((await ask(inAddress, 'anonymous', { method: 'POST', body: new URLSearchParams() })).status).toBe(403)
  })

  it('take a form only', async () => {
    const [ask, record] = await protectedCourse()
    const post = (body: string, type: string) =>
      pageOf(ask, record, 'anonymous', { method: 'POST', body, headers: { 'content-type': type } })
    const form = `post_password=${encodeURIComponent(SAMPLES.password)}`
    expect((await post(form, 'application/x-www-form-urlencoded')).status).toBe(200)
    expect((await post(form, 'text/plain')).status).toBe(403)
    expect((await post(JSON.stringify({ post_password: SAMPLES.password }), 'application/json')).status).toBe(403)
    expect((await post(`post_password[]=${encodeURIComponent(SAMPLES.password)}`, 'application/x-www-form-urlencoded')).status).toBe(403)
  })

  it('refuse a large body, whether or not it has a length', async () => {
    const [ask, record] = await protectedCourse()
    const large = `post_password=${'x'.repeat(2000)}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const body of [large, new Blob([large]).stream()]) {
      const refused = await pageOf(ask, record, 'anonymous', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
      expectPage(refused)
      expect(refused.status).toBe(413)
    }
  })

  it('refuse a client after ten wrong passwords, also with the right one', async () => {
    const [ask, record] = await protectedCourse()
    for (let i = 0; i < 10; i++) expect((await sendPassword(ask, record, `guess ${i}`)).status).toBe(403)
    const refused = await sendPassword(ask, record, SAMPLES.password)
    expectPage(refused, true)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(refused.text).toContain('too many wrong passwords')
    expect((await pageOf(ask, record)).status).toBe(200)
  })

  it('do not exist for visitors when the record is not published', async () => {
    const ask = await site.set()
    const { body: draft } = await ask.write('POST', 'v1/groups', { title: 'Secret', slug: 'secret', password: 'a', content: 'Words' })
    expectNoPage(await pageOf(ask, draft))
    expectNoPage(await sendPassword(ask, draft, 'a'))
    expect(bodyOf(await sendPassword(ask, draft, 'a', 'admin'))).toBe('Words')
  })
})

describe('the content of lessons and quizzes', () => {
  const NOTICE = '<p>Only learners of the course can read this.</p>'
  const NOT_ENROLLED = '<p data-reason="NotEnrolled">Only learners of the course can read this.</p>'
  const REFUSALS: Readonly<Partial<Record<Login, string>>> = {
    newcomer: `${NOT_ENROLLED}\n<p data-reason="PointsMissing">The course needs 5.5 points. You have 0.</p>`,
    anonymous: NOT_ENROLLED,
  }

  it('is for learners of the course where most routes are for administrators', async () => {
    const ask = await site.set({ profile: 'learndash' })
    const [lesson] = (await ask('v2/sfwd-lessons?course=10001')).body
    for (const login of ['admin', 'learner', 'newcomer', 'anonymous'] as const) {
      const { status } = await ask(`v2/sfwd-lessons/${lesson.id}`, login)
      const page = await pageOf(ask, lesson, login)
      expectPage(page)
      expect([login, page.status, decode(titleOf(page))]).toEqual([login, status === 200 ? 200 : 403, decode(lesson.title.rendered)])
      expect([login, bodyOf(page)]).toEqual([login, status === 200 ? lesson.content.rendered : REFUSALS[login]])
    }
    const { body: quizzes } = await ask('v1/sfwd-quiz')
    expect(bodyOf(await pageOf(ask, quizzes[0]))).toBe(NOTICE)
  })

  it('is for everybody by the specification', async () => {
    const ask = await site.set()
    const [lesson] = (await ask('v2/sfwd-lessons?course=10001')).body
    expect(bodyOf(await pageOf(ask, lesson))).toBe(lesson.content.rendered)
  })
})

describe('the title of a page', () => {
  it.each([
    ['</title></h1><script>alert(1)</script>', '&lt;/title&gt;&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['"><svg onload="alert(1)">', '&#8220;&gt;&lt;svg onload=&quot;alert(1)&quot;&gt;'],
    ['Q & A: "Why?" &lt;b&gt; caf&eacute;', 'Q &#038; A: &#8220;Why?&#8221; &lt;b&gt; caf&eacute;'],
  ])('shows %s as text', async (title, html) => {
    const ask = await site.set()
    const { body: group } = await ask.write('POST', 'v1/groups', { title, status: 'publish' })
    const page = await pageOf(ask, group)
    expect(titleOf(page)).toBe(html)
    expect((await ask('/', 'anonymous', { headers: { accept: 'text/html' } })).text).toContain(`/">${html}</a>`)
    await ask.write('DELETE', `v1/groups/${group.id}`, { force: true })
  })
})

describe('methods', () => {
  it('GET and HEAD have the same headers, and HEAD has no body', async () => {
    const ask = await site.set()
    const [record] = (await ask('v1/groups?per_page=1')).body
    const [get, head] = [await pageOf(ask, record), await pageOf(ask, record, 'anonymous', { method: 'HEAD' })]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['content-type', 'content-security-policy', 'referrer-policy'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
  })

  it('others are refused with the header Allow', async () => {
    const ask = await site.set()
    const plain = (await ask('v1/sfwd-courses?per_page=1')).body[0]
    const locked = await recordOf(ask, `v1/sfwd-courses/${SAMPLES.protectedCourse}`)
    expect(plain.content.protected).toBe(false)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await pageOf(ask, plain, 'admin', { method })
      expectPage(refused)
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      if (method === 'POST') continue
      const other = await pageOf(ask, locked, 'admin', { method })
      expect([method, other.status, other.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, POST'])
    }
    expect((await recordOf(ask, `v1/sfwd-courses/${plain.id}`)).title).toEqual(plain.title)
  })
})

describe('addresses', () => {
  it('exist with and without a slash at the end, and in no other form', async () => {
    const ask = await site.set()
    const { link, slug } = (await ask('v1/groups?per_page=1')).body[0]
    expect(pathOf(link)).toBe(`/groups/${slug}/`)
    expect((await ask(`/groups/${slug}`, 'anonymous')).status).toBe(200)
    for (const path of ['/groups/none/', '/groups/%E0%A4%A/', `/courses/${slug}/`, `/groups/${slug}%2F`, '/groups/%27%20OR%201=1'])
      expectNoPage(await ask(path, 'anonymous'))
    for (const path of [`/groups/${slug}/more/`, '/groups/', '/groups', `/wp-json/groups/${slug}`]) {
      const answer = await ask(path, 'anonymous')
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'rest_no_route'])
    }
  })

  it('other addresses are pages for browsers, and errors of the interface below its roots', async () => {
    const ask = await site.set()
    const headers = { accept: 'text/html,*/*;q=0.8' }
    expectNoPage(await ask('/glossary/', 'anonymous', { headers }))
    for (const path of ['/lms/v1/none', '/wp-json/none', '/lms'])
      expect([path, (await ask(path, 'anonymous', { headers })).body.code]).toEqual([path, 'rest_no_route'])
    expect((await ask('/glossary/', 'anonymous')).body.code).toBe('rest_no_route')
  })

  it.each(['paths', 'both', 'query'] as const)('exist with the routing %s', async (routing) => {
    const ask = await site.set({ switches: { routing } })
    const list = async (query: string): Promise<Json[]> =>
      (await ask(routing === 'paths' ? `/lms/v1/groups?${query}` : `/?rest_route=/lms/v1/groups&${query}`)).body
    const [group] = await list('per_page=1')
    expect(decode(titleOf(await pageOf(ask, group!)))).toBe(decode(group!.title.rendered))
    if (routing !== 'paths') expect(await list(`post_type=groups&p=${group!.id}&per_page=1`)).toHaveLength(1)
  })

  it('do not hide the index of a namespace with their name', async () => {
    const ask = await site.set({ switches: { namespace: 'courses', siteRoutes: true } })
    expect((await ask('v1')).body.namespace).toBe('courses/v1')
    expect((await ask('v1/sfwd-courses/10001')).body.id).toBe(10_001)
  })

  it('exist for topics only where the site has them', async () => {
    const ask = await site.set({ switches: { topics: true } })
    const [topic] = (await ask('v2/sfwd-topic')).body
    expect((await pageOf(ask, topic)).status).toBe(200)
    const without = await site.set()
    expect((await without(pathOf(topic.link), 'anonymous')).body.code).toBe('rest_no_route')
  })

  it('exist for slugs that are not ASCII, in data of other programs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-pages-'))
    const data = join(folder, 'school.sqlite')
    await (await startLms({ data })).close()
    const file = new Database(data)
    file.prepare("UPDATE courses SET slug = 'größe-日本' WHERE id = 10001").run()
    file.close()
    const lms = await startLms({ data })
    try {
      const { link, title } = (await (await fetch(`${lms.url}/lms/v1/sfwd-courses/10001`)).json()) as Json
      expect(link).toBe(`${lms.url}/courses/größe-日本/`)
      const response = await fetch(link)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain(`<h1>${title.rendered}</h1>`)
    } finally {
      await lms.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the start of the site', () => {
  const html = { headers: { accept: 'text/html' } }

  it.each(PROFILES)('has the newest published records for browsers, in profile %s', async (profile) => {
    const ask = await site.set({ profile })
    const start = await ask('/', 'anonymous', html)
    expectPage(start)
    expect([start.status, start.headers.get('vary')]).toEqual([200, 'Accept'])
    const headings = [...start.text.matchAll(/<h2>(\w+)<\/h2>/g)].map(([, heading]) => heading)
    expect(headings).toEqual(['Groups', 'Courses', 'Lessons', 'Quizzes'])
    const links = [...start.text.matchAll(/<li><a href="([^"]+)">/g)].map(([, link]) => link!)
    expect(links).toHaveLength(40)
    for (const [place, link] of links.entries()) {
      // Courses and lessons come second and third. In some profiles, visitors may not open all of them.
      const isRestricted = profile !== 'lms' && place >= 10 && place < 30
      const page = await ask(pathOf(link), 'anonymous')
      const isRefused = isRestricted && page.text.includes('<p data-reason="')
      expect([link, page.status]).toEqual([link, isRefused ? 403 : 200])
      expect([link, (await ask(pathOf(link), 'admin')).status]).toEqual([link, 200])
    }
    const newest = (await ask('v1/sfwd-courses?orderby=date&order=desc&per_page=10')).body.map((course: Json) => course.link)
    expect(links.slice(10, 20)).toEqual(newest)
  })

  it('is the index of the interface for programs, or nothing', async () => {
    expect((await (await site.set({ profile: 'learndash' }))('/', 'anonymous')).body.namespaces).toContain('wp/v2')
    expect((await (await site.set())('/', 'anonymous')).body.code).toBe('rest_no_route')
    expect((await (await site.set())('/', 'anonymous', { ...html, method: 'POST' })).body.code).toBe('rest_no_route')
  })
})

describe('callers of pages', () => {
  it('with wrong credentials are refused or anonymous, as on the interface', async () => {
    const headers = { authorization: basic('admin', 'wrong') }
    for (const [wrongPasswordAnonymous, status] of [
      [false, 401],
      [true, 200],
    ] as const) {
      const ask = await site.set({ switches: { wrongPasswordAnonymous } })
      const { link } = (await ask('v1/groups?per_page=1')).body[0]
      const answer = await ask(pathOf(link), 'anonymous', { headers })
      expectPage(answer)
      expect(answer.status).toBe(status)
    }
  })

  it('are reported with the size of the page', async () => {
    const ask = await site.set()
    const { link } = (await ask('v1/groups?per_page=1')).body[0]
    const { text } = await ask(pathOf(link), 'learner')
    expect(site.calls.at(-1)).toMatchObject({
      method: 'GET',
      url: pathOf(link),
      status: 200,
      user: 'learner',
      bytes: Buffer.byteLength(text),
    })
  })

  it('meet the faults of the site, and no envelope', async () => {
    const ask = await site.set({ switches: { envelope: true } })
    const { link } = (await ask('v1/groups?per_page=1')).body[0]
    expectPage(await ask(`${pathOf(link)}?_envelope=1`, 'anonymous'))
    const broken = await site.set({ switches: { maintenance: true } })
    expect((await broken(pathOf(link), 'anonymous')).status).toBe(503)
  })
})
