import type { Plugin } from 'graphql-yoga'
import { receive, type SiteHook } from '../../hooks/receive.js'
import type { RequestState } from '../../request-state.js'
import { ENDPOINT, pathBelow } from '../protocol.js'
import { endWith } from '../responses.js'
import type { Steps } from '../steps.js'
import type { RequestContext } from './use-authentication.js'

/** `/hooks/site`: receives changes of the site's data, which the sender signs. */
export const useSiteHook = (hook: SiteHook, steps: Steps): Plugin<{}, RequestContext> => ({
  async onRequest({ request, url, serverContext, endResponse, fetchAPI }) {
    if (pathBelow(serverContext.state?.endpoint ?? ENDPOINT, url.pathname) !== '/hooks/site') return
    // Set by `useRequestState`, which comes first.
    const state = serverContext.state as RequestState
    const read = (most: number) => steps.receive(state, request.body, request.headers.get('content-length'), most)
    const answer = await receive(hook, request, read, state)
    if (answer) endWith(answer, { serverContext, endResponse, fetchAPI })
    else endResponse(new fetchAPI.Response(null, { status: 204 }))
  },
})
