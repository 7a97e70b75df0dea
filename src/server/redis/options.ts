/** Redis or Valkey, for what several gateways share. */
export interface RedisOptions {
  /** Address: `redis://` or, with TLS, `rediss://`, with user, password and number of the database if needed. Several addresses are nodes of a cluster. */
  readonly url: string | readonly string[]
  /** Whether a single address is a node of a cluster. False by default. */
  readonly cluster?: boolean
  /** Milliseconds for one command, 500 by default. */
  readonly timeout?: number
  /** Start of all keys, `lms` by default. */
  readonly prefix?: string
  /** Name of the site: gateways with the same one share its data. By default the address that the site says it has. */
  readonly siteId?: string | undefined
}

/** The defaults. */
export const REDIS = { timeout: 500, prefix: 'lms' } as const

/** Whether a text is the address of a Redis: without parameters, which would be options of the client. */
export function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text)
  return (
    /^rediss?:$/.test(protocol) &&
    hostname !== '' &&
    /^\/?\d{0,5}$/.test(pathname) &&
    search + hash === '' &&
    isEncoded(username + password)
  )
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
