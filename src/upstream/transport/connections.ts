import { InvalidResponseError, RedirectedError } from '../errors.js'
import type { Emitter } from '../events.js'
import type { Answered } from './exchange.js'
import { connectionBy, Network } from './network.js'
import { PROTECTION } from './protection.js'
import type { Connection, Connector } from './undici.js'

export interface ConnectionOptions {
  /** How servers are called. Without it, directly. */
  readonly network?: Network | undefined
  /** Scheme, host and port of the site. */
  readonly origin: string
  /** Concurrent calls of all callers. */
  readonly maxInFlight: number
  /** Timeout of connecting, in milliseconds. */
  readonly connectTimeout: number
  /** Timeout of the headers, and of each pause in the body, in milliseconds. */
  readonly timeout: number
  /** Largest age of a connection that is given to a call, in milliseconds. That of `PROTECTION` by default. */
  readonly maxConnectionAge?: number | undefined
}

export interface AddressEvents {
  /** All calls move to https, or return to the configured address. */
  readonly addressChanged: [change: AddressChange]
}

/** A lasting change of the address of calls. */
export interface AddressChange {
  readonly from: string
  readonly to: string
  /** Why the calls returned to the configured address; undefined for the move to https. */
  readonly undoneBy?: 'connection failure' | 'redirect'
}

/** How a redirect is handled: the read is sent again over `to`, or fails. */
export type Redirect = { readonly to: ConnectionPool } | { readonly error: InvalidResponseError }

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Successful answers over TLS after which the redirect to https is treated as permanent. */
const ANSWERS_BEFORE_MOVE = 3

/**
 * The connections to one site.
 *
 * The gateway follows a redirect only for a read, and only from http to https with the same host, path and query. Credentials are sent only
 * to port 443, over TLS with a valid certificate. After some successful answers all calls, writes included, go directly to port 443, until
 * connecting to it fails or it redirects back.
 */
export class Connections {
  private readonly configured: ConnectionPool
  /** Port 443 of the configured host, after a read was redirected there. */
  private secure: ConnectionPool | undefined
  /** Another port of the configured host, for redirected anonymous reads; at most one. */
  private other: ConnectionPool | undefined
  private answers = 0
  private moved = false

  constructor(
    private readonly options: ConnectionOptions,
    private readonly events: Emitter<AddressEvents>,
  ) {
    this.configured = this.open(options.origin)
  }

  /** The connections for calls that were not redirected. */
  get current(): ConnectionPool {
    return this.moved ? (this.secure as ConnectionPool) : this.configured
  }

  /** The number of connections, idle ones included. */
  get count(): number {
    return this.configured.count + (this.secure?.count ?? 0) + (this.other?.count ?? 0)
  }

  /**
   * Handles a redirect that arrived over `pool`. Returns undefined when the answer is no redirect, or when its error `code` explains it.
   * `isSecret`: the read has credentials, or a password in its path.
   */
  redirect(
    pool: ConnectionPool | undefined,
    { status, headers: { location } }: Answered,
    { method, route, path }: { readonly method: string; readonly route: string; readonly path: string },
    isSecret: boolean,
    code: string | null = null,
  ): Redirect | undefined {
    if (!REDIRECTS.includes(status) || typeof location !== 'string') return undefined
    const upstream = { status, code }
    const prefix = `The site answered ${status} for ${route}:`
    const current = new URL(path, this.options.origin)
    const base = new URL(path, pool?.origin)
    const target = URL.canParse(location, base.href) ? new URL(location, base.href) : undefined
    if (this.moved && pool === this.secure && target && target.origin === current.origin && isSameAddress(current, target)) {
      this.undo('redirect')
      if (method === 'GET') return { to: this.configured }
    }
    if (pool !== this.configured || !target || !isSecured(current, target)) {
      const message = `${prefix} a redirect that the gateway does not follow.`
      return code === null ? { error: new InvalidResponseError(message, upstream) } : undefined
    }
    if (method !== 'GET') return { error: new RedirectedError(`${NOT_MADE} ${SET_HTTPS}`, upstream) }
    if (target.port === '') return { to: this.secured(target.origin) }
    if (isSecret)
      return { error: new InvalidResponseError(`${prefix} a redirect to another port, to which no credentials are sent.`, upstream) }
    this.other ??= this.open(target.origin)
    if (this.other.origin === target.origin) return { to: this.other }
    return {
      error: new InvalidResponseError(`${prefix} a redirect to a second port; the gateway follows redirects to one port only.`, upstream),
    }
  }

