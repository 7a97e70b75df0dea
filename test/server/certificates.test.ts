import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Authority, type Issued, SecureSite } from '../support/authority.js'
import { Command } from '../support/command.js'
import { KeptLog } from '../support/hooks.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { canSecure } from '../support/secured.js'
import { serve } from '../support/served.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { ask } from './asking.js'
import { AUDIENCE, ISSUER, makeSigner, sign } from './issuer.js'

// Real servers with certificates of authorities that only the tests know.

const KEY = '0123456789abcdef-0123456789'
const READ = '{ priceTypes { slug } }'
const WRITE = 'mutation { createCourse(input: {}) { __typename } }'
const FREE = { priceTypes: [{ slug: 'free' }] }

const school: Handler = (request, response) =>
  request.method === 'POST' ? json(response, { id: 7, status: 'draft' }, { status: 201 }) : json(response, [{ slug: 'free', name: 'Free' }])

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describe.skipIf(!canSecure)('with certificates of its own network', () => {
  let authority: Authority
  let other: Authority
  let local: Issued
  let gatewayCertificate: Issued
  beforeAll(() => {
    authority = new Authority()
    other = new Authority('another authority')
    local = authority.issue('127.0.0.1')
    gatewayCertificate = authority.issue('gateway.school.test')
  })
  afterAll(() => {
    authority.close()
    other.close()
  })

  async function startSite(issued = local, options: Parameters<typeof SecureSite.start>[2] = {}): Promise<SecureSite> {
    const site = await SecureSite.start(issued, school, options)
    closing.push(() => site.close())
    return site
  }

  async function start(site: Pick<SecureSite, 'port'>, options: TunedOptions = {}) {
    const log = new KeptLog()
    const url = `https://127.0.0.1:${site.port}/wp-json`
    const gateway = await serve(merged({ site: { url }, log, protection: { retries: 0 } }, options))
    closing.push(() => gateway.close())
    const cause = (): unknown => log.lines.find(({ msg }) => msg === 'call failed')?.cause
    return { gateway, log, cause, ask: (query = READ, headers: Record<string, string> = {}) => ask(gateway.url, headers, query) }
  }

  const identity = (): TunedOptions['network'] => ({ clientCert: gatewayCertificate.cert, clientKey: gatewayCertificate.key })

  it('the gateway reaches a site whose authority is named, and no other; the log says why', async () => {
    const site = await startSite()
    const unknown = await start(site)
    expect((await unknown.ask()).errors[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(unknown.cause()).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    const wrong = await start(site, { network: { ca: other.pem } })
    expect((await wrong.ask()).errors[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(site.requests).toEqual([])
    const both = await start(site, { network: { ca: `${other.pem}${authority.pem}` } })
    expect((await both.ask()).data).toEqual(FREE)
  })

  it('the authorities that Node.js knows are accepted as before', async () => {
    // Those of `NODE_EXTRA_CA_CERTS` only where Node.js tells them.
    const site = await startSite()
    const env = { NODE_EXTRA_CA_CERTS: authority.file, TRUSTED_CA_FILE: other.file }
    const command = new Command(['--port', '0', '--upstream', `https://127.0.0.1:${site.port}`], env)
    closing.push(() => command.stop())
    const knowsExtra = 'getCACertificates' in (await import('node:tls'))
    expect((await ask(await command.address(), {}, READ)).data).toEqual(knowsExtra ? FREE : { priceTypes: null })
  })

  it('a site that demands a certificate knows the gateway by it, for reads and writes', async () => {
    const site = await startSite(local, { clientCa: authority.pem })
    const stranger = await start(site, { network: { ca: authority.pem } })
    expect((await stranger.ask()).errors[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(stranger.cause()).toMatch(/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ERR_SSL_\w+)$/)
    const known = await start(site, { network: { ca: authority.pem, ...identity() } })
    expect((await known.ask()).data).toEqual(FREE)
    expect((await known.ask(WRITE, { authorization: 'Basic YTpi' })).data.createCourse.__typename).toBe('CreateCourseSuccess')
    expect(site.clients).toEqual(['gateway.school.test', 'gateway.school.test'])
  })

  it('no other server gets that certificate', async () => {
    const asks = { clientCa: authority.pem, isOptional: true }
    const [site, receiver, keySet, signer] = [
      await startSite(local, asks),
      await startSite(local, asks),
      await startSite(local, asks),
      await makeSigner('one'),
    ]
    const { ask } = await start(site, {
      network: { ca: authority.pem, ...identity() },
      site: { user: 'gateway', password: 'x' },
      access: { jwtJwksUrl: `https://127.0.0.1:${keySet.port}/keys`, jwtIssuer: ISSUER, jwtAudience: AUDIENCE, open: true, apiKeys: [KEY] },
      hooks: { forward: [`https://127.0.0.1:${receiver.port}/purge`], forwardSecret: 'forward-secret-0123456789-0123456789' },
    })
    expect((await ask(WRITE, { 'x-api-key': KEY })).data.createCourse.__typename).toBe('CreateCourseSuccess')
    expect((await ask(READ, { authorization: `Bearer ${await sign(signer)}` })).status).toBe(503)
    await expect.poll(() => Math.min(keySet.clients.length, receiver.clients.length)).toBeGreaterThan(0)
    expect(site.clients).toEqual(['gateway.school.test'])
    expect(new Set([...keySet.clients, ...receiver.clients])).toEqual(new Set([undefined]))
  })

  it('a redirect from http to https leads to a server that knows the gateway', async () => {
    const secure = await startSite(local, { clientCa: authority.pem })
    const plain = await FakeSite.start((request, response) =>
      response.writeHead(301, { location: `https://127.0.0.1:${secure.port}${request.url}` }).end(),
    )
    closing.push(() => plain.close())
    const { ask } = await start(secure, { site: { url: plain.url }, network: { ca: authority.pem, ...identity() } })
    expect((await ask()).data).toEqual(FREE)
    expect(secure.clients).toEqual(['gateway.school.test'])
  })

  it('a site that had a certificate with another name is reached once it has the right one', async () => {
    const wrong = await startSite(authority.issue('www.school.test'))
    const { port } = wrong
    const { ask, cause } = await start(wrong, { network: { ca: authority.pem } })
    for (let times = 0; times < 3; times++) expect((await ask()).errors[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(cause()).toBe('CERT_ALTNAME_INVALID')
    await wrong.close()
    await startSite(local, { port })
    await expect.poll(async () => (await ask()).data).toEqual(FREE)
  })

  it('a reload reads the files again, and keeps what it has when one is wrong', async () => {
    const site = await startSite(local, { clientCa: authority.pem })
    const [ca, cert, key] = ['used-ca.pem', 'used-cert.pem', 'used-key.pem'].map((name) => authority.path(name)) as [string, string, string]
    copyFileSync(other.file, ca)
    copyFileSync(gatewayCertificate.certFile, cert)
    copyFileSync(gatewayCertificate.keyFile, key)
    // The flags of the documentation, with other files.
    const names = readFileSync(new URL('../../docs/networks.md', import.meta.url), 'utf8').match(/--[\w-]+-file(?= \/)/g) ?? []
    expect(names).toHaveLength(3)
    const flags = names.flatMap((name, at) => [name, [ca, cert, key][at] as string])
    const command = new Command(['--port', '0', '--log-format', 'json', '--upstream', `https://127.0.0.1:${site.port}`, ...flags])
    closing.push(() => command.stop())
    const address = await command.address()
    const data = async (): Promise<unknown> => (await ask(address, {}, READ)).data
    expect(await data()).toEqual({ priceTypes: null })

    const reload = async (told: string): Promise<void> => {
      const length = command.printed.length
      command.child.kill('SIGHUP')
      await expect.poll(() => command.printed.slice(length)).toContain(told)
    }
    writeFileSync(ca, authority.pem)
    await reload('the settings were reloaded')
    expect(await data()).toEqual(FREE)

    // A certificate of another key, an empty file, and no file.
    copyFileSync(authority.issue('gateway2.school.test').keyFile, key)
    await reload('`--lms-client-cert-file` has no certificate of `--lms-client-key-file`')
    expect(await data()).toEqual(FREE)
    writeFileSync(ca, '')
    await reload(`The file \`${ca}\` that \`--trusted-ca-file\` names is empty.`)
    rmSync(ca)
    await reload(`The file \`${ca}\` that \`--trusted-ca-file\` names does not exist.`)
    expect(await data()).toEqual(FREE)

    writeFileSync(ca, authority.pem)
    copyFileSync(authority.path('gateway2.school.test.pem'), cert)
    await reload('the settings were reloaded')
    expect(await data()).toEqual(FREE)
    expect([...new Set(site.clients)]).toEqual(['gateway.school.test', 'gateway2.school.test'])
    expect(command.printed).not.toContain('PRIVATE')
  })
})
