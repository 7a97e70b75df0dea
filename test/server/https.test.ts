import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway.js'
import { Command } from '../support/command.js'
import { canSecure, Secured } from '../support/secured.js'
import { FakeSite, type Handler, json } from '../support/site.js'

const canBind = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })

/** A loopback address of its own, so that runs side by side do not meet on port 443. */
const ownHost = (): string => `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(2, 255)}`

/** Port 443 of other loopback addresses can be bound by root on Linux only; there, as in CI, these tests must run. */
const isExpected = process.platform === 'linux' && process.getuid?.() === 0
const canBind443 = await canBind(443, ownHost())
if (!canBind443 && isExpected && process.env.CI === 'true') throw new Error('Port 443 of a loopback address can not be bound.')
const hasIpv6 = await canBind(0, '::1')

const ADMIN = 'Basic YWRtaW46YWRtaW4='
const READ = '{ priceTypes { slug } }'
const WRITE = 'mutation { createCourse(input: {}) { __typename ... on UpstreamError { code message upstream { status } } } }'

const createdCourse: Handler = (request, response) =>
  request.method === 'POST' ? json(response, { id: 7, status: 'draft' }, { status: 201 }) : json(response, [])

/** A site on http whose answers a test sets, the same site on https, and a gateway in front of the http address. */
class Redirected {
  readonly behind: FakeSite
  private readonly commands: Command[] = []

  private constructor(
    readonly plain: FakeSite,
    behind: FakeSite,
    readonly secured: Secured,
    readonly host: string,
    readonly https: string,
    private readonly certificate: string,
  ) {
    this.behind = behind
  }

  static async start(port: number, host = ownHost()): Promise<Redirected> {
    const behind = await FakeSite.start(createdCourse)
    const plain = await FakeSite.start(undefined, host)
    const secured = new Secured(behind.url)
    const { url, certificate } = await secured.start(30, { host, port })
    const site = new Redirected(plain, behind, secured, host, new URL(url).origin, certificate)
    site.redirectTo((path) => site.https + path)
    return site
  }

  redirectTo(location: (path: string) => string, status = 301): void {
    this.plain.handler = (request, response) => response.writeHead(status, { location: location(request.url as string) }).end()
  }

  async gateway({ trusted = true, env = {} }: { trusted?: boolean; env?: Record<string, string> } = {}) {
    const command = new Command(['--upstream', this.plain.url, '--port', '0', '--log-format', 'json', '--retries', '0'], {
      ...(trusted && { NODE_EXTRA_CA_CERTS: this.certificate }),
      ...env,
    })
    this.commands.push(command)
    const url = `${await command.address()}/graphql`
    const ask = async (query: string, authorization?: string): Promise<any> => {
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).json()
    }
    const warnings = async (): Promise<any[]> => {
      const { stdout } = await command.stop()
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ level, from }) => level === 'warn' && from !== undefined)
    }
    return { ask, warnings }
  }

  /** How many requests came over http and over https. */
  get counts(): [number, number] {
    return [this.plain.requests.length, this.behind.requests.length]
  }

  async close(): Promise<void> {
    for (const command of this.commands) await command.stop()
    this.secured.close()
    await Promise.all([this.plain.close(), this.behind.close()])
  }
}

const codeOf = ({ errors }: { errors?: any[] }): unknown => errors?.[0]?.extensions

