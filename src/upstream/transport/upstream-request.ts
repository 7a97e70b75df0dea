import { performance } from 'node:perf_hooks'
import {
  type BusyError,
  CancelledError,
  type LmsError,
  TimeoutError,
  UnauthenticatedError,
  UnavailableError,
  UpstreamError,
} from '../errors.js'
import type { Session, WireCall } from '../session.js'
import type { Breakers } from './breaker.js'
import type { ConnectionPool, Connections } from './connections.js'
import type { CredentialProofs } from './credential-proofs.js'
import { cancelled } from './deadline.js'
import { type Answered, Exchange, type Failed, type Receiver } from './exchange.js'
import type { FairQueue } from './fair-queue.js'
import type { MemoryBudget } from './memory.js'
import type { QueuedRequest } from './queue-nodes.js'
import { type Answer, explain, inDoubt, isPassing, type Method, type Request, read } from './responses.js'
import type { Retries } from './retries.js'
import { SharedCall } from './shared-request.js'
import { SECRET, type StaleAnswers } from './stale.js'

/** One REST call as it went over the wire, for tests, logs and explain. */
export interface Call extends WireCall {
  /** Of the request it was sent for; of the first one where several wait for it. */
  readonly requestId: string | undefined
  readonly method: Method
  readonly route: string
  /** With its query, but without the password of a record. */
  readonly path: string
  /** Whether something that is no JSON stood before the JSON of the answer. */
  readonly cleaned: boolean
}

/** What all calls to one site share. */
export interface TransportParts {
  readonly limiter: FairQueue<Session>
  readonly connections: Connections
  readonly breakers: Breakers | undefined
  readonly retries: Retries | undefined
  readonly stale: StaleAnswers | undefined
  /** Not there where all calls show one account. */
  readonly proofs: CredentialProofs | undefined
  readonly maxBytes: number
  readonly memory: MemoryBudget | undefined
  /** Told of each call when it has ended, where somebody wants to be. */
  readonly tell: ((call: Call) => void) | undefined
  /** Makes a refusal of the gateway's own account one of the site. */
  readonly ofAccount: (error: LmsError, turn: Session) => LmsError
  /** Nobody may join a request any more. */
  readonly leaveOut: (key: string, sending: UpstreamRequest) => void
  /** A write has ended. */
  readonly changed: () => void
}

/** One request on its way to the site: it waits for a place, goes out, and may rest and go out again. A write goes out once. */
export class UpstreamRequest extends SharedCall<Answer> implements QueuedRequest<Session>, Receiver {
  entry: QueuedRequest['entry'] = undefined
  private exchange: Exchange | undefined
  private channels: ConnectionPool | undefined
  private channel: ReturnType<ConnectionPool['take']> | undefined
  /** Where a redirect sends the next attempt. */
  private redirectedTo: ConnectionPool | undefined
  private isRedirected = false
  private resting: NodeJS.Timeout | undefined
  private startedAt = 0
  /** How often it has gone out. */
  private sent = 0
  /** Whether it tries a site that is left alone. */
  // Stryker disable next-line BooleanLiteral: It is set at each attempt.
  private tries = false
  private epoch = 0

  constructor(
    private readonly way: TransportParts,
    private readonly request: Request,
    readonly turn: Session,
    private readonly key: string | undefined,
  ) {
    super()
  }

  /** Asks for a place; to be called when somebody waits for the answer. */
  start(): void {
    const refusal = this.way.limiter.admit(this)
    if (refusal) this.reject(refusal)
  }

  enter(): boolean {
    const { breakers, connections, retries, stale, maxBytes, memory } = this.way
    const refusal = breakers?.refusal(this.request.method)
    if (refusal) {
      this.reject(refusal)
      return false
    }
    const { method, path, body } = this.request
    this.tries = breakers?.of(method).tries() === true
    if (this.sent++ === 0) retries?.earn()
    if (method !== 'GET') stale?.clear()
    this.epoch = stale?.epoch ?? 0
    this.startedAt = performance.now()
    // What a write was answered is read in any case.
    this.exchange = new Exchange(maxBytes, this, method === 'GET' ? memory : undefined)
    this.isRedirected = this.redirectedTo !== undefined
    this.channels = this.redirectedTo ?? connections.current
    this.redirectedTo = undefined
    this.channel = this.channels.take()
    if (this.turn.tally) this.turn.tally.calls++
    this.channel.dispatch({ path, method, headers: this.headers, body: body ?? null }, this.exchange)
    return true
  }

  /** Whether only the site itself may see the request. */
  private get isSecret(): boolean {
    return !this.turn.credentials.anonymous || SECRET.test(this.request.path)
  }

