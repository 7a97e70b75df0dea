import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'
import { CancelledError, errorFor, InvalidResponseError, LmsError, TimeoutError, UnavailableError } from './errors.js'
import { parseBody } from './json.js'
import { Limiter, type Turn } from './limiter.js'

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
  readonly onCall?: ((call: Call) => void) | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed JSON. Shared between those who asked for the same; never to be changed. */
  readonly body: unknown
}

interface Shared {
  users: number
  readonly abort: AbortController
  readonly answer: Promise<Answer>
}

/** GET requests to one site: bounded in number, time and size; identical ones in flight are one call. */
export class Transport {
  readonly limiter: Limiter
  private readonly pool: Pool
  private readonly inFlight = new Map<string, Shared>()

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
    const key = `${session.authorization ?? ''}\n${path}`
    let shared = this.inFlight.get(key)
    if (!shared) {
      const abort = new AbortController()
      shared = { users: 0, abort, answer: this.send(route, path, session, abort.signal) }
      this.inFlight.set(key, shared)
      const settled = () => this.forget(key, shared as Shared)
      shared.answer.then(settled, settled)
    }
    shared.users++
    return session.signal ? this.leaveable(shared, session.signal, key) : shared.answer
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  destroy(): Promise<void> {
    return this.pool.destroy()
  }

  private forget(key: string, shared: Shared): void {
    if (this.inFlight.get(key) === shared) this.inFlight.delete(key)
  }

  /** A caller who goes away ends only their own wait; the call itself ends with its last user. */
  private leaveable(shared: Shared, signal: AbortSignal, key: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(new CancelledError('The request was cancelled.'))
        if (--shared.users > 0) return
        this.forget(key, shared)
        shared.abort.abort()
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      shared.answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  private async send(route: string, path: string, session: Session, signal: AbortSignal): Promise<Answer> {
    const place = this.limiter.acquire(session)
    if (place) await place
    const startedAt = performance.now()
    let status = 0
    let bytes = 0
    try {
      if (signal.aborted) throw new CancelledError('The request was cancelled.')
      const headers: Record<string, string> = { accept: 'application/json' }
      if (session.authorization !== null) headers.authorization = session.authorization
      const response = await this.pool.request({ path, method: 'GET', headers, signal })
      status = response.statusCode
      const text = await this.read(route, status, response.body)
      bytes = text.length
      const body = parseBody(text)
      if (status >= 300 || status < 200) throw errorFor(route, status, body)
      if (body === undefined) throw new InvalidResponseError(`The answer to ${route} is not JSON.`, { status, code: null })
      return { status, headers: response.headers, body }
    } catch (error) {
      throw error instanceof LmsError ? error : transportError(route, error)
    } finally {
      this.limiter.release()
      this.options.onCall?.({ route, path, status, bytes, startedAt, duration: performance.now() - startedAt })
    }
  }

  private async read(route: string, status: number, body: AsyncIterable<Buffer> & { destroy(): void }): Promise<Buffer> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > this.options.maxBytes) {
        throw new InvalidResponseError(`The answer to ${route} is larger than ${this.options.maxBytes} bytes.`, { status, code: null })
      }
      chunks.push(chunk)
    }
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  }
}

function transportError(route: string, error: unknown): LmsError {
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'AbortError') return new CancelledError('The request was cancelled.')
  if (code?.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return new TimeoutError(`The site did not answer ${route} in time.`)
  return new UnavailableError(`The site could not be reached for ${route}.`)
}
