import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, type JWTPayload } from 'jose'
import { makeSigner, type Signer, sign } from '../server/issuer.js'

/** A person who can sign in, and the claims of their tokens. */
export interface Person {
  readonly password: string
  readonly claims: JWTPayload
}

export interface ProviderOptions {
  /** The audience of the access tokens. */
  readonly audience: string
  /** The id of the page that signs people in, and the address to which it is sent back. */
  readonly client: { readonly id: string; readonly redirect: string }
  /** Who can sign in, by their names. */
  readonly people: Readonly<Record<string, Person>>
}

/** What a page may redeem a code for, until it has done so. */
interface Grant {
  readonly name: string
  readonly challenge: string
}

/**
 * An identity provider on loopback with OpenID Connect: its metadata, its key set, a form to sign in, and access tokens (JWT) for codes with PKCE,
 * as public clients get them.
 */
export class IdentityProvider {
  /** Seconds for which the next tokens are valid. */
  lifetime = 600
  private readonly grants = new Map<string, Grant>()

  private constructor(
    private readonly server: Server,
    private readonly signer: Signer,
    private readonly options: ProviderOptions,
  ) {}

  static async start(options: ProviderOptions): Promise<IdentityProvider> {
    const server = createServer()
    const provider = new IdentityProvider(server, await makeSigner('one'), options)
    server.on('request', (request, response) => {
      provider.answer(request, response).catch(() => response.writeHead(400).end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  /** The issuer, without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** An access token of a person, but for what `claims` and `by` change. */
  token(name: string, claims: JWTPayload = {}, by: Signer = this.signer): Promise<string> {
    const { people, audience } = this.options
    const exp = Math.floor(Date.now() / 1000) + this.lifetime
    return sign(by, { iss: this.url, aud: audience, sub: name, exp, ...people[name]?.claims, ...claims })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url)
    const send = (body: unknown, status = 200): void => {
      const headers = { 'content-type': 'application/json', 'access-control-allow-origin': new URL(this.options.client.redirect).origin }
      response.writeHead(status, headers).end(JSON.stringify(body))
    }
    switch (`${request.method} ${pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return send(this.metadata())
      case 'GET /keys':
        return send({ keys: [{ ...(await exportJWK(this.signer.publicKey)), kid: this.signer.kid, alg: this.signer.alg, use: 'sig' }] })
      case 'GET /authorize':
        return this.showForm(searchParams, response)
      case 'POST /authorize':
        return this.signIn(searchParams, new URLSearchParams(await text(request)), response)
      case 'POST /token':
        return this.redeem(new URLSearchParams(await text(request)), send)
      default:
        response.writeHead(404).end()
    }
  }

  private metadata() {
    const at = (path: string): string => `${this.url}/${path}`
    return {
      issuer: this.url,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      jwks_uri: at('keys'),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: [this.signer.alg],
      subject_types_supported: ['public'],
    }
  }

  private showForm(asked: URLSearchParams, response: ServerResponse): void {
    const { id, redirect } = this.options.client
    const expected = { client_id: id, redirect_uri: redirect, response_type: 'code', code_challenge_method: 'S256' }
    if (Object.entries(expected).some(([name, value]) => asked.get(name) !== value) || !asked.has('code_challenge')) {
      response.writeHead(400).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html><html lang="en"><title>Sign in</title>
<form method="post"><label>Name <input name="name"></label> <label>Password <input name="password" type="password"></label>
<button>Sign in</button></form>`)
  }

  private signIn(asked: URLSearchParams, form: URLSearchParams, response: ServerResponse): void {
    const name = form.get('name') ?? ''
    if (this.options.people[name]?.password !== form.get('password')) {
      response.writeHead(403).end()
      return
    }
    const code = randomBytes(16).toString('base64url')
    this.grants.set(code, { name, challenge: asked.get('code_challenge') ?? '' })
    const back = new URL(this.options.client.redirect)
    back.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '' }))
    response.writeHead(303, { location: back.href }).end()
  }

  /** A code is valid once, for the client that has the secret of its challenge. */
  private async redeem(asked: URLSearchParams, send: (body: unknown, status?: number) => void): Promise<void> {
    const code = asked.get('code') ?? ''
    const grant = this.grants.get(code)
    this.grants.delete(code)
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge) return send({ error: 'invalid_grant' }, 400)
    send({ access_token: await this.token(grant.name), token_type: 'Bearer', expires_in: this.lifetime })
  }
}
