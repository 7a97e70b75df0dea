import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Authority, type Issued, SecureSite } from '../support/authority.js'
import { Command } from '../support/command.js'
import { ForwardProxy, type ProxyOptions } from '../support/forward-proxy.js'
import { KeptLog, Receiver } from '../support/hooks.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { canSecure } from '../support/secured.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { ask } from './asking.js'
import { AUDIENCE, ISSUER, KeySetServer, makeSigner, sign } from './issuer.js'

// Real proxies, and servers that are reached by names which only the proxies know.

const ACCOUNT = 'gate%40way:p%3Ass'
const READ = '{ priceTypes { slug } }'
const WRITE = 'mutation { createCourse(input: {}) { __typename } }'

const school: Handler = (request, response) =>
  request.method === 'POST' ? json(response, { id: 7, status: 'draft' }, { status: 201 }) : json(response, [{ slug: 'free', name: 'Free' }])

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const portOf = ({ url }: { readonly url: string }): number => Number(new URL(url).port)

async function start(hosts: Record<string, number>, options: (proxy: ForwardProxy) => TunedOptions, proxyOptions: ProxyOptions = {}) {
  const proxy = await ForwardProxy.start(hosts, proxyOptions)
  closing.push(() => proxy.close())
  const log = new KeptLog()
  const gateway: Served = await serve(merged({ log }, options(proxy)))
  closing.push(() => gateway.close())
  return { proxy, gateway, log, ask: (query = READ, headers = {}) => ask(gateway.url, headers, query) }
}

