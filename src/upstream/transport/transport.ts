import { isRefusal, LmsError, UnauthenticatedError, UnavailableError } from '../errors.js'
import { shownPath } from '../query.js'
import type { CallWatcher, Credentials, Session } from '../session.js'
import { Breakers } from './breaker.js'
import { type ConnectionOptions, Connections } from './connections.js'
import { type CheckResult, CredentialProofs } from './credential-proofs.js'
import { FairQueue } from './fair-queue.js'
import type { MemoryBudget } from './memory.js'
import type { Protection } from './protection.js'
import type { CredentialStatus } from './queue-nodes.js'
import type { Answer, Request } from './responses.js'
import { Retries } from './retries.js'
import { StaleAnswers, type StaleNotes } from './stale.js'
import { type Call, type TransportParts, UpstreamRequest } from './upstream-request.js'

export type { Call } from './upstream-request.js'

export interface TransportOptions extends ConnectionOptions {
  /** Largest answer in bytes. */
  readonly maxBytes: number
  /** Counts the bytes of bodies that are received; without it they have no bounds together. */
  readonly memory?: MemoryBudget | undefined
  /** Whether identical reads in flight, with the same credentials, are one call. */
  readonly share: boolean
  /** Without it the queue has no bounds, nothing is sent twice, and the site is never left alone. */
  readonly protection?: Protection | undefined
  /** Path that tells callers who they are, and refuses anonymous ones, where the site has one. */
  readonly identityPath?: string | undefined
  readonly onCall?: ((call: Call) => void) | undefined
  /** Told of what `onCall` throws. */
  readonly onFault?: ((fault: unknown, requestId?: string) => void) | undefined
  /** Set where all calls show one account of the gateway's own; told when the site refuses it, which is then no matter of the caller. */
  readonly onAccountRefused?: ((refusal: LmsError, requestId?: string) => void) | undefined
}

/** A place for a read in flight, emptied when it ends: the tables a map has outgrown keep what they held until the next full collection. */
interface Slot {
  sending: UpstreamRequest | undefined
}

/** Requests to one site: bounded in number, time and size. Identical reads in flight are one call; each write is its own, sent once. */
export class Transport {
  private readonly way: TransportParts
  private readonly inFlight = new Map<string, Slot>()

  constructor(private readonly options: TransportOptions) {
    const proofs = options.onAccountRefused
      ? undefined
      : new CredentialProofs({
          read: (path, credentials) => this.find(path, credentials),
          isCrowded: () => this.way.limiter.isCrowded,
          identityPath: options.identityPath,
        })
    this.way = {
      ...guardsOf(options, proofs),
      proofs,
      connections: new Connections(options),
      maxBytes: options.maxBytes,
      memory: options.memory,
      tell: options.onCall && ((call) => this.tell(call)),
      ofAccount: (error, { requestId }) => this.ofAccount(error, requestId),
      leaveOut: (key, sending) => {
        const slot = this.inFlight.get(key)
        if (slot?.sending !== sending) return
        slot.sending = undefined
        this.inFlight.delete(key)
      },
      changed: () => {
        for (const slot of this.inFlight.values()) slot.sending = undefined
        this.inFlight.clear()
        this.way.stale?.clear()
      },
    }
  }

  /** Asks for `path`; `route` is its template, for messages. Rejects with an `LmsError`. */
  get(route: string, path: string, session: Session, watcher?: CallWatcher): Promise<Answer> {
    const { stale } = session
    const request = { method: 'GET', route, path } as const
    const answer = this.read(request, session, watcher)
    if (!stale || !this.way.stale || !session.credentials.anonymous) return answer
    return answer.catch((error: LmsError) => this.instead(request, error, stale))
  }

  /** Sends a write. Once it is on its way it is seen through, whoever leaves; reads that began before its end are joined no more. */
  write(
    method: 'POST' | 'DELETE',
    route: string,
    path: string,
    body: string | undefined,
    session: Session,
    watcher?: CallWatcher,
  ): Promise<Answer> {
    const { deadline } = session
    const refusal = deadline?.ended ?? this.refusal(method, session)
    if (refusal) return Promise.reject(refusal)
    const sending = new UpstreamRequest(this.way, { method, route, path, ...(body === undefined ? {} : { body }) }, session, undefined)
    const answer = sending.join(deadline, watcher)
    sending.start()
    return answer
  }

