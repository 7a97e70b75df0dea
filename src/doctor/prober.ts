import { EventEmitter } from 'node:events'
import type { CallScope } from '../upstream/call-scope.js'
import { Client } from '../upstream/client.js'
import type { Credentials } from '../upstream/credentials.js'
import { LmsError } from '../upstream/errors.js'
import type { Site } from '../upstream/site/site.js'
import { Network } from '../upstream/transport/network.js'
import { PROTECTION } from '../upstream/transport/protection.js'
import { Transport, type TransportEvents } from '../upstream/transport/transport.js'
import { type Knock, knock } from './knock.js'

/** Largest number of calls in a run. */
export const MAX_CALLS = 180
/** Largest number of calls at the same time. */
const CONCURRENCY = 2
/** Number of calls in a row without an answer after which no more are made. */
const MAX_UNANSWERED = 3

/** Result of a call: a value, an error, or that the call was not made. */
export type Outcome<T> = { readonly value: T } | { readonly error: LmsError } | { readonly skipped: true }

export const resultOf = <T>(outcome: Outcome<T> | undefined): T | undefined => (outcome && 'value' in outcome ? outcome.value : undefined)
export const errorOf = (outcome: Outcome<unknown> | undefined): LmsError | undefined =>
  outcome && 'error' in outcome ? outcome.error : undefined

/** One call in the report. The duration is in milliseconds. */
export interface CallRecord {
  readonly path: string
  readonly status: number
  readonly bytes: number
  readonly duration: number
}

export interface ProberOptions {
  readonly credentials: Credentials
  readonly timeout: number
  /** Largest answer in bytes. */
  readonly maxBytes: number
  /** How the site is called. Without it, directly. */
  readonly network?: Network | undefined
  /** Called before each call with its purpose. */
  readonly onCall?: ((number: number, what: string) => void) | undefined
}

/** Makes the calls of a run: only reads, limited in number, two at a time. */
export class Prober {
  readonly calls: CallRecord[] = []
  /** Purposes of the calls that were not made. */
  readonly skipped: string[] = []
  readonly call: CallScope
  private started = 0
  private unanswered = 0
  private transport: Transport | undefined

  constructor(private readonly options: ProberOptions) {
    this.call = { caller: { credentials: options.credentials, id: 'doctor' }, trace: {}, freshness: {}, budget: { operation: {} } }
  }

  /** Whether the site has stopped answering. */
  get gaveUp(): boolean {
    return this.unanswered >= MAX_UNANSWERED
  }

  /** Requests a URL without credentials. Returns undefined when no calls are left. */
  async knock(what: string, url: string): Promise<Knock | undefined> {
    if (!this.spend(what)) return undefined
    const seen = await knock(url, this.options.timeout, this.options.network ?? new Network())
    const { pathname, search } = new URL(url)
    this.calls.push({ path: pathname + search, status: seen.status, bytes: seen.body.length, duration: seen.duration })
    return seen
  }

  /** Makes a call with the client of a site. */
  async ask<T>(what: string, site: Site, request: (client: Client, call: CallScope) => Promise<T>): Promise<Outcome<T>> {
    if (!this.spend(what)) return { skipped: true }
    try {
      const value = await request(new Client(site, this.transportTo(new URL(site.url).origin)), this.call)
      this.unanswered = 0
      return { value }
    } catch (error) {
      if (!(error instanceof LmsError)) throw error
      this.unanswered = error.upstream === undefined ? this.unanswered + 1 : 0
      return { error }
    }
  }

  async close(): Promise<void> {
    await this.transport?.close()
  }

  private spend(what: string): boolean {
    if (this.started >= MAX_CALLS || this.gaveUp) {
      this.skipped.push(what)
      return false
    }
    this.started++
    this.options.onCall?.(this.started, what)
    return true
  }

  /** The origin of a site is known before its first call. */
  private transportTo(origin: string): Transport {
    const { timeout, maxBytes, network } = this.options
    const events = new EventEmitter<TransportEvents>()
    events.on('call', ({ path, status, bytes, duration }) => this.calls.push({ path, status, bytes, duration }))
    this.transport ??= new Transport({
      origin,
      network,
      maxInFlight: CONCURRENCY,
      timeout,
      connectTimeout: PROTECTION.connectTimeout,
      maxBytes,
      share: false,
      events,
    })
    return this.transport
  }
}
