import { LRUCache } from 'lru-cache'
import type { Credentials } from '../credentials.js'
import { ForbiddenError, type LmsError, UnauthenticatedError } from '../errors.js'

/** The user to whom credentials belong: the current user of the site. */
export interface Viewer {
  readonly id: number
  /** Display name; null when the site does not send it. */
  readonly name: string | null
  /** Names of roles; null when the site does not send them. */
  readonly roles: readonly string[] | null
}

/** What is known of the user of credentials: the user, null when the site does not tell, or the error with which it answered. */
export type Learned = Viewer | null | LmsError

interface Entry {
  readonly learned: Viewer | null | UnauthenticatedError | ForbiddenError
  readonly until: number
}

/** Milliseconds for which a user is kept, and a refusal. */
const KNOWN_FOR = 5 * 60_000
const REFUSED_FOR = 30_000

/**
 * Remembers to which user credentials belong, so that the site is asked once and not in every operation. Keyed by the fingerprint of the
 * credentials: what the site answers to one caller is never used for another. Entries expire; the least recently used are evicted.
 */
export class ViewerCache {
  private readonly cache: LRUCache<string, Entry>

  constructor(
    private readonly now: () => number = () => performance.now(),
    max = 10_000,
  ) {
    this.cache = new LRUCache({ max })
  }

  /** Returns nothing when the site has to be asked. */
  of({ id }: Credentials): Learned | undefined {
    const entry = this.cache.get(id)
    if (!entry || entry.until < this.now()) return undefined
    const { learned } = entry
    // Errors are not shared, because each belongs to one request.
    if (learned instanceof UnauthenticatedError) return new UnauthenticatedError(learned.message, learned.upstream)
    if (learned instanceof ForbiddenError) return new ForbiddenError(learned.message, learned.upstream)
    return learned
  }

  /** Remembers the user, or that the site accepts the credentials without telling the user. */
  keep({ id }: Credentials, viewer: Viewer | null): void {
    this.cache.set(id, { learned: viewer, until: this.now() + KNOWN_FOR })
  }

  /** Remembers that the site refused the credentials. Other errors are not remembered. */
  refuse({ id }: Credentials, error: LmsError): void {
    if (error instanceof UnauthenticatedError || error instanceof ForbiddenError)
      this.cache.set(id, { learned: error, until: this.now() + REFUSED_FOR })
  }

  /** Forgets what is known of credentials that the site has rejected (401), except that. */
  forget({ id }: Credentials): void {
    if (!(this.cache.peek(id)?.learned instanceof Error)) this.cache.delete(id)
  }
}
