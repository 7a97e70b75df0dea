import type { Plugin } from 'graphql-yoga'
import { ENDPOINT, isForOperators, pathBelow } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

export interface HealthOptions {
  /** Checks the site and all else that the gateway depends on. */
  readonly site: (requestId: string | undefined) => Promise<{ readonly status: string }>
  /** Whether the gateway is about to end. */
  readonly isLeaving: (() => boolean) | undefined
}

/** `/health/live`: the process answers. `/health/ready`: it is not about to end. `/health/site`: all dependencies work. Otherwise 503. */
export const useHealth = ({ site, isLeaving }: HealthOptions): Plugin<{}, RequestContext> => ({
  async onRequest({ request, serverContext: { state }, url, endResponse, fetchAPI }) {
    if (request.method === 'POST') return
    const endpoint = state?.endpoint ?? ENDPOINT
    const path = pathBelow(endpoint, url.pathname)
    const answer = (status: number, body: { readonly status: string }) =>
      endResponse(
        new fetchAPI.Response(request.method === 'HEAD' ? null : `${JSON.stringify(body)}\n`, {
          status,
          headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
        }),
      )
    if (path === '/health/live') answer(200, { status: 'live' })
    else if (path === '/health/ready') isLeaving?.() ? answer(503, { status: 'leaving' }) : answer(200, { status: 'ready' })
    else if (isForOperators('/health/site', endpoint, url.pathname)) {
      const health = await site(state?.requestId)
      answer(health.status === 'ok' ? 200 : 503, health)
    }
  },
})
