import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { SECRET, signed } from '../support/hooks.js'
import { sleep, until } from '../support/hosted.js'
import { FakeSite, json } from '../support/site.js'

// The real command, which SIGHUP lets read its settings again.

const OPERATIONS = 20_000
const RELOADS = 50
const LANES = 8

const RELOADED = 'the settings were reloaded'
const REFUSED = 'The settings were not reloaded, because they are wrong.'

const folder = mkdtempSync(join(tmpdir(), 'reload-'))
const settings = join(folder, 'lms.json')
let site: FakeSite
let command: Command
let url: string

const course = (id: number, title: string) => ({ id, title: { rendered: title } })
const idIn = (path = ''): number => Number(/\/(\d+)(?:\?|$)/.exec(path)?.[1])

/** Settings that show in each answer: in a header, and in how much may be asked for. */
const ONE = { http: { corsOrigins: ['https://one.example'] }, limits: { maxAliases: 1 } }
const OTHER = { http: { corsOrigins: ['https://other.example'] }, limits: { maxAliases: 100 } }

const write = (values: object): void => writeFileSync(settings, JSON.stringify(values))
const lines = (text: string): number => command.printed.split(text).length - 1

/** Reloads the settings, and waits for the line about it. */
async function reload(line = RELOADED): Promise<void> {
  const before = lines(line)
  command.child.kill('SIGHUP')
  await until(() => lines(line), before + 1)
}

async function start(values: object, env: Readonly<Record<string, string>> = {}): Promise<void> {
  write({ site: { url: site.url }, ...values })
  command = new Command(['--config', settings, '--port', '0', '--log-format', 'json'], env)
  url = await command.address()
}

const ask = (query: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://one.example', ...headers },
    body: JSON.stringify({ query }),
  })

const titleOf = async (id: number): Promise<unknown> => (await (await ask(`{ course(id: ${id}) { title } }`)).json()).data?.course?.title
const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text()

beforeEach(async () => {
  site = await FakeSite.start(({ url: path = '' }, response) => {
    const ids = /include=([\d%,C]+)/.exec(path)?.[1]
    if (ids === undefined) return json(response, course(idIn(path), `Title ${idIn(path)}`))
    return json(
      response,
      decodeURIComponent(ids)
        .split(',')
        .map((id) => course(Number(id), `Title ${id}`)),
    )
  })
})

afterEach(async () => {
  const { stderr } = await command.stop('SIGKILL')
  expect(stderr).toBe('')
  await site.close()
})

afterEach(() => rmSync(settings, { force: true }))

describe('a reload under load', () => {
  it('loses no operation, and answers each by the settings of one time', { timeout: 600_000 }, async () => {
    const common = { site: { url: site.url }, cache: { maxAge: 60 }, observe: { logLevel: 'warn' } }
    await start({ ...common, ...ONE })
    const seen = { one: 0, other: 0 }
    const wrong: unknown[] = []
    let left = OPERATIONS
    const lane = async (): Promise<void> => {
      const client = new Client(url)
      while (left-- > 0) {
        const { statusCode, headers, body } = await client.request({
          path: '/graphql',
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: 'https://one.example' },
          body: '{"query":"{ a: course(id: 1) { title } b: course(id: 2) { title } }"}',
        })
        const text = await body.text()
        const isAllowed = headers['access-control-allow-origin'] === 'https://one.example'
        const isLimited = /"code":"LIMIT_EXCEEDED"/.test(text)
        const isFull = statusCode === 200 && text === '{"data":{"a":{"title":"Title 1"},"b":{"title":"Title 2"}}}'
        if (isAllowed && isLimited) seen.one++
        else if (!isAllowed && isFull) seen.other++
        else wrong.push([statusCode, headers, text])
      }
      await client.close()
    }
    const load = Promise.all(Array.from({ length: LANES }, lane))
    for (let count = 0; count < RELOADS; count++) {
      const at = OPERATIONS - ((count + 1) * OPERATIONS) / (RELOADS + 1)
      while (left > at) await sleep(2)
      write({ ...common, ...(count % 2 === 0 ? OTHER : ONE) })
      await reload()
    }
    await load
    console.log(`${OPERATIONS} operations, ${RELOADS} reloads: ${seen.one} by the one, ${seen.other} by the other, ${wrong.length} wrong`)
    expect(wrong.slice(0, 3)).toEqual([])
    expect(seen.one + seen.other).toBe(OPERATIONS)
    expect(Math.min(seen.one, seen.other)).toBeGreaterThan(OPERATIONS / 10)
    // The cache was taken over each time.
    expect(site.paths.length).toBeLessThanOrEqual(4)
  })

  it('refuses no delivery of the site while its secret is replaced', async () => {
    const [old, next] = [SECRET, 'the-next-secret-0123456789-0123456789']
    const file = join(folder, 'secret')
    writeFileSync(file, `${old}\n`)
    await start({ hooks: { secretFile: file }, cache: { maxAge: 60 } })
    let secret = old
    let isOver = false
    const statuses: number[] = []
    const sender = (async () => {
      for (let id = 1; !isOver; id++) {
        const body = JSON.stringify({ type: 'course', id, kind: 'updated' })
        const response = await fetch(`${url}/hooks/site`, { method: 'POST', headers: signed(body, { secret }), body })
        statuses.push(response.status)
        await response.arrayBuffer()
      }
    })()
    await until(() => statuses.length > 20)
    writeFileSync(file, `${next}\n${old}\n`)
    await reload()
    secret = next
    const count = statuses.length
    await until(() => statuses.length > count + 20)
    writeFileSync(file, `${next}\n`)
    await reload()
    const later = statuses.length
    await until(() => statuses.length > later + 20)
    isOver = true
    await sender
    expect(new Set(statuses)).toEqual(new Set([204]))
    const body = JSON.stringify({ type: 'course', id: 1, kind: 'updated' })
    expect((await fetch(`${url}/hooks/site`, { method: 'POST', headers: signed(body, { secret: old }), body })).status).toBe(401)
  })
})

