import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export const ISSUER = 'https://login.example.org/'
export const AUDIENCE = 'lms-gateway'

/** A key pair and what it is called. */
export interface Signer extends GenerateKeyPairResult {
  readonly kid: string
  readonly alg: string
  readonly pem: string
}

export async function makeSigner(kid: string, alg = 'RS256'): Promise<Signer> {
  const pair = await generateKeyPair(alg, { extractable: true })
  return { ...pair, kid, alg, pem: await exportSPKI(pair.publicKey) }
}

export interface Signing {
  readonly header?: Record<string, unknown>
  readonly key?: CryptoKey | Uint8Array
}

/** A good token for the gateway of these tests, but for what `claims` and `signing` change. */
export function sign({ kid, alg, privateKey }: Signer, claims: JWTPayload = {}, { header = {}, key = privateKey }: Signing = {}) {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: '3', iat: now, exp: now + 600, ...claims }
  const defined = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined))
  return new SignJWT(defined).setProtectedHeader({ alg, kid, ...header }).sign(key)
}

/** A real server with a key set. */
export class KeySetServer {
  /** Times the key set was asked for. */
  asked = 0
  /** How the last one who asked named itself. */
  agent: string | undefined
  /** Answers something else instead. */
  broken: { readonly status: number; readonly body: string } | undefined
  private constructor(
    private readonly server: Server,
    public signers: readonly Signer[],
  ) {}

  static async start(signers: readonly Signer[], port = 0): Promise<KeySetServer> {
    const server = createServer()
    const keySet = new KeySetServer(server, signers)
    server.on('request', async ({ headers }, response) => {
      keySet.agent = headers['user-agent']
      keySet.asked++
      const { status, body } = keySet.broken ?? { status: 200, body: await keySet.body() }
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return keySet
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`
  }

  private async body(): Promise<string> {
    const keys = this.signers.map(async ({ publicKey, kid, alg }) => ({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }))
    return JSON.stringify({ keys: await Promise.all(keys) })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }
}
