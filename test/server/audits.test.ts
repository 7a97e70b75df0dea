import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { type Served, serve } from '../support/served.js'

// What GraphQL over HTTP demands, recommends and allows, by the audits of graphql-http.

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms()
})
afterAll(() => lms.close())

describe.each([
  ['the short path', true],
  ['the path of Yoga', false],
] as const)('on %s', (_, shortPath) => {
  let gateway: Served
  beforeAll(async () => {
    gateway = await serve({ site: { url: lms.url }, tuning: { shortPath } })
  })
  afterAll(() => gateway.close())

  const audits = serverAudits({ url: () => `${gateway.url}/graphql` })

  it('there are audits of all three kinds', () => {
    const kinds = audits.map(({ name }) => name.split(' ')[0])
    expect(new Set(kinds)).toEqual(new Set(['MUST', 'SHOULD', 'MAY']))
    expect(kinds.length).toBeGreaterThan(60)
  })

  it.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))('%s', async (_, audit) => {
    const result = await audit.fn()
    expect([result.status, 'reason' in result ? result.reason : undefined]).toEqual(['ok', undefined])
  })
})
