import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { packageVersion } from '../../src/package-version.js'
import { Command } from '../support/command.js'
import { Receiver } from '../support/hooks.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { create, serve } from '../support/served.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { ask } from './asking.js'
import { AUDIENCE, ISSUER, KeySetServer, makeSigner, sign } from './issuer.js'

// What the servers that the gateway calls are told of the gateway and of its clients.

const AGENT = `lms-graphql/${packageVersion()}`
const READ = '{ priceTypes { slug } }'
const WRITE = 'mutation { createCourse(input: {}) { __typename } }'

const school: Handler = (request, response) =>
  request.method === 'POST' ? json(response, { id: 7, status: 'draft' }, { status: 201 }) : json(response, [{ slug: 'free', name: 'Free' }])

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startSite(): Promise<FakeSite> {
  const site = await FakeSite.start(school)
  closing.push(() => site.close())
  return site
}

it('every call has the name and version of the gateway: to the site, the key set and the receivers of webhooks', async () => {
  const [site, signer, receiver] = [await startSite(), await makeSigner('one'), await Receiver.start()]
  const keySet = await KeySetServer.start([signer])
  for (const each of [keySet, receiver]) closing.push(() => each.close())
  const gateway = await serve({
    site: { url: site.url, user: 'gateway', password: 'x' },
    access: { jwtJwksUrl: keySet.url, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
    hooks: { forward: [receiver.url], forwardSecret: 'forward-secret-0123456789-0123456789' },
  })
  closing.push(() => gateway.close())
  const headers = { authorization: `Bearer ${await sign(signer, { roles: 'admin' })}`, 'user-agent': 'Mozilla/5.0' }
  await ask(gateway.url, headers, READ)
  await ask(gateway.url, headers, WRITE)
  await fetch(`${gateway.url}/health/site`)
  await expect.poll(() => receiver.deliveries.length).toBe(1)
  expect(site.requests.length).toBeGreaterThanOrEqual(3)
  const agents = [...site.requests, ...receiver.deliveries].map((each) => each.headers['user-agent'])
  expect(new Set([...agents, keySet.agent])).toEqual(new Set([AGENT]))
})

it('the doctor has the same name', async () => {
  const site = await startSite()
  await new Command(['doctor', '--upstream', site.url]).ended
  expect(site.requests.length).toBeGreaterThan(3)
  expect(new Set(site.requests.map(({ headers }) => headers['user-agent']))).toEqual(new Set([AGENT]))
})

describe('the address of a client', () => {
  async function start(options: TunedOptions = {}) {
    const site = await startSite()
    const gateway = await serve(merged({ site: { url: site.url, forwardClientAddress: true } }, options))
    closing.push(() => gateway.close())
    const forwarded = (): IncomingHttpHeaders[string][] => site.requests.map(({ headers }) => headers['x-forwarded-for'])
    return { site, forwarded, ask: (headers: Record<string, string> = {}, query = READ) => ask(gateway.url, headers, query) }
  }
  const BEHIND_PROXY = { http: { trustedProxies: ['127.0.0.1'] } }

  it('is not told by default, whatever the client sends', async () => {
    const { ask, forwarded } = await start({ site: { forwardClientAddress: false }, ...BEHIND_PROXY })
    await ask({ 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7' })
    expect(forwarded()).toEqual([undefined])
  })

  it('is told by setting, and is that of the connection, whatever the client sends', async () => {
    const { ask, forwarded } = await start()
    await ask({ 'x-forwarded-for': '198.51.100.7' })
    await ask({}, WRITE)
    expect(forwarded()).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  it('is the one that a trusted proxy has named, also of IPv6', async () => {
    const { ask, forwarded } = await start(BEHIND_PROXY)
    await ask({ 'x-forwarded-for': '203.0.113.9, 198.51.100.7' })
    await ask({ 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' })
    expect(forwarded()).toEqual(['198.51.100.7', '2001:db8:1:2:3:4:5:6'])
  })

  it('goes with the call that an operation makes: others who share the call or its kept answer are not named', async () => {
    const { site, ask, forwarded } = await start({ ...BEHIND_PROXY, cache: { maxAge: 60 } })
    const held: (() => void)[] = []
    site.handler = (request, response) => void held.push(() => school(request, response))
    const first = ask({ 'x-forwarded-for': '198.51.100.1' })
    await expect.poll(() => held.length).toBe(1)
    const second = ask({ 'x-forwarded-for': '198.51.100.2' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    held[0]?.()
    const third = await Promise.all([first, second]).then(() => ask({ 'x-forwarded-for': '198.51.100.3' }))
    expect(third.data).toEqual({ priceTypes: [{ slug: 'free' }] })
    expect(forwarded()).toEqual(['198.51.100.1'])
  })

  it('is not told for calls of nobody, nor where a host has not said it', async () => {
    const { site, ask, forwarded } = await start({ site: { user: 'gateway', password: 'x' }, access: { open: true } })
    const gateway = create({ site: { url: site.url, forwardClientAddress: true } })
    closing.push(() => gateway.close())
    const body = JSON.stringify({ query: READ })
    await gateway.fetch('http://gateway.test/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(forwarded()).toEqual([undefined])
    await ask()
    expect(forwarded()).toEqual([undefined, '127.0.0.1'])
  })

  it('goes with the calls that check its credentials while others wait', async () => {
    const { site, ask } = await start({
      ...BEHIND_PROXY,
      protection: { maxInFlight: 1 },
      site: { preset: 'learndash' },
    })
    // The site takes wrong credentials for none, but for the current user.
    site.handler = (request, response) => {
      if (!request.url?.includes('/users/me')) return void setTimeout(() => school(request, response), 20)
      json(response, { code: 'rest_not_logged_in', message: 'no' }, { status: 401 })
    }
    const read = (at: number, headers: Record<string, string>) => ask(headers, `{ course(id: "${at}") { title } }`)
    const others = Array.from({ length: 80 }, (_, at) => read(at + 1, { 'x-forwarded-for': '198.51.100.7' }))
    await Promise.all([...others, read(100, { authorization: 'Basic YTpi', 'x-forwarded-for': '198.51.100.8' })])
    const checks = (): FakeSite['requests'] => site.requests.filter(({ url }) => url?.includes('/users/me'))
    await expect.poll(() => checks().map(({ headers }) => headers.authorization)).toEqual([undefined, 'Basic YTpi'])
    expect(checks().map(({ headers }) => headers['x-forwarded-for'])).toEqual(['198.51.100.8', '198.51.100.8'])
  })
})
