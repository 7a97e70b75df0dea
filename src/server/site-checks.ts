import { performance } from 'node:perf_hooks'
import { PROBES } from '../graph/schema.js'
import type { Client } from '../upstream/client.js'
import type { Credentials } from '../upstream/credentials.js'
import { BusyError, LmsError, UnavailableError } from '../upstream/errors.js'

/** Milliseconds for which the result of one check answers all requests. */
const INTERVAL = 1_000

/** Returns why something that the gateway depends on fails: a code, because everybody may see it. */
type HealthCheck = (requestId: string | undefined) => Promise<string | undefined> | string | undefined

/** Runs a check at most once a second: requests in between share the running check, or its result. */
function shared<T>(check: (requestId: string | undefined) => Promise<T>): typeof check {
  let latest: Promise<T> | undefined
  let endedAt: number | undefined
  return (requestId) => {
    if (latest && (endedAt === undefined || performance.now() - endedAt < INTERVAL)) return latest
    endedAt = undefined
    latest = check(requestId).finally(() => {
      endedAt = performance.now()
    })
    return latest
  }
}

/** Runs all checks, at most once a second. What is not configured has none, and is `off`. */
export const siteHealth = (checks: Readonly<Record<string, HealthCheck | undefined>>) =>
  shared(async (requestId) => {
    const results = Object.entries(checks).map(async ([name, check]) => {
      const reason = await check?.(requestId)
      return [name, reason === undefined ? { status: check ? 'ok' : 'off' } : { status: 'failing', reason }] as const
    })
    const all = await Promise.all(results)
    return { status: all.some(([, { status }]) => status === 'failing') ? 'failing' : 'ok', checks: Object.fromEntries(all) }
  })

/**
 * Checks the site, the account and the circuit breakers by one call, and the account of editors by another one. Any answer of the site counts,
 * even a refusal, except 5xx; a full queue in the gateway is not its fault. An account reads a list that anonymous callers may not read: some
 * sites treat wrong credentials as none.
 */
export function callChecks(
  client: Client,
  [credentials, editor]: readonly [Credentials, Credentials?],
  breakers: () => object | undefined,
): Readonly<Record<string, HealthCheck | undefined>> {
  const { route, query } = credentials.anonymous ? PROBES.anonymous : PROBES.account
  const call = shared(async (requestId): Promise<{ readonly site?: string; readonly account?: string }> => {
    try {
      const caller = { credentials, id: 'health' }
      await client.list(route, {}, query, { caller, trace: { requestId }, freshness: {}, budget: { operation: {} } })
    } catch (error) {
      if (!(error instanceof LmsError)) throw error
      if (error instanceof UnavailableError && error.upstream?.status === 401) return { account: 'UNAUTHENTICATED' }
      if (!error.upstream || error instanceof UnavailableError) return error instanceof BusyError ? {} : { site: error.code }
    }
    return {}
  })
  const account: HealthCheck = async (requestId) => (await call(requestId)).account
  const site: HealthCheck = async (requestId) => (await call(requestId)).site
  const breaker: HealthCheck = async (requestId) => {
    // Afterwards: the call may close one.
    await call(requestId)
    const open = Object.entries(breakers() ?? {}).find(([, state]) => state !== 'closed')
    return open?.join('_')
  }
  const editorAccount = editor && callChecks(client, [editor], breakers).account
  return { site, account: credentials.anonymous ? undefined : account, ...(editor && { editorAccount }), breaker }
}
