import { BusyError, type LmsError, TimeoutError, UnavailableError } from '../errors.js'
import type { Answered } from './exchange.js'
import { type Answer, type Request, read } from './responses.js'

export interface StaleOptions {
  /** Seconds for which an answer may stand in for the site. */
  readonly seconds: number
  /** Most answers that are kept, and their size in bytes. */
  readonly entries: number
  readonly bytes: number
}

/** Old answers that one operation got in place of new ones. */
export class StaleNotes {
  /** Seconds since the oldest of them was new. */
  age = 0
  /** Templates of the routes they are for. */
  readonly routes = new Set<string>()
}

interface Kept {
  readonly answered: Answered
  readonly bytes: number
  readonly at: number
}

/**
 * Last good answers to anonymous reads, to stand in where the site gives none. Those that were not asked for again go first. A write makes
 * all of them void.
 */
export class StaleAnswers {
  /** Counts writes: an answer to a read from before the last one is not kept. */
  epoch = 0
  private readonly kept = new Map<string, Kept>()
  private bytes = 0

  constructor(private readonly options: StaleOptions) {}

  /** Keeps a good answer; `epoch` is that of when the read began. */
  keep(path: string, { status, headers, body }: Answered, epoch: number): void {
    if (epoch !== this.epoch || SECRET.test(path)) return
    this.drop(path)
    const bytes = path.length + body.length
    if (bytes > this.options.bytes) return
    // What came off the wire is a part of something larger.
    this.kept.set(path, { answered: { status, headers, body: Buffer.from(body) }, bytes, at: Date.now() })
    this.bytes += bytes
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.options.entries && this.bytes <= this.options.bytes) break
      this.drop(oldest)
    }
  }

  /** The answer that stands in for a read that failed, which it notes; nothing where there is none, or the failure is no matter of the site. */
  instead(request: Request, notes: StaleNotes, error: LmsError, maxBytes: number): Answer | undefined {
    const kept = STAND_IN.some((Class) => error instanceof Class) ? this.kept.get(request.path) : undefined
    const age = kept ? (Date.now() - kept.at) / 1000 : Infinity
    if (!kept || age > this.options.seconds) return undefined
    notes.age = Math.max(notes.age, Math.floor(age))
    notes.routes.add(request.route)
    return read(request, kept.answered, maxBytes, () => {}) as Answer
  }

  /** Something was, or may have been, changed. */
  clear(): void {
    this.epoch++
    this.kept.clear()
    this.bytes = 0
  }

  private drop(path: string): void {
    const kept = this.kept.get(path)
    if (!kept) return
    this.kept.delete(path)
    this.bytes -= kept.bytes
  }
}

/** Errors in whose place an old answer is better. */
const STAND_IN = [UnavailableError, TimeoutError, BusyError]
/** Reads with a content password are for who knows it. */
export const SECRET = /[?&]password=/
