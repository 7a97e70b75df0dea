import { readFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configText } from '../../src/doctor/config.js'
import { examine } from '../../src/doctor/examine.js'
import { MAX_CALLS } from '../../src/doctor/prober.js'
import { reportText } from '../../src/doctor/report.js'
import { DEMO_USERS, type RunningLms, startLms } from '../../src/lms/index.js'
import { startAlteringProxy } from '../support/altering-proxy.js'
import type { Login } from '../support/world.js'
import { alarms, examineAs, findingOf, OF_LEARNDASH, QUESTION, routesOf, settingsOf, WITHOUT_ADDITIONS } from './patient.js'

const EVERYBODY: readonly (Login | undefined)[] = ['admin', 'leader', 'learner', 'newcomer', undefined]

/** The profiles, with their preset and namespace. */
const SITES = [
  ['lms', 'lms', 'lms/v1'],
  ['learndash', 'learndash', 'ldlms/v1'],
  ['learndash-5', 'learndash', 'ldlms/v1'],
] as const

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms()
})
afterAll(() => lms.close())

describe.each(SITES)('a site of profile %s without problems', (profile, preset, namespace) => {
  let site: RunningLms
  let root: string
  beforeAll(async () => {
    site = await startLms({ profile, ...(profile === 'lms' && { switches: WITHOUT_ADDITIONS }) })
    root = `${site.url}/wp-json`
  })
  afterAll(() => site.close())

  it.each(EVERYBODY)('has no warnings for %s but about the rights of an account, and few calls', async (login) => {
    const examination = await examineAs(root, login)
    const isLimited = login !== undefined && login !== 'admin'
    expect(alarms(examination).map(({ id, state }) => `${id} ${state}`)).toEqual(isLimited ? ['credential.limits warning'] : [])
    expect(examination.calls.length).toBeLessThanOrEqual(MAX_CALLS)
    expect(findingOf(examination, 'budget')).toBeUndefined()
    expect(findingOf(examination, 'namespaces')?.found).toContain(namespace)
    const { routes, ...others } = settingsOf(examination)
    expect(others).toEqual({ url: root, preset, ...(preset === 'learndash' ? OF_LEARNDASH : {}) })
    expect(routes === undefined).toBe(profile !== 'learndash-5')
    expect([...examination.site.routes].sort()).toEqual(profile === 'lms' ? [] : [...routesOf(profile)].sort())
    for (const each of examination.findings) for (const text of [each.id, each.title, each.found]) expect(text).not.toBe('')
    expect(new Set(examination.findings.map(({ id }) => id)).size).toBe(examination.findings.length)
  })

  it('is completely visible to an administrator', async () => {
    const examination = await examineAs(root, 'admin', { question: QUESTION })
    expect(findingOf(examination, 'columns.unseen')).toBeUndefined()
    expect(findingOf(examination, 'routes')?.found).toBe('14 of 14 can be read')
    expect(findingOf(examination, 'credential')).toMatchObject({ state: 'ok', found: expect.stringContaining('who may edit') })
    expect(findingOf(examination, 'batches')?.found).toContain('groups, courses, lessons')
  })

  it('is not reported as free of breaking findings for an account whose rights do not suffice', async () => {
    const complete = reportText(await examineAs(root, 'admin')).split('\n')
    expect(complete.at(-1)).toMatch(/^0 broken, 0 with less data or more calls, \d+ for information, \d+ ok\.$/)
    const limited = reportText(await examineAs(root, 'learner')).split('\n')
    expect(limited.slice(-2)).toEqual([
      expect.stringMatching(/^Incomplete: the account may not read .*\bmay not edit\.$/),
      expect.stringMatching(/^1 with less data or more calls, \d+ for information, \d+ ok\.$/),
    ])
  })

  it('refuses wrong credentials', async () => {
    const limits = { timeout: 5_000, maxResponseBytes: 1_000_000 }
    const examination = await examine({ upstream: root, account: { user: 'admin', password: 'wrong' }, ...limits })
    const found = profile === 'lms' ? 'refused: incorrect_password' : expect.stringContaining('ignored or refused: ')
    expect(findingOf(examination, 'credential')).toMatchObject({ state: 'breaks', found })
  })

  it('has a report that fits a terminal', async () => {
    for (const login of EVERYBODY) {
      const lines = reportText(await examineAs(root, login)).split('\n')
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    }
  })
})

/** A proxy that counts requests, and concurrent requests. */
async function counting(target: string): Promise<{ url: string; most: () => number; methods: Set<string>; server: Server }> {
  let open = 0
  let most = 0
  const methods = new Set<string>()
  const server = createServer((asked, answer) => {
    most = Math.max(most, ++open)
    methods.add(asked.method as string)
    const onward = request(`${target}${asked.url}`, { headers: asked.headers }, (reply) => {
      answer.writeHead(reply.statusCode as number, reply.headers)
      reply.pipe(answer)
    })
    onward.end()
    answer.once('close', () => open--)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, most: () => most, methods, server }
}

describe('an examination', () => {
  it('only reads, with two calls at a time', async () => {
    const { url, most, methods, server } = await counting(lms.url)
    await examineAs(url, 'admin')
    server.closeAllConnections()
    server.close()
    expect([...methods]).toEqual(['GET'])
    expect(most()).toBe(2)
  })

  it('never shows its credentials', async () => {
    const examination = await examineAs(lms.url, 'admin')
    const { password } = DEMO_USERS[0]!
    const said = [JSON.stringify(examination), reportText(examination), configText(examination)].join('\n')
    for (const secret of [password, btoa(`admin:${password}`), 'Basic ']) expect(said).not.toContain(secret)
  })

  it.each([
    ['ECONNREFUSED', 'http://127.0.0.1:1'],
    ['ENOTFOUND|EAI_AGAIN', 'http://nowhere.invalid'],
  ])('ends at once where nobody answers: %s', async (code, upstream) => {
    const { findings, calls, found } = await examineAs(upstream, 'admin')
    expect(findings[0]).toMatchObject({ id: 'reach.site', state: 'breaks', found: expect.stringMatching(code) })
    expect([calls.length, found]).toEqual([1, false])
  })

  it('does not mistake hidden rows for a smaller page size', async () => {
    const proxy = await startAlteringProxy(lms.url, {
      answer: (_, reply) => (Array.isArray(reply.body) && reply.body.length > 20 ? { ...reply, body: reply.body.slice(2) } : reply),
    })
    const examination = await examineAs(proxy.url, 'admin')
    await proxy.close()
    expect(alarms(examination)).toEqual([])
    expect(findingOf(examination, 'pages.cap')?.found).toContain('some rows are missing')
  })

  it('ends when the site has stopped answering', async () => {
    const { url, server } = await counting(lms.url)
    let left = 8
    server.prependListener('request', (asked) => {
      if (--left < 0) asked.socket.destroy()
    })
    const examination = await examineAs(url, 'admin')
    server.close()
    expect(findingOf(examination, 'budget')?.found).toContain('because the site stopped answering')
    expect(examination.calls.length).toBeLessThan(16)
  })
})

it('makes no more calls than its documentation says', () => {
  const page = readFileSync(new URL('../../docs/wordpress.md', import.meta.url), 'utf8')
  expect(page).toContain(`at most ${MAX_CALLS} REST calls`)
})
