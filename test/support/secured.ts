import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether certificates can be made on this machine; required if all tests must run. */
export const canSecure = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (process.env.CI === 'true') throw new Error('openssl is missing: tests of TLS can not run.', { cause: error })
    return false
  }
})()

/** Servers that put a site behind TLS, each with a certificate of its own. */
export class Secured {
  private readonly folder = mkdtempSync(join(tmpdir(), 'secured-'))
  private readonly servers: Server[] = []

  constructor(private readonly site: string) {}

  /** The site behind a valid certificate for the host. */
  async start(days: number, { host = '127.0.0.1', port = 0 } = {}): Promise<{ url: string; certificate: string }> {
    const [key, certificate] = ['key', 'pem'].map((ending) => join(this.folder, `${this.servers.length}.${ending}`)) as [string, string]
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=IP:${host}`]
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      String(days),
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ]
    execFileSync('openssl', made, { stdio: 'ignore' })
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (asked, answer) => {
      const onward = request(`${this.site}${asked.url}`, { method: asked.method, headers: asked.headers }, (reply) => {
        answer.writeHead(reply.statusCode as number, reply.headers)
        reply.pipe(answer)
      })
      asked.pipe(onward)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    this.servers.push(server)
    return { url: `https://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`, certificate }
  }

  /** Closes the servers, and keeps the certificates. */
  stop(): void {
    for (const server of this.servers) {
      server.closeAllConnections()
      server.close()
    }
    this.servers.length = 0
  }

  close(): void {
    this.stop()
    rmSync(this.folder, { recursive: true })
  }
}
