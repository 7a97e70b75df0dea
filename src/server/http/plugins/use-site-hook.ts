import type { Plugin } from 'graphql-yoga'
import { receive, type SiteHook } from '../../hooks/receive.js'
import { ENDPOINT, pathBelow } from '../protocol.js'
import { endWith } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

/** `/hooks/site`: receives changes of the site's data, which the sender signs. */
export const useSiteHook = (hook: SiteHook): Plugin<{}, RequestContext> => ({
  async onRequest({ request, url, serverContext, endResponse, fetchAPI }) {
    if (pathBelow(serverContext.trace?.endpoint ?? ENDPOINT, url.pathname) !== '/hooks/site') return
    const answer = await receive(hook, request, serverContext.trace)
    if (answer) endWith(answer, { serverContext, endResponse, fetchAPI })
    else endResponse(new fetchAPI.Response(null, { status: 204 }))
  },
})
