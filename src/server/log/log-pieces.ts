import { write, writeSync } from 'node:fs'

/**
 * Writes text to a file descriptor in pieces, one at a time, so that a slow reader does not block the process. After an error, such as a full disk
 * or a reader that has gone, it tries again every second. `end` writes the rest at once, but does not wait after such an error; SonicBoom, the
 * writer of pino, would retry forever at the end of the process.
 */
export class LogPieces {
  private readonly waiting: Buffer[] = []
  private bytes = 0
  /** Bytes of the first piece that are written. */
  private at = 0
  private isBusy = false
  private isPaused = false
  /** True after `EAGAIN`: the descriptor is non-blocking, so writes need no thread of their own. */
  private neverBlocks = false
  /** Lines that were dropped in all, and since the last notice. */
  dropped = 0
  private unnoticed = 0

  /** `most`: bytes that may wait. From then on lines are dropped, until half of these are written; `notice` returns a line about them. */
  constructor(
    private readonly fd: number,
    private readonly most: number,
    private readonly notice: (dropped: number) => string,
  ) {}

  /** Adds whole lines. */
  add(text: string, lines: number): void {
    const piece = Buffer.from(text)
    if (this.unnoticed > 0 || this.bytes + piece.length > this.most) {
      this.dropped += lines
      this.unnoticed += lines
    } else this.push(piece)
    this.next()
  }

  /** Writes everything that waits, for a second at most. The system completes the write that is running. */
  end(): void {
    const until = Date.now() + 1_000
    if (this.isBusy) this.written((this.waiting[0] as Buffer).length - this.at)
    while (this.waiting.length > 0 && Date.now() < until) {
      try {
        this.written(writeSync(this.fd, this.waiting[0] as Buffer, this.at))
      } catch (error) {
        if (!isTemporary(error)) return
        Atomics.wait(PAUSE, 0, 0, RETRY)
      }
    }
  }

  private push(piece: Buffer): void {
    this.waiting.push(piece)
    this.bytes += piece.length
  }

  private next(): void {
    const [piece] = this.waiting
    if (this.isBusy || this.isPaused || !piece) return
    this.isBusy = true
    if (this.neverBlocks) this.tryAtOnce(piece)
    else write(this.fd, piece, this.at, piece.length - this.at, null, (error, count) => this.ended(error, count))
  }

  private tryAtOnce(piece: Buffer): void {
    try {
      this.ended(null, writeSync(this.fd, piece, this.at))
    } catch (error) {
      this.ended(error as Error, 0)
    }
  }

  private ended(error: Error | null, count: number): void {
    this.isBusy = false
    if (error) {
      this.neverBlocks ||= isTemporary(error)
      this.isPaused = true
      setTimeout(this.resume, isTemporary(error) ? RETRY : RETRY_AFTER_ERROR).unref()
      return
    }
    this.written(count)
    this.next()
  }

  private readonly resume = (): void => {
    this.isPaused = false
    this.next()
  }

  private written(count: number): void {
    this.bytes -= count
    this.at += count
    if (this.at < (this.waiting[0] as Buffer).length) return
    this.waiting.shift()
    this.at = 0
    if (this.unnoticed === 0 || this.bytes > this.most / 2) return
    this.push(Buffer.from(this.notice(this.unnoticed)))
    this.unnoticed = 0
  }
}

/** Milliseconds before a retry when the reader was not ready, and after other errors. */
const RETRY = 10
const RETRY_AFTER_ERROR = 1_000
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/** Whether an error is temporary. */
const isTemporary = (error: unknown): boolean => ['EAGAIN', 'EBUSY', 'EINTR'].includes((error as NodeJS.ErrnoException).code ?? '')
