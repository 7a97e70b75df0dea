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

/** What a client can have too much of. `credentials`: those that the site rejects. */
export const RATE_LIMITS = [...SHARED, 'credentials'] as const
export type RateLimit = (typeof RATE_LIMITS)[number]

export interface ShareEvents {
  /** A request is refused because its client has used up a share. */
  readonly rateLimited: [limit: RateLimit, state: RequestState]
  /** A private address that is not trusted passes on the requests of others, so that no share belongs to it. Emitted once. */
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
/** Clients of each kind whose shares are kept. A share takes about 400 bytes. */
const MAX_CLIENTS = 20_000

/**
 * The shares of clients of one kind. When there are too many clients, the one seen longest ago is forgotten if its share is full: a new share is
 * the same. Else the new client uses the share of all that are not kept. So nobody gets a full share by letting it be forgotten.
 */
class Clients {
  private readonly shares = new LRUCache<string, Share>({ max: MAX_CLIENTS })
  private readonly others: Share

  constructor(private readonly limits: ShareLimits) {
    this.others = newShare(limits, performance.now())
  }

  shareOf(client: string, now: number): Share {
    return this.shares.get(client) ?? this.add(client, now)
  }

  private add(client: string, now: number): Share {
    const { shares, others, limits } = this
    if (shares.size === MAX_CLIENTS) {
      const oldest = shares.peek(shares.rkeys().next().value as string) as Share
      if (!SHARED.every((limit) => oldest[limit].isFull(now))) return others
    }
    const share = newShare(limits, now)
    shares.set(client, share)
    return share
  }
}

const newShare = (limits: ShareLimits, now: number): Share => {
  const bucket = (limit: keyof ShareLimits): Bucket => new Bucket(limits[limit] || Number.MAX_SAFE_INTEGER, now)
  return {
    operationsPerMinute: bucket('operationsPerMinute'),
    callsPerMinute: bucket('callsPerMinute'),
    documentCostPerMinute: bucket('documentCostPerMinute'),
  }
}

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
  private readonly callers: Clients
  private readonly addresses: Clients
  private hasWarned = false

  constructor(private readonly options: SharesOptions) {
    this.callers = new Clients(options.limits)
    this.addresses = new Clients(options.limits)
  }

  /** Takes an operation from the share of its client. Returns the refusal when the operation may not start. */
  refusal(state: RequestState, principal: Principal): RateRefusal | undefined {
    const now = performance.now()
    const share = this.shareOf(state, principal, now)
    const refusal =
      this.refusalAfter('credentials', state, this.options.signIns?.begin(state, principal.credentials, now)) ??
      this.refusalAfter('operationsPerMinute', state, share?.operationsPerMinute.wait(now)) ??
      this.refusalAfter('callsPerMinute', state, share?.callsPerMinute.wait(now))
    if (refusal) return refusal
    share?.operationsPerMinute.take(1)
    state.share = share
    return undefined
  }

  /** Takes the characters of a new document. Throws a `GraphQLError` when the cost of its client is used up. */
  beforeParsing(state: RequestState, text: string): void {
    const cost = state.share?.documentCostPerMinute
    const refusal = this.refusalAfter('documentCostPerMinute', state, cost?.wait(performance.now()))
    cost?.take(text.length)
    if (!refusal) return
    const { message, extensions } = refusal
    const http = { status: 429, headers: { 'retry-after': String(extensions.retryAfter) } }
    throw new GraphQLError(message, { extensions: { ...extensions, http } })
  }

  /** Takes the selections of a new document. They are known only now, so they are taken even if too few are left. */
  parsed({ share }: RequestState, document: DocumentNode): void {
    share?.documentCostPerMinute.take(selectionsIn(document) * PER_SELECTION)
  }

  private shareOf(state: RequestState, { id, principal, credentials }: Principal, now: number): Share | undefined {
    if (principal === undefined || this.options.isProven(credentials)) return this.callers.shareOf(id, now)
    if (principal !== '') return this.callers.shareOf(principal, now)
    if (state.isClientKnown) return this.addresses.shareOf(state.address, now)
    if (state.address !== '' && !this.hasWarned) {
      this.hasWarned = true
      this.options.events.emit('proxyIgnored', state.address)
    }
    return undefined
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
