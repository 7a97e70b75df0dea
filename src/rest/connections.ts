import { Pool } from 'undici'
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
  private readonly first: Pool
  /** In place of it once the site has sent a read on to https. */
  private secure: Pool | undefined

  constructor(private readonly options: ConnectionOptions) {
    this.first = this.open(options.origin)
  }

  /** Those that are in use now. */
  get current(): Pool {
    return this.secure ?? this.first
  }

  /**
   * Whether the site sends a read that went over `pool` on to https on its own host; from then on everything goes there. Other redirects
   * are not followed.
   */
  move(pool: Pool | undefined, { status, headers }: Answered, path: string): boolean {
    const { location } = headers
    if (status < 300 || status > 399 || pool !== this.first) return false
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

  private open(origin: string): Pool {
    const { maxInFlight, timeout, connectTimeout } = this.options
    return new Pool(origin, {
      connections: maxInFlight,
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      connect: { timeout: connectTimeout },
    })
  }
}
