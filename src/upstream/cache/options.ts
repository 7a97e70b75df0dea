/** The cache of the site's answers. */
export interface CacheOptions {
  /** Seconds for which answers are kept and used: for all types, or by type name, such as `{ Course: 300 }`. Others are not kept. */
  readonly maxAge: number | Readonly<Record<string, number>>
  /** Most seconds for answers to callers with credentials, who never share them; 10 by default, 0 for not at all. */
  readonly forCallers?: number
  /** Largest memory of the kept answers in bytes, 50,000,000 by default. */
  readonly bytes?: number
  /** Further seconds for which a kept answer is used while it is read again; 0 by default. */
  readonly staleWhileRevalidate?: number
  /**
   * Seconds for which other gateways may show data from before a change that was made while they could not be told; kept answers are used for
   * no longer. 0, the default: such changes are refused.
   */
  readonly staleness?: number
  /**
   * Key of the fingerprints under which answers to callers with credentials are shared in Redis: at least 32 characters, the same for all
   * gateways. While it is replaced, an array of two: answers are shared with the first, and looked up with both.
   */
  readonly secret?: string | readonly string[] | undefined
}

/** The defaults. */
export const CACHE = { forCallers: 10, bytes: 50_000_000, staleWhileRevalidate: 0, staleness: 0 } as const
