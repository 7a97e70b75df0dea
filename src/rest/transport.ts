import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'
import {
  CancelledError,
  errorFor,
  InvalidResponseError,
  type LmsError,
  TimeoutError,
  UnauthenticatedError,
  UnavailableError,
} from './errors.js'
import { type Answered, Exchange, type Failed } from './exchange.js'
import { parseBody } from './json.js'
import { Limiter } from './limiter.js'
import type { Session } from './session.js'
import { SharedCall } from './shared-call.js'

export type Method = 'GET' | 'POST' | 'DELETE'

/** A request to the site: `route` is its template, for messages; `body` is JSON. */
interface Request {
  readonly method: Method
  readonly route: string
  readonly path: string
  readonly body?: string
}

/** One REST call as it went over the wire, for tests, logs and explain. */
export interface Call {
  readonly method: Method
  readonly route: string
  readonly path: string
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly bytes: number
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

export interface Answer {
  readonly status: number
  readonly headers: Answered['headers']
  /** The parsed JSON. Shared between those who asked for the same; never to be changed. */
  readonly body: unknown
}

/** Requests to one site: bounded in number, time and size. Identical reads in flight are one call; each write is its own, sent once. */
export class Transport {
  private readonly limiter: Limiter
  private readonly pool: Pool
  private readonly inFlight = new Map<string, SharedCall<Answer>>()

  constructor(private readonly options: TransportOptions) {
    this.limiter = new Limiter(options.maxInFlight)
    this.pool = new Pool(options.origin, {
      connections: options.maxInFlight,
      pipelining: 1,
      headersTimeout: options.timeout,
      bodyTimeout: options.timeout,
      connect: { timeout: options.connectTimeout },
    })
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
  close(): Promise<void> {
    return this.pool.close()
  }

  private start(request: Request, session: Session, ended: (call: SharedCall<Answer>) => void = () => {}): SharedCall<Answer> {
    const call: SharedCall<Answer> = new SharedCall<Answer>(cancelled, () => ended(call))
    const place = this.limiter.acquire(session)
    if (place) place.then(() => this.send(request, session, call))
    else this.send(request, session, call)
    return call
  }

  private send(request: Request, session: Session, call: SharedCall<Answer>): void {
    if (call.abandoned) {
      this.limiter.release()
      return
    }
    const { method, route, path, body } = request
    const startedAt = performance.now()
    const report = (status: number, bytes: number): void => {
      this.limiter.release()
      if (method !== 'GET') this.inFlight.clear()
      this.tell({ method, route, path, status, bytes, startedAt, duration: performance.now() - startedAt })
    }
    const exchange = new Exchange(
      this.options.maxBytes,
      (answered) => {
        report(answered.status, answered.body.length)
        const answer = read(request, answered)
        if ('body' in answer) call.resolve(answer)
        else call.reject(inDoubt(request, this.ofAccount(answer)))
      },
      (failed) => {
        report(failed.status, failed.bytes)
        // A closed pool fails before anybody waits for the call.
        queueMicrotask(() => call.reject(inDoubt(request, this.explain(request, failed))))
      },
    )
    if (method === 'GET') call.onAbandon = () => exchange.abort(cancelled())
    const headers = { accept: JSON_TYPE, ...(body === undefined ? {} : { 'content-type': JSON_TYPE }), ...session.credentials.headers }
    this.pool.dispatch({ path, method, headers, body: body ?? null }, exchange)
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

  private explain({ route }: Request, { error, status, tooLarge }: Failed): LmsError {
    if (tooLarge)
      return new InvalidResponseError(`The answer to ${route} is larger than ${this.options.maxBytes} bytes.`, {
        status,
        code: null,
      })
    if (error instanceof CancelledError) return error
    const { code } = error as { code?: string }
    if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return cancelled()
    if (code?.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return new TimeoutError(`The site did not answer ${route} in time.`)
    return new UnavailableError(`The site could not be reached for ${route}.`)
  }
}

const JSON_TYPE = 'application/json'
const UNKNOWN_END = ' It is not known whether the change was made: look before you try again.'

const cancelled = (): LmsError => new CancelledError('The request was cancelled.')

/** Says of a failed write that it may have been done all the same, unless the site has refused it. */
function inDoubt({ method }: Request, error: LmsError): LmsError {
  const open = error instanceof UnavailableError || error instanceof TimeoutError || error instanceof InvalidResponseError
  if (open && method !== 'GET') error.message += UNKNOWN_END
  return error
}

/** The answer's JSON, or why it can't be used. A write may be answered by nothing at all. */
function read({ method, route }: Request, { status, headers, body }: Answered): Answer | LmsError {
  const json = body.length === 0 && method !== 'GET' ? null : parseBody(body)
  if (status >= 300 || status < 200) return errorFor(route, status, json)
  return json === undefined
    ? new InvalidResponseError(`The answer to ${route} is not JSON.`, { status, code: null })
    : { status, headers, body: json }
}
