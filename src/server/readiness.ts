import { performance } from 'node:perf_hooks'
import { groupList } from '../resources/group/routes.js'
import { priceTypeTable } from '../resources/price-type/routes.js'
import type { Client } from '../upstream/client.js'
import { BusyError, LmsError, UnavailableError } from '../upstream/errors.js'
import type { Credentials } from '../upstream/session.js'

/** Milliseconds for which the result of one check answers all requests. */
const INTERVAL = 1_000

/** Checks whether the site is ready, at most once a second: requests meanwhile share the running check, or its result. */
export function readiness(client: Client, credentials: Credentials): (requestId: string | undefined) => Promise<boolean> {
  let latest: Promise<boolean> | undefined
  let endedAt: number | undefined
  return (requestId) => {
    if (latest && (endedAt === undefined || performance.now() - endedAt < INTERVAL)) return latest
    endedAt = undefined
    latest = isReady(client, credentials, requestId).finally(() => {
      endedAt = performance.now()
    })
    return latest
  }
}

/**
 * Any answer of the site counts, even a refusal, but not a 5xx or an open circuit breaker for reads; that too much waits for the site
 * says nothing against it. An account of the gateway's own must be known to it: that shows where not everybody may read, since some sites
 * take wrong credentials for none.
 */
async function isReady(client: Client, credentials: Credentials, requestId: string | undefined): Promise<boolean> {
  const [route, query] = credentials.anonymous ? [priceTypeTable, {}] : [groupList, { per_page: 1, context: 'view' }]
  try {
    await client.list(route, {}, query, { credentials, requestId, caller: 'health', operation: {} })
    return true
  } catch (error) {
    if (error instanceof BusyError) return true
    return error instanceof LmsError && error.upstream !== undefined && !(error instanceof UnavailableError)
  }
}
