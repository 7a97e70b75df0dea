import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../hosts/host.js'
import { Command } from '../support/command.js'
import { until } from '../support/hosted.js'
import { FakeSite, json } from '../support/site.js'
import { Front, GATEWAYS, lacks } from './haproxy.js'

// HAProxy with `front.cfg`, a gateway, and a site know a request by one id.

const noHaproxy = lacks('haproxy')
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

describe.skipIf(noHaproxy !== '')(`a request through HAProxy${noHaproxy}`, () => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  async function start(env: Record<string, string> = {}): Promise<{ front: Front; gateway: Command; site: FakeSite }> {
    const site = await FakeSite.start((_, response) => json(response, [{ slug: 'free', name: 'Free' }]))
    closing.push(() => site.close())
    const port = await freePort()
    const gateway = new Command(['--port', `${port}`, '--upstream', site.url, '--trusted-proxies', '127.0.0.1'], { NODE_ENV: 'production' })
    closing.push(() => gateway.stop('SIGKILL'))
    await gateway.address()
    const front = await Front.start(GATEWAYS, { LMS_GATEWAY_1: `127.0.0.1:${port}`, ...env })
    closing.push(() => front.close())
    return { front, gateway, site }
  }

  const ask = (to: Front, id?: string, path = '/graphql', body = '{"query":"{ priceTypes { slug } }"}') =>
    fetch(`${to.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(id !== undefined && { 'x-request-id': id }),
        traceparent: TRACE,
        tracestate: 'vendor=1',
      },
      body,
    })

  it('has one id in the log of HAProxy, in that of the gateway, and at the site, which its client does not choose', async () => {
    const { front, gateway, site } = await start()
    for (const given of [undefined, 'mine']) {
      site.requests.length = 0
      const response = await ask(front, given)
      expect(response.status).toBe(200)
      const id = response.headers.get('x-request-id') ?? ''
      expect(id).toMatch(UUID)
      expect(site.requests.map(({ headers }) => [headers['x-request-id'], headers.traceparent])).toEqual([[id, undefined]])
      await until(() => front.log.includes(id) && gateway.printed.includes(id))
      const [line = ''] = front.log.split('\n').filter((each) => each.includes(id))
      expect(line).toMatch(new RegExp(` gateways/gateway-1 .* 200 .* POST /graphql ${id}$`))
      const lines = gateway.printed.split('\n').filter((each) => each.includes(id))
      expect(lines.map((each) => JSON.parse(each))).toMatchObject([{ msg: 'operation', requestId: id, client: '127.0.0.1', status: 200 }])
    }
  })

  it('keeps the id and the trace of a proxy in front of HAProxy', async () => {
    const { front, gateway, site } = await start({ LMS_FRONT_PROXIES: '127.0.0.1' })
    const response = await ask(front, 'of-the-proxy')
    expect([response.status, response.headers.get('x-request-id')]).toEqual([200, 'of-the-proxy'])
    expect(site.requests[0]?.headers).toMatchObject({ traceparent: TRACE, tracestate: 'vendor=1' })
    await until(() => front.log.includes('POST /graphql of-the-proxy\n') && gateway.printed.includes('"requestId":"of-the-proxy"'))
  })

  it('has an id as well when HAProxy refuses it', async () => {
    const { front } = await start()
    const refused = [await ask(front, 'mine', '/nothing'), await ask(front, 'mine', '/graphql', 'x'.repeat(200_000))]
    expect(refused.map(({ status }) => status)).toEqual([404, 413])
    for (const { headers } of refused) {
      const id = headers.get('x-request-id') ?? ''
      expect(id).toMatch(UUID)
      await until(() => front.log.includes(id))
    }
  })
})
