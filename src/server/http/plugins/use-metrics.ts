import type { Plugin } from 'graphql-yoga'
import { SHOW_CREDENTIALS } from '../../auth/authenticator.js'
import { METRICS_TYPE } from '../../metrics/exposition.js'
import type { Metrics } from '../../metrics/metrics.js'
import { ENDPOINT, isForOperators } from '../protocol.js'
import { endWith, refused, rejected } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

const NOT_FOR_LEARNERS = { message: 'The metrics are for editors and administrators.', extensions: { code: 'FORBIDDEN' } }

/** `/metrics`: the metrics in the text format of Prometheus; with `callersOnly` only for callers with a key or token. Tokens of visitors and learners of a service account are refused. */
export const useMetrics = (metrics: Metrics, callersOnly = false): Plugin<{}, RequestContext> => ({
  async onRequest({ request, url, serverContext, endResponse, fetchAPI }) {
    if (request.method === 'POST' || !isForOperators('/metrics', serverContext.state?.endpoint ?? ENDPOINT, url.pathname)) return
    const { as, role } = serverContext.state?.principal ?? {}
    if (callersOnly && !as) return endWith(rejected(SHOW_CREDENTIALS), { serverContext, endResponse, fetchAPI })
    if (as === 'token' && (role === 'visitor' || role === 'learner'))
      return endWith(refused(403, NOT_FOR_LEARNERS), { serverContext, endResponse, fetchAPI })
    endResponse(
      new fetchAPI.Response(request.method === 'HEAD' ? null : await metrics.text(), {
        headers: { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' },
      }),
    )
  },
})
