import { performance } from 'node:perf_hooks'
import { type DocumentNode, GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Credentials } from '../../upstream/credentials.js'
import type { Emitter } from '../../upstream/events.js'
import type { Principal } from '../auth/authenticator.js'
import type { RequestState } from '../request-state.js'
import { selectionsIn } from './measures.js'
import { Bucket, SHARED, type Share, type ShareLimits } from './share.js'
import type { SignIns } from './sign-ins.js'

/** What a client is limited in: its shares, and `credentials` that the site has rejected. */
export const RATE_LIMITS = [...SHARED, 'credentials'] as const
export type RateLimit = (typeof RATE_LIMITS)[number]

export interface ShareEvents {
  /** A request is refused because its client has used up a share. */
  readonly rateLimited: [limit: RateLimit, state: RequestState]
  /** A proxy at a private address is not trusted, so the addresses of its clients are unknown and have no shares. Emitted once. */
  readonly proxyIgnored: [address: string]
}

/** A refusal with 429. */
export interface RateRefusal {
  readonly message: string
  readonly extensions: { readonly code: 'RATE_LIMITED'; readonly retryAfter: number; readonly limit?: string; readonly most?: number }
}

/**
 * Cost of a selection, in characters. Measured: a character of a document takes 0.03 microseconds in the parser, a selection 8 to 12 until it is
 * validated and planned.
 */
const PER_SELECTION = 300
/** Largest number of verified callers, and of addresses, whose shares are kept. A share takes about 400 bytes. */
const MAX_CLIENTS = 20_000

export interface SharesOptions {
  /** What one client may use per minute; 0 is unlimited. */
  readonly limits: ShareLimits
  /** Whether the site has confirmed credentials. */
  readonly isProven: (credentials: Credentials) => boolean
  /** Undefined when callers have no credentials of their own for the site. */
  readonly signIns: SignIns | undefined
  readonly events: Emitter<ShareEvents>
}

/**
 * Limits what one client may use per minute. A verified caller has a share of its own: by API key or token, or by credentials that the site has
 * confirmed. All others share that of their address, since anybody can make up credentials. Where the address is unknown, or that of a proxy
 * that is not trusted, they have no limit.
 */
export class Shares {
  private readonly callers = new LRUCache<string, Share>({ max: MAX_CLIENTS })
  private readonly addresses = new LRUCache<string, Share>({ max: MAX_CLIENTS })
  /** The common share of the clients that have none of their own, because too many are kept. */
  private readonly others: Share
  private hasWarned = false

  constructor(private readonly options: SharesOptions) {
    this.others = this.newShare(performance.now())
  }

  /** Takes an operation from the share of its client, or returns the refusal when the share is used up. */
  refusal(state: RequestState, principal: Principal): RateRefusal | undefined {
    const now = performance.now()
    const share = this.shareOf(state, principal, now)
    const refusal =
      this.refusalAfter('credentials', state, this.signIn(state, principal, now)) ??
      this.refusalAfter('operationsPerMinute', state, share?.operationsPerMinute.wait(now)) ??
      this.refusalAfter('callsPerMinute', state, share?.callsPerMinute.wait(now))
    if (refusal) return refusal
    share?.operationsPerMinute.take(1)
    state.share = share
    return undefined
  }

  /** Begins the use of the caller's own credentials. Returns the seconds after which to try again when the site has rejected too many. */
  private signIn(state: RequestState, { credentials }: Principal, now: number): number | undefined {
    if (credentials.anonymous || !state.isClientKnown) return undefined
    const attempt = this.options.signIns?.begin(state.address, credentials, now)
    if (typeof attempt === 'number') return attempt
    state.attempt = attempt
    return undefined
  }

  /** Takes the characters of a new document from the share of its client. Throws a `GraphQLError` when the share is used up. */
  takeText(state: RequestState, text: string): void {
    const cost = state.share?.documentCostPerMinute
    const refusal = this.refusalAfter('documentCostPerMinute', state, cost?.wait(performance.now()))
    if (refusal) {
      const http = { status: 429, headers: { 'retry-after': String(refusal.extensions.retryAfter) } }
      throw new GraphQLError(refusal.message, { extensions: { ...refusal.extensions, http } })
    }
    cost?.take(text.length)
  }

  /** Takes the selections of a new document, even if too little is left: they are known after parsing only. */
  takeSelections({ share }: RequestState, document: DocumentNode): void {
    share?.documentCostPerMinute.take(selectionsIn(document) * PER_SELECTION)
  }

  private shareOf(state: RequestState, { id, principal, credentials }: Principal, now: number): Share | undefined {
    if (principal === undefined || this.options.isProven(credentials)) return this.kept(this.callers, id, now)
    if (principal !== '') return this.kept(this.callers, principal, now)
    if (state.isClientKnown) return this.kept(this.addresses, state.address, now)
    if (state.address !== '' && !this.hasWarned) {
      this.hasWarned = true
      this.options.events.emit('proxyIgnored', state.address)
    }
    return undefined
  }

  /**
   * The share of a client. When there are too many, the client seen longest ago is forgotten if its share is full, since a new share is the same.
   * Else the new client gets the common share: nobody gets a full one by letting it be forgotten.
   */
  private kept(clients: LRUCache<string, Share>, client: string, now: number): Share {
    const known = clients.get(client)
    if (known) return known
    const oldest = clients.size === MAX_CLIENTS ? clients.peek(clients.rkeys().next().value as string) : undefined
    if (oldest && !SHARED.every((limit) => oldest[limit].isFull(now))) return this.others
    const share = this.newShare(now)
    clients.set(client, share)
    return share
  }

  private newShare(now: number): Share {
    const { limits } = this.options
    return Object.fromEntries(SHARED.map((limit) => [limit, new Bucket(limits[limit] || Number.MAX_SAFE_INTEGER, now)])) as Share
  }

  /** The refusal of a request that has to wait for some seconds. */
  private refusalAfter(limit: RateLimit, state: RequestState, retryAfter = 0): RateRefusal | undefined {
    if (retryAfter === 0) return undefined
    this.options.events.emit('rateLimited', limit, state)
    const extensions = { code: 'RATE_LIMITED', retryAfter } as const
    if (limit === 'credentials') return { message: 'The site has rejected too many credentials like these.', extensions }
    const most = this.options.limits[limit]
    const message = `Too many ${WHAT[limit]}; one client may have ${most} per minute (\`${limit}\`).`
    return { message, extensions: { ...extensions, limit, most } }
  }
}

const WHAT: Readonly<Record<keyof ShareLimits, string>> = {
  operationsPerMinute: 'operations',
  callsPerMinute: 'REST calls',
  documentCostPerMinute: 'characters of new documents',
}
