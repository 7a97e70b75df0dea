import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'
import { type Answer, cancelled, explain, inDoubt, type Method, type Request, read } from './answers.js'
import { type LmsError, UnauthenticatedError, UnavailableError } from './errors.js'
import { type Answered, Exchange } from './exchange.js'
import { Limiter } from './limiter.js'
import type { Session } from './session.js'
import { SharedCall } from './shared-call.js'

/** One REST call as it went over the wire, for tests, logs and explain. */
export interface Call {
  readonly method: Method
  readonly route: string
  readonly path: string
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly bytes: number
  /** Whether something that is no JSON stood before the JSON of the answer. */
  readonly mended: boolean
  /** Milliseconds since the process started, and how long the call took. */
  readonly startedAt: number
  readonly duration: number
}

export interface TransportOptions {
  /** Scheme, host and port of the site. */
  readonly origin: string
  /** Calls at a time, over all callers. */
  readonly maxInFlight: number
  /** Milliseconds for the connection, and for the headers and each pause in the body. */
  readonly connectTimeout: number
  readonly timeout: number
  /** Largest answer in bytes. */
  readonly maxBytes: number
  /** Whether identical reads in flight, with the same credentials, are one call. */
  readonly share: boolean
  readonly onCall?: ((call: Call) => void) | undefined
  /** Told of what `onCall` throws. */
  readonly onFault?: ((fault: unknown) => void) | undefined
  /** Set where all calls show one account of the gateway's own; told when the site refuses it, which is then no matter of the caller. */
  readonly onAccountRefused?: ((refusal: LmsError) => void) | undefined
}

/** Requests to one site: bounded in number, time and size. Identical reads in flight are one call; each write is its own, sent once. */
export class Transport {
  private readonly limiter: Limiter
  private readonly pool: Pool
  /** In place of it once the site has sent a read on to https. */
  private secure: Pool | undefined
  private readonly inFlight = new Map<string, SharedCall<Answer>>()

  constructor(private readonly options: TransportOptions) {
    this.limiter = new Limiter(options.maxInFlight)
    this.pool = this.poolOf(options.origin)
  }

  /** Asks for `path`; `route` is its template, for messages. Rejects with an `LmsError`. */
  get(route: string, path: string, session: Session): Promise<Answer> {
    if (session.signal?.aborted) return Promise.reject(cancelled())
    const request = { method: 'GET', route, path } as const
    if (!this.options.share) return this.start(request, session).join(session.signal)
    const key = `${session.credentials.id}\n${path}`
    let call = this.inFlight.get(key)
    if (!call) {
      call = this.start(request, session, (ended) => {
        if (this.inFlight.get(key) === ended) this.inFlight.delete(key)
      })
      this.inFlight.set(key, call)
    }
    return call.join(session.signal)
  }

  /** Sends a write. Once it is on its way it is seen through, whoever leaves; reads that began before its end are joined no more. */
  write(method: 'POST' | 'DELETE', route: string, path: string, body: string | undefined, session: Session): Promise<Answer> {
    if (session.signal?.aborted) return Promise.reject(cancelled())
    return this.start({ method, route, path, ...(body === undefined ? {} : { body }) }, session).join(session.signal)
  }

  /** Lets running calls end, then closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.secure?.close()])
  }

  private poolOf(origin: string): Pool {
    const { maxInFlight, timeout, connectTimeout } = this.options
    return new Pool(origin, {
      connections: maxInFlight,
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      connect: { timeout: connectTimeout },
    })
  }

  private start(request: Request, session: Session, ended: (call: SharedCall<Answer>) => void = () => {}): SharedCall<Answer> {
    const call: SharedCall<Answer> = new SharedCall<Answer>(cancelled, () => ended(call))
    this.enqueue(request, session, call)
    return call
  }

  private enqueue(request: Request, session: Session, call: SharedCall<Answer>): void {
    const place = this.limiter.acquire(session)
    if (place) place.then(() => this.send(request, session, call))
    else this.send(request, session, call)
  }

  private send(request: Request, session: Session, call: SharedCall<Answer>): void {
    if (call.abandoned) {
      this.limiter.release()
      return
    }
    const { method, route, path, body } = request
    const pool = this.secure ?? this.pool
    const startedAt = performance.now()
    const report = (status: number, bytes: number, mended = false): void => {
      this.limiter.release()
      if (method !== 'GET') this.inFlight.clear()
      this.tell({ method, route, path, status, bytes, mended, startedAt, duration: performance.now() - startedAt })
    }
    const exchange = new Exchange(
      this.options.maxBytes,
      (answered) => {
        let mended = false
        const answer = read(request, answered, () => {
          mended = true
        })
        report(answered.status, answered.body.length, mended)
        if (method === 'GET' && pool === this.pool && this.movesToHttps(answered, path)) this.enqueue(request, session, call)
        else if ('body' in answer) call.resolve(answer)
        else call.reject(inDoubt(request, this.ofAccount(answer)))
      },
      (failed) => {
        report(failed.status, failed.bytes)
        // A closed pool fails before anybody waits for the call.
        queueMicrotask(() => call.reject(inDoubt(request, explain(request, failed, this.options.maxBytes))))
      },
    )
    if (method === 'GET') call.onAbandon = () => exchange.abort(cancelled())
    const headers = { accept: JSON_TYPE, ...(body === undefined ? {} : { 'content-type': JSON_TYPE }), ...session.credentials.headers }
    pool.dispatch({ path, method, headers, body: body ?? null }, exchange)
  }

  /** Whether the site sends a read on to https on its own host; from then on everything goes there. Other redirects are not followed. */
  private movesToHttps({ status, headers }: Answered, path: string): boolean {
    const { location } = headers
    const here = new URL(path, this.options.origin)
    if (status < 300 || status > 399 || here.protocol !== 'http:') return false
    if (typeof location !== 'string' || !URL.canParse(location)) return false
    const there = new URL(location)
    const same = there.hostname === here.hostname && there.pathname === here.pathname && there.search === here.search
    if (there.protocol !== 'https:' || !same) return false
    this.secure ??= this.poolOf(there.origin)
    return true
  }

  /** What goes wrong in a listener is no matter of those who wait for the call. */
  private tell(call: Call): void {
    try {
      this.options.onCall?.(call)
    } catch (fault) {
      this.options.onFault?.(fault)
    }
  }

  private ofAccount(error: LmsError): LmsError {
    const { onAccountRefused } = this.options
    if (!onAccountRefused || !(error instanceof UnauthenticatedError)) return error
    onAccountRefused(error)
    return new UnavailableError('The site does not take the account of the gateway.', error.upstream)
  }
}

const JSON_TYPE = 'application/json'
