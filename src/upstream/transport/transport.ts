import { EventEmitter } from 'node:events'
import { type CallObserver, type CallScope, headersOf } from '../call-scope.js'
import type { Credentials } from '../credentials.js'
import { isRefusal, LmsError, UnauthenticatedError, UnavailableError } from '../errors.js'
import type { Emitter } from '../events.js'
import type { Span } from '../spans.js'
import { type BreakerEvents, type BreakerName, type BreakerState, Breakers } from './breaker.js'
import { type AddressEvents, type ConnectionOptions, Connections } from './connections.js'
import { type CheckResult, CredentialProofs } from './credential-proofs.js'
import { FairQueue, type QueueLoad } from './fair-queue.js'
import type { MemoryBudget } from './memory.js'
import type { Protection } from './protection.js'
import type { CredentialStatus } from './queue-nodes.js'
import type { Answer, Request } from './responses.js'
import { Retries } from './retries.js'
import { type CallEvents, type TransportParts, UpstreamRequest } from './upstream-request.js'

export type { Call } from './upstream-request.js'

/** The load of a transport and the states of its circuit breakers. */
export interface TransportState extends QueueLoad {
  /** Open connections to the site. */
  readonly connections: number
  /** Undefined without circuit breakers. */
  readonly breakers: Readonly<Record<BreakerName, BreakerState>> | undefined
}

export interface TransportEvents extends CallEvents, BreakerEvents, AddressEvents {
  /** A read shares a call in flight. */
  readonly readShared: []
  /** The site refuses the account of the gateway. */
  readonly accountRefused: [refusal: LmsError, requestId: string | undefined]
}

export interface TransportOptions extends ConnectionOptions {
  /** Largest answer in bytes. */
  readonly maxBytes: number
  /** Counts the bytes of bodies that are being received; unlimited when undefined. */
  readonly memory?: MemoryBudget | undefined
  /** Whether identical reads with the same credentials share one call, unless that was sent before the operation of a read started. */
  readonly share: boolean
  /** When undefined, the queue is unbounded, and there are no retries and no circuit breaker. */
  readonly protection?: Protection | undefined
  /** Path that returns the authenticated user and refuses anonymous callers, if the site has one. */
  readonly identityPath?: string | undefined
  /** Whether all calls use one account of the gateway. False by default. */
  readonly hasAccount?: boolean
  readonly events?: Emitter<TransportEvents>
}

/** Holds a read in flight. Cleared when it ends, because a map that has grown may keep entries until the next full collection. */
interface Slot {
  request: UpstreamRequest | undefined
}

/** Sends requests to one site, limited in number, time and size. Identical reads in flight share one call; a write is sent once. */
export class Transport {
  private readonly events: Emitter<TransportEvents>
  private readonly parts: TransportParts
  private readonly inFlight = new Map<string, Slot>()

  constructor(private readonly options: TransportOptions) {
    this.events = options.events ?? new EventEmitter<TransportEvents>()
    const proofs = options.hasAccount
      ? undefined
      : new CredentialProofs({
          read: (path, credentials, client) => this.check(path, credentials, client),
          isCrowded: () => this.parts.queue.isCrowded,
          identityPath: options.identityPath,
        })
    this.parts = {
      ...guardsOf(options, this.events, proofs),
      proofs,
      events: this.events,
      connections: new Connections(options, this.events),
      maxBytes: options.maxBytes,
      memory: options.memory,
      withAccountRefusal: (error, call) => this.withAccountRefusal(error, call),
      stopSharing: (key, request) => {
        const slot = this.inFlight.get(key)
        if (slot?.request !== request) return
        slot.request = undefined
        this.inFlight.delete(key)
      },
      onWriteEnd: () => this.stopSharing(),
    }
  }

  /**
   * Reads `path`; `route` is its template, for messages. `validity` names the state of what it reads, if that is known: reads with the same one
   * share a call. Rejects with an `LmsError`.
   */
  get(route: string, path: string, call: CallScope, observer?: CallObserver, validity?: string): Promise<Answer> {
    return this.read({ method: 'GET', route, path }, call, observer, validity)
  }

  /** Lets no later read share a read that began before now: the site has changed. */
  stopSharing(): void {
    for (const slot of this.inFlight.values()) slot.request = undefined
    this.inFlight.clear()
  }

  /** Sends a write. Once sent, it is not aborted when its client disconnects. Later reads do not share reads that began before its end. */
  write(
    method: 'POST' | 'DELETE',
    route: string,
    path: string,
    body: string | undefined,
    call: CallScope,
    observer?: CallObserver,
  ): Promise<Answer> {
    const { deadline } = call.budget
    const refusal = deadline?.ended ?? this.refusal(method, call)
    if (refusal) return Promise.reject(refusal)
    const request = new UpstreamRequest(this.parts, { method, route, path, body }, call, undefined)
    const answer = request.join(deadline, observer, call.trace.counter)
    request.enqueue()
    return answer
  }

