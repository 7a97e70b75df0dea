import { performance } from 'node:perf_hooks'
import { LISTS, PROBES } from '../schema/graph.js'
import type { Client } from '../upstream/client.js'
import { BusyError, LmsError, UnavailableError } from '../upstream/errors.js'
import { refusedFilters, refusedText } from '../upstream/refused-filters.js'
import type { Credentials } from '../upstream/session.js'
import type { Site } from '../upstream/site/site.js'

/** Milliseconds for which the result of one check answers all requests. */
const INTERVAL = 1_000

/** Checks whether the site is ready, at most once a second: requests in between share the running check, or its result. */
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
 * Any answer of the site counts, even a refusal, except 5xx and an open circuit breaker for reads. A full queue in the gateway does not make
 * the site unready. A service account reads a list that anonymous callers may not read: some sites treat wrong credentials as none.
 */
async function isReady(client: Client, credentials: Credentials, requestId: string | undefined): Promise<boolean> {
  const { route, query } = credentials.anonymous ? PROBES.anonymous : PROBES.account
  try {
    await client.list(route, {}, query, { credentials, requestId, caller: 'health', operation: {} })
    return true
  } catch (error) {
    if (error instanceof BusyError) return true
    return error instanceof LmsError && error.upstream !== undefined && !(error instanceof UnavailableError)
  }
}

/** The filters that the gateway refuses because the site ignores them, as a line of the log. Undefined when there are none. */
export function refusedFilterNotice(site: Site): { readonly fields: object; readonly message: string } | undefined {
  const refused = Object.fromEntries(
    LISTS.map(({ plural, list }) => [plural, refusedFilters(site, list)] as const).filter(([, names]) => names.length > 0),
  )
  if (Object.keys(refused).length === 0) return undefined
  return { fields: { refusedFilters: refused }, message: `filters refused, because the site ignores them: ${refusedText(site, LISTS)}` }
}
