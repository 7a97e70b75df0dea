import { buildConnector, Client } from 'undici'
import { InvalidResponseError, RedirectedError } from '../errors.js'
import type { Answered } from './exchange.js'

export interface ConnectionOptions {
  /** Scheme, host and port of the site. */
  readonly origin: string
  /** Calls at a time, over all callers. */
  readonly maxInFlight: number
  /** Milliseconds for the connection, and for the headers and each pause in the body. */
  readonly connectTimeout: number
  readonly timeout: number
  /** Called when all calls go to https from now on, and when they go to the configured address again. */
  readonly onMove?: ((move: AddressChange) => void) | undefined
}

/** A lasting change of the address that calls go to. */
export interface AddressChange {
  readonly from: string
  readonly to: string
  /** Why the calls go back to the configured address; undefined for the move to https. */
  readonly undoneBy?: 'connection failure' | 'redirect'
}

/** What is done about a redirect: the read is sent once more over `to`, or fails. */
export type Redirect = { readonly to: ConnectionPool } | { readonly error: InvalidResponseError }

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Successful answers over TLS after which a redirect to https is taken for lasting. */
const ANSWERS_BEFORE_MOVE = 3

/**
 * The connections to one site.
 *
 * A redirect sends one read elsewhere, and only from http to https on the same host, with the same path and query. Credentials go along to
 * port 443 alone, and only over TLS with a valid certificate. After some answers from there all calls go to port 443 at once, writes
 * included, until that address can't be connected to or redirects back.
 */
export class Connections {
  private readonly configured: ConnectionPool
  /** Port 443 of the configured host, once a read was redirected there. */
  private secure: ConnectionPool | undefined
  /** The other port of the configured host that anonymous reads were redirected to; there is at most one. */
  private other: ConnectionPool | undefined
  private answers = 0
  private moved = false

  constructor(private readonly options: ConnectionOptions) {
    this.configured = this.open(options.origin)
  }

  /** The connections for calls that were not redirected. */
  get current(): ConnectionPool {
    return this.moved ? (this.secure as ConnectionPool) : this.configured
  }

  /**
   * What to do about a redirect that came over `channels`; nothing where the answer is none, or says itself what is wrong, by `code`.
   * `isSecret` says that a read has credentials, or a password in its path.
   */
  redirect(
    channels: ConnectionPool | undefined,
    { status, headers: { location } }: Answered,
    { method, route, path }: { readonly method: string; readonly route: string; readonly path: string },
    isSecret: boolean,
    code: string | null = null,
  ): Redirect | undefined {
    if (!REDIRECTS.includes(status) || typeof location !== 'string') return undefined
    const upstream = { status, code }
    const answered = `The site answered ${status} for ${route}:`
    const here = new URL(path, this.options.origin)
    const base = new URL(path, channels?.origin)
    const there = URL.canParse(location, base.href) ? new URL(location, base.href) : undefined
    if (this.moved && channels === this.secure && there && there.origin === here.origin && isSameAddress(here, there)) {
      this.undo('redirect')
      if (method === 'GET') return { to: this.configured }
    }
    if (channels !== this.configured || !there || !isSecured(here, there)) {
      const message = `${answered} a redirect that the gateway does not follow.`
      return code === null ? { error: new InvalidResponseError(message, upstream) } : undefined
    }
    if (method !== 'GET') return { error: new RedirectedError(`${NOT_MADE} ${SET_HTTPS}`, upstream) }
    if (there.port === '') return { to: this.secured(there.origin) }
    if (isSecret)
      return { error: new InvalidResponseError(`${answered} a redirect to another port, where no credentials are sent.`, upstream) }
    this.other ??= this.open(there.origin)
    if (this.other.origin === there.origin) return { to: this.other }
    return { error: new InvalidResponseError(`${answered} a redirect to one more port, and the gateway follows to one.`, upstream) }
  }

  /** Where to send a read again whose connection failed, because the lasting move was undone by that. */
  instead(channels: ConnectionPool | undefined): ConnectionPool | undefined {
    return channels !== undefined && channels === this.secure && !this.moved ? this.configured : undefined
  }

  /** Notes a good answer to a read. */
  answered(channels: ConnectionPool | undefined): void {
    if (this.moved || channels === undefined || channels !== this.secure) return
    if (++this.answers < ANSWERS_BEFORE_MOVE) return
    this.moved = true
    this.options.onMove?.({ from: this.configured.origin, to: channels.origin })
  }

  /** Lets running calls end, then closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.configured.close(), this.secure?.close(), this.other?.close()])
  }

  private undo(undoneBy: NonNullable<AddressChange['undoneBy']>): void {
    this.answers = 0
    if (!this.moved) return
    this.moved = false
    this.options.onMove?.({ from: (this.secure as ConnectionPool).origin, to: this.configured.origin, undoneBy })
  }

  private secured(origin: string): ConnectionPool {
    this.secure ??= this.open(origin, () => this.undo('connection failure'))
    return this.secure
  }

  private open(origin: string, onConnectFailure?: () => void): ConnectionPool {
    const { timeout, connectTimeout } = this.options
    // Where a redirect leads the certificate is verified even with `NODE_TLS_REJECT_UNAUTHORIZED=0`.
    const tls = { timeout: connectTimeout, ...(origin !== this.options.origin && { rejectUnauthorized: true }) }
    const connect = onConnectFailure ? watched(buildConnector(tls), onConnectFailure) : tls
    return new ConnectionPool(origin, { headersTimeout: timeout, bodyTimeout: timeout, connect })
  }
}

/** Calls back for a connection that fails, before the calls that wait for it do. */
const watched =
  (connector: buildConnector.connector, onFailure: () => void): buildConnector.connector =>
  (options, callback) =>
    connector(options, (...outcome) => {
      if (outcome[0]) onFailure()
      callback(...outcome)
    })

const NOT_MADE = 'The change was not made: the site redirects to its https address, and changes do not follow a redirect.'
const SET_HTTPS = 'Configure the https address of the site.'

/** Whether a redirect leads from http to https, and to the same host, path and query. */
const isSecured = (here: URL, there: URL): boolean => here.protocol === 'http:' && there.protocol === 'https:' && isSameAddress(here, there)

/** Whether two URLs differ in scheme and port at most. */
const isSameAddress = (here: URL, there: URL): boolean =>
  there.hostname === here.hostname &&
  there.username === '' &&
  there.password === '' &&
  there.pathname === here.pathname &&
  there.search === here.search

/**
 * Connections to one origin, each for one call at a time. There are as many as there ever were calls at once; undici's `Pool` would look
 * for a free one among all of them for each call.
 */
export class ConnectionPool {
  private readonly all: Client[] = []
  private readonly free: Client[] = []
  private closed = false

  constructor(
    readonly origin: string,
    private readonly options: Client.Options,
  ) {}

  /** A connection for one call; it must be given back. */
  take(): Client {
    const client = this.free.pop()
    if (client) return client
    const opened = new Client(this.origin, this.options)
    this.all.push(opened)
    // It then refuses its call.
    if (this.closed) opened.close()
    return opened
  }

  giveBack(client: Client): void {
    this.free.push(client)
  }

  async close(): Promise<void> {
    this.closed = true
    await Promise.all(this.all.map((client) => client.close()))
  }
}
