import { Client } from '../upstream/client.js'
import { LmsError } from '../upstream/errors.js'
import type { Credentials, Session } from '../upstream/session.js'
import type { Site } from '../upstream/site/site.js'
import { type Call, Transport } from '../upstream/transport/transport.js'
import { type Knock, knock } from './knock.js'

/** Most calls in a run, and at a time. */
export const MOST_CALLS = 180
const AT_ONCE = 2
/** So many calls in a row without an answer, and no more are made. */
const PATIENCE = 3

/** What a call came to: a value, why there is none, or that it was not made. */
export type Outcome<T> = { readonly value: T } | { readonly error: LmsError } | { readonly unasked: true }

export const got = <T>(outcome: Outcome<T> | undefined): T | undefined => (outcome && 'value' in outcome ? outcome.value : undefined)
export const errorOf = (outcome: Outcome<unknown> | undefined): LmsError | undefined =>
  outcome && 'error' in outcome ? outcome.error : undefined

/** One call as reports tell it; times in milliseconds. */
export interface Made {
  readonly path: string
  readonly status: number
  readonly bytes: number
  readonly duration: number
}

export interface ProberOptions {
  readonly credentials: Credentials
  readonly timeout: number
  readonly connectTimeout: number
  /** Largest answer in bytes. */
  readonly maxBytes: number
  /** Told before each call what it is for. */
  readonly onCall?: ((made: number, what: string) => void) | undefined
}

/** Makes the calls of a run: only reads, of a bounded number, two at a time. */
export class Prober {
  readonly calls: Made[] = []
  /** What was not asked because the calls were spent. */
  readonly leftOut: string[] = []
  readonly session: Session
  private started = 0
  private silent = 0
  private transport: Transport | undefined

  constructor(private readonly options: ProberOptions) {
    this.session = { credentials: options.credentials, caller: 'doctor', operation: {} }
  }

  /** Whether the site has stopped answering. */
  get gaveUp(): boolean {
    return this.silent >= PATIENCE
  }

  /** Looks at an address without credentials. Nothing when the calls are spent. */
  async knock(what: string, url: string): Promise<Knock | undefined> {
    if (!this.spend(what)) return undefined
    const seen = await knock(url, this.options.timeout)
    const { pathname, search } = new URL(url)
    this.calls.push({ path: pathname + search, status: seen.status, bytes: seen.body.length, duration: seen.duration })
    return seen
  }

  /** Makes a call of the client's on a site. */
  async ask<T>(what: string, site: Site, call: (client: Client, session: Session) => Promise<T>): Promise<Outcome<T>> {
    if (!this.spend(what)) return { unasked: true }
    try {
      const value = await call(new Client(site, this.transportTo(new URL(site.url).origin)), this.session)
      this.silent = 0
      return { value }
    } catch (error) {
      if (!(error instanceof LmsError)) throw error
      this.silent = error.upstream === undefined ? this.silent + 1 : 0
      return { error }
    }
  }

  async close(): Promise<void> {
    await this.transport?.close()
  }

  private spend(what: string): boolean {
    if (this.started >= MOST_CALLS || this.gaveUp) {
      this.leftOut.push(what)
      return false
    }
    this.started++
    this.options.onCall?.(this.started, what)
    return true
  }

  /** The address of a site is settled before its first call. */
  private transportTo(origin: string): Transport {
    const { timeout, connectTimeout, maxBytes } = this.options
    const onCall = ({ path, status, bytes, duration }: Call) => this.calls.push({ path, status, bytes, duration })
    this.transport ??= new Transport({ origin, maxInFlight: AT_ONCE, timeout, connectTimeout, maxBytes, share: false, onCall })
    return this.transport
  }
}
