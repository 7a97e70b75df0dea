import { setTimeout as sleep } from 'node:timers/promises'
import type { SiteChange, Tag } from '../../upstream/cache/tags.js'
import { USER_AGENT } from '../../upstream/call-scope.js'
import type { Emitter, FaultEvents } from '../../upstream/events.js'
import { callOnce, Network } from '../../upstream/transport/network.js'
import type { Log } from '../log/levels.js'
import { ChangeSet } from './change-set.js'
import { SIGNATURE_HEADER, secondsNow, signaturesOf, TIMESTAMP_HEADER } from './signature.js'

/** How a delivery ended, for metrics: answered with 2xx; tried again later; given up; replaced by one about the whole site. */
export const FORWARDED = ['delivered', 'failed', 'dropped', 'collapsed'] as const

/** Times in milliseconds. */
const PACE = {
  /** Of one attempt. */
  timeout: 10_000,
  /** Before the second attempt; doubled before each further one. */
  delay: 500,
  longestDelay: 30_000,
  attempts: 8,
  /** For what is queued when the gateway ends. */
  flush: 3_000,
}

export interface ForwarderOptions {
  /** http and https addresses. */
  readonly addresses: readonly string[]
  /** Each delivery is signed with each of them. */
  readonly secrets: readonly string[]
  /** How the addresses are called. Without it, directly. */
  readonly network?: Network | undefined
  /** Whether changes may have been given up before, so that the first request must be about the whole site. False by default. */
  readonly isBehind?: boolean | undefined
  readonly log: Log | undefined
  /** Receives exceptions, such as those of the log, as faults. */
  readonly events: Emitter<ForwarderEvents>
  readonly pace?: Partial<typeof PACE>
}

export interface ForwarderEvents extends FaultEvents {
  /** A delivery has ended. */
  readonly deliverySent: [outcome: (typeof FORWARDED)[number]]
}

/** Sends changes to further addresses, in order, each address by itself. */
export class Forwarder {
  private readonly queues: readonly Queue[]
  private readonly flush: number

  constructor({ addresses, pace: given, ...options }: ForwarderOptions) {
    const pace = { ...PACE, ...given }
    this.flush = pace.flush
    this.queues = [...new Set(addresses)].map((address) => new Queue(new URL(address), { ...options, pace }))
  }

  /** Queues changes with the tags that they raise. */
  send(changes: readonly SiteChange[], tags: readonly Tag[]): void {
    for (const queue of this.queues) queue.add(changes, tags)
  }

  /** Delivers what is queued, for a short time, then closes the connections. */
  async close(): Promise<void> {
    const late = sleep(this.flush, undefined, { ref: false })
    await Promise.race([Promise.all(this.queues.map((queue) => queue.end())), late])
    await Promise.all(this.queues.map((queue) => queue.close()))
  }
}

/** The changes for one address. One request is sent at a time; changes that come meanwhile are the next request. */
class Queue {
  private next = new ChangeSet()
  private running: Promise<void> | undefined
  /** Whether changes were given up, so that the next request must be about the whole site. */
  private isBehind: boolean
  /** Aborted when the gateway ends. */
  private readonly ending = new AbortController()
  /** Aborted when nothing more is sent. */
  private readonly closing = new AbortController()
  /** Failed attempts since the last delivery, and the time of the first one. */
  private failures = 0
  private failingSince = 0

  constructor(
    private readonly address: URL,
    private readonly options: Omit<ForwarderOptions, 'addresses' | 'pace'> & { readonly pace: typeof PACE },
  ) {
    this.isBehind = options.isBehind ?? false
  }

  add(changes: readonly SiteChange[], tags: readonly Tag[]): void {
    if (this.ending.signal.aborted) {
      this.options.events.emit('deliverySent', 'dropped')
      return
    }
    if (this.next.add(changes, tags) === 'collapsed') this.options.events.emit('deliverySent', 'collapsed')
    this.run()
  }

  /** Sends what is queued, each request once. */
  async end(): Promise<void> {
    this.ending.abort()
    while (this.running) await this.running
  }

  async close(): Promise<void> {
    const isLost = this.running !== undefined || this.failures > 0
    this.closing.abort()
    await this.running
    if (isLost)
      this.options.log?.warn({ address: this.address.origin }, 'changes not forwarded: the gateway ends, or its settings were changed')
  }

  private run(): void {
    this.running ??= this.sendAll()
      .catch((fault) => void this.options.events.emit('fault', fault))
      .finally(() => {
        this.running = undefined
        if (!this.next.isEmpty) this.run()
      })
  }

  private async sendAll(): Promise<void> {
    while (!this.next.isEmpty) {
      const changes = this.next
      this.next = new ChangeSet()
      if (this.isBehind) changes.collapse()
      const body = changes.toText()
      this.isBehind = true
      this.isBehind = !(await this.deliver(body))
      this.options.events.emit('deliverySent', this.isBehind ? 'dropped' : 'delivered')
    }
  }

  /** Whether a body was delivered, after several attempts if necessary. */
  private async deliver(body: string): Promise<boolean> {
    const { attempts, delay, longestDelay } = this.options.pace
    for (let attempt = 1; ; attempt++) {
      const failure = await this.post(body)
      if (failure === undefined) {
        this.succeeded()
        return true
      }
      this.failed(failure)
      if (attempt >= attempts || this.ending.signal.aborted) return false
      this.options.events.emit('deliverySent', 'failed')
      // Half of it is random, so that replicas do not all come at once.
      await this.pause(Math.min(longestDelay, delay * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2))
    }
  }

  /** Sends one request. Returns the status or the reason when it fails. Redirects are failures. */
  private async post(body: string): Promise<number | string | undefined> {
    const timestamp = String(secondsNow())
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      [TIMESTAMP_HEADER]: timestamp,
      [SIGNATURE_HEADER]: signaturesOf(this.options.secrets, timestamp, body),
    }
    const { network = new Network(), pace } = this.options
    const limits = { maxBytes: MAX_ANSWER, timeout: pace.timeout, signal: this.closing.signal }
    const outcome = await callOnce(network, this.address, { method: 'POST', headers, body }, limits)
    // Only the status of an answer counts.
    if ('error' in outcome && !outcome.isTooLarge) return reasonOf(outcome.error)
    return outcome.status >= 200 && outcome.status < 300 ? undefined : outcome.status
  }

  /** Waits, at most until the gateway ends. A program may end meanwhile. */
  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.ending.signal, ref: false }).catch(() => {})
  }

  private failed(reason: number | string): void {
    if (this.failures++ > 0) return
    this.failingSince = performance.now()
    // Paths of such addresses may hold secrets.
    this.options.log?.warn({ address: this.address.origin, reason }, 'changes not forwarded')
  }

  private succeeded(): void {
    if (this.failures === 0) return
    const { failures } = this
    this.failures = 0
    this.options.log?.info(
      { address: this.address.origin, failures, duration: Math.round(performance.now() - this.failingSince) },
      'changes are forwarded again',
    )
  }
}

/** Bytes of an answer that are read. */
const MAX_ANSWER = 65_536

const reasonOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? error.name)
