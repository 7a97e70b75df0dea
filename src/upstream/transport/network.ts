import type { Socket } from 'node:net'
import tls, { createSecureContext, type SecureContext } from 'node:tls'
import { isLoopback, proxyUrl } from '../../options/addresses.js'
import { certificatesIn, privateKeyIn } from '../../options/network.js'
import type { Options } from '../../options/table.js'
import { basic } from '../credentials.js'
import { type Answered, Exchange, type Failed } from './exchange.js'
import {
  buildConnector,
  type Client,
  type Connection,
  type ConnectionSettings,
  type Connector,
  type Dispatcher,
  openConnection,
} from './undici.js'

type Headers = Readonly<Record<string, string>>

/** How to open connections to one origin. */
export interface Route {
  readonly origin: string
  readonly connect: Connector
  /** Headers for a proxy that forwards http requests, which have absolute URLs. Undefined without one. */
  readonly proxyHeaders?: Headers
}

export interface RouteOptions {
  /** Timeout of connecting, and of the answer of a proxy, in milliseconds. */
  readonly connectTimeout: number
  /** Whether the server is the site, which gets the client certificate. */
  readonly isSite?: boolean
  /** Whether the certificate of the server is verified even with `NODE_TLS_REJECT_UNAUTHORIZED=0`. */
  readonly isVerified?: boolean
}

/** Connects to other servers by the options of the network: through proxies, with trusted authorities, and with a certificate for the site. */
export class Network {
  /** The trusted CA certificates. Undefined when only those of Node.js are trusted. */
  readonly trust: SecureContext | undefined
  private readonly identity: SecureContext | undefined

  constructor(private readonly options: Partial<Options['network']> = {}) {
    const { ca, clientCert, clientKey } = options
    const authorities = ca === undefined ? {} : { ca: [...knownAuthorities(), ...certificatesIn(ca).map(String)] }
    this.trust = ca === undefined ? undefined : createSecureContext(authorities)
    if (clientCert === undefined || clientKey === undefined) return
    const key = privateKeyIn(clientKey.reveal()).export({ type: 'pkcs8', format: 'pem' })
    this.identity = createSecureContext({ ...authorities, cert: certificatesIn(clientCert).join('\n'), key })
  }

  /** Returns how to open connections to an origin: directly or through a proxy. */
  route(origin: string, { connectTimeout: timeout, isSite = false, isVerified = false }: RouteOptions): Route {
    const secureContext = isSite ? (this.identity ?? this.trust) : this.trust
    const connect = connectorOf({ timeout, secureContext, ...(isVerified && { rejectUnauthorized: true }) })
    const proxy = this.proxyFor(new URL(origin))
    if (!proxy) return { origin, connect }
    const [user, password] = [proxy.username, proxy.password].map(decodeURIComponent) as [string, string]
    const proxyHeaders: Headers = user + password === '' ? {} : { 'proxy-authorization': basic(user, password) }
    const connector = connectorOf({ timeout, secureContext: this.trust })
    // undici passes the target of the request, but this connection is to the proxy.
    const connectProxy: Connector = (_, callback) => connector(targetOf(proxy), callback)
    if (!origin.startsWith('https:')) return { origin, connect: connectProxy, proxyHeaders }
    const openProxy = (): Client => openConnection(proxy.origin, { connect: connectProxy, headersTimeout: timeout })
    return { origin, connect: tunnel(openProxy, proxyHeaders, connect) }
  }

  private proxyFor(target: URL): URL | undefined {
    const { httpProxy, httpsProxy, noProxy = [] } = this.options
    const proxy = target.protocol === 'https:' ? httpsProxy : httpProxy
    const isDirect = proxy === undefined || isLoopback(target.href) || noProxy.some((entry) => isCovered(target, entry))
    return isDirect ? undefined : new URL(proxyUrl(proxy.reveal()))
  }
}

/** The options of a connector for a URL. */
export const targetOf = ({ host, hostname, protocol, port }: URL) => ({ host, hostname: hostname.replace(/^\[|\]$/g, ''), protocol, port })

