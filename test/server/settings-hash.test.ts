import { expect, it } from 'vitest'
import { type GatewayOptions, startGateway } from '../../src/index.js'

/** The hash in the metrics of a gateway with these options. */
async function hashOf(options: GatewayOptions): Promise<string> {
  const gateway = await startGateway({ ...options, http: { port: 0, ...options.http } })
  try {
    const text = await (await fetch(gateway.metricsUrl ?? `${gateway.url}/metrics`)).text()
    return /^lms_settings_info\{hash="(\w+)"\} 1$/m.exec(text)?.[1] as string
  } finally {
    await gateway.close()
  }
}

it('processes with the same options have the same hash, whatever their ports and secrets are', async () => {
  const site = { url: 'http://127.0.0.1:9' }
  const secret = 'a-secret-of-at-least-32-characters'
  const first = await hashOf({ site, observe: { metrics: true }, hooks: { secret } })
  expect(first).toMatch(/^\w{12}$/)
  expect(await hashOf({ site, observe: { metrics: 0 }, hooks: { secret: `another-${secret}` }, http: { host: '127.0.0.2' } })).toBe(first)
  expect(await hashOf({ site, observe: { metrics: true }, hooks: { secret }, limits: { maxRows: 5 } })).not.toBe(first)
  expect(await hashOf({ site, observe: { metrics: true } })).not.toBe(first)
})
