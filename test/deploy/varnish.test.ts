import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TAGGING } from '../../src/graph/schema.js'
import type { SiteChange } from '../../src/upstream/cache/tags.js'
import { freePort } from '../hosts/host.js'
import { exchange, piecesOf } from '../server/raw.js'
import { Command } from '../support/command.js'
import { sleep } from '../support/hosted.js'
import { authorizationOf } from '../support/world.js'

// Varnish with the file of `deploy/varnish`, in front of the real command: docs/http-caching.md.

const FILE = fileURLToPath(new URL('../../deploy/varnish/default.vcl', import.meta.url))
const DOCUMENTS = {
  course: 'query ($id: ID!) { course(id: $id) { title price } }',
  courses: '{ courses(first: 200) { nodes { databaseId price } } }',
  viewer: '{ viewer { id } course(id: 10001) { title access { state } } }',
  drafts: '{ courses(first: 1, where: { status: ANY }) { totalCount } }',
} as const

/** Whether Varnish and its vmods are here. Fails the tests of CI that need them. */
const isHere = process.env.CI !== undefined || spawnSync('varnishd', ['-C', '-f', FILE]).status === 0
const lacking = isHere ? '' : ' (skipped: there is no varnishd with the vmod xkey)'

describe.skipIf(!isHere)(`a gateway behind Varnish${lacking}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-varnish-'))
  let gateway: Command
  let varnish: ChildProcess
  let url: string
  let purgeUrl: string
  let purgeStatus = 0

  beforeAll(async () => {
    const trusted = join(folder, 'documents.json')
    const texts = Object.values(DOCUMENTS).map((text) => [createHash('sha256').update(text).digest('hex'), text])
    writeFileSync(trusted, JSON.stringify(Object.fromEntries(texts)))
    const port = await freePort()
    gateway = new Command(['--port', String(port), '--operations', trusted, '--http-max-age', '300', '--metrics', 'open'])
    await gateway.address()
    const vcl = join(folder, 'default.vcl')
    writeFileSync(vcl, readFileSync(FILE, 'utf8').replace('"4000"', `"${port}"`))
    const own = await freePort()
    const forPurges = await freePort()
    url = `http://127.0.0.1:${own}`
    purgeUrl = `http://127.0.0.1:${forPurges}`
    // No jail, so that it runs as any user.
    const sockets = ['-a', `127.0.0.1:${own}`, '-a', `purge=127.0.0.1:${forPurges}`]
    const args = ['-F', '-j', 'none', '-n', join(folder, 'work'), ...sockets, '-f', vcl, '-s', 'malloc,16m']
    const child = spawn('varnishd', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    varnish = child
    let output = ''
    child.stderr.on('data', (text) => {
      output += text
    })
    const answers = () =>
      fetch(`${url}/health/live`)
        .then((response) => response.ok)
        .catch(() => false)
    for (let attempt = 0; !(await answers()); attempt++) {
      if (varnish.exitCode !== null || attempt > 300) throw new Error(`Varnish did not start: ${output}`)
      await sleep(100)
    }
  }, 60_000)
  afterAll(async () => {
    if (varnish.exitCode === null) {
      const ended = once(varnish, 'exit')
      varnish.kill()
      await ended
    }
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function get(name: keyof typeof DOCUMENTS, headers: Record<string, string> = {}, variables?: object) {
    const query = new URLSearchParams({ query: DOCUMENTS[name], ...(variables && { variables: JSON.stringify(variables) }) })
    const response = await fetch(`${url}/graphql?${query}`, { headers })
    const { data } = (await response.json()) as { data: any }
    return { data, headers: response.headers, isHit: response.headers.get('x-varnish')?.includes(' ') === true }
  }

  async function setPrice(id: number, price: string): Promise<void> {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: authorizationOf('admin') },
      body: JSON.stringify({ query: `mutation { updateCourse(input: { id: ${id}, price: "${price}" }) { __typename } }` }),
    })
    expect(await response.json()).toEqual({ data: { updateCourse: { __typename: 'UpdateCourseSuccess' } } })
  }

  /** Purges what depends on a change, as the gateway names it. Returns the number of purged answers. */
  async function purge(change: SiteChange): Promise<number> {
    const headers = { 'surrogate-key': TAGGING.ofChange(change).join(' ') }
    const response = await fetch(`${purgeUrl}/graphql`, { method: 'PURGE', headers })
    purgeStatus = response.status
    return Number(/^Purged (\d+)$/.exec(response.statusText)?.[1])
  }

  it('answers from Varnish, in both media types, without the tags', async () => {
    for (const accept of ['application/json', 'application/graphql-response+json, application/json;q=0.9']) {
      const first = await get('course', { accept }, { id: '10001' })
      const second = await get('course', { accept, cookie: 'consent=yes' }, { id: '10001' })
      expect([first.isHit, second.isHit, second.data]).toEqual([false, true, first.data])
      expect(second.headers.get('content-type')).toBe(`${accept.split(',')[0]}; charset=utf-8`)
      expect(second.headers.get('cache-control')).toBe('public, max-age=300')
      for (const name of ['surrogate-key', 'cache-tag', 'xkey', 'x-request-id']) expect(second.headers.get(name)).toBeNull()
      const etag = second.headers.get('etag') as string
      const same = `${url}/graphql?${new URLSearchParams({ query: DOCUMENTS.course, variables: '{"id":"10001"}' })}`
      expect((await fetch(same, { headers: { accept, 'if-none-match': etag } })).status).toBe(304)
    }
  })

  it('is asked again after a purge of the tags of a change, and only for what depends on it', async () => {
    const before = await get('course', {}, { id: '10003' })
    await get('course', {}, { id: '10004' })
    await get('courses')
    await setPrice(10_003, '987')
    // Nobody has told Varnish yet.
    expect((await get('course', {}, { id: '10003' })).data).toEqual(before.data)
    // The answer with the course, and the list.
    expect([await purge({ type: 'course', id: 10_003, kind: 'updated' }), purgeStatus]).toEqual([2, 200])
    const after = await get('course', {}, { id: '10003' })
    expect([after.isHit, after.data.course.price]).toEqual([false, '987'])
    const list = await get('courses')
    expect([list.isHit, list.data.courses.nodes.find((each: any) => each.databaseId === 10_003).price]).toEqual([false, '987'])
    expect((await get('course', {}, { id: '10004' })).isHit).toBe(true)
    expect((await get('course', {}, { id: '10003' })).isHit).toBe(true)
  })

  it('is asked for everything again after a purge of the site', async () => {
    await get('course', {}, { id: '10005' })
    expect(await purge({ type: 'site', kind: 'updated' })).toBeGreaterThan(0)
    expect((await get('course', {}, { id: '10005' })).isHit).toBe(false)
  })

  it('shares no answer to callers with credentials, or that depends on the viewer', async () => {
    const admin = { authorization: authorizationOf('admin'), 'apollo-require-preflight': 'true' }
    const learner = { ...admin, authorization: authorizationOf('learner') }
    const seen = []
    for (const headers of [{}, admin, learner, {}, admin, learner]) {
      const { data, isHit, headers: received } = await get('viewer', headers)
      expect([isHit, received.get('cache-control')]).toEqual([false, 'private, max-age=300'])
      seen.push(JSON.stringify(data))
    }
    expect(seen.slice(0, 3)).toEqual(seen.slice(3))
    expect(new Set(seen).size).toBeGreaterThan(1)
    // An answer to anybody is kept, and not given to callers with credentials.
    await get('course', {}, { id: '10001' })
    expect((await get('course', {}, { id: '10001' })).isHit).toBe(true)
    expect((await get('course', admin, { id: '10001' })).isHit).toBe(false)
    for (const name of ['x-api-key', 'x-wp-nonce', 'x-lms-explain'])
      expect((await get('course', { [name]: 'run' }, { id: '10001' })).isHit).toBe(false)
  })

  it('keeps no error', async () => {
    for (const _ of [1, 2]) {
      const { headers, isHit } = await get('drafts')
      expect([headers.get('cache-control'), isHit]).toEqual(['no-store', false])
    }
  })

  it('passes no path that it reads in another way', async () => {
    const statuses = []
    for (const path of [
      '/graphql/../metrics',
      '/graphql/%2e%2e/metrics',
      '/graphql/%2E%2e%2fmetrics',
      '/graphql/..\\metrics',
      '/graphql/../hooks/site',
    ])
      statuses.push([path, String(await exchange(url, piecesOf({ method: 'GET', path }))).slice(9, 12)])
    expect(statuses).toEqual(statuses.map(([path]) => [path, '400']))
  })

  it('refuses purges without tags', async () => {
    expect((await fetch(`${purgeUrl}/graphql`, { method: 'PURGE' })).status).toBe(400)
  })

  it('refuses purges by the socket of clients, who have the address of this machine behind a proxy on it', async () => {
    await get('course', {}, { id: '10006' })
    const headers = { 'surrogate-key': 'site', 'x-forwarded-for': '127.0.0.1' }
    expect((await fetch(`${url}/graphql`, { method: 'PURGE', headers })).status).toBe(403)
    expect((await get('course', {}, { id: '10006' })).isHit).toBe(true)
  })

  it('is not needed for answers that are kept', async () => {
    await get('course', {}, { id: '10001' })
    await gateway.stop()
    const { isHit, data } = await get('course', {}, { id: '10001' })
    expect([isHit, typeof data.course.title]).toEqual([true, 'string'])
    expect((await fetch(`${url}/graphql?query={__typename}`)).status).toBe(503)
  })
})