/** Creates a client with one connection to the origin of a route. */
export function connectionBy({ origin, connect, proxyHeaders }: Route, settings: ConnectionSettings): Connection {
  const client = openConnection(origin, { ...settings, connect })
  if (!proxyHeaders) return client
  return {
    dispatch: ({ path, headers, ...call }, handler) =>
      client.dispatch({ ...call, path: origin + path, headers: { ...(headers as Headers), ...proxyHeaders } }, handler),
    close: () => client.close(),
    destroy: () => client.destroy(),
  }
}

/** Makes one request over a connection of its own. Never rejects: a timeout and an aborted `signal` are failures too. */
export function callOnce(
  network: Network,
  { origin, pathname, search }: URL,
  call: Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'>,
  { maxBytes, timeout, signal }: { readonly maxBytes: number; readonly timeout: number; readonly signal?: AbortSignal },
): Promise<Answered | Failed> {
  const connection = connectionBy(network.route(origin, { connectTimeout: timeout }), {})
  return new Promise((resolve) => {
    const end = (outcome: Answered | Failed): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      void connection.destroy()
      resolve(outcome)
    }
    const abort = (): void =>
      end({ error: Object.assign(new Error('No answer.'), { code: 'timeout' }), status: 0, bytes: 0, isTooLarge: false })
    const timer = setTimeout(abort, timeout)
    signal?.addEventListener('abort', abort)
    const exchange = new Exchange(maxBytes, { answering: () => {}, answered: end, failed: end })
    if (signal?.aborted) abort()
    else connection.dispatch({ ...call, path: pathname + search }, exchange)
  })
}

/** The authorities that Node.js trusts. Before version 22.15, those of `NODE_EXTRA_CA_CERTS` are missing. */
const knownAuthorities = (): readonly string[] =>
  (tls as { readonly getCACertificates?: (kind: 'default') => string[] }).getCACertificates?.('default') ?? tls.rootCertificates

/** Whether an entry of `NO_PROXY` covers an address: a host with its subdomains and an optional port, or `*`. */
function isCovered({ protocol, hostname, port }: URL, entry: string): boolean {
  // IPv6 addresses may have no brackets, as other programs accept them.
  const asIPv6 = `http://[${entry}]`
  const name = URL.canParse(asIPv6) ? new URL(asIPv6).hostname : entry.toLowerCase()
  const [, host = '', only] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(name) ?? []
  if (host === '*') return true
  const isPort = only === undefined || only === (port || (protocol === 'https:' ? '443' : '80'))
  return isPort && host !== '' && (hostname === host || hostname.endsWith(`.${host}`))
}

/** Opens a tunnel through a proxy by CONNECT, and TLS in the tunnel. */
const tunnel =
  (openProxy: () => Client, proxyHeaders: Headers, secure: Connector): Connector =>
  (target, callback) => {
    const path = target.port ? `${target.host}` : `${target.host}:443`
    const opened = ({ statusCode, socket }: Dispatcher.ConnectData): void => {
      if (statusCode >= 200 && statusCode < 300) return void secure({ ...target, httpSocket: socket as Socket }, callback)
      socket.destroy()
      callback(Object.assign(new Error(`The proxy answered ${statusCode}.`), { code: `PROXY_${statusCode}` }), null)
    }
    const failed = (error: Error): void => callback(plainError(error), null)
    openProxy()
      .connect({ path, headers: { host: path, ...proxyHeaders } })
      .then(opened, failed)
  }

/** Codes that undici handles like errors of its own: it reconnects without a pause, or never. Their replacements. */
const PLAIN_CODES: Readonly<Record<string, string>> = { UND_ERR_SOCKET: 'ECONNRESET', ERR_TLS_CERT_ALTNAME_INVALID: 'CERT_ALTNAME_INVALID' }

const plainError = (error: NodeJS.ErrnoException): Error => {
  const code = PLAIN_CODES[error.code ?? '']
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code })
}

/** A connector whose errors do not have these codes. */
function connectorOf(options: Parameters<typeof buildConnector>[0]): Connector {
  const connector = buildConnector(options)
  return (target, callback) =>
    connector(target, (...outcome) => (outcome[0] ? callback(plainError(outcome[0]), null) : callback(...outcome)))
}
