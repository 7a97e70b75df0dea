import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/gateway.js'
import { merged } from '../support/merged.js'
import { json } from '../support/site.js'
import { Recorded } from './asking.js'
import { AUDIENCE, ISSUER, makeSigner, type Signer, sign } from './issuer.js'

const KEYS = ['first-key-0123456789', 'second-key-0123456789'] as const
const SECRET = 'a shared secret of more than 32 bytes'
const MANY = 6
/** A turn's place; in order of arrival it would be the last. */
const SOON = 3

type Headers = Record<string, string>

/** How many calls of one caller, who asks a lot, the site gets before the only one of another. */
async function placeOfOther(options: Partial<GatewayOptions>, one: Headers, other: Headers): Promise<number> {
  const recorded = await Recorded.start(merged(options, { protection: { maxInFlight: 1 } }))
  const { site } = recorded
  let waiting: ServerResponse | undefined
  site.handler = (_, response) => {
    waiting = response
  }
  const course = (headers: Headers, id: number) => recorded.ask(headers, `{ course(id: ${id}) { id } }`)
  const answers: Promise<unknown>[] = []
  for (let id = 1; id <= MANY; id++) answers.push(course(one, id))
  await expect.poll(() => site.requests.length).toBe(1)
  // The others have come by the time a request that needs no call is answered.
  await recorded.ask(one, '{ __typename }')
  answers.push(course(other, 99))
  await recorded.ask(other, '{ __typename }')
  while (site.requests.length <= MANY) {
    const before = site.requests.length
    json(waiting as ServerResponse, { id: 0 })
    await expect.poll(() => site.requests.length).toBe(before + 1)
  }
  json(waiting as ServerResponse, { id: 0 })
  await Promise.all(answers)
  await recorded.close()
  return site.paths.findIndex((path) => path.includes('/99'))
}

describe('callers take turns', () => {
  const serviceAccount = { user: 'service', password: 'x' }
  let tokens: (sub: string) => Promise<Headers>
  beforeAll(async () => {
    const signer: Signer = { ...(await makeSigner('any', 'ES256')), alg: 'HS256' }
    tokens = async (sub) => ({ authorization: `Bearer ${await sign(signer, { sub }, { key: Buffer.from(SECRET) })}` })
  })

  it('by API key', async () => {
    const options = { site: { ...serviceAccount }, access: { apiKeys: KEYS } }
    const [one, other] = [{ 'x-api-key': KEYS[0] }, { 'x-api-key': KEYS[1] }]
    expect(await placeOfOther(options, one, other)).toBeLessThan(SOON)
    expect(await placeOfOther(options, one, one)).toBeGreaterThan(SOON)
    expect(await placeOfOther(options, one, { authorization: `Bearer ${KEYS[0]}` })).toBeGreaterThan(SOON)
  })

  it('by subject of their tokens', async () => {
    const options = { site: { ...serviceAccount }, access: { jwtKey: SECRET, jwtIssuer: ISSUER, jwtAudience: AUDIENCE } }
    expect(await placeOfOther(options, await tokens('3'), await tokens('4'))).toBeLessThan(SOON)
    expect(await placeOfOther(options, await tokens('3'), await tokens('3'))).toBeGreaterThan(SOON)
  })

  it('by their own credentials, and by key before the site', async () => {
    const one = { authorization: 'Basic YTpi' }
    expect(await placeOfOther({}, one, { authorization: 'Basic YTpj' })).toBeLessThan(SOON)
    expect(await placeOfOther({}, one, {})).toBeLessThan(SOON)
    expect(await placeOfOther({}, one, one)).toBeGreaterThan(SOON)
    const options = { access: { apiKeys: KEYS } }
    expect(await placeOfOther(options, { 'x-api-key': KEYS[0] }, { 'x-api-key': KEYS[1] })).toBeLessThan(SOON)
  })
})
