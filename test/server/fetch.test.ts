import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { merged } from '../support/merged.js'
import { authorizationOf } from '../support/world.js'

let lms: RunningLms
const gateways: Gateway[] = []
beforeAll(async () => {
  lms = await startLms()
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  await lms.close()
})

function create(options: Partial<GatewayOptions> = {}): Gateway {
  const gateway = createGateway(merged({ site: { url: lms.url } }, options))
  gateways.push(gateway)
  return gateway
}

describe('`fetch`', () => {
  it('keeps callers apart when a host passes the same object with each request', async () => {
    const gateway = create()
    const host = Object.freeze({ port: 4000, state: { requestId: 'of the host' }, res: {} }) as RequestInit
    const query = '{ question(id: 500001) { databaseId } }'
    const ask = async (authorization?: string): Promise<any> => {
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
      const request = new Request('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
      return (await (await gateway.fetch(request, host)).json()).data.question
    }
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index % 2 ? authorizationOf('admin') : undefined)))
    for (const [index, answer] of answers.entries()) expect(answer === null).toBe(index % 2 === 0)
  })

  it('answers at its path, with requests and with addresses', async () => {
    const gateway = create({ http: { path: '/api/lms' } })
    const query = `?query=${encodeURIComponent('{ courses(first: 1) { nodes { databaseId } } }')}`
    expect((await gateway.fetch(`http://localhost/api/lms${query}`)).status).toBe(200)
    expect((await gateway.fetch(new URL(`http://localhost/api/lms${query}`), { method: 'GET' })).status).toBe(200)
    expect((await gateway.fetch(new Request(`http://localhost/api/lms${query}`))).status).toBe(200)
    expect((await gateway.fetch(`http://localhost/graphql${query}`)).status).toBe(404)
    expect((await gateway.fetch('http://localhost/api/lms/health/live')).status).toBe(200)
  })
})
