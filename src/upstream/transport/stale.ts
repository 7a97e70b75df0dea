import { BusyError, type LmsError, TimeoutError, UnavailableError } from '../errors.js'
import type { Answered } from './exchange.js'
import { type Answer, type Request, read } from './responses.js'

export interface StaleOptions {
  /** Seconds for which an answer may be used. */
  readonly seconds: number
  /** Largest number of answers. */
  readonly entries: number
  readonly bytes: number
}

/** The stale answers that one operation received. */
export class StaleNotes {
  /** Age of the oldest answer, in seconds. */
  age = 0
  /** Templates of their routes. */
  readonly routes = new Set<string>()
}

interface StoredAnswer {
  readonly answered: Answered
  readonly bytes: number
  readonly storedAt: number
}

/**
 * Keeps the last successful answers to anonymous reads, for use when the site fails. Evicts the least recently stored. A write clears all.
 */
export class StaleAnswers {
  /** Number of writes. An answer to a read that began before the last write is not kept. */
  epoch = 0
  private readonly stored = new Map<string, StoredAnswer>()
  private bytes = 0

  constructor(private readonly options: StaleOptions) {}

  /** Stores a successful answer. `epoch` is its value when the read began. */
  keep(path: string, { status, headers, body }: Answered, epoch: number): void {
    if (epoch !== this.epoch || SECRET.test(path)) return
    this.delete(path)
    const bytes = path.length + body.length
    if (bytes > this.options.bytes) return
    // Copied, because the body is a slice of a larger buffer.
    this.stored.set(path, { answered: { status, headers, body: Buffer.from(body) }, bytes, storedAt: Date.now() })
    this.bytes += bytes
    for (const oldest of this.stored.keys()) {
      if (this.stored.size <= this.options.entries && this.bytes <= this.options.bytes) break
      this.delete(oldest)
    }
  }

  /** Returns the stored answer for a read that failed because of the site, and records its use. */
  find(request: Request, notes: StaleNotes, error: LmsError, maxBytes: number): Answer | undefined {
    const stored = REPLACEABLE.some((Class) => error instanceof Class) ? this.stored.get(request.path) : undefined
    const age = stored ? (Date.now() - stored.storedAt) / 1000 : Infinity
    if (!stored || age > this.options.seconds) return undefined
    notes.age = Math.max(notes.age, Math.floor(age))
    notes.routes.add(request.route)
    return read(request, stored.answered, maxBytes, () => {}) as Answer
  }

  /** Removes all answers after a change, or a possible one. */
  clear(): void {
    this.epoch++
    this.stored.clear()
    this.bytes = 0
  }

  private delete(path: string): void {
    const stored = this.stored.get(path)
    if (!stored) return
    this.stored.delete(path)
    this.bytes -= stored.bytes
  }
}

/** Errors that a stale answer replaces. */
const REPLACEABLE = [UnavailableError, TimeoutError, BusyError]
/** Reads with a content password, which are not shared with other callers. */
export const SECRET = /[?&]password=/
