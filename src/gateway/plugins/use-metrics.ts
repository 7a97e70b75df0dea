import type { Plugin } from 'graphql-yoga'
import type { Metrics } from '../metrics.js'

/** `/metrics`: what has been counted, in the text format of Prometheus. */
export const useMetrics = (metrics: Metrics): Plugin => ({
  async onRequest({ request, url, endResponse, fetchAPI }) {
    if (request.method === 'POST' || url.pathname !== '/metrics') return
    endResponse(
      new fetchAPI.Response(request.method === 'HEAD' ? null : await metrics.text(), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
      }),
    )
  },
})
