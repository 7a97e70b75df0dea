import { performance } from 'node:perf_hooks'
import { getOrMake } from '../maps.js'
import type { CallSpan, Span, TracedCall } from '../upstream/spans.js'

/** The spans of the waves of one prefetch, below the span of its operation. */
export class WaveSpans {
  private readonly waves = new Map<number, WaveSpan>()

  constructor(private readonly span: Span) {}

  /** The span under which the calls of a wave are traced. */
  of(number: number): WaveSpan {
    return getOrMake(this.waves, number, () => new WaveSpan(this.span, number))
  }

  end(): void {
    for (const wave of this.waves.values()) wave.end()
  }
}

/** The span of one wave: from the start of its first batch to the end of its last one. Waves without calls have none. */
export class WaveSpan implements Span {
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

  /** A batch of the wave begins. */
  batchBegins(): void {
    this.startedAt ??= performance.now()
  }

  /** A batch of the wave has ended. */
  batchEnds(): void {
    this.endedAt = performance.now()
  }

  end(): void {
    this.started?.end(this.endedAt)
  }

  private get span(): Span {
    this.started ??= this.parent.step(`wave ${this.number}`, { 'lms.wave': this.number }, this.startedAt)
    return this.started
  }
}
