import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from 'html-entities'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { SAMPLES, startLms } from '../../src/lms/index.js'
import { type Ask, outcomeOf, type Raw, Switched } from './quirks.js'
import { basic, type Json, SITE } from './world.js'

const site = new Switched()
const PROFILES = ['lms', 'learndash', 'learndash-5'] as const

const POLICY = /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox$/

const CLOSED = '<p>The REST interface has the content, for callers who may read it.</p>'

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

/** The link to the REST representation. */
const restOf = ({ text }: Raw): string => /<a rel="alternate" type="application\/json" href="([^"]*)">/.exec(text)![1]!

function expectPage(answer: Raw): void {
  expect(answer.status).toBe(200)
  expect(answer.text).toMatch(/^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8')
  expect(answer.headers.get('content-security-policy')).toMatch(POLICY)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

const NO_PAGE = '404 rest_no_route'

const pageOf = (ask: Ask, { link }: Json, init?: RequestInit): Promise<Raw> => ask(pathOf(link), 'anonymous', init)

/** Lists of the records with a link, and whether everybody may read them where most routes are for administrators. */
const LISTS: readonly (readonly [path: string, isPublic: boolean])[] = [
  ['v1/groups', false],
  ['v1/sfwd-courses', false],
  [`v2/groups/${SAMPLES.largeGroup}/courses`, false],
  [`v2/sfwd-lessons?course=${SAMPLES.longCourse}`, false],
  ['v1/sfwd-quiz', false],
  ['v2/sfwd-topic', false],
]

describe.each(PROFILES)('pages of profile %s', (profile) => {
  it.each(LISTS)('exist at every link of %s, with the content that everybody may read', async (path, isPublic) => {
    const ask = await site.set({ profile, switches: { topics: true } })
    const records: Json[] = (await ask(path)).body
    expect(records.length).toBeGreaterThan(4)
    for (const record of records) {
      const page = await pageOf(ask, record)
      expectPage(page)
      expect(decode(titleOf(page))).toBe(decode(record.title.rendered))
      const isOpen = (isPublic || profile === 'lms') && !record.content.protected
      expect(bodyOf(page)).toBe(isOpen ? record.content.rendered : CLOSED)
      const rest = pathOf(restOf(page))
      expect((await ask(rest)).body.id).toBe(record.id)
      if (isOpen) expect((await ask(rest, 'anonymous')).status).toBe(200)
      else if (!record.content.protected) expect((await ask(rest, 'anonymous')).status).toBe(401)
    }
  })

  it.each([
    ['private', SAMPLES.privateCourse],
    ['draft', SAMPLES.draftCourse],
    ['pending', SAMPLES.pendingCourse],
    ['future', SAMPLES.futureCourse],
    ['trash', SAMPLES.trashedCourse],
    ['draft', SAMPLES.undatedCourse],
  ])('do not exist for a course that is %s (%i)', async (status, id) => {
    const ask = await site.set({ profile })
    const { body: record } = await ask(`v1/sfwd-courses/${id}`)
    expect(record.status).toBe(status)
    // A record without a slug has the address of the start of the site, with a query.
    const { text } = await ask(record.slug === '' ? '/' : '/courses/none/')
    for (const login of ['anonymous', 'learner', 'admin'] as const) expect((await ask(pathOf(record.link), login)).text).toBe(text)
  })

  it.each([
    `v1/groups/${SAMPLES.protectedGroup}`,
    `v1/sfwd-courses/${SAMPLES.protectedCourse}`,
    `v2/sfwd-lessons/${SAMPLES.protectedLesson}`,
    `v1/sfwd-quiz/${SAMPLES.protectedQuiz}`,
  ])('do not have the content of %s, which has a password', async (path) => {
    const ask = await site.set({ profile })
    const query = new URLSearchParams({ password: SAMPLES.password, post_password: SAMPLES.password })
    const { body: record } = await ask(`${path}?${query}`)
    expect(record.content.rendered.length).toBeGreaterThan(50)
    for (const login of ['anonymous', 'admin'] as const) {
      const page = await ask(`${pathOf(record.link)}?${query}`, login)
      expectPage(page)
      expect([decode(titleOf(page)), bodyOf(page)]).toEqual([decode(record.title.rendered), CLOSED])
    }
  })

  it('of a record without a slug exist at the address with its id, once it is published', async () => {
    const ask = await site.set({ profile, switches: { adminOnly: false } })
    const { body: draft } = await ask.write('POST', 'v1/sfwd-courses', { content: '<p>Words</p>' })
    expect(draft.link).toBe(`${SITE}/?post_type=sfwd-courses&p=${draft.id}`)
    const indexOf = async (path: string) => (await ask(path, 'anonymous')).body
    expect(await indexOf(pathOf(draft.link))).toEqual(await indexOf('/'))
    await ask.write('POST', `v1/sfwd-courses/${draft.id}`, { status: 'publish' })
    expect(bodyOf(await pageOf(ask, draft))).toBe('<p>Words</p>')
    for (const query of [`post_type=groups&p=${draft.id}`, 'post_type=groups&p=one', `p=${draft.id}`, 'post_type=groups'])
      expect(await indexOf(`/?${query}`)).toEqual(await indexOf('/'))
    await ask.write('DELETE', `v1/sfwd-courses/${draft.id}`, { force: true })
  })

  it('exist for groups below others, and are gone with a former slug', async () => {
    const ask = await site.set({ profile })
    const { body: parent } = await ask.write('POST', 'v1/groups', { title: 'Above', status: 'publish' })
    const { body: group } = await ask.write('POST', 'v1/groups', { title: 'Below', status: 'publish', parent: parent.id })
    expect(titleOf(await pageOf(ask, group))).toBe('Below')
    const { body: renamed } = await ask.write('POST', `v1/groups/${group.id}`, { slug: 'further-below' })
    expect(outcomeOf(await pageOf(ask, group))).toBe(NO_PAGE)
    expect(titleOf(await pageOf(ask, renamed))).toBe('Below')
    const { body: trashed } = await ask.write('DELETE', `v1/groups/${group.id}`, {})
    for (const record of [group, renamed, trashed]) expect(outcomeOf(await pageOf(ask, record))).toBe(NO_PAGE)
  })
})

it.each([
  ['</title></h1><script>alert(1)</script>', '&lt;/title&gt;&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['"><svg onload="alert(1)">', '&#8220;&gt;&lt;svg onload=&quot;alert(1)&quot;&gt;'],
  ['Q & A: "Why?" &lt;b&gt; caf&eacute;', 'Q &#038; A: &#8220;Why?&#8221; &lt;b&gt; caf&eacute;'],
])('a page shows the title %s as text', async (title, html) => {
  const ask = await site.set()
  const { body: group } = await ask.write('POST', 'v1/groups', { title, status: 'publish' })
  expect(titleOf(await pageOf(ask, group))).toBe(html)
  await ask.write('DELETE', `v1/groups/${group.id}`, { force: true })
})

describe('requests for pages', () => {
  it('by GET and HEAD have the same headers, and HEAD has no body', async () => {
    const ask = await site.set()
    const [record] = (await ask('v1/groups?per_page=1')).body
    const [get, head] = [await pageOf(ask, record), await pageOf(ask, record, { method: 'HEAD' })]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['content-type', 'content-security-policy', 'referrer-policy'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
  })

  it('by other methods meet no route', async () => {
    const ask = await site.set()
    const [record] = (await ask('v1/sfwd-courses?per_page=1')).body
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect([method, outcomeOf(await ask(pathOf(record.link), 'admin', { method }))]).toEqual([method, NO_PAGE])
    expect((await ask(`v1/sfwd-courses/${record.id}`)).body.title).toEqual(record.title)
  })

  it('have the same answer with wrong credentials', async () => {
    const ask = await site.set()
    const [record] = (await ask('v1/groups?per_page=1')).body
    const answer = await pageOf(ask, record, { headers: { authorization: basic('admin', 'wrong') } })
    expectPage(answer)
    expect(answer.text).toBe((await pageOf(ask, record)).text)
  })

  it('are reported with the size of the page', async () => {
    const ask = await site.set()
    const { link } = (await ask('v1/groups?per_page=1')).body[0]
    const { text } = await ask(pathOf(link), 'learner')
    expect(site.calls.at(-1)).toMatchObject({ method: 'GET', url: pathOf(link), status: 200, bytes: Buffer.byteLength(text) })
  })

  it('meet the faults of the site', async () => {
    const ask = await site.set()
    const { link } = (await ask('v1/groups?per_page=1')).body[0]
    const broken = await site.set({ switches: { maintenance: true } })
    expect((await broken(pathOf(link), 'anonymous')).status).toBe(503)
  })
})

describe('addresses of pages', () => {
  it('exist with and without a slash at the end, and in no other form', async () => {
    const ask = await site.set()
    const { link, slug } = (await ask('v1/groups?per_page=1')).body[0]
    expect(pathOf(link)).toBe(`/groups/${slug}/`)
    expect((await ask(`/groups/${slug}`, 'anonymous')).status).toBe(200)
    const others = ['none/', '%E0%A4%A/', `${slug}%2F`, '%27%20OR%201=1', `${slug}/more/`, ''].map((path) => `/groups/${path}`)
    for (const path of [...others, '/groups', `/courses/${slug}/`, `/wp-json/groups/${slug}`, '/glossary/']) {
      const answer = await ask(path, 'anonymous', { headers: { accept: 'text/html,*/*;q=0.8' } })
      expect([path, outcomeOf(answer)]).toEqual([path, NO_PAGE])
    }
  })

  it.each(['paths', 'both', 'query'] as const)('exist with the routing %s, and lead to its REST interface', async (routing) => {
    const ask = await site.set({ switches: { routing } })
    const list = async (query: string): Promise<Json[]> =>
      (await ask(routing === 'paths' ? `/lms/v1/groups?${query}` : `/?rest_route=/lms/v1/groups&${query}`)).body
    const [group] = await list('per_page=1')
    const page = await pageOf(ask, group!)
    expect(decode(titleOf(page))).toBe(decode(group!.title.rendered))
    expect((await ask(pathOf(restOf(page)))).body.id).toBe(group!.id)
    if (routing !== 'paths') expect(await list(`post_type=groups&p=${group!.id}&per_page=1`)).toHaveLength(1)
  })

  it('do not hide the index of a namespace with their name', async () => {
    const ask = await site.set({ switches: { namespace: 'courses' } })
    expect((await ask('v1')).body.namespace).toBe('courses/v1')
    expect((await ask('v1/sfwd-courses/10001')).body.id).toBe(10_001)
  })

  it('exist for topics only where the site has them', async () => {
    const ask = await site.set()
    const [topic] = (await ask('v2/sfwd-topic')).body
    expectPage(await pageOf(ask, topic))
    const without = await site.set({ switches: { topics: false } })
    expect(outcomeOf(await pageOf(without, topic))).toBe(NO_PAGE)
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

it('the start of the site is the index of the interface, or nothing', async () => {
  const html = { headers: { accept: 'text/html' } }
  expect((await (await site.set({ profile: 'learndash' }))('/', 'anonymous', html)).body.namespaces).toContain('wp/v2')
  expect((await (await site.set())('/', 'anonymous', html)).body.namespaces).toContain('lms/v1')
  expect(outcomeOf(await (await site.set({ switches: { siteRoutes: false } }))('/', 'anonymous', html))).toBe(NO_PAGE)
})
