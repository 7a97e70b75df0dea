import type { Socket } from 'node:net'
import tls, { createSecureContext, type SecureContext } from 'node:tls'
import { isLoopback, proxyUrl } from '../../options/addresses.js'
import { certificatesIn, privateKeyIn } from '../../options/network.js'
import type { Options } from '../../options/table.js'
import { basic } from '../credentials.js'
import { buildConnector, type Connection, type Connector, openConnection } from './undici.js'

type Headers = Readonly<Record<string, string>>

/** How the connections to one origin are opened. */
export interface Route {
  readonly origin: string
  readonly connect: Connector
  /** A proxy that receives the requests themselves, as for http, needs whole addresses and has headers of its own. */
  readonly proxied: { readonly headers: Headers } | undefined
}

export interface RouteOptions {
  /** Milliseconds in which a connection has to be opened, and a proxy has to answer. */
  readonly connectTimeout: number
  /** Whether the server gets the certificate for the site. False by default. */
  readonly isSite?: boolean
  /** Whether the certificate of the server is verified even with `NODE_TLS_REJECT_UNAUTHORIZED=0`. False by default. */
  readonly isVerified?: boolean
}

/** Milliseconds for the headers and each pause in the body of an answer, and for which the server can ask that an idle connection is kept. */
export interface ConnectionTimes {
  readonly timeout: number
  readonly idleTimeout?: number
}

/** Connects to other servers by the options of the network: through proxies, with trusted authorities, and with a certificate for the site. */
export class Network {
  /** The trusted authorities; undefined when they are those that Node.js knows. */
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

  /** How to connect to an origin: directly or through a proxy. */
  route(origin: string, { connectTimeout: timeout, isSite = false, isVerified = false }: RouteOptions): Route {
    const own = isSite ? (this.identity ?? this.trust) : this.trust
    const connect = plainly(buildConnector({ timeout, ...trusting(own), ...(isVerified && { rejectUnauthorized: true }) }))
    const proxy = this.proxyFor(new URL(origin))
    if (!proxy) return { origin, connect, proxied: undefined }
    const headers: Headers =
      proxy.username + proxy.password === ''
        ? {}
        : { 'proxy-authorization': basic(decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)) }
    const connector = plainly(buildConnector({ timeout, ...trusting(this.trust) }))
    // Not with the name of the server that is the target of a request.
    const connectProxy: Connector = (_, callback) => connector(targetOf(proxy), callback)
    if (origin.startsWith('https:')) return { origin, connect: tunnel(proxy, headers, timeout, connectProxy, connect), proxied: undefined }
    return { origin, connect: connectProxy, proxied: { headers } }
  }

  private proxyFor(target: URL): URL | undefined {
    const { httpProxy, httpsProxy, noProxy = [] } = this.options
    const proxy = target.protocol === 'https:' ? httpsProxy : httpProxy
    const isDirect = proxy === undefined || isLoopback(target.href) || noProxy.some((entry) => isCovered(target, entry))
    return isDirect ? undefined : new URL(proxyUrl(proxy.reveal()))
  }
}

/** Where a connector connects to for an address. */
export const targetOf = ({ host, hostname, protocol, port }: URL) => ({ host, hostname: hostname.replace(/^\[|\]$/g, ''), protocol, port })

/** Opens a connection by a route. */
export function connectionBy({ origin, connect, proxied }: Route, { timeout, idleTimeout }: ConnectionTimes): Connection {
  const kept = idleTimeout === undefined ? {} : { keepAliveMaxTimeout: idleTimeout }
  const client = openConnection(origin, { headersTimeout: timeout, bodyTimeout: timeout, ...kept, connect })
  if (!proxied) return client
  return {
    dispatch: (call, handler) =>
      client.dispatch({ ...call, path: origin + call.path, headers: { ...(call.headers as Headers), ...proxied.headers } }, handler),
    close: () => client.close(),
    destroy: () => client.destroy(),
  }
}

/** The authorities that Node.js knows. Before version 22.15, it does not tell those of `NODE_EXTRA_CA_CERTS`. */
const knownAuthorities = (): readonly string[] =>
  (tls as { readonly getCACertificates?: (kind: 'default') => string[] }).getCACertificates?.('default') ?? tls.rootCertificates

const trusting = (secureContext: SecureContext | undefined) => (secureContext ? { secureContext } : {})

/** Whether an entry of `NO_PROXY` covers an address: a host with its subdomains and an optional port, or `*`. */
function isCovered({ protocol, hostname, port }: URL, entry: string): boolean {
  const [, host = '', only] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  if (host === '*') return true
  const isPort = only === undefined || only === (port || (protocol === 'https:' ? '443' : '80'))
  return isPort && host !== '' && (hostname === host || hostname.endsWith(`.${host}`))
}

/** Connects through a proxy by CONNECT, and then with TLS. */
function tunnel(proxy: URL, headers: Headers, timeout: number, connectProxy: Connector, secure: Connector): Connector {
  return (target, callback) => {
    const path = target.port ? `${target.host}` : `${target.host}:443`
    openConnection(proxy.origin, { connect: connectProxy, headersTimeout: timeout })
      .connect({ path, headers: { host: path, ...headers } })
      .then(
        ({ statusCode, socket }) => {
          if (statusCode >= 200 && statusCode < 300) return void secure({ ...target, httpSocket: socket as Socket }, callback)
          socket.destroy()
          callback(Object.assign(new Error(`The proxy answered ${statusCode}.`), { code: `PROXY_${statusCode}` }), null)
        },
        (error: Error) => callback(plainError(error), null),
      )
  }
}

/** Codes that undici takes for errors of its own: it connects again without a pause, or never again. */
const PLAIN_CODES: Readonly<Record<string, string>> = { UND_ERR_SOCKET: 'ECONNRESET', ERR_TLS_CERT_ALTNAME_INVALID: 'CERT_ALTNAME_INVALID' }

const plainError = (error: NodeJS.ErrnoException): Error => {
  const code = PLAIN_CODES[error.code ?? '']
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code })
}

/** A connector without errors that have such codes. */
const plainly =
  (connector: Connector): Connector =>
  (options, callback) =>
    connector(options, (...outcome) => (outcome[0] ? callback(plainError(outcome[0]), null) : callback(...outcome)))
