import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Plugin } from 'graphql-yoga'
import type { Principal } from '../../auth/authenticator.js'
import type { Core, OperationRequest } from '../../core.js'
import type { RequestState } from '../../request-state.js'
import { partCompressed } from '../compression.js'
import { prefersParts } from '../media-types.js'
import { EXPLAIN_HEADER } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

/** Answers operations by `Core`, in place of Yoga's own parsing, validation and execution. */
export const useCore = (core: Core): Plugin<{}, RequestContext> => ({
  onParams({ params, setParams, setParamsHandler, context }) {
    setParams(core.checkParameters(context.state as RequestState, params))
    setParamsHandler(async ({ request, params, context }) => core.run(operationRequest(request, context), params))
  },
})

function operationRequest(request: Request, { state, res }: RequestContext & { readonly res?: ServerResponse }): OperationRequest {
  const { signal, method, headers } = request
  return {
    principal: state?.principal as Principal,
    state: state as RequestState,
    explain: headers.get(EXPLAIN_HEADER),
    cacheControl: headers.get('cache-control'),
    queriesOnly: method === 'GET',
    parts: prefersParts(headers.get('accept')) ? { flushed: () => flushed(res) } : undefined,
    onLeave: (leave) => (signal.aborted ? leave() : signal.addEventListener('abort', leave, { once: true })),
  }
}

/** Resolves when the socket has taken everything that was written to a response; never when it is closed. */
function flushed(response: ServerResponse | undefined): Promise<void> {
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const compressed = response && partCompressed(response)
      // The compressor has passed it on by the next turn.
      if (compressed) await compressed.then(() => nextTurn())
      if (response?.destroyed) return
      if (response?.writableNeedDrain) response.once('drain', () => setImmediate(look))
      else resolve()
    }
    // Yoga writes a part within the turn of the event loop in which it takes it.
    setImmediate(look)
  })
}