describe('an http site behind a proxy', () => {
  async function startPlain(account: string, given: string | null = account) {
    const site = await FakeSite.start(school)
    closing.push(() => site.close())
    const network = (proxy: ForwardProxy) => ({ httpProxy: proxy.url(given ?? undefined) })
    const started = await start(
      { 'school.test': portOf(site) },
      (proxy) => ({ site: { url: 'http://school.test/wp-json' }, network: network(proxy), protection: { retries: 0 } }),
      { account },
    )
    return { ...started, site }
  }

  it('is called by whole addresses, with the credentials of the proxy for the proxy alone', async () => {
    const { ask, site, proxy } = await startPlain(ACCOUNT)
    expect((await ask(READ, { authorization: 'Basic YTpi' })).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect((await ask(WRITE, { authorization: 'Basic YTpi' })).data.createCourse.__typename).toBe('CreateCourseSuccess')
    expect(proxy.targets.map((target) => target.split('?')[0])).toEqual([
      'GET http://school.test/wp-json/lms/v2/price-types',
      'POST http://school.test/wp-json/lms/v1/sfwd-courses',
    ])
    expect(new Set(proxy.seen.map(({ headers }) => headers['proxy-authorization']))).toEqual(
      new Set([`Basic ${Buffer.from('gate@way:p:ss').toString('base64')}`]),
    )
    expect(site.requests.map(({ url, headers }) => [url?.split('?')[0], headers.host, headers.authorization])).toEqual([
      ['/wp-json/lms/v2/price-types', 'school.test', 'Basic YTpi'],
      ['/wp-json/lms/v1/sfwd-courses', 'school.test', 'Basic YTpi'],
    ])
    expect(JSON.stringify(site.requests.map(({ rawHeaders }) => rawHeaders))).not.toMatch(/proxy-authorization/i)
  })

  it.each([
    ['without credentials', null],
    ['with wrong ones', 'gateway:wrong'],
  ])('is not reached %s, which the log says', async (_, given) => {
    const { ask, site, proxy, log } = await startPlain(ACCOUNT, given)
    const { errors, text } = await ask()
    expect(errors[0]?.extensions.code).toMatch(/^UPSTREAM_/)
    expect(site.requests).toEqual([])
    expect(proxy.seen.length).toBeGreaterThan(0)
    expect(log.lines.filter(({ msg }) => msg === 'operation')).toHaveLength(1)
    expect(text + JSON.stringify(log.lines)).not.toMatch(/wrong|gateway:|gate%40way/)
  })
})

describe.skipIf(!canSecure)('an https site behind a proxy', () => {
  let authority: Authority
  let certificate: Issued
  beforeAll(() => {
    authority = new Authority()
    certificate = authority.issue('school.test')
  })
  afterAll(() => authority.close())

  async function startSecure(
    options: TunedOptions = {},
    proxyOptions: ProxyOptions = { account: ACCOUNT },
    account = proxyOptions.account,
  ) {
    const site = await SecureSite.start(certificate, school)
    closing.push(() => site.close())
    const started = await start(
      { 'school.test:443': site.port },
      (proxy) =>
        merged(
          {
            site: { url: 'https://school.test/wp-json' },
            network: { httpsProxy: proxy.url(account), ca: authority.pem },
            protection: { retries: 0 },
          },
          options,
        ),
      proxyOptions,
    )
    return { ...started, site }
  }

  it('is called through tunnels, with its certificate verified and the credentials of the proxy for the proxy alone', async () => {
    const { ask, site, proxy } = await startSecure()
    expect((await ask(READ, { authorization: 'Basic YTpi' })).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect((await ask(WRITE, { authorization: 'Basic YTpi' })).data.createCourse.__typename).toBe('CreateCourseSuccess')
    // One connection for both.
    expect(proxy.seen.map(({ target }) => target)).toEqual(['CONNECT school.test:443'])
    expect(proxy.seen[0]?.headers).toMatchObject({ 'proxy-authorization': `Basic ${Buffer.from('gate@way:p:ss').toString('base64')}` })
    expect(proxy.seen[0]?.headers).not.toHaveProperty('authorization')
    expect(site.requests.map(({ method, headers }) => [method, headers.host, headers.authorization])).toEqual([
      ['GET', 'school.test', 'Basic YTpi'],
      ['POST', 'school.test', 'Basic YTpi'],
    ])
    expect(site.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false)
  })

  it('has as many connections as calls at a time, one call each', async () => {
    const { gateway, proxy, site } = await startSecure({ protection: { maxInFlight: 3 } })
    const queries = Array.from({ length: 30 }, (_, at) => `{ course(id: "${at + 1}") { title } }`)
    await Promise.all(queries.map((query) => ask(gateway.url, {}, query)))
    expect(site.requests).toHaveLength(30)
    expect(proxy.seen.length).toBeLessThanOrEqual(3)
  })

  it('is reached through a proxy that speaks TLS itself', async () => {
    const { cert, key } = authority.issue('127.0.0.1')
    const { ask, proxy } = await startSecure({}, { tls: { cert, key } })
    expect((await ask()).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect(proxy.url()).toMatch(/^https:/)
  })

  it('is not reached when the proxy refuses, and the log says why', async () => {
    const { ask, site, log } = await startSecure({}, { account: ACCOUNT }, 'gateway:wrong')
    expect((await ask()).errors[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    expect(site.requests).toEqual([])
    expect(log.lines.find(({ msg }) => msg === 'call failed')).toMatchObject({
      reason: 'UPSTREAM_UNAVAILABLE',
      status: 0,
      cause: 'PROXY_407',
    })
    expect(JSON.stringify(log.lines)).not.toMatch(/wrong/)
  })

  it('is reached again after the proxy was away, closed its connections, or did not reach it', async () => {
    const { ask, proxy, log } = await startSecure({ protection: { retries: 2 }, tuning: { protection: { connectTimeout: 1_000 } } })
    await ask()
    const { port } = proxy
    await proxy.close()
    expect((await ask()).errors[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(log.lines.find(({ msg }) => msg === 'call failed')).toMatchObject({
      cause: expect.stringMatching(/^ECONN(REFUSED|RESET)$|^UND_ERR_SOCKET$/),
    })
    const back = await ForwardProxy.start(proxy.hosts, { account: ACCOUNT }, port)
    closing.push(() => back.close())
    back.refuses = 503
    setTimeout(() => {
      back.refuses = undefined
    }, 100)
    await expect.poll(async () => (await ask()).data).toEqual({ priceTypes: [{ slug: 'free' }] })
  })

  it('ends a call when the proxy does not answer in time', async () => {
    const { proxy, ask } = await startSecure({ tuning: { protection: { connectTimeout: 500 } } })
    proxy.isSilent = true
    const before = Date.now()
    expect((await ask()).errors[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT')
    expect(Date.now() - before).toBeLessThan(5_000)
  })

  it('is not called through the proxy for http, nor without a proxy when `noProxy` does not have it', async () => {
    const { ask, site, proxy, log } = await startSecure({ network: { noProxy: ['ool.test', 'school.test:80', 'www.school.test', ''] } })
    expect((await ask()).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect([site.requests.length, proxy.seen.length]).toEqual([1, 1])
    const direct = await startSecure({ network: { noProxy: ['SCHOOL.test'] } })
    expect((await direct.ask()).errors[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(direct.proxy.seen).toEqual([])
    expect(direct.log.lines.find(({ msg }) => msg === 'call failed')?.cause).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
    expect(log.lines.some(({ msg }) => msg === 'call failed')).toBe(false)
  })

  it('is examined by the doctor, and served by the command, by the variables that other programs have', async () => {
    const { proxy } = await startSecure()
    const env = { https_proxy: proxy.url(ACCOUNT), TRUSTED_CA_FILE: authority.file, LMS_URL: 'https://school.test/wp-json' }
    const { stdout } = await new Command(['doctor'], env).ended
    expect(stdout).toMatch(/^ok +Site +answers 200 in/m)
    expect(stdout).toMatch(/^ok +Encryption +TLSv1\.3, certificate valid for (29|30) days$/m)
    const command = new Command(['--port', '0'], env)
    closing.push(() => command.stop())
    expect((await ask(await command.address())).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect(proxy.targets).toEqual(['CONNECT school.test:443'])
  })

  it('follows a redirect from http through both proxies', async () => {
    const secure = await SecureSite.start(certificate, school)
    closing.push(() => secure.close())
    const plain = await FakeSite.start((request, response) =>
      response.writeHead(301, { location: `https://school.test${request.url}` }).end(),
    )
    closing.push(() => plain.close())
    const { ask, proxy } = await start({ 'school.test': portOf(plain), 'school.test:443': secure.port }, (forward) => ({
      site: { url: 'http://school.test/wp-json' },
      network: { httpProxy: forward.url(), httpsProxy: forward.url(), ca: authority.pem },
    }))
    for (let times = 0; times < 4; times++) expect((await ask()).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect(proxy.seen.map(({ target }) => target.split(' ')[0])).toEqual(['GET', 'CONNECT', 'GET', 'GET'])
    expect(secure.requests).toHaveLength(4)
  })
})

describe('a proxy', () => {
  it('is not used for this machine', async () => {
    const site = await FakeSite.start(school)
    closing.push(() => site.close())
    const { ask, proxy } = await start({}, (forward) => ({
      site: { url: site.url },
      network: { httpProxy: forward.url(), httpsProxy: forward.url() },
    }))
    expect((await ask()).data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect(proxy.seen).toEqual([])
  })

  it('is used for the key set and for the receivers of webhooks', async () => {
    const [site, signer, receiver] = [await FakeSite.start(school), await makeSigner('one'), await Receiver.start()]
    const keySet = await KeySetServer.start([signer])
    for (const each of [site, keySet, receiver]) closing.push(() => each.close())
    const { gateway, proxy } = await start({ 'login.test': portOf(keySet), 'cdn.test': portOf(receiver) }, (forward) => ({
      site: { url: site.url, user: 'gateway', password: 'x' },
      network: { httpProxy: forward.url() },
      access: { jwtJwksUrl: 'http://login.test/keys', jwtIssuer: ISSUER, jwtAudience: AUDIENCE, allowPlainHttp: true },
      hooks: { forward: ['http://cdn.test/purge'], forwardSecret: 'forward-secret-0123456789-0123456789' },
    }))
    const token = await sign(signer, { roles: 'admin' })
    expect((await ask(gateway.url, { authorization: `Bearer ${token}` }, WRITE)).data.createCourse.__typename).toBe('CreateCourseSuccess')
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect(proxy.targets.toSorted()).toEqual(['GET http://login.test/keys', 'POST http://cdn.test/purge'])
  })
})
