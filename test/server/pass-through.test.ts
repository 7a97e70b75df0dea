import { afterEach, describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/gateway.js'
import { packageVersion } from '../../src/package-version.js'
import { json } from '../support/site.js'
import { Recorded } from './asking.js'

const KEYS = ['first-key-0123456789', 'second-key-0123456789']
const BASIC = 'Basic bGVhcm5lcjpsZWFybmVyLWRlbW8='

const opened: Recorded[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function start(options: Partial<GatewayOptions> = {}): Promise<Recorded> {
  const recorded = await Recorded.start(options)
  opened.push(recorded)
  return recorded
}

/** What of a caller's the site has got. */
const shown = ({ sent }: Recorded) => ({
  authorization: sent.authorization,
  cookie: sent.cookie,
  nonce: sent['x-wp-nonce'],
  key: sent['x-api-key'],
})

describe('pass-through', () => {
  it("passes each caller's own Authorization to the site, and no other header", async () => {
    const recorded = await start()
    await recorded.ask({ authorization: BASIC, cookie: 'wordpress_a=1', 'x-wp-nonce': 'n', 'x-api-key': 'k', 'x-forwarded-for': '1.2.3.4' })
    expect(shown(recorded)).toEqual({ authorization: BASIC })
    expect(Object.keys(recorded.sent).sort()).toEqual(['accept', 'authorization', 'connection', 'host', 'user-agent', 'x-request-id'])
    await recorded.ask()
    expect(Object.keys(recorded.sent).sort()).toEqual(['accept', 'connection', 'host', 'user-agent', 'x-request-id'])
    await recorded.ask({ authorization: 'Bearer of-the-site', 'user-agent': 'curl/8' })
    expect(shown(recorded)).toEqual({ authorization: 'Bearer of-the-site' })
    // The gateway names itself, not the client.
    expect(recorded.sent['user-agent']).toBe(`lms-graphql/${packageVersion()}`)
  })

  it('shares calls in flight between equal credentials only', async () => {
    const recorded = await start({ cache: { maxAge: 60 } })
    const { site } = recorded
    const held: (() => void)[] = []
    site.handler = ({ headers }, response) => {
      held.push(() => json(response, [{ slug: headers.authorization ?? 'nobody' }]))
    }
    const callers = ['Basic YTpi', 'Basic YTpi', 'Basic YTpj', 'basic YTpi', undefined]
    const answers = Promise.all(callers.map((authorization) => recorded.ask(authorization === undefined ? {} : { authorization })))
    await expect.poll(() => held.length).toBe(4)
    for (const answer of held) answer()
    expect((await answers).map(({ data }) => data.priceTypes[0].slug)).toEqual(callers.map((each) => each ?? 'nobody'))
    expect(site.requests).toHaveLength(4)
  })

  it('keeps nothing for the next operation or caller', async () => {
    const recorded = await start()
    let count = 0
    recorded.site.handler = (_, response) => json(response, [{ slug: `answer-${++count}` }])
    for (const headers of [{ authorization: BASIC }, { authorization: BASIC }, {}]) {
      const { data } = await recorded.ask(headers as Record<string, string>)
      expect(data.priceTypes[0].slug).toBe(`answer-${count}`)
    }
    expect(count).toBe(3)
  })
})

describe('forwarded cookies', () => {
  const COOKIE = 'theme=dark; wordpress_logged_in_1a=me%7C1; wp-settings=1; wordpress_sec_1a="x; y=1; not_wordpress_a=1'

  it('are those of the site, and only together with a nonce', async () => {
    const recorded = await start({ site: { forwardCookie: true } })
    const sent = async (headers: Record<string, string>) => {
      await recorded.ask(headers)
      return shown(recorded)
    }
    const wanted = { cookie: 'wordpress_logged_in_1a=me%7C1; wordpress_sec_1a="x', nonce: 'abc123' }
    expect(await sent({ cookie: COOKIE, 'x-wp-nonce': 'abc123' })).toEqual(wanted)
    expect(await sent({ cookie: COOKIE, 'x-wp-nonce': 'abc123', authorization: BASIC })).toEqual({ ...wanted, authorization: BASIC })
    expect(await sent({ cookie: COOKIE })).toEqual({})
    expect(await sent({ 'x-wp-nonce': 'abc123' })).toEqual({})
    expect(await sent({ cookie: COOKIE, 'x-wp-nonce': '' })).toEqual({})
    expect(await sent({ cookie: 'theme=dark; xwordpress_a=1', 'x-wp-nonce': 'abc123' })).toEqual({})
  })

  it('distinguish callers in flight', async () => {
    const recorded = await start({ site: { forwardCookie: true }, cache: { maxAge: 60 } })
    recorded.site.handler = ({ headers }, response) => {
      setTimeout(() => json(response, [{ slug: String(headers.cookie) }]), 50)
    }
    const callers = ['wordpress_a=1', 'wordpress_a=2', 'wordpress_a=1']
    const answers = await Promise.all(callers.map((cookie) => recorded.ask({ cookie, 'x-wp-nonce': 'n' })))
    expect(answers.map(({ data }) => data.priceTypes[0].slug)).toEqual(callers)
    expect(recorded.site.requests).toHaveLength(2)
  })

  it('cannot be used with a service account', () => {
    const serviceAccount = { user: 'a', password: 'b' }
    expect(() =>
      createGateway({ site: { url: 'http://127.0.0.1:9', ...serviceAccount, forwardCookie: true }, access: { open: true } }),
    ).toThrow('`site.forwardCookie` cannot be used with `site.user`')
  })
})

describe('API keys before the site', () => {
  it('authenticate callers, who keep their own credentials for the site', async () => {
    const recorded = await start({ access: { apiKeys: KEYS } })
    for (const key of KEYS) {
      expect((await recorded.ask({ 'x-api-key': key, authorization: BASIC })).status).toBe(200)
      expect(shown(recorded)).toEqual({ authorization: BASIC })
    }
    expect((await recorded.ask({ 'x-api-key': KEYS[0]! })).status).toBe(200)
    expect(shown(recorded)).toEqual({})
  })

  it.each([
    ['no key', {}, 'This gateway requires an API key in `X-API-Key`.'],
    ['a wrong one', { 'x-api-key': 'third-key-0123456789' }, 'The API key is not valid.'],
    ['an empty one', { 'x-api-key': '' }, 'The API key is not valid.'],
    ['part of one', { 'x-api-key': 'first-key-012345678' }, 'The API key is not valid.'],
    ['two at once', { 'x-api-key': KEYS.join(', ') }, 'The API key is not valid.'],
    ["one where the site's credentials go", { authorization: `Bearer ${KEYS[0]}` }, 'This gateway requires an API key in `X-API-Key`.'],
  ] as [string, Record<string, string>, string][])('refuse %s before anything is asked', async (_, headers, message) => {
    const recorded = await start({ access: { apiKeys: KEYS } })
    const answer = await recorded.ask({ authorization: BASIC, ...headers })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'ApiKey'])
    expect(JSON.parse(answer.text)).toEqual({ errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(recorded.site.requests).toEqual([])
  })

  it('are optional for open gateways, but must be valid', async () => {
    const recorded = await start({ access: { apiKeys: KEYS, open: true } })
    expect((await recorded.ask({ authorization: BASIC })).status).toBe(200)
    expect((await recorded.ask({ 'x-api-key': 'third-key-0123456789' })).status).toBe(401)
  })

  it('are sent without their names, of which two keys may have the same', async () => {
    const recorded = await start({ access: { apiKeys: [`shop:${KEYS[0]}`, `shop:${KEYS[1]}`, '9:third-key-0123456789'] } })
    const statusOf = async (key: string): Promise<number> => (await recorded.ask({ 'x-api-key': key })).status
    expect(await Promise.all([...KEYS, '9:third-key-0123456789'].map(statusOf))).toEqual([200, 200, 200])
    expect(await Promise.all([`shop:${KEYS[0]}`, 'shop', 'third-key-0123456789'].map(statusOf))).toEqual([401, 401, 401])
  })

  it('have a minimum length', () => {
    expect(() => createGateway({ site: { url: 'http://127.0.0.1:9' }, access: { apiKeys: ['short'] } })).toThrow(
      'at least 16 printable characters',
    )
  })
})
