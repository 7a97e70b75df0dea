import { type Authenticator, type Principal, Rejection } from '../auth/authenticator.js'
import { networkOf, type Peer } from '../auth/client-address.js'
import type { MemoryGuard } from '../limits/memory-guard.js'
import type { Shares } from '../limits/shares.js'
import { RequestState } from '../request-state.js'
import { type Bodies, type BodySource, receiveFrom } from './bodies.js'
import { traceContextOf } from './protocol.js'
import { type PlainAnswer, rateLimited, rejected, SERVER_BUSY } from './responses.js'

export interface StepOptions {
  readonly authenticate: Authenticator
  readonly memory: MemoryGuard
  readonly shares: Shares
  readonly bodies: Bodies
  /** Largest body of an operation, in bytes. */
  readonly bodyBytes: number
}

/** What the state of a request begins with. */
export interface RequestStart {
  readonly id: string
  readonly traceparent: string | null | undefined
  readonly tracestate: string | string[] | null | undefined
  readonly peer: Peer
  /** The path of GraphQL. */
  readonly endpoint: string | undefined
}

/** The steps of a request up to its operation, in their order. The handler of JSON posts and the plugins of Yoga take the same ones. */
export class Steps {
  constructor(private readonly options: StepOptions) {}

  /** Begins the state of a request, which holds its part of the memory budget until it is closed. */
  begin({ id, traceparent, tracestate, peer, endpoint }: RequestStart): RequestState {
    const context = traceparent == null ? undefined : traceContextOf(traceparent, tracestate)
    const address = networkOf(peer.client)
    return new RequestState(id, this.options.memory.open(address), peer, address, endpoint, context)
  }

  /** Authenticates a request, or returns the answer to one that is rejected. Asynchronous only for tokens, whose signature is checked. */
  authenticate(state: RequestState, headers: Pick<Headers, 'get'>): PlainAnswer | undefined | Promise<PlainAnswer | undefined> {
    const answer = this.options.authenticate(headers)
    return answer instanceof Promise ? answer.then((each) => authenticated(state, each)) : authenticated(state, answer)
  }

  /** The answer to an operation of an authenticated request that may not start. Asked before its body is read. */
  refusal(state: RequestState): PlainAnswer | undefined {
    const { memory, shares } = this.options
    const principal = state.principal as Principal
    if (principal.principal !== '') state.memory.moveTo(principal.id)
    if (memory.refuses(state.memory)) return SERVER_BUSY
    const refusal = shares.refusal(state, principal)
    return refusal && rateLimited(refusal)
  }

  /** Receives the body of a request, of `most` bytes or less, or returns the answer to one that is given up. */
  receive(
    state: RequestState,
    source: BodySource,
    length: string | null | undefined,
    most = this.options.bodyBytes,
  ): Promise<Buffer | PlainAnswer> {
    const body = this.options.bodies.begin(state.memory, length, most)
    state.holds(body)
    return receiveFrom(source, body)
  }
}

function authenticated(state: RequestState, answer: Principal | Rejection): PlainAnswer | undefined {
  if (answer instanceof Rejection) return rejected(answer)
  state.principal = answer
  return undefined
}

/** Whether a step has ended the request. */
export const isAnswer = (result: Buffer | PlainAnswer): result is PlainAnswer => 'status' in result
