import type { Plugin } from 'graphql-yoga'
import { pathBelow } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

/** Answers 404 for paths other than the endpoint. Pages, health and metrics were answered before. */
export const useEndpoint = (): Plugin<{}, RequestContext> => ({
  onRequest({ url, serverContext: { state }, endResponse, fetchAPI }) {
    if (state && pathBelow(state.endpoint, url.pathname) !== '') endResponse(new fetchAPI.Response('', { status: 404 }))
  },
})
