import { LRUCache } from 'lru-cache'
import { isObject } from '../../maps.js'
import { type CallScope, FORWARDED_FOR } from '../call-scope.js'
import { ANONYMOUS, type Credentials } from '../credentials.js'
import { SECRET } from '../query.js'
import type { CredentialStatus } from './queue-nodes.js'
import type { Request } from './responses.js'

/** The site's answer to a read that checks credentials. */
export type CheckResult = { readonly kind: 'shown'; readonly body: unknown } | { readonly kind: 'refused' | 'unknown' }

export interface ProofOptions {
  /** Reads a path with credentials, for a client whose address the site is told. Never rejects. */
  readonly read: (path: string, credentials: Credentials, client: string | undefined) => Promise<CheckResult>
  /** Whether the queue is so long that checking credentials is worth a call. */
  readonly isCrowded: () => boolean
  readonly identityPath?: string | undefined
  readonly now?: () => number
}

interface Verdict {
  readonly status: CredentialStatus
  readonly until: number
}

/** Number of verdicts that are kept, and their time to live in milliseconds. */
const MAX_CREDENTIALS = 10_000
const PROVEN_FOR = 60 * 60_000
const UNPROVEN_FOR = 60_000
/** Number of public routes that are kept, and their time to live in milliseconds. */
const MAX_ROUTES = 200
const ROUTE_FOR = 10 * 60_000
/** Milliseconds after which the identity path is checked again. */
const IDENTITY_FOR = 10 * 60_000
/** Successful calls that pay for one check, and the most that are saved (for ten checks). */
const CALLS_PER_CHECK = 10
const MAX_SAVED = 100

/**
 * Learns which credentials the site accepts. A successful read proves nothing: some sites treat wrong credentials as anonymous and return
 * public data. Proof is a successful write, an answer of the identity path (which refuses anonymous callers), or a successful read that the
 * site refuses to an anonymous caller right after. The last two need extra calls, which are made one at a time and only while the queue is
 * crowded, or the caller has used half of the share of its address. Only fingerprints of credentials are stored.
 */
export class CredentialProofs {
  private readonly verdicts = new LRUCache<string, Verdict>({ max: MAX_CREDENTIALS })
  /** Public routes, and when that knowledge expires. */
  private readonly publicRoutes = new LRUCache<string, number>({ max: MAX_ROUTES })
  private readonly now: () => number
  /** Whether the identity path refuses anonymous callers, and when that knowledge expires. */
  private identity: { readonly isGuarded: boolean; readonly until: number } | undefined
  private checking = false
  private calls = MAX_SAVED

  constructor(private readonly options: ProofOptions) {
    this.now = options.now ?? (() => performance.now())
  }

  /** The status of credentials; `unknown` for anonymous callers. */
  statusOf({ id }: Credentials): CredentialStatus {
    return id === '' ? 'unknown' : (this.verdictOf(id)?.status ?? 'unknown')
  }

  /** Records a successful call. */
  recordSuccess(request: Request, { caller: { credentials }, trace: { counter, headers } }: Pick<CallScope, 'caller' | 'trace'>): void {
    const { id } = credentials
    if (id === '') return
    if (request.method !== 'GET') this.store(id, 'proven')
    if (this.calls < MAX_SAVED) this.calls++
    // A content password is sent with the credentials of its caller only.
    if (SECRET.test(request.path)) return
    if (this.checking || this.calls < CALLS_PER_CHECK || !(this.options.isCrowded() || counter?.isShort) || this.verdictOf(id)) return
    this.calls -= CALLS_PER_CHECK
    this.checking = true
    void this.check(request, credentials, headers?.[FORWARDED_FOR]).finally(() => {
      this.checking = false
    })
  }

  /** Records that the site rejected the credentials (401). */
  recordRefusal({ id }: Credentials): void {
    if (this.verdicts.get(id)?.status === 'proven') this.verdicts.delete(id)
  }

  private async check(request: Request, credentials: Credentials, client: string | undefined): Promise<void> {
    const identity = await this.identityOf(credentials, client)
    this.store(credentials.id, identity !== 'proven' && (await this.isPrivileged(request, client)) ? 'proven' : identity)
  }

  /** Asks the identity path about the credentials. */
  private async identityOf(credentials: Credentials, client: string | undefined): Promise<CredentialStatus> {
    const { identityPath, read } = this.options
    if (identityPath === undefined || !(await this.isIdentityGuarded(identityPath, client))) return 'unknown'
    const result = await read(identityPath, credentials, client)
    if (result.kind === 'shown') return isObject(result.body) && Number(result.body.id) > 0 ? 'proven' : 'unknown'
    return result.kind === 'refused' ? 'wrong' : 'unknown'
  }

  private async isIdentityGuarded(path: string, client: string | undefined): Promise<boolean> {
    if (!this.identity || this.identity.until < this.now()) {
      const { kind } = await this.options.read(path, ANONYMOUS, client)
      if (kind === 'unknown') return false
      this.identity = { isGuarded: kind === 'refused', until: this.now() + IDENTITY_FOR }
    }
    return this.identity.isGuarded
  }

  /** Whether the site refuses the same read to an anonymous caller. */
  private async isPrivileged({ route, path }: Request, client: string | undefined): Promise<boolean> {
    if ((this.publicRoutes.get(route) ?? 0) >= this.now()) return false
    const { kind } = await this.options.read(path, ANONYMOUS, client)
    if (kind === 'shown') this.publicRoutes.set(route, this.now() + ROUTE_FOR)
    return kind === 'refused'
  }

  private store(id: string, status: CredentialStatus): void {
    this.verdicts.set(id, { status, until: this.now() + (status === 'proven' ? PROVEN_FOR : UNPROVEN_FOR) })
  }

  private verdictOf(id: string): Verdict | undefined {
    const verdict = this.verdicts.get(id)
    if (!verdict || verdict.until >= this.now()) return verdict
    this.verdicts.delete(id)
    return undefined
  }
}