  /** Lets running calls end, then closes the connections. */
  close(): Promise<void> {
    return this.way.connections.close()
  }

  private read(request: Request, session: Session, watcher: CallWatcher | undefined): Promise<Answer> {
    const { deadline } = session
    if (deadline?.ended) return Promise.reject(deadline.ended)
    const key = this.options.share ? `${session.credentials.id}\n${request.path}` : undefined
    const shared = key === undefined ? undefined : this.inFlight.get(key)?.sending
    if (shared) {
      watcher?.joined()
      return shared.join(deadline, watcher)
    }
    const refusal = this.refusal('GET', session)
    if (refusal) return Promise.reject(refusal)
    const sending = new UpstreamRequest(this.way, request, session, key)
    if (key !== undefined) this.inFlight.set(key, { sending })
    const answer = sending.join(deadline, watcher)
    sending.start()
    return answer
  }

  /** Why a call is not made: before anything is made for it. */
  private refusal(method: Request['method'], session: Session): LmsError | undefined {
    const { breakers, limiter } = this.way
    const refusal = breakers?.refusal(method) ?? limiter.refusal(session)
    const { tally } = session
    if (refusal && tally) tally.refusals = (tally.refusals ?? 0) + 1
    return refusal
  }

  /** What the site says to a read of the gateway's own, by which it learns whose credentials are good. */
  private async find(path: string, credentials: Credentials): Promise<CheckResult> {
    try {
      const session = { credentials, caller: OWN_CALLER, operation: {}, principal: undefined }
      const { body } = await this.read({ method: 'GET', route: OWN_ROUTE, path }, session, undefined)
      return { kind: 'shown', body }
    } catch (error) {
      // A firewall that refuses everything for a while does so without a code of the interface.
      const isSaid = error instanceof LmsError && isRefusal(error) && error.upstream?.code != null
      return { kind: isSaid ? 'refused' : 'unknown' }
    }
  }

  private instead(request: Request, error: LmsError, notes: StaleNotes): Answer {
    // Stryker disable next-line OptionalChaining: It is called only where stale responses are kept.
    const answer = this.way.stale?.instead(request, notes, error, this.options.maxBytes)
    if (!answer) throw error
    return answer
  }

  /** What goes wrong in a listener is no matter of those who wait for the call. */
  private tell(call: Call): void {
    try {
      this.options.onCall?.({ ...call, path: shownPath(call.path) })
    } catch (fault) {
      this.options.onFault?.(fault, call.requestId)
    }
  }

  private ofAccount(error: LmsError, requestId: string | undefined): LmsError {
    const { onAccountRefused } = this.options
    if (!onAccountRefused || !(error instanceof UnauthenticatedError)) return error
    onAccountRefused(error, requestId)
    return new UnavailableError('The site does not take the account of the gateway.', error.upstream)
  }
}

/** Of reads of the gateway's own: the line in which they wait, and what stands for their route. */
const OWN_CALLER = 'credential check'
const OWN_ROUTE = 'credential check'

type Guards = Pick<TransportParts, 'limiter' | 'breakers' | 'retries' | 'stale'>

function guardsOf({ maxInFlight: limit, protection }: TransportOptions, proofs: CredentialProofs | undefined): Guards {
  const standingOf = proofs && (({ credentials }: Session): CredentialStatus => proofs.standingOf(credentials))
  if (!protection)
    return { limiter: new FairQueue<Session>({ limit, standingOf }), breakers: undefined, retries: undefined, stale: undefined }
  const { maxQueue, maxQueuePerCaller, queueTimeout, retries, maxRetryDelay, retryBudget } = protection
  const { breakerThreshold, breakerCalls, breakerCooldown, staleIfError, staleEntries, staleBytes } = protection
  return {
    limiter: new FairQueue<Session>({
      limit,
      standingOf,
      bounds: { length: maxQueue, perCaller: maxQueuePerCaller, timeout: queueTimeout },
    }),
    breakers:
      breakerThreshold < 100
        ? new Breakers({ threshold: breakerThreshold / 100, calls: breakerCalls, cooldown: breakerCooldown })
        : undefined,
    retries:
      retries > 0 && retryBudget > 0 ? new Retries({ attempts: retries, maxDelay: maxRetryDelay, budget: retryBudget / 100 }) : undefined,
    stale: staleIfError > 0 ? new StaleAnswers({ seconds: staleIfError, entries: staleEntries, bytes: staleBytes }) : undefined,
  }
}
