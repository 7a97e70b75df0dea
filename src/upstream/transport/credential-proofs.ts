import { LRUCache } from 'lru-cache'
import { isObject } from '../errors.js'
import { ANONYMOUS, type Credentials } from '../session.js'
import type { CredentialStatus } from './queue-nodes.js'
import type { Request } from './responses.js'

/** What the site says to a read by which credentials are checked. */
export type CheckResult = { readonly kind: 'shown'; readonly body: unknown } | { readonly kind: 'refused' | 'unknown' }

export interface ProofOptions {
  /** Reads a path with some credentials. Never rejects. */
  readonly read: (path: string, credentials: Credentials) => Promise<CheckResult>
  /** Whether so much waits for the site that it is worth a call to learn whose credentials are good. */
  readonly isCrowded: () => boolean
  readonly identityPath?: string | undefined
  readonly now?: () => number
}

interface Verdict {
  readonly standing: CredentialStatus
  readonly until: number
}

/** Credentials whose verdict is kept, and milliseconds for which it is. */
const MAX_CREDENTIALS = 10_000
const PROVEN_FOR = 60 * 60_000
const UNPROVEN_FOR = 60_000
/** Routes that are known to be open to everybody, and milliseconds for which that is believed. */
const MAX_ROUTES = 200
const ROUTE_FOR = 10 * 60_000
/** Milliseconds after which a site may have a path that tells callers who they are. */
const IDENTITY_FOR = 10 * 60_000
/** Answered calls that pay for the check of one credential, and most that are saved up: for ten checks. */
const CALLS_PER_CHECK = 10
const MAX_SAVED = 100

/**
 * Whose credentials the site has accepted. An answered read proves nothing: some sites take wrong credentials for none, and show what
 * everybody may see. Credentials are proven by a write, by an answer of a path that tells callers who they are and refuses anonymous
 * ones, or by an answered read that an anonymous caller is refused right after it. The last two are calls of the gateway's own: one at a
 * time, and only while so much waits for the site that it matters. Only fingerprints of credentials are kept.
 */
export class CredentialProofs {
  private readonly verdicts = new LRUCache<string, Verdict>({ max: MAX_CREDENTIALS })
  /** Routes that show everybody the same, and until when that is believed. */
  private readonly open = new LRUCache<string, number>({ max: MAX_ROUTES })
  private readonly now: () => number
  /** Whether the identity path refuses anonymous callers, and until when that is believed. */
  private identity: { readonly isGuarded: boolean; readonly until: number } | undefined
  private checking = false
  private calls = MAX_SAVED

  constructor(private readonly options: ProofOptions) {
    this.now = options.now ?? Date.now
  }

  /** What is known of credentials; of anonymous callers nothing. */
  standingOf({ id }: Credentials): CredentialStatus {
    return id === '' ? 'unknown' : (this.verdictOf(id)?.standing ?? 'unknown')
  }

  /** A call was answered well. */
  answered(request: Request, credentials: Credentials): void {
    const { id } = credentials
    if (id === '') return
    if (request.method !== 'GET') this.judge(id, 'proven')
    if (this.calls < MAX_SAVED) this.calls++
    if (this.checking || this.calls < CALLS_PER_CHECK || !this.options.isCrowded() || this.verdictOf(id)) return
    this.calls -= CALLS_PER_CHECK
    this.checking = true
    void this.check(request, credentials).finally(() => {
      this.checking = false
    })
  }

  /** The site does not accept credentials (401). */
  refused({ id }: Credentials): void {
    if (this.verdicts.get(id)?.standing === 'proven') this.verdicts.delete(id)
  }

  private async check(request: Request, credentials: Credentials): Promise<void> {
    const identity = await this.identityOf(credentials)
    this.judge(credentials.id, identity !== 'proven' && (await this.isPrivileged(request)) ? 'proven' : identity)
  }

  /** What the site says of who shows these credentials. */
  private async identityOf(credentials: Credentials): Promise<CredentialStatus> {
    const { identityPath, read } = this.options
    if (identityPath === undefined || !(await this.isIdentityGuarded(identityPath))) return 'unknown'
    const found = await read(identityPath, credentials)
    if (found.kind === 'shown') return isObject(found.body) && Number(found.body.id) > 0 ? 'proven' : 'unknown'
    return found.kind === 'refused' ? 'wrong' : 'unknown'
  }

  private async isIdentityGuarded(path: string): Promise<boolean> {
    if (!this.identity || this.identity.until < this.now()) {
      const { kind } = await this.options.read(path, ANONYMOUS)
      if (kind === 'unknown') return false
      this.identity = { isGuarded: kind === 'refused', until: this.now() + IDENTITY_FOR }
    }
    return this.identity.isGuarded
  }

  /** Whether an anonymous caller is refused what was just shown. */
  private async isPrivileged({ route, path }: Request): Promise<boolean> {
    if ((this.open.get(route) ?? 0) >= this.now()) return false
    const { kind } = await this.options.read(path, ANONYMOUS)
    if (kind === 'shown') this.open.set(route, this.now() + ROUTE_FOR)
    return kind === 'refused'
  }

  private judge(id: string, standing: CredentialStatus): void {
    this.verdicts.set(id, { standing, until: this.now() + (standing === 'proven' ? PROVEN_FOR : UNPROVEN_FOR) })
  }

  private verdictOf(id: string): Verdict | undefined {
    const verdict = this.verdicts.get(id)
    if (!verdict || verdict.until >= this.now()) return verdict
    this.verdicts.delete(id)
    return undefined
  }
}
