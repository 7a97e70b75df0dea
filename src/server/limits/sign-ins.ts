import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'
import type { Credentials } from '../../upstream/credentials.js'
import type { RequestState } from '../request-state.js'
import { Bucket } from './share.js'

/** Credentials with one user name that the site may reject per minute, from one address: more than a person types. */
const OF_NAME = 10
/** With all names together, or tokens, or cookies: those of 500 learners have expired, and each sends two requests. */
const OF_ADDRESS = 1_000
/** User names and tokens that are kept. One address cannot have the others forgotten: it may send fewer within a minute. */
const MAX_KEPT = 20_000

/** The use of credentials by the open requests of one address. */
class Attempt {
  /** Open requests. */
  open = 0
  /** Whether the site was asked for a request, and whether a client has left that may have been asked for. */
  wasAsked = false
  hasLeft = false
  /** Whether the site has accepted the credentials before, and whether it has rejected them now. */
  isAccepted = false
  isRejected = false
  /** Whether a failure is counted until the site has accepted the credentials. */
  isCounted = false

  constructor(
    private readonly signIns: SignIns,
    readonly id: string,
    /** The key of the open attempt. */
    readonly key: string,
    /** The address with the user name. Undefined for tokens and cookies. */
    readonly user: string | undefined,
    /** The address with the kind of credentials. */
    readonly kind: string,
  ) {}

  /** A request has ended, for which so many calls were sent. */
  end(calls: number, hasLeft: boolean): void {
    if (calls > 0 && hasLeft) this.hasLeft = true
    else if (calls > 0) this.wasAsked = true
    if (--this.open === 0) this.signIns.ended(this)
  }
}

/**
 * Limits how often an address has credentials checked that the site rejects, per user name. The credentials that the site has accepted last from
 * there are not limited, so the others cannot lock out a learner. Credentials of which nothing is known count as a failure until the site has accepted
 * them: otherwise any number could be tried at the same time.
 */
export class SignIns {
  /** Failures that are left, by address and user name, and by address and kind. */
  private readonly failures = new LRUCache<string, Bucket>({ max: MAX_KEPT })
  /** Fingerprints of accepted credentials by address and user name. Tokens and cookies have no name, and are their own key. */
  private readonly accepted = new LRUCache<string, string>({ max: MAX_KEPT })
  /** Those with credentials that are not accepted. */
  private readonly open = new Map<string, Attempt>()

  /** Lets a request use credentials until its end. Returns the seconds after which to try again when it may not; 0 when it may. */
  begin(state: RequestState, credentials: Credentials, now: number): number {
    const key = `${state.address}\n${credentials.id}`
    let attempt = this.open.get(key)
    if (!attempt) {
      attempt = this.attempt(state.address, credentials, key)
      attempt.isAccepted = this.accepted.get(attempt.user ?? key) === credentials.id
      if (!attempt.isAccepted) {
        const wait = this.count(attempt, now)
        if (wait > 0) return wait
        this.open.set(key, attempt)
      }
    }
    attempt.open++
    state.attempt = attempt
    return 0
  }

  /** All requests with the credentials have ended. */
  ended(attempt: Attempt): void {
    const { id, key, user, kind, isCounted, isAccepted, isRejected, wasAsked, hasLeft } = attempt
    if (isAccepted && !isRejected) return
    if (this.open.get(key) === attempt) this.open.delete(key)
    if (isRejected) {
      if (user !== undefined && !isCounted) this.bucket(user, OF_NAME).take(1)
      this.bucket(kind, OF_ADDRESS).take(1)
      if (this.accepted.get(user ?? key) === id) this.accepted.delete(user ?? key)
      return
    }
    if (user !== undefined && isCounted && (wasAsked || !hasLeft)) this.bucket(user, OF_NAME).take(-1)
    if (wasAsked) this.accepted.set(user ?? key, id)
  }

  /** Counts a failure in advance. Returns the seconds to wait when there are too many. */
  private count(attempt: Attempt, now: number): number {
    const { user, kind } = attempt
    const wait = this.failures.get(kind)?.wait(now) ?? 0
    if (wait > 0 || user === undefined) return wait
    const bucket = this.bucket(user, OF_NAME)
    const ofUser = bucket.wait(now)
    if (ofUser > 0) return ofUser
    bucket.take(1)
    attempt.isCounted = true
    return 0
  }

  private bucket(key: string, size: number): Bucket {
    let bucket = this.failures.get(key)
    if (!bucket) {
      bucket = new Bucket(size, performance.now())
      this.failures.set(key, bucket)
    }
    return bucket
  }

  private attempt(address: string, { id, headers: { authorization } }: Credentials, key: string): Attempt {
    const name = authorization && userNameIn(authorization)
    const kind = `${address} ${name !== undefined ? 'password' : authorization ? 'token' : 'cookie'}`
    return new Attempt(this, id, key, name === undefined ? undefined : `${address}\n${name}`, kind)
  }
}

const BASIC = 'basic '
/** Longer names are told apart by their beginnings only. */
const MAX_NAME = 100

/** The user name of `Basic` credentials. WordPress does not distinguish upper and lower case. */
function userNameIn(authorization: string): string | undefined {
  if (authorization.slice(0, BASIC.length).toLowerCase() !== BASIC) return undefined
  const login = Buffer.from(authorization.slice(BASIC.length), 'base64').toString()
  const end = login.indexOf(':')
  return login.slice(0, Math.min(end === -1 ? login.length : end, MAX_NAME)).toLowerCase()
}
