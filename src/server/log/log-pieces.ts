import { write, writeSync } from 'node:fs'

/**
 * Writes text to a file descriptor in pieces, one at a time, so that a slow reader does not block the process. `end` writes the rest at once. It
 * stops when the reader has gone; SonicBoom, the writer of pino, would retry forever at the end of the process.
 */
export class LogPieces {
  private readonly waiting: Buffer[] = []
  private bytes = 0
  private isBusy = false
  private isGone = false
  /** True after `EAGAIN`: the descriptor is non-blocking, so writes need no thread of their own. */
  private neverBlocks = false

  /** `most`: bytes that may wait; more is dropped. */
  constructor(
    private readonly fd: number,
    private readonly most: number,
  ) {}

  add(text: string): void {
    const piece = Buffer.from(text)
    if (this.isGone || this.bytes + piece.length > this.most) return
    this.waiting.push(piece)
    this.bytes += piece.length
    this.next()
  }

  /** Writes everything that waits, for a second at most. The system completes the write that is running. */
  end(): void {
    const until = Date.now() + 1_000
    if (this.isBusy) this.bytes -= this.waiting.shift()?.length ?? 0
    while (!this.isGone && this.waiting.length > 0 && Date.now() < until) {
      try {
        this.written(writeSync(this.fd, this.waiting[0] as Buffer))
      } catch (error) {
        if (isTemporary(error)) Atomics.wait(PAUSE, 0, 0, RETRY)
        else this.gone()
      }
    }
  }

  private next(): void {
    const [piece] = this.waiting
    if (this.isBusy || !piece) return
    this.isBusy = true
    if (this.neverBlocks) this.tryAtOnce(piece)
    else write(this.fd, piece, 0, piece.length, null, (error, count) => this.ended(error, count))
  }

  private tryAtOnce(piece: Buffer): void {
    try {
      this.ended(null, writeSync(this.fd, piece))
    } catch (error) {
      this.ended(error as Error, 0)
    }
  }

  private ended(error: Error | null, count: number): void {
    this.isBusy = false
    if (!error) this.written(count)
    else if (isTemporary(error)) {
      this.neverBlocks = true
      setTimeout(() => this.next(), RETRY).unref()
      return
    } else this.gone()
    this.next()
  }

  /** Removes written bytes from the first piece. */
  private written(count: number): void {
    const piece = this.waiting.shift() as Buffer
    this.bytes -= count
    if (count < piece.length) this.waiting.unshift(piece.subarray(count))
  }

  private gone(): void {
    this.isGone = true
    this.waiting.length = 0
    this.bytes = 0
  }
}

/** Milliseconds before a retry when the reader was not ready. */
const RETRY = 10
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/** Whether an error is temporary. */
const isTemporary = (error: unknown): boolean => ['EAGAIN', 'EBUSY', 'EINTR'].includes((error as NodeJS.ErrnoException).code ?? '')
