/** Redis or Valkey, for what several gateways share. */
export interface RedisOptions {
  /** Address: `redis://` or, with TLS, `rediss://`, with user, password and number of the database if needed. Several nodes of a cluster in an array. */
  readonly url: string | readonly string[]
  /** Whether it is a Redis Cluster. False by default. */
  readonly cluster?: boolean
  /** Milliseconds for one command, 500 by default. */
  readonly timeout?: number
  /** Start of all keys, `lms` by default. */
  readonly prefix?: string
}

/** The defaults. */
export const REDIS = { timeout: 500, prefix: 'lms' } as const

/** Whether a text is the address of a Redis. */
export const isRedisUrl = (text: string): boolean =>
  URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol) && new URL(text).hostname !== ''
