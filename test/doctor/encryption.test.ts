import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Command } from '../support/command.js'

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasOpenssl)('a site behind TLS', () => {
  let lms: RunningLms
  let folder: string
  const servers: Server[] = []

  beforeAll(async () => {
    lms = await startLms()
    folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  })
  afterAll(async () => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    rmSync(folder, { recursive: true })
    await lms.close()
  })

  /** The LMS behind a certificate of its own that is good for some days. */
  async function secured(days: number): Promise<{ url: string; certificate: string }> {
    const [key, certificate] = [join(folder, `${days}.key`), join(folder, `${days}.pem`)]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', String(days), '-keyout', key, '-out', certificate, ...subject]
    execFileSync('openssl', made, { stdio: 'ignore' })
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (asked, answer) => {
      request(`${lms.url}${asked.url}`, { headers: asked.headers }, (reply) => {
        answer.writeHead(reply.statusCode as number, reply.headers)
        reply.pipe(answer)
      }).end()
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate }
  }

  it.each([
    [90, /^ok +Encryption +TLSv1\.\d, certificate good for (89|90) days$/m],
    [5, /^warning +Encryption +TLSv1\.\d, certificate good for [45] days$/m],
  ])('is told with the days its certificate is good for: %d', async (days, line) => {
    const { url, certificate } = await secured(days)
    const { code, stdout } = await new Command(['doctor', '--upstream', url], { NODE_EXTRA_CA_CERTS: certificate }).ended
    expect(stdout).toMatch(line)
    expect(stdout).toMatch(/^ok +Namespaces +lms\/v1 and lms\/v2$/m)
    expect(code).toBe(0)
  })

  it('is not trusted with a certificate nobody knows', async () => {
    const { url } = await secured(90)
    const { code, stdout } = await new Command(['doctor', '--upstream', url]).ended
    expect(stdout).toMatch(/^breaks +Site +its certificate is not trusted/m)
    expect(code).toBe(1)
  })
})
