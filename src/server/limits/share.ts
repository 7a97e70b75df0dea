import type { Options } from '../../options/table.js'

const MINUTE = 60_000

/** A token bucket. It is full at first, and again a minute after it was empty. Times are in milliseconds since the process started. */
export class Bucket {
  private held: number

  /** `size` is the number of tokens per minute, and the most that it holds. */
  constructor(
    private readonly size: number,
    private at: number,
  ) {
    this.held = size
  }

  /** Takes tokens, even if it has fewer. Returns them when the number is negative. */
  take(tokens: number): void {
    this.held -= tokens
  }

  /** Seconds until it has a token; 0 when it has one. At most a minute, however many were taken. */
  wait(now: number): number {
    this.refill(now)
    return this.held >= 1 ? 0 : Math.ceil(((1 - this.held) * MINUTE) / this.size / 1_000)
  }

  isFull(now: number): boolean {
    this.refill(now)
    return this.held === this.size
  }

  /** Whether less than half was left when it was last asked for a token. */
  get isHalfEmpty(): boolean {
    return this.held < this.size / 2
  }

  private refill(now: number): void {
    const { size } = this
    this.held = Math.min(size, Math.max(this.held, 1 - size) + ((now - this.at) * size) / MINUTE)
    this.at = now
  }
}

/** The limits of a client, by their options. */
export const SHARED = ['operationsPerMinute', 'callsPerMinute', 'documentCostPerMinute'] as const
export type ShareLimits = Readonly<Record<(typeof SHARED)[number], number>>

/**
 * The limits of the options. Without production there are none by default: on the machine of a developer, test suites and tools send more from one
 * address than any client does.
 */
export function shareLimits({ limits, protection }: Pick<Options, 'limits' | 'protection'>, production: boolean): ShareLimits {
  return {
    operationsPerMinute: limits.operationsPerMinute ?? (production ? 120_000 : 0),
    callsPerMinute: limits.callsPerMinute ?? (production ? 12_000 * protection.maxInFlight : 0),
    documentCostPerMinute: limits.documentCostPerMinute ?? (production ? 5_000_000 : 0),
  }
}

/** The share of one client. */
export type Share = Readonly<Record<keyof ShareLimits, Bucket>>