describe.skipIf(!canSecure || !canBind443)('a site that redirects to https on port 443', () => {
  let site: Redirected
  beforeEach(async () => {
    site = await Redirected.start(443)
  })
  afterEach(() => site.close())

  it('receives single reads over https, with their credentials, and all calls after some answers', async () => {
    const { ask, warnings } = await site.gateway()
    for (const count of [1, 2, 3]) {
      expect(await ask(READ, ADMIN)).toEqual({ data: { priceTypes: [] } })
      expect(site.counts).toEqual([count, count])
    }
    expect(site.behind.requests.map(({ headers }) => headers.authorization)).toEqual([ADMIN, ADMIN, ADMIN])
    expect(await ask(READ)).toEqual({ data: { priceTypes: [] } })
    expect((await ask(WRITE, ADMIN)).data.createCourse.__typename).toBe('CreateCourseSuccess')
    expect(site.counts).toEqual([3, 5])
    expect(await warnings()).toEqual([
      expect.objectContaining({
        from: site.plain.url,
        to: `https://${site.host}`,
        msg: 'the site redirects to https: all calls go there from now on',
      }),
    ])
  })

  it('receives no writes over https before, and errors name the setting', async () => {
    const { ask, warnings } = await site.gateway()
    const refused = {
      __typename: 'UpstreamError',
      code: 'UPSTREAM_INVALID_RESPONSE',
      message:
        'The change was not made: the site redirects to its https address, and the gateway does not follow redirects of writes. Configure the https address of the site.',
      upstream: { status: 301 },
    }
    expect((await ask(WRITE, ADMIN)).data.createCourse).toEqual(refused)
    await ask(READ, ADMIN)
    await ask(READ, ADMIN)
    expect((await ask(WRITE, ADMIN)).data.createCourse).toEqual(refused)
    expect(site.behind.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
    expect(await warnings()).toEqual([])
  })

  it('counts no answers that are errors', async () => {
    const { ask } = await site.gateway()
    site.redirectTo((path) => site.https + path, 303)
    site.behind.handler = (_, response) => json(response, {}, { status: 500 })
    for (let i = 0; i < 4; i++) expect(codeOf(await ask(READ))).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    expect(site.counts).toEqual([4, 4])
  })

  it('is read over http again when nothing listens on 443, including the reads that failed', async () => {
    const { ask, warnings } = await site.gateway()
    for (let i = 0; i < 4; i++) await ask(READ)
    expect(site.counts).toEqual([3, 4])
    site.secured.stop()
    site.plain.handler = createdCourse
    expect(await ask(READ, ADMIN)).toEqual({ data: { priceTypes: [] } })
    expect((await ask(WRITE, ADMIN)).data.createCourse.__typename).toBe('CreateCourseSuccess')
    expect(await ask(READ)).toEqual({ data: { priceTypes: [] } })
    expect(site.counts).toEqual([6, 4])
    expect(await warnings()).toEqual([
      expect.objectContaining({ to: `https://${site.host}` }),
      expect.objectContaining({
        from: `https://${site.host}`,
        to: site.plain.url,
        undoneBy: 'connection failure',
        msg: 'calls go to the configured address of the site again',
      }),
    ])
  })

  it('is read over http again when its certificate is not valid', async () => {
    const { ask, warnings } = await site.gateway()
    for (let i = 0; i < 4; i++) await ask(READ)
    site.secured.stop()
    // A new certificate, which the gateway does not know.
    await site.secured.start(30, { host: site.host, port: 443 })
    site.plain.handler = createdCourse
    expect(await ask(READ, ADMIN)).toEqual({ data: { priceTypes: [] } })
    expect(site.counts).toEqual([4, 4])
    expect(await warnings()).toHaveLength(2)
  })

  it('is read over http again when https redirects back, without a loop', async () => {
    const { ask, warnings } = await site.gateway()
    for (let i = 0; i < 4; i++) await ask(READ)
    site.behind.handler = (request, response) => response.writeHead(301, { location: site.plain.url + request.url }).end()
    expect(codeOf(await ask(READ))).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 301, code: null } })
    // Over https, back over http, by its redirect once over https: then it ends.
    expect(site.counts).toEqual([4, 6])
    site.plain.handler = createdCourse
    expect(await ask(READ)).toEqual({ data: { priceTypes: [] } })
    expect(await warnings()).toMatchObject([{ to: `https://${site.host}` }, { undoneBy: 'redirect' }])
  })

  it('is called over https as before when https redirects elsewhere', async () => {
    const { ask, warnings } = await site.gateway()
    for (let i = 0; i < 4; i++) await ask(READ)
    site.behind.handler = (_, response) => response.writeHead(302, { location: '/wp-login.php' }).end()
    expect(codeOf(await ask(READ))).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 302, code: null } })
    expect(site.counts).toEqual([3, 5])
    expect(await warnings()).toHaveLength(1)
  })

  it('is read over https with any status of the redirect, and with an explicit port', async () => {
    const { ask } = await site.gateway()
    for (const [index, [status, port]] of (
      [
        [302, ''],
        [307, ''],
        [308, ':443'],
      ] as const
    ).entries()) {
      site.redirectTo((path) => `https://${site.host}${port}${path}`, status)
      expect(await ask(READ)).toEqual({ data: { priceTypes: [] } })
      expect(site.counts).toEqual([index + 1, index + 1])
    }
  })
})

