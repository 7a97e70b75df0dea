import { afterAll, beforeAll, expect, it } from 'vitest'
import { HeldSite, Host, type HostOptions } from './host.js'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const CREATE =
  'mutation { createCourse(input: { title: "Made on a host" }) { __typename ... on CreateCourseSuccess { course { title } } } }'
const DEFERRED = '{ course(id: 10001) { title ... @defer { lessons(first: 1) { nodes { title } } } } }'
const LESSONS = 'sfwd-lessons'

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url)
  await response.arrayBuffer()
  return response.status
}

/** Declares the checks of a host. `tooLarge` is the body of its answer to a body over the limit, when that is not the gateway's. */
export function describesHost(options: Omit<HostOptions, 'site'>, { tooLarge = /BODY_TOO_LARGE/ } = {}): void {
  let site: HeldSite
  let host: Host
  beforeAll(async () => {
    site = await HeldSite.start()
    host = await Host.start({ ...options, site })
  })
  afterAll(async () => {
    await host?.kill()
    await site?.close()
  })

  it('answers queries, and variables in the address', async () => {
    const { data, errors } = await host.query('{ courses(first: 2) { nodes { title lessons(first: 1) { nodes { title } } } } }')
    expect(errors).toBeUndefined()
    expect(data.courses.nodes).toHaveLength(2)
    expect(data.courses.nodes[0].lessons.nodes[0].title).toEqual(expect.any(String))
    const query = new URLSearchParams({ query: 'query ($id: ID!) { course(id: $id) { databaseId } }', variables: '{"id":"10001"}' })
    const response = await fetch(`${host.url}?${query}`, { headers: { accept: 'application/json' } })
    expect([response.status, await response.json()]).toEqual([200, { data: { course: { databaseId: 10_001 } } }])
  })

  it('passes the credentials of each caller to the site', async () => {
    const [admin, anonymous] = await Promise.all([host.query(CREATE, 'admin'), host.query(CREATE)])
    expect(admin.data.createCourse).toEqual({ __typename: 'CreateCourseSuccess', course: { title: 'Made on a host' } })
    expect(JSON.stringify(anonymous)).toMatch(/UNAUTHENTICATED|FORBIDDEN|Unauthenticated|Forbidden/)
    // Many at once: no caller has the credentials of another one.
    const readings = await Promise.all(
      Array.from({ length: 20 }, (_, index) => host.query('{ question(id: 500001) { databaseId } }', index % 2 ? 'admin' : undefined)),
    )
    for (const [index, { data }] of readings.entries()) expect(data.question === null).toBe(index % 2 === 0)
  })

  it('serves GraphiQL with all its files', async () => {
    const page = await fetch(host.url, { headers: { accept: BROWSER } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const links = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => new URL(link as string, host.url))
    expect(links.length).toBeGreaterThan(3)
    const made: Readonly<Record<string, string>> = { 'config.json': 'no-store', 'operations.json': 'no-cache' }
    for (const link of links) {
      const file = await fetch(link)
      const { status, headers } = file
      await file.arrayBuffer()
      expect([link.pathname, status]).toEqual([link.pathname, 200])
      expect(headers.get('cache-control')).toContain(made[link.pathname.split('/').at(-1) as string] ?? 'immutable')
    }
    const script = links.find(({ pathname }) => pathname.endsWith('.js')) as URL
    const config = await fetch(new URL('../config.json', script))
    expect([config.status, await config.json()]).toEqual([
      200,
      { users: [], embedded: false, explain: false, signIn: ['password', 'bearer'], maxCalls: 300 },
    ])
  })

  it('answers 404 for other paths, and has its health below its own', async () => {
    for (const path of ['/none', '/graphiql/none', '/graphiql/assets/none.js', '/health/none', '/none/health/live'])
      expect([path, await statusOf(`${host.url}${path}`)]).toEqual([path, 404])
    const live = await fetch(`${host.url}/health/live`)
    expect([live.status, await live.json()]).toEqual([200, { status: 'live' }])
    expect(await statusOf(`${host.url}/health/ready`)).toBe(200)
  })

  it('refuses bodies over the limit, and bodies that are not JSON', async () => {
    const large = await host.post({ query: `{ courses { totalCount } } # ${'x'.repeat(110_000)}` })
    expect([large.status, await large.text()]).toEqual([413, expect.stringMatching(tooLarge)])
    const malformed = await host.post('{"query":')
    expect([malformed.status, await malformed.text()]).toEqual([400, expect.any(String)])
    expect((await host.query('{ courses { totalCount } }')).errors).toBeUndefined()
  })

  it('sends the parts of a deferred answer when they are there', async () => {
    site.held = LESSONS
    const response = await host.post({ query: DEFERRED }, { accept: 'multipart/mixed' })
    expect(response.headers.get('content-type')).toContain('multipart/mixed')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    const readUntil = async (part: string): Promise<void> => {
      while (!text.includes(part)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`The answer has ended: ${text}`)
        text += decoder.decode(value)
      }
    }
    await readUntil('"hasNext":true')
    expect(text).not.toContain('incremental')
    site.release()
    await readUntil('"hasNext":false')
    expect(text).toContain('"lessons":{"nodes":[{"title":')
    await reader.cancel()
  })

  it.each([
    ['a query', undefined],
    ['a deferred answer', 'multipart/mixed'],
  ])('cancels the REST calls of %s whose client has left', async (_, accept) => {
    site.held = LESSONS
    const leaving = new AbortController()
    const query = accept ? DEFERRED : '{ course(id: 10001) { lessons(first: 3) { nodes { title } } } }'
    const asked = host.post({ query }, { signal: leaving.signal, ...(accept && { accept }) })
    asked.then((response) => response.text()).catch(() => {})
    await expect.poll(() => site.waits).toBe(1)
    leaving.abort()
    // The gateway closes its connection to the site.
    await expect.poll(() => site.site.open).toBe(0)
    site.release()
    expect((await host.query('{ course(id: 10001) { lessons(first: 1) { totalCount } } }')).errors).toBeUndefined()
  })

  it('ends by itself when it is closed', async () => {
    expect([await host.stop(), host.printed]).toEqual([0, expect.not.stringMatching(/unhandled|uncaught/i)])
  })
}