describe('a reload', () => {
  it('changes nothing for a wrong file, and logs one line', async () => {
    await start(OTHER)
    for (let count = 0; count < 10; count++) {
      writeFileSync(settings, count % 2 === 0 ? '{ "site": ' : JSON.stringify({ site: { url: site.url }, limits: { maxCalls: 'few' } }))
      await reload(REFUSED)
      expect(await titleOf(1)).toBe('Title 1')
    }
    await sleep(300)
    expect(lines(REFUSED)).toBe(10)
    expect(lines('must be a whole number from 1 to 100000')).toBe(5)
    expect(lines(RELOADED)).toBe(0)
    write({ site: { url: site.url }, cache: { maxAge: { Curse: 60 } } })
    await reload(REFUSED)
    expect(command.printed).toMatch(
      /`cache.maxAge` \(.*lms\.json, line 1\) has `Curse`, but the graph has no such object type; did you mean `Course`/,
    )
  })

  it('lets running operations end in front of the site before, and asks the next one', async () => {
    await start({})
    const other = await FakeSite.start((request, response) => json(response, course(idIn(request.url), 'of the other site')))
    let answer = (): void => {}
    site.handler = (_, response) => {
      answer = () => json(response, course(1, 'of the first site'))
    }
    const running = titleOf(1)
    await until(() => site.open, 1)
    write({ site: { url: other.url } })
    await reload()
    expect(await titleOf(1)).toBe('of the other site')
    answer()
    expect(await running).toBe('of the first site')
    await until(() => site.open, 0)
    expect(site.paths.filter((path) => /\/1\b/.test(path))).toHaveLength(1)
    await other.close()
  })

  it('keeps the connections to a site that a later reload leaves, until the operations of earlier settings have ended', async () => {
    await start({})
    const other = await FakeSite.start((request, response) => json(response, course(idIn(request.url), 'of the other site')))
    let answer = (): void => {}
    site.handler = (request, response) => {
      if (/lessons/.test(request.url as string)) json(response, [])
      else answer = () => json(response, [course(1, 'of the first site')])
    }
    // The lessons are asked for when the course is known.
    const running = ask('{ courses(first: 1) { nodes { title lessons(first: 1) { nodes { title } } } } }')
    await until(() => site.open, 1)
    write({ site: { url: site.url }, limits: { maxCalls: 20 } })
    await reload()
    write({ site: { url: other.url } })
    await reload()
    expect(await titleOf(1)).toBe('of the other site')
    answer()
    expect(await (await running).json()).toEqual({ data: { courses: { nodes: [{ title: 'of the first site', lessons: { nodes: [] } }] } } })
    await other.close()
  })

  it('keeps the cache and the counters where the site is the same, and shows the hash of the settings', async () => {
    await start({ cache: { maxAge: 60 }, observe: { metrics: true } })
    // A document is remembered when it comes again.
    expect([await titleOf(1), await titleOf(1)]).toEqual(['Title 1', 'Title 1'])
    const hash = async (): Promise<string | undefined> => /^lms_settings_info\{hash="(\w+)"\} 1$/m.exec(await metrics())?.[1]
    const before = await hash()
    write({
      site: { url: site.url },
      cache: { maxAge: 60 },
      observe: { metrics: true },
      http: { corsOrigins: ['https://one.example'] },
      hooks: { secret: SECRET },
    })
    await reload()
    expect(await titleOf(1)).toBe('Title 1')
    expect(site.paths.filter((path) => /\/1\b/.test(path))).toHaveLength(1)
    expect(await metrics()).toMatch(/^lms_operations_total\{.*\} 3$/m)
    expect(await metrics()).toMatch(/^lms_prepared_operation_lookups_total\{result="hit"\} 1$/m)
    expect(await hash()).not.toBe(before)
    expect((await metrics()).match(/^lms_settings_info/gm)).toHaveLength(1)
  })

  it('drops what a mutation with earlier settings changes, also from a cache that was made later', async () => {
    const titles = ['before', 'after']
    let title = titles[0] as string
    let answer = (): void => {}
    site.handler = (request, response) => {
      if (request.method === 'GET') return json(response, course(1, title))
      answer = () => {
        title = titles[1] as string
        json(response, course(1, title))
      }
    }
    await start({ cache: { maxAge: 60 } })
    const running = ask('mutation { updateCourse(input: { id: "1", title: "after" }) { __typename } }')
    await until(() => site.open, 1)
    write({ site: { url: site.url }, cache: { maxAge: 120 } })
    await reload()
    expect(await titleOf(1)).toBe('before')
    answer()
    await (await running).text()
    expect(await titleOf(1)).toBe('after')
  })

  it('keeps the preset of the embedded LMS, whose profile needs a restart', async () => {
    write({ lms: { profile: 'lms' } })
    command = new Command(['--config', settings, '--port', '0', '--log-format', 'json'])
    url = await command.address()
    const first = async (): Promise<unknown> =>
      (await (await ask('{ courses(first: 1) { nodes { title } } }')).json()).data?.courses?.nodes?.length
    expect(await first()).toBe(1)
    write({ lms: { profile: 'learndash' } })
    await reload('A restart is needed for `lms.profile`.')
    expect(await first()).toBe(1)
  })

  it('changes the level of the log, and says what needs a restart', async () => {
    await start({ observe: { logLevel: 'warn' } })
    await titleOf(1)
    write({ site: { url: site.url }, observe: { logLevel: 'debug', metrics: true }, http: { requestTimeout: 5_000 } })
    await reload('A restart is needed for `http.requestTimeout`, `observe.metrics`.')
    await titleOf(2)
    await until(() => lines('"msg":"operation"'), 1)
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
  })

  it('changes how the log shows callers, and the names of their keys', async () => {
    const key = 'first-key-0123456789'
    const operations = () =>
      command.printed
        .split('\n')
        .filter((line) => line.includes('"msg":"operation"'))
        .map((line) => JSON.parse(line))
    await start({ access: { apiKeys: [`shop:${key}`] } })
    await ask('{ __typename }', { 'x-api-key': key })
    await until(() => operations().length, 1)
    write({ site: { url: site.url }, access: { apiKeys: [`app:${key}`] }, observe: { logCallers: 'none' } })
    await reload(`${RELOADED}."`)
    await ask('{ __typename }', { 'x-api-key': key })
    await until(() => operations().length, 2)
    write({ site: { url: site.url }, access: { apiKeys: [`app:${key}`] } })
    await reload()
    await ask('{ __typename }', { 'x-api-key': key })
    await until(() => operations().length, 3)
    expect(operations().map(({ client, caller }) => [client, caller])).toEqual([
      ['127.0.0.1', 'key:shop'],
      [undefined, undefined],
      ['127.0.0.1', 'key:app'],
    ])
  })

  it('changes the roles of callers, and refuses those of unknown keys', async () => {
    const account = { url: site.url, user: 'account', password: 'secret' }
    const settingsWith = (roles: readonly string[]) => ({
      site: account,
      cache: { maxAge: 60, forCallers: 60 },
      access: { apiKeys: ['desk:desk-key-0123456789'], open: true, roles },
    })
    await start(settingsWith(['visitor=key:desk']))
    // Questions are for editors.
    const isRefused = async (): Promise<boolean> => {
      const text = await (await ask('{ question(id: 1) { title } }', { 'x-api-key': 'desk-key-0123456789' })).text()
      return text.includes('"FORBIDDEN"')
    }
    expect(await isRefused()).toBe(true)
    write(settingsWith(['editor=key:desk']))
    await reload()
    expect(await isRefused()).toBe(false)
    write(settingsWith(['visitor=key:nobody']))
    await reload(REFUSED)
    expect(await isRefused()).toBe(false)
    write(settingsWith(['visitor=key:desk']))
    await reload()
    expect(await isRefused()).toBe(true)
  })

  it('lets callers with a new API key in, and refuses those with the old one', async () => {
    const keys = ['first-key-0123456789', 'second-key-0123456789']
    await start({ access: { apiKeys: [keys[0]] } })
    const status = async (key = ''): Promise<number> => (await ask('{ course(id: 1) { title } }', { 'x-api-key': key })).status
    expect([await status(keys[0]), await status(keys[1])]).toEqual([200, 401])
    write({ site: { url: site.url }, access: { apiKeys: [keys[1]] } })
    await reload()
    expect([await status(keys[0]), await status(keys[1])]).toEqual([401, 200])
  })
})
