import { hash } from 'node:crypto'
import { isObject } from '../../maps.js'
import type { Credentials } from '../../upstream/credentials.js'
import { LmsError } from '../../upstream/errors.js'
import { endpointsOf, type Site } from '../../upstream/site/site.js'
import { Deadline } from '../../upstream/transport/deadline.js'
import type { Transport } from '../../upstream/transport/transport.js'
import type { Log } from '../log/levels.js'
import type { RedisConnection } from './connection.js'

/** Redis, for what gateways share of a site. */
export interface Sharing {
  readonly redis: RedisConnection
  readonly prefix: string
  readonly siteId: string | undefined
  /** Those with which the site is asked for its address. */
  readonly credentials: Credentials
  readonly log: Log | undefined
}

/** Milliseconds for which the first requests wait for the identity, until the next attempt after a failure, and between two comparisons. */
const [PATIENCE, RETRY, INTERVAL] = [1_000, 2_000, 10_000]
/** Seconds for which the identity of a gateway that has ended is compared. */
const REMEMBERED = 30

/** Whether a site that works refuses its index: other 4xx are for a while. */
const isRefusal = (status = 0): boolean => status >= 400 && status < 500 && ![408, 425, 429].includes(status)

const UNKNOWN = 'the site does not say its address: nothing is shared and no mutation is made until it answers, or `siteId` is set'
const DIFFERENT =
  'gateways with one Redis name the site differently and share nothing: set `siteId` to the same text for all gateways of a site, and to another one for each further site'

/**
 * Which site the gateways share data of: the address that the site says, because gateways may reach one site by several addresses, and several
 * sites by the same address. A site that does not say any, or refuses to, is known by the address in the settings.
 *
 * Nothing is shared until the site has answered: after a guess, the gateway would not learn of the changes of others.
 */
export class SiteIdentity {
  private identity: string | undefined
  private keys = ''
  private timer: NodeJS.Timeout | undefined
  /** Ends a running question when the gateway closes. */
  private readonly closing = new Deadline()
  /** Identities of other gateways that are in the log; `undefined` when it says that the own one is not known. */
  private readonly logged = new Set<string | undefined>()
  private readonly started: Promise<unknown>

  constructor(private readonly options: Sharing & { readonly site: Site; readonly transport: Pick<Transport, 'get'> }) {
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE).unref())
    this.started = Promise.race([this.keepComparing(), patience])
  }

  /** Returns the start of the keys of the site, at once if it is known. Rejects while the site has not answered. */
  readonly keyPrefix = (): string | Promise<string> =>
    this.keys || this.started.then(() => this.keys || Promise.reject(new Error('The identity of the site is not known.')))

  close(): void {
    this.closing.cancel()
    clearTimeout(this.timer)
  }

  private async keepComparing(): Promise<void> {
    const isDone = await this.compare().catch(() => false)
    if (!this.closing.ended) this.timer = setTimeout(() => this.keepComparing(), isDone ? INTERVAL : RETRY).unref()
  }

  /** Learns the identity, and compares it with that of the gateway that has last done so. Returns whether both were possible. */
  private async compare(): Promise<boolean> {
    const { redis, prefix, siteId } = this.options
    const site = this.identity ?? (await this.learn())
    if (site === undefined) this.warn(undefined, UNKNOWN)
    if (site === undefined || !redis.isReady) return false
    const found = await redis.command('SET', `${prefix}:site`, site, 'EX', REMEMBERED, 'GET')
    const other = found === null ? site : String(found)
    // Whoever names the sites may have several of them in one Redis.
    if (other === site || siteId !== undefined || this.logged.has(other)) return true
    // The address may have been changed since this gateway asked for it.
    const current = await this.learn()
    if (current === site) this.warn(other, DIFFERENT)
    return current === site
  }

  /** Asks for the identity, and adopts it. */
  private async learn(): Promise<string | undefined> {
    const { prefix, siteId } = this.options
    const identity = siteId ?? (await this.ask())
    if (identity === undefined) return undefined
    this.identity = identity
    // With a hash tag, so that a cluster keeps all keys of a site on one node.
    this.keys = `${prefix}:{${hash('sha256', identity, 'base64url').slice(0, 16)}}:`
    return identity
  }

  private warn(other: string | undefined, message: string): void {
    if (!this.logged.has(other)) this.options.log?.warn(other === undefined ? {} : { site: this.identity, other }, message)
    this.logged.add(other)
  }

  /** Returns the address that the site says, that of the settings if it does not say any, or undefined if it did not answer. */
  private async ask(): Promise<string | undefined> {
    const { site, transport, credentials } = this.options
    const configured = `${new URL(site.url).protocol}//${placeOf(site.url)}`
    const call = { caller: { credentials, id: 'identity' }, trace: {}, freshness: {}, budget: { operation: {}, deadline: this.closing } }
    try {
      const { body } = await transport.get('index', endpointsOf(site).indexPath, call, undefined)
      return (isObject(body) && (placeOf(body.home) || placeOf(body.url))) || configured
    } catch (error) {
      return error instanceof LmsError && isRefusal(error.upstream?.status) ? configured : undefined
    }
  }
}

/** Host and path of an address as `URL` writes them. Without the scheme, because WordPress says the one by which it was called. */
function placeOf(address: unknown): string {
  if (typeof address !== 'string' || address.length > MAX_ADDRESS || !URL.canParse(address)) return ''
  const { host, pathname, search } = new URL(address)
  return host && host + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname) + search
}

const MAX_ADDRESS = 2_000
