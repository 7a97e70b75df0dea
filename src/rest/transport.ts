import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'
import { CancelledError, errorFor, InvalidResponseError, type LmsError, TimeoutError, UnavailableError } from './errors.js'
import { type Answered, Exchange, type Failed } from './exchange.js'
import { parseBody } from './json.js'
import { Limiter, type Turn } from './limiter.js'
import { SharedCall } from './shared-call.js'

/** Who calls, for which operation, until when. */
export interface Session extends Turn {
  /** `Authorization` header for the site, as the caller sent it; `null` is anonymous. */
  readonly authorization: string | null
  readonly signal?: AbortSignal | undefined
}

/** One REST call as it went over the wire, for tests, logs and explain. */
export interface Call {
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
}

export interface Answer {
  readonly status: number
  readonly headers: Answered['headers']
  /** The parsed JSON. Shared between those who asked for the same; never to be changed. */
  readonly body: unknown
}

/** GET requests to one site: bounded in number, time and size; identical ones in flight are one call. */
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
    if (!this.options.share) return this.start(route, path, session, () => {}).join(session.signal)
    const key = `${session.authorization ?? ''}\n${path}`
    let call = this.inFlight.get(key)
    if (!call) {
      call = this.start(route, path, session, () => this.inFlight.delete(key))
      this.inFlight.set(key, call)
    }
    return call.join(session.signal)
  }

  /** Lets running calls end, then closes the connections. */
  close(): Promise<void> {
    return this.pool.close()
  }

  private start(route: string, path: string, session: Session, ended: () => void): SharedCall<Answer> {
    const call = new SharedCall<Answer>(cancelled, ended)
    const place = this.limiter.acquire(session)
    if (place) place.then(() => this.send(route, path, session, call))
    else this.send(route, path, session, call)
    return call
  }

  private send(route: string, path: string, session: Session, call: SharedCall<Answer>): void {
    if (call.abandoned) {
      this.limiter.release()
      return
    }
    const startedAt = performance.now()
    const report = (status: number, bytes: number): void => {
      this.limiter.release()
      this.options.onCall?.({ route, path, status, bytes, startedAt, duration: performance.now() - startedAt })
    }
    const exchange = new Exchange(
      this.options.maxBytes,
      (answered) => {
        report(answered.status, answered.body.length)
        const answer = read(route, answered)
        if ('body' in answer) call.resolve(answer)
        else call.reject(answer)
      },
      (failed) => {
        report(failed.status, failed.bytes)
        call.reject(this.explain(route, failed))
      },
    )
    call.onAbandon = () => exchange.abort(cancelled())
    const headers = session.authorization === null ? { accept: JSON_TYPE } : { accept: JSON_TYPE, authorization: session.authorization }
    this.pool.dispatch({ path, method: 'GET', headers }, exchange)
  }

  private explain(route: string, { error, status, tooLarge }: Failed): LmsError {
    if (tooLarge)
      return new InvalidResponseError(`The answer to ${route} is larger than ${this.options.maxBytes} bytes.`, { status, code: null })
    if (error instanceof CancelledError) return error
    const { code } = error as { code?: string }
    if (code?.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return new TimeoutError(`The site did not answer ${route} in time.`)
    return new UnavailableError(`The site could not be reached for ${route}.`)
  }
}

const JSON_TYPE = 'application/json'

const cancelled = (): LmsError => new CancelledError('The request was cancelled.')

/** The answer's JSON, or why it can't be used. */
function read(route: string, { status, headers, body }: Answered): Answer | LmsError {
  const json = parseBody(body)
  if (status >= 300 || status < 200) return errorFor(route, status, json)
  return json === undefined
    ? new InvalidResponseError(`The answer to ${route} is not JSON.`, { status, code: null })
    : { status, headers, body: json }
}
