import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { type Handler, json } from './site.js'

/** A certificate with its key: their texts, and the files that have them. */
export interface Issued {
  readonly cert: string
  readonly key: string
  readonly certFile: string
  readonly keyFile: string
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** An authority of the test's own. Needs `canSecure`. */
export class Authority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'authority-'))
  readonly file = this.path('ca.pem')
  private readonly keyFile = this.path('ca.key')

  constructor(name = 'an authority of tests') {
    this.openssl(['req', '-x509', ...EC, '-days', '30', '-subj', `/CN=${name}`, '-keyout', this.keyFile, '-out', this.file])
  }

  /** The certificate of the authority. */
  get pem(): string {
    return readFileSync(this.file, 'utf8')
  }

  /** A certificate for a host, or for a client of this name. */
  issue(name: string): Issued {
    const [certFile, keyFile, request, names] = ['pem', 'key', 'csr', 'txt'].map((ending) => this.path(`${name}.${ending}`)) as [
      string,
      string,
      string,
      string,
    ]
    writeFileSync(names, `subjectAltName=${/^[\d.]+$/.test(name) ? 'IP' : 'DNS'}:${name}`)
    this.openssl(['req', '-new', ...EC, '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', request])
    const by = ['-CA', this.file, '-CAkey', this.keyFile, '-CAcreateserial']
    this.openssl(['x509', '-req', '-in', request, ...by, '-days', '30', '-extfile', names, '-out', certFile])
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), certFile, keyFile }
  }

  /** A file in the folder of the authority. */
  path(name: string): string {
    return join(this.folder, name)
  }

  close(): void {
    rmSync(this.folder, { recursive: true })
  }

  private openssl(args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: 'ignore' })
  }
}

export interface SecureOptions {
  /** The authority of the clients: the site refuses those that have no certificate of it. */
  readonly clientCa?: string
  /** Whether it only asks for a certificate. */
  readonly isOptional?: boolean
  readonly port?: number
}

/** A site over TLS. */
export class SecureSite {
  /** The names in the certificates of clients, one for each request; undefined for none. */
  readonly clients: (string | undefined)[] = []
  readonly requests: IncomingMessage[] = []

  private constructor(private readonly server: Server) {}

  static async start(
    { cert, key }: Issued,
    handler: Handler = (_, response) => json(response, []),
    { clientCa, isOptional = false, port = 0 }: SecureOptions = {},
  ): Promise<SecureSite> {
    const server = createServer({
      cert,
      key,
      ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: !isOptional }),
    })
    const site = new SecureSite(server)
    server.on('request', (request, response) => {
      site.requests.push(request)
      site.clients.push((request.socket as TLSSocket).getPeerCertificate()?.subject?.CN as string | undefined)
      handler(request, response)
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return site
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  close(): Promise<void> {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}
