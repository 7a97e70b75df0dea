import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether certificates can be made here; where tests must all run they must. */
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

  /** The site behind a certificate that is good for some days. */
  async start(days: number): Promise<{ url: string; certificate: string }> {
    const [key, certificate] = ['key', 'pem'].map((ending) => join(this.folder, `${this.servers.length}.${ending}`)) as [string, string]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', String(days), '-keyout', key, '-out', certificate, ...subject]
    execFileSync('openssl', made, { stdio: 'ignore' })
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (asked, answer) => {
      const onward = request(`${this.site}${asked.url}`, { method: asked.method, headers: asked.headers }, (reply) => {
        answer.writeHead(reply.statusCode as number, reply.headers)
        reply.pipe(answer)
      })
      asked.pipe(onward)
    })
    this.servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate }
  }

  close(): void {
    for (const server of this.servers) {
      server.closeAllConnections()
      server.close()
    }
    rmSync(this.folder, { recursive: true })
  }
}
