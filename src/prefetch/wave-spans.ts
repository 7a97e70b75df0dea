import { performance } from 'node:perf_hooks'
import { getOrMake } from '../upstream/maps.js'
import type { CallSpan, Span, TracedCall } from '../upstream/spans.js'
import type { RunBatch } from './batches.js'
import type { Operation } from './operation.js'

/** Makes a batch. */
type MakeBatch<B> = (operation: Operation, run: RunBatch) => B

/** The spans of the waves of one fetcher, below the span of its operation. */
export class WaveSpans {
  private readonly waves = new Map<number, WaveSpan>()

  constructor(private readonly span: Span) {}

  /** Makes batches whose calls are traced below the span of their wave. */
  traced<B>(number: number, make: MakeBatch<B>): MakeBatch<B> {
    const wave = getOrMake(this.waves, number, () => new WaveSpan(this.span, number))
    return (operation, run) => make(operation.under(wave), (calls, then) => run(() => wave.run(calls), then))
  }

  end(): void {
    for (const wave of this.waves.values()) wave.end()
  }
}

/** The span of one wave: from the start of its first batch to the end of its last one. Waves without calls have none. */
class WaveSpan implements Span {
  private started: Span | undefined
  private startedAt: number | undefined
  private endedAt: number | undefined

  constructor(
    private readonly parent: Span,
    private readonly number: number,
  ) {}

  step(name: string): Span {
    return this.span.step(name)
  }

  call(call: TracedCall): CallSpan {
    return this.span.call(call)
  }

  /** Runs the calls of a batch. */
  async run(calls: () => Promise<unknown>): Promise<unknown> {
    this.startedAt ??= performance.now()
    try {
      return await calls()
    } finally {
      this.endedAt = performance.now()
    }
  }

  end(): void {
    this.started?.end(this.endedAt)
  }

  private get span(): Span {
    this.started ??= this.parent.step(`wave ${this.number}`, { 'lms.wave': this.number }, this.startedAt)
    return this.started
  }
}
