import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { TLSSocket } from 'node:tls'
import { USER_AGENT } from '../upstream/call-scope.js'
import { type Network, targetOf } from '../upstream/transport/network.js'

/** An unprocessed answer, or the reason why there is none. Requested without credentials; redirects are not followed. */
export interface Knock {
  readonly url: string
  /** 0 without an answer. */
  readonly status: number
  readonly body: Buffer
  readonly location: string | null
  /** REST root in a `Link` header, as front pages of WordPress send it. */
  readonly restRoot: string | null
  readonly duration: number
  readonly protocol: string | null
  /** When the certificate expires, if there is one. */
  readonly expires: Date | null
  /** Error code, such as `ECONNREFUSED`. */
  readonly failure: string | null
}

const MAX_BYTES = 2_000_000

/** Requests a URL once. */
export function knock(url: string, timeout: number, network: Network): Promise<Knock> {
  const startedAt = performance.now()
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const empty = { url, status: 0, body: Buffer.alloc(0), location: null, restRoot: null, protocol: null, expires: null }
  return new Promise((resolve) => {
    const target = new URL(url)
    const { origin, pathname, search } = target
    const { connect, proxyHeaders } = network.route(origin, { connectTimeout: timeout, isSite: true })
    const request = send(url, {
      createConnection: (_, opened) => void connect(targetOf(target), (error, socket) => opened(error, socket as Socket)),
      path: `${proxyHeaders ? origin : ''}${pathname}${search}`,
      headers: { accept: 'application/json', 'user-agent': USER_AGENT, ...proxyHeaders },
      signal: AbortSignal.timeout(timeout),
    })
    request.once('error', (error: NodeJS.ErrnoException) =>
      resolve({
        ...empty,
        duration: performance.now() - startedAt,
        failure: error.name === 'TimeoutError' || error.name === 'AbortError' ? 'ETIMEDOUT' : (error.code ?? error.message),
      }),
    )
    request.once('response', (answer) => {
      const certificate = certificateOf(answer)
      readBody(answer).then(
        (body) =>
          resolve({
            url,
            status: answer.statusCode ?? 0,
            body,
            location: answer.headers.location ?? null,
            restRoot: restRootIn(answer.headers.link),
            duration: performance.now() - startedAt,
            failure: null,
            ...certificate,
          }),
        (error: NodeJS.ErrnoException) =>
          resolve({ ...empty, duration: performance.now() - startedAt, failure: error.code ?? error.message }),
      )
    })
    request.end()
  })
}

function restRootIn(link: string | string[] | undefined): string | null {
  const links = typeof link === 'string' ? link.split(',') : (link ?? [])
  return links.map((link) => /<([^>]*)>\s*;[^<]*rel="?https:\/\/api\.w\.org\/"?/.exec(link)?.[1]).find((url) => url !== undefined) ?? null
}

async function readBody(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function certificateOf({ socket }: IncomingMessage): Pick<Knock, 'protocol' | 'expires'> {
  if (!('getPeerCertificate' in socket)) return { protocol: null, expires: null }
  const secure = socket as TLSSocket
  const { valid_to } = secure.getPeerCertificate()
  return { protocol: secure.getProtocol(), expires: valid_to ? new Date(valid_to) : null }
}