  /** Where to send a read again after its connection failed and the move to https was undone. */
  fallbackPool(pool: ConnectionPool | undefined): ConnectionPool | undefined {
    return pool !== undefined && pool === this.secure && !this.moved ? this.configured : undefined
  }

  /** Records a successful answer to a read. */
  recordSuccess(pool: ConnectionPool | undefined): void {
    if (this.moved || pool === undefined || pool !== this.secure) return
    if (++this.answers < ANSWERS_BEFORE_MOVE) return
    this.moved = true
    this.events.emit('addressChanged', { from: this.configured.origin, to: pool.origin })
  }

  /** Closes the connections when all running calls have ended. */
  async close(): Promise<void> {
    await Promise.all([this.configured.close(), this.secure?.close(), this.other?.close()])
  }

  private undo(undoneBy: NonNullable<AddressChange['undoneBy']>): void {
    this.answers = 0
    if (!this.moved) return
    this.moved = false
    this.events.emit('addressChanged', { from: (this.secure as ConnectionPool).origin, to: this.configured.origin, undoneBy })
  }

  private secured(origin: string): ConnectionPool {
    this.secure ??= this.open(origin, () => this.undo('connection failure'))
    return this.secure
  }

  private open(origin: string, onConnectFailure?: () => void): ConnectionPool {
    const { timeout, connectTimeout, maxConnectionAge = PROTECTION.maxConnectionAge, network = new Network() } = this.options
    const isRedirected = origin !== this.options.origin
    const route = network.route(origin, { connectTimeout, isSite: true, isVerified: isRedirected })
    const watchedRoute = onConnectFailure ? { ...route, connect: watched(route.connect, onConnectFailure) } : route
    const settings = { headersTimeout: timeout, bodyTimeout: timeout, keepAliveMaxTimeout: maxConnectionAge }
    return new ConnectionPool(origin, () => connectionBy(watchedRoute, settings), maxConnectionAge)
  }
}

/** Reports a failed connection before the calls that wait for it fail. */
const watched =
  (connector: Connector, onFailure: () => void): Connector =>
  (options, callback) =>
    connector(options, (...outcome) => {
      if (outcome[0]) onFailure()
      callback(...outcome)
    })

const NOT_MADE = 'The change was not made: the site redirects to its https address, and the gateway does not follow redirects of writes.'
const SET_HTTPS = 'Configure the https address of the site.'

/** Whether a redirect changes http to https and keeps host, path and query. */
const isSecured = (current: URL, target: URL): boolean =>
  current.protocol === 'http:' && target.protocol === 'https:' && isSameAddress(current, target)

/** Whether two URLs are equal apart from scheme and port. */
const isSameAddress = (current: URL, target: URL): boolean =>
  target.hostname === current.hostname &&
  target.username === '' &&
  target.password === '' &&
  target.pathname === current.pathname &&
  target.search === current.search

/** A connection of a pool. */
export interface PooledConnection {
  readonly connection: Connection
  /** When it becomes too old for a further call, in milliseconds since the process started. */
  readonly endsAt: number
}

/**
 * Connections to one origin, each used by one call at a time. Replaces undici's `Pool`, which searches all connections for a free one on
 * each call. Old connections are replaced, so that calls follow a changed DNS answer, also under constant load.
 */
export class ConnectionPool {
  private readonly all = new Set<PooledConnection>()
  private readonly free: PooledConnection[] = []
  private closed = false

  constructor(
    readonly origin: string,
    private readonly open: () => Connection,
    private readonly maxAge: number,
  ) {}

  /** Takes a connection for one call, which starts at `now`. It must be given back. */
  take(now: number): PooledConnection {
    for (let kept = this.free.pop(); kept; kept = this.free.pop()) {
      // A closed client rejects its call.
      if (kept.endsAt > now || this.closed) return kept
      this.all.delete(kept)
      kept.connection.close()
    }
    // Up to a quarter less, so that connections of the same age are not all replaced at once.
    const opened = { connection: this.open(), endsAt: now + this.maxAge * (1 - Math.random() / 4) }
    this.all.add(opened)
    if (this.closed) opened.connection.close()
    return opened
  }

  /** The number of connections, idle ones included. */
  get count(): number {
    return this.all.size
  }

  giveBack(pooled: PooledConnection): void {
    this.free.push(pooled)
  }

  async close(): Promise<void> {
    this.closed = true
    await Promise.all([...this.all].map(({ connection }) => connection.close()))
  }
}
