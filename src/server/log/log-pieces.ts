import { write, writeSync } from 'node:fs'

/**
 * Writes text to a file descriptor in pieces, one at a time, without holding up the process for a slow reader; at the end at once. A
 * reader who has gone ends it (the one of SonicBoom, pino's own, then tries for ever as the process ends).
 */
export class LogPieces {
  private readonly waiting: Buffer[] = []
  private bytes = 0
  private isBusy = false
  private isGone = false
  /** Known when it has once refused a piece: then a write of its own thread is not needed any more, since none holds up anybody. */
  private neverBlocks = false

  /** `most`: bytes that may wait; what is more is dropped. */
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

  /** Writes what waits, for a second at most. What is on its way already is seen through by the system. */
  end(): void {
    const until = Date.now() + 1_000
    if (this.isBusy) this.bytes -= this.waiting.shift()?.length ?? 0
    while (!this.isGone && this.waiting.length > 0 && Date.now() < until) {
      try {
        this.written(writeSync(this.fd, this.waiting[0] as Buffer))
      } catch (error) {
        if (isPassing(error)) Atomics.wait(PAUSE, 0, 0, RETRY)
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
    else if (isPassing(error)) {
      this.neverBlocks = true
      setTimeout(() => this.next(), RETRY).unref()
      return
    } else this.gone()
    this.next()
  }

  /** So much of the first piece has been. */
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

/** Milliseconds until a reader who was not ready is tried again. */
const RETRY = 10
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/** Whether the reader may only be slow. */
const isPassing = (error: unknown): boolean => ['EAGAIN', 'EBUSY', 'EINTR'].includes((error as NodeJS.ErrnoException).code ?? '')
