const MINUTE = 60_000

/** A token bucket. It is full at first, and again a minute after it was empty. Times are in milliseconds since the process started. */
export class Bucket {
  private held: number

  /** `size` is the number of tokens per minute, and the most that it holds. */
  constructor(
    readonly size: number,
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

  /** Whether less than half is left, without what it gains since it was asked for a token. */
  get isHalfEmpty(): boolean {
    return this.held < this.size / 2
  }

  private refill(now: number): void {
    const { size } = this
    this.held = Math.min(size, Math.max(this.held, 1 - size) + ((now - this.at) * size) / MINUTE)
    this.at = now
  }
}

/** What one client may use per minute; 0 is unlimited. */
export interface ShareSizes {
  readonly operations: number
  /** REST calls. */
  readonly calls: number
  /** Cost of new documents: their characters, and their selections by a weight. */
  readonly documents: number
}

/** Whether a share belongs to a verified caller or to a network address. */
export type ClientKind = 'caller' | 'address'

/** The share of one client. Limits that are off have no bucket. */
export class Share {
  readonly operations: Bucket | undefined
  readonly calls: Bucket | undefined
  readonly documents: Bucket | undefined

  constructor(
    { operations, calls, documents }: ShareSizes,
    readonly of: ClientKind,
    now: number,
  ) {
    this.operations = bucketOf(operations, now)
    this.calls = bucketOf(calls, now)
    this.documents = bucketOf(documents, now)
  }

  /** Whether a new share would be the same. */
  isFull(now: number): boolean {
    return this.all.every((bucket) => bucket?.isFull(now) !== false)
  }

  get isHalfEmpty(): boolean {
    return this.all.some((bucket) => bucket?.isHalfEmpty)
  }

  private get all(): readonly (Bucket | undefined)[] {
    return [this.operations, this.calls, this.documents]
  }
}

const bucketOf = (size: number, now: number): Bucket | undefined => (size > 0 ? new Bucket(size, now) : undefined)