  private get headers(): Record<string, string> {
    const { credentials, requestId } = this.turn
    const headers: Record<string, string> = { accept: JSON_TYPE, ...credentials.headers }
    if (requestId !== undefined) headers['x-request-id'] = requestId
    if (this.request.body !== undefined) headers['content-type'] = JSON_TYPE
    return headers
  }

  refuse(error: BusyError): void {
    const { tally } = this.turn
    if (tally) tally.refusals = (tally.refusals ?? 0) + 1
    this.reject(error)
  }

  answered(answered: Answered): void {
    const { connections, breakers, stale, proofs, maxBytes } = this.way
    let cleaned = false
    const answer = read(this.request, answered, maxBytes, () => {
      cleaned = true
    })
    this.back(answered.status, answered.body.length, cleaned)
    const isRead = this.request.method === 'GET'
    const redirect =
      'body' in answer ? undefined : connections.redirect(this.channels, answered, this.request, this.isSecret, answer.upstream?.code)
    if (redirect && 'to' in redirect) this.goTo(redirect.to)
    else if (redirect) this.fail(redirect.error, false)
    else if ('body' in answer) {
      breakers?.of(this.request.method).ended(this.tries, true)
      proofs?.answered(this.request, this.turn.credentials)
      if (isRead) connections.answered(this.channels)
      if (isRead && this.turn.credentials.anonymous) stale?.keep(this.request.path, answered, this.epoch)
      this.resolve(answer)
    } else this.fail(answer, isPassing(answered))
  }

  failed(failed: Failed): void {
    this.back(failed.status, failed.bytes, false)
    const isLost = failed.status === 0 && this.request.method === 'GET' && !this.isRedirected && !this.abandoned
    const instead = isLost ? this.way.connections.instead(this.channels) : undefined
    if (instead) this.goTo(instead)
    else this.fail(explain(this.request, failed, this.way.maxBytes), isPassing(failed))
  }

  /** Goes out once more, over other connections. */
  private goTo(channels: ConnectionPool): void {
    this.way.breakers?.of(this.request.method).ended(this.tries, true)
    this.redirectedTo = channels
    this.start()
  }

  protected onEnd(): void {
    if (this.key !== undefined) this.way.leaveOut(this.key, this)
  }

  protected onAbandon(): void {
    clearTimeout(this.resting)
    this.way.limiter.withdraw(this)
    if (this.request.method === 'GET') this.exchange?.abort(cancelled())
  }

  protected farewell(reason: LmsError): LmsError {
    const isOpen = this.request.method !== 'GET' && this.sent > 0 && reason instanceof TimeoutError
    return isOpen ? inDoubt(this.request, new TimeoutError(reason.message)) : reason
  }

  /** Gives back the place, and tells of the call. */
  private back(status: number, bytes: number, cleaned: boolean): void {
    const { limiter, tell, changed } = this.way
    const { request, startedAt } = this
    const { requestId } = this.turn
    const duration = performance.now() - startedAt
    this.exchange = undefined
    // Stryker disable next-line OptionalChaining: A channel belongs to channels.
    if (this.channel) this.channels?.giveBack(this.channel)
    this.channel = undefined
    limiter.release(duration)
    if (request.method !== 'GET') changed()
    if (!tell && !this.watchers) return
    const call = {
      requestId,
      method: request.method,
      route: request.route,
      path: request.path,
      status,
      bytes,
      cleaned,
      startedAt,
      duration,
    }
    for (const watcher of this.watchers ?? []) watcher.ended(call)
    tell?.(call)
  }

  private fail(error: LmsError, passes: boolean): void {
    const { breakers, retries, proofs, ofAccount } = this.way
    const breaker = breakers?.of(this.request.method)
    if (error instanceof UnauthenticatedError) proofs?.refused(this.turn.credentials)
    // A call that was given up says nothing of the site, unless it was there to say it.
    if (this.tries || !(error instanceof CancelledError)) breaker?.ended(this.tries, !FAILURES.some((Class) => error instanceof Class))
    if (passes && this.request.method === 'GET' && !this.abandoned && breaker?.isClosed !== false) {
      const retryAfter = error instanceof UpstreamError ? error.retryAfter : undefined
      const delay = retries?.spend(this.sent, retryAfter, this.endsAt - performance.now())
      if (delay !== undefined) {
        this.resting = setTimeout(() => this.again(error), delay)
        return
      }
    }
    this.reject(inDoubt(this.request, ofAccount(error, this.turn)))
  }

  /** Goes out again, unless it is refused: then what the site has said stands. */
  private again(error: LmsError): void {
    const { breakers, limiter, ofAccount } = this.way
    if (breakers?.refusal('GET') ?? limiter.admit(this)) this.reject(ofAccount(error, this.turn))
  }
}

/** What is held against a site, and against one that is tried. */
const FAILURES = [UnavailableError, TimeoutError, CancelledError]

const JSON_TYPE = 'application/json'
