import { performance } from 'node:perf_hooks'
import { type DocumentNode, GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Credentials } from '../../upstream/credentials.js'
import type { Emitter } from '../../upstream/events.js'
import type { Principal } from '../auth/authenticator.js'
import type { RequestState } from '../request-state.js'
import { selectionsIn } from './measures.js'
import { type ClientKind, Share, type ShareSizes } from './share.js'
import type { SignIns } from './sign-ins.js'

/** What a client can have too much of. `credentials`: those that the site rejects. */
export const RATE_LIMITS = ['operations', 'calls', 'documents', 'credentials'] as const
export type RateLimit = (typeof RATE_LIMITS)[number]

export const CLIENT_KINDS: readonly ClientKind[] = ['caller', 'address']

export interface ShareEvents {
  /** A request is refused because its client has used up a share. */
  readonly rateLimited: [limit: RateLimit, of: ClientKind, state: RequestState]
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
/** Clients that are looked at to make room for a new one. */
const LOOKS = 4

/**
 * The shares of clients of one kind. When there are too many clients, one whose share is full is forgotten, since a new share is the same. If there
 * is none among the first looked at, the new client uses the share of all that are not kept: nobody gets a full share by letting it be forgotten.
 */
class Clients {
  private readonly shares = new LRUCache<string, Share>({ max: MAX_CLIENTS })
  private readonly others: Share

  constructor(
    private readonly sizes: ShareSizes,
    private readonly kind: ClientKind,
  ) {
    this.others = new Share(sizes, kind, performance.now())
  }

  shareOf(client: string, now: number): Share {
    return this.shares.get(client) ?? this.add(client, now)
  }

  private add(client: string, now: number): Share {
    if (this.shares.size >= MAX_CLIENTS && !this.makeRoom(now)) return this.others
    const share = new Share(this.sizes, this.kind, now)
    this.shares.set(client, share)
    return share
  }

  private makeRoom(now: number): boolean {
    for (let looks = 0; looks < LOOKS; looks++) {
      const oldest = this.shares.rkeys().next().value as string
      // Those that stay become the newest, so that others are looked at the next time.
      if (this.shares.get(oldest)?.isFull(now)) return this.shares.delete(oldest)
    }
    return false
  }
}

export interface SharesOptions {
  readonly sizes: ShareSizes
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
  private readonly isOff: boolean
  private hasWarned = false

  constructor(private readonly options: SharesOptions) {
    const { sizes } = options
    this.callers = new Clients(sizes, 'caller')
    this.addresses = new Clients(sizes, 'address')
    this.isOff = sizes.operations + sizes.calls + sizes.documents === 0
  }

  /** Takes an operation from the share of its client. Returns the refusal when the operation may not start. */
  refusal(state: RequestState, principal: Principal): RateRefusal | undefined {
    const now = performance.now()
    const { signIns } = this.options
    const { credentials } = principal
    if (signIns && state.isClientKnown && !credentials.anonymous) {
      const wait = signIns.begin(state, credentials, now)
      if (wait > 0) return this.refused('credentials', 'address', state, wait)
    }
    const share = this.isOff ? undefined : this.shareOf(state, principal, now)
    if (!share) return undefined
    const { operations, calls } = share
    const [ofOperations, ofCalls] = [operations?.wait(now) ?? 0, calls?.wait(now) ?? 0]
    if (ofOperations > 0) return this.refused('operations', share.of, state, ofOperations)
    if (ofCalls > 0) return this.refused('calls', share.of, state, ofCalls)
    operations?.take(1)
    state.share = share
    return undefined
  }

  /** Takes the characters of a new document. Throws a `GraphQLError` when the cost of its client is used up. */
  beforeParsing(state: RequestState, text: string): void {
    const { share } = state
    const wait = share?.documents?.wait(performance.now()) ?? 0
    if (share && wait > 0) {
      const { message, extensions } = this.refused('documents', share.of, state, wait)
      const http = { status: 429, headers: { 'retry-after': String(wait) } }
      throw new GraphQLError(message, { extensions: { ...extensions, http } })
    }
    share?.documents?.take(text.length)
  }

  /** Takes the selections of a new document. They are known only now, so they are taken even if too few are left. */
  parsed({ share }: RequestState, document: DocumentNode): void {
    share?.documents?.take(selectionsIn(document) * PER_SELECTION)
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

  private refused(limit: RateLimit, of: ClientKind, state: RequestState, retryAfter: number): RateRefusal {
    this.options.events.emit('rateLimited', limit, of, state)
    if (limit === 'credentials')
      return { message: 'The site has rejected too many credentials like these.', extensions: { code: 'RATE_LIMITED', retryAfter } }
    const [what, option, variable] = NAMES[limit]
    const most = this.options.sizes[limit]
    return {
      message: `Too many ${what} per minute; at most ${most} are allowed (\`${variable}\`).`,
      extensions: { code: 'RATE_LIMITED', retryAfter, limit: option, most },
    }
  }
}

/** How messages name a share, and the option and the variable that set it. */
const NAMES = {
  operations: ['operations', 'operationsPerMinute', 'OPERATIONS_PER_MINUTE'],
  calls: ['REST calls', 'callsPerMinute', 'CALLS_PER_MINUTE'],
  documents: ['characters of new documents', 'documentCostPerMinute', 'DOCUMENT_COST_PER_MINUTE'],
} as const
