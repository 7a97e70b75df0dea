import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Peer } from '../../auth/client-address.js'
import type { PartOfResult } from '../../errors.js'
import type { EndRequest } from '../../request-end.js'
import type { RequestState } from '../../request-state.js'
import { REQUEST_ID, requestIdOf } from '../protocol.js'
import type { Steps } from '../steps.js'
import type { RequestContext } from './use-authentication.js'

/**
 * Keeps the state of a request from its id to its end. Requests from a socket have one, which the listener of the socket closes. `endpoint` is
 * the configured path of GraphQL, and `peer` where requests without a socket come from.
 */
export function useRequestState(steps: Steps, end: EndRequest, endpoint: string | undefined, peer: Peer): Plugin<{}, RequestContext> {
  const own = new WeakSet<RequestState>()
  const stateOf = (request: Request, serverContext: RequestContext): RequestState => {
    if (!serverContext.state) {
      const { headers } = request
      const id = requestIdOf(peer.isTrusted ? headers.get(REQUEST_ID) : undefined)
      const [traceparent, tracestate] = [headers.get('traceparent'), headers.get('tracestate')]
      serverContext.state = steps.begin({ id, traceparent, tracestate, peer, endpoint })
      own.add(serverContext.state)
    }
    return serverContext.state
  }
  return {
    onRequest({ request, serverContext }) {
      stateOf(request, serverContext)
    },
    onResultProcess({ request, result, setResult, serverContext: { state } }) {
      if (!state || Array.isArray(result)) return
      if (!isAsyncIterable(result)) return state.answered(result as ExecutionResult)
      // Without a socket, the state ends with the last part.
      const isOwn = own.delete(state)
      const ended = (): void => {
        if (isOwn) end(state, request, request.signal.aborted ? 0 : 200)
      }
      // The cast: the type of Yoga has no parts of `@defer`.
      setResult(followed(result as AsyncIterable<PartOfResult>, state, ended) as never)
    },
    onResponse({ request, response, serverContext }) {
      const state = stateOf(request, serverContext)
      response.headers.set(REQUEST_ID, state.requestId)
      if (own.has(state)) end(state, request, request.signal.aborted ? 0 : response.status)
    },
  }
}

async function* followed(parts: AsyncIterable<PartOfResult>, state: RequestState, end: () => void): AsyncIterableIterator<PartOfResult> {
  let isFirst = true
  try {
    for await (const part of parts) {
      if (isFirst) state.answered(part)
      state.partSent([...(isFirst ? [] : (part.errors ?? [])), ...(part.incremental ?? []).flatMap(({ errors }) => errors ?? [])])
      isFirst = false
      yield part
    }
  } finally {
    end()
  }
}
