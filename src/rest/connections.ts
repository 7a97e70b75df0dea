import { Client } from 'undici'
import type { Answered } from './exchange.js'

export interface ConnectionOptions {
  /** Scheme, host and port of the site. */
  readonly origin: string
  /** Calls at a time, over all callers. */
  readonly maxInFlight: number
  /** Milliseconds for the connection, and for the headers and each pause in the body. */
  readonly connectTimeout: number
  readonly timeout: number
}

/** The connections to one site, which may turn out to be on https. */
export class Connections {
  private readonly first: Channels
  /** In place of them once the site has sent a read on to https. */
  private secure: Channels | undefined

  constructor(private readonly options: ConnectionOptions) {
    this.first = this.open(options.origin)
  }

  /** Those that are in use now. */
  get current(): Channels {
    return this.secure ?? this.first
  }

  /**
   * Whether the site sends a read that went over `channels` on to https on its own host; from then on everything goes there. Other redirects
   * are not followed.
   */
  move(channels: Channels | undefined, { status, headers }: Answered, path: string): boolean {
    const { location } = headers
    if (status < 300 || status > 399 || channels !== this.first) return false
    if (typeof location !== 'string' || !URL.canParse(location)) return false
    const here = new URL(path, this.options.origin)
    const there = new URL(location)
    const same = there.hostname === here.hostname && there.pathname === here.pathname && there.search === here.search
    if (here.protocol !== 'http:' || there.protocol !== 'https:' || !same) return false
    this.secure ??= this.open(there.origin)
    return true
  }

  /** Lets running calls end, then closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.first.close(), this.secure?.close()])
  }

  private open(origin: string): Channels {
    const { timeout, connectTimeout } = this.options
    return new Channels(origin, { headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout: connectTimeout } })
  }
}

/**
 * Connections to one origin, each for one call at a time. There are as many as there ever were calls at once; undici's `Pool` would look
 * for a free one among all of them for each call.
 */
export class Channels {
  private readonly all: Client[] = []
  private readonly free: Client[] = []
  private closed = false

  constructor(
    private readonly origin: string,
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
