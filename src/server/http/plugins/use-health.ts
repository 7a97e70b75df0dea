import type { Plugin } from 'graphql-yoga'
import { ENDPOINT, pathBelow } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

export interface HealthOptions {
  /** Whether the site answers without a failure. */
  readonly ready: (requestId: string | undefined) => Promise<boolean>
  /** Whether the gateway is about to end. */
  readonly isLeaving: (() => boolean) | undefined
}

/** `/health/live`: the process answers. `/health/ready`: the site answers too, and the gateway is not about to end; else 503. */
export const useHealth = ({ ready, isLeaving }: HealthOptions): Plugin<{}, RequestContext> => ({
  async onRequest({ request, serverContext, url, endResponse, fetchAPI }) {
    if (request.method === 'POST') return
    const path = pathBelow(serverContext.trace?.endpoint ?? ENDPOINT, url.pathname)
    const answer = (status: number, text: string) =>
      endResponse(
        new fetchAPI.Response(request.method === 'HEAD' ? null : `${JSON.stringify({ status: text })}\n`, {
          status,
          headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
        }),
      )
    if (path === '/health/live') answer(200, 'live')
    else if (path !== '/health/ready') return
    else if (isLeaving?.()) answer(503, 'leaving')
    else
      await ready(serverContext.trace?.requestId).then((isReady) => (isReady ? answer(200, 'ready') : answer(503, 'upstream unavailable')))
  },
})