describe.skipIf(!canSecure || !canBind443)('a redirect', () => {
  let site: Redirected
  beforeAll(async () => {
    site = await Redirected.start(443)
  })
  beforeEach(() => {
    site.plain.requests.length = 0
    site.redirectTo((path) => site.https + path)
  })
  afterAll(() => site.close())

  it.each([
    ['a user and password', ({ host }, path) => `https://user:secret@${host}${path}`],
    ['a user', ({ host }, path) => `https://user@${host}${path}`],
    ['another path', ({ host }) => `https://${host}/elsewhere`],
    ['a slash at the end of the path', ({ host }, path) => `https://${host}${path.replace(/(?=\?|$)/, '/')}`],
    ['another query', ({ host }, path) => `https://${host}${path.split('?')[0]}?x=1`],
    ['another host', (_, path) => `https://127.0.0.1${path}`],
    ['a name of the host', (_, path) => `https://localhost${path}`],
    ['the same host in IPv6', ({ host }, path) => `https://[::ffff:${host}]${path}`],
    ['http on port 80', ({ host }, path) => `http://${host}:80${path}`],
    ['itself', ({ plain }, path) => plain.url + path],
    ['itself without a scheme', ({ plain }, path) => plain.url.replace('http:', '') + path],
    ['itself without a host', (_, path) => path],
    ['another scheme', ({ host }, path) => `ftp://${host}${path}`],
    ['no address', () => 'https://['],
  ] as [string, (site: Redirected, path: string) => string][])('is not followed to %s', async (_, location) => {
    const gateway = createGateway({ site: { url: site.plain.url } })
    site.redirectTo((path) => location(site, path))
    const response = await gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: ADMIN },
      body: JSON.stringify({ query: READ }),
    })
    expect(await response.json()).toMatchObject({
      errors: [
        {
          message: expect.stringMatching(/^The site answered 301 for v\d\/[\w-]+: a redirect that the gateway does not follow\.$/),
          extensions: { code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 301, code: null } },
        },
      ],
    })
    expect(site.counts).toEqual([1, 0])
    await gateway.close()
  })

  it.each([
    ['', {}],
    [', whatever Node is told', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ])('sends nothing to a server with an invalid certificate%s', async (_, env) => {
    const { ask } = await site.gateway({ trusted: false, env })
    expect(codeOf(await ask(READ, ADMIN))).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    expect(site.counts).toEqual([1, 0])
  })
})

describe.skipIf(!canSecure || !canBind443)('a site that redirects to https on another port', () => {
  let site: Redirected
  beforeEach(async () => {
    site = await Redirected.start(0)
  })
  afterEach(() => site.close())

  it('receives single anonymous reads there, and no other calls', async () => {
    const { ask, warnings } = await site.gateway()
    for (const count of [1, 2, 3, 4, 5]) {
      expect(await ask(READ)).toEqual({ data: { priceTypes: [] } })
      expect(site.counts).toEqual([count, count])
    }
    expect(codeOf(await ask(READ, ADMIN))).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 301, code: null } })
    expect((await ask(WRITE, ADMIN)).data.createCourse.code).toBe('UPSTREAM_INVALID_RESPONSE')
    expect(codeOf(await ask('{ course(id: 5, password: "open sesame") { id content } }'))).toMatchObject({
      code: 'UPSTREAM_INVALID_RESPONSE',
    })
    expect(site.counts).toEqual([8, 5])
    expect(site.behind.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)
    site.plain.handler = createdCourse
    expect(await ask(READ, ADMIN)).toEqual({ data: { priceTypes: [] } })
    expect(site.counts).toEqual([9, 5])
    expect(await warnings()).toEqual([])
  })

  it('does not follow redirects from port to port', async () => {
    const { ask } = await site.gateway()
    await ask(READ)
    site.redirectTo((path) => `https://${site.host}:1${path}`)
    const { errors } = await ask(READ)
    expect(errors[0].message).toMatch(/to a second port; the gateway follows redirects to one port only\.$/)
  })
})

describe.skipIf(!canSecure || !canBind443 || !hasIpv6)('a site by its IPv6 address', () => {
  it('is read over https on port 443 as well', async () => {
    let site: Redirected | undefined
    // There is one such address, and another run may have it.
    for (let tries = 0; site === undefined; tries++) {
      site = await Redirected.start(443, '::1').catch(async (error) => {
        if (error.code !== 'EADDRINUSE' || tries > 100) throw error
        await sleep(200)
        return undefined
      })
    }
    const { ask } = await site.gateway()
    expect(await ask(READ, ADMIN)).toEqual({ data: { priceTypes: [] } })
    expect(site.counts).toEqual([1, 1])
    await site.close()
  })
})