  get state(): TransportState {
    const { queue, connections, breakers } = this.parts
    return { ...queue.load, connections: connections.count, breakers: breakers?.states }
  }

  /** Whether the site has confirmed credentials. False for those of the account of the gateway. */
  isProven(credentials: Credentials): boolean {
    return this.parts.proofs?.statusOf(credentials) === 'proven'
  }

  /** Closes the connections when all running calls have ended. */
  close(): Promise<void> {
    return this.parts.connections.close()
  }

  private read(request: Request, call: CallScope, observer: CallObserver | undefined, validity?: string): Promise<Answer> {
    const { deadline } = call.budget
    if (deadline?.ended) return Promise.reject(deadline.ended)
    const key = this.options.share ? `${call.caller.credentials.id}\n${request.path}` : undefined
    const shared = key === undefined ? undefined : this.inFlight.get(key)?.request
    if (shared?.isCurrent(call.freshness.since, validity)) {
      observer?.joined()
      this.events.emit('readShared')
      const answer = shared.join(deadline, observer, call.trace.counter)
      if (call.trace.span) endWith(answer, call.trace.span.step(`shared ${request.method} ${request.route}`))
      return answer
    }
    const refusal = this.refusal('GET', call)
    if (refusal) return Promise.reject(refusal)
    const upstreamRequest = new UpstreamRequest(this.parts, request, call, key, validity)
    if (key !== undefined) this.inFlight.set(key, { request: upstreamRequest })
    const answer = upstreamRequest.join(deadline, observer, call.trace.counter)
    upstreamRequest.enqueue()
    return answer
  }

  /** Returns the error of a call that is not made, before anything is allocated for it. */
  private refusal(method: Request['method'], call: CallScope): LmsError | undefined {
    const { breakers, queue } = this.parts
    const refusal = breakers?.refusal(method) ?? queue.refusal(call)
    if (refusal) this.events.emit('callRefused', refusal.reason)
    return refusal
  }

  /** Makes a read that checks credentials, for a client at an address. */
  private async check(path: string, credentials: Credentials, client: string | undefined): Promise<CheckResult> {
    try {
      const trace = { headers: headersOf(credentials, undefined, undefined, client) }
      const call = { caller: { credentials, id: OWN_CALLER }, trace, freshness: {}, budget: { operation: {} } }
      const { body } = await this.read({ method: 'GET', route: OWN_ROUTE, path }, call, undefined)
      return { kind: 'shown', body }
    } catch (error) {
      // Only refusals of the interface count, not those of a firewall: they have no error code.
      const isSaid = error instanceof LmsError && isRefusal(error) && error.upstream?.code != null
      return { kind: isSaid ? 'refused' : 'unknown' }
    }
  }

  private withAccountRefusal(error: LmsError, { caller, trace }: CallScope): LmsError {
    // Some reads are made without the account.
    if (!this.options.hasAccount || caller.credentials.anonymous || !(error instanceof UnauthenticatedError)) return error
    this.events.emit('accountRefused', error, trace.requestId)
    return new UnavailableError('The site refuses the account of the gateway.', error.upstream)
  }
}

/** Ends a span with a promise. */
function endWith(answer: Promise<unknown>, span: Span): void {
  const end = (): void => span.end()
  answer.then(end, end)
}

/** Caller and route of the reads that check credentials. */
const OWN_CALLER = 'credential check'
const OWN_ROUTE = 'credential check'

type Guards = Pick<TransportParts, 'queue' | 'breakers' | 'retries'>

function guardsOf(
  { maxInFlight: limit, protection }: TransportOptions,
  events: Emitter<BreakerEvents>,
  proofs: CredentialProofs | undefined,
): Guards {
  const statusOf = proofs && (({ caller }: CallScope): CredentialStatus => proofs.statusOf(caller.credentials))
  if (!protection) return { queue: new FairQueue<CallScope>({ limit, statusOf }), breakers: undefined, retries: undefined }
  const { maxQueue, maxQueuePerCaller, queueTimeout, retries, maxRetryDelay, retryBudget } = protection
  const { breakerThreshold, breakerCalls, breakerCooldown } = protection
  return {
    queue: new FairQueue<CallScope>({
      limit,
      statusOf,
      bounds: { length: maxQueue, perCaller: maxQueuePerCaller, timeout: queueTimeout },
    }),
    breakers:
      breakerThreshold < 100
        ? new Breakers({
            threshold: breakerThreshold / 100,
            calls: breakerCalls,
            cooldown: breakerCooldown,
            events,
          })
        : undefined,
    retries:
      retries > 0 && retryBudget > 0 ? new Retries({ attempts: retries, maxDelay: maxRetryDelay, budget: retryBudget / 100 }) : undefined,
  }
}
