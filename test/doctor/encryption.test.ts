import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Command } from '../support/command.js'
import { canSecure, Secured } from '../support/secured.js'

describe.skipIf(!canSecure)('a site behind TLS', () => {
  let lms: RunningLms
  let sites: Secured

  beforeAll(async () => {
    lms = await startLms()
    sites = new Secured(lms.url)
  })
  afterAll(async () => {
    sites.close()
    await lms.close()
  })

  it.each([
    [90, /^ok +Encryption +TLSv1\.\d, certificate valid for (89|90) days$/m],
    [5, /^warning +Encryption +TLSv1\.\d, certificate valid for [45] days$/m],
  ])('is told with the days its certificate is good for: %d', async (days, line) => {
    const { url, certificate } = await sites.start(days)
    const { code, stdout } = await new Command(['doctor', '--upstream', url], { NODE_EXTRA_CA_CERTS: certificate }).ended
    expect(stdout).toMatch(line)
    expect(stdout).toMatch(/^ok +Namespaces +lms\/v1 and lms\/v2$/m)
    expect(code).toBe(0)
  })

  it('is refused with an unknown certificate', async () => {
    const { url } = await sites.start(90)
    const { code, stdout } = await new Command(['doctor', '--upstream', url]).ended
    expect(stdout).toMatch(/^breaks +Site +its certificate is not trusted/m)
    expect(code).toBe(1)
  })
})
