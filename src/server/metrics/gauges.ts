import type { PreparedOperations } from '../../plan/prepared-operations.js'
import type { ReadCache } from '../../upstream/cache/read-cache.js'
import { BREAKER_STATES } from '../../upstream/transport/breaker.js'
import type { MemoryBudget } from '../../upstream/transport/memory.js'
import type { TransportState } from '../../upstream/transport/transport.js'
import type { ClientsState } from '../http/clients.js'
import type { Value } from './series.js'

/** The parts of a gateway whose state is read at each scrape. */
export interface MetricsSources {
  readonly transport: { readonly state: TransportState }
  readonly prepared: Pick<PreparedOperations, 'state'>
  readonly memory: MemoryBudget
  /** Undefined without a cache. */
  readonly cache: Pick<ReadCache, 'load'> | undefined
  /** Undefined without Redis. */
  readonly redis: { readonly isReady: boolean } | undefined
  /** Undefined without a key set for tokens. */
  readonly keySet: { readonly failure: object | undefined } | undefined
  readonly clients: { readonly state: ClientsState }
  readonly isLeaving: () => boolean
  /** Kind of the site. */
  readonly preset: string
  /** The options: a hash without secrets, and when they were read. */
  readonly settingsHash: string
  readonly loadedAt: number
  readonly log: { readonly droppedLines?: number } | undefined
}

/** What a gauge shows: a number, 1 or 0 for a boolean, no series for `undefined`, or the values of several series. */
type Reading = number | boolean | undefined | readonly Value[]

/** The gauges that show the state of the parts of a gateway. */
export const GAUGES: readonly (readonly [name: string, help: string, read: (sources: MetricsSources) => Reading])[] = [
  ['lms_rest_calls_in_flight', 'REST calls that run.', ({ transport }) => transport.state.running],
  ['lms_rest_calls_in_flight_limit', 'REST calls that may run at a time.', ({ transport }) => transport.state.limit],
  ['lms_rest_queue_length', 'REST calls that wait.', ({ transport }) => transport.state.queued],
  ['lms_rest_queue_limit', 'REST calls that may wait.', ({ transport }) => transport.state.maxQueued],
  ['lms_site_connections', 'Connections to the site, idle ones included.', ({ transport }) => transport.state.connections],
  ['lms_prepared_operations', 'Documents in the cache of prepared operations.', ({ prepared }) => prepared.state.documents],
  ['lms_prepared_operations_bytes', 'Estimated bytes of these documents, trusted ones excluded.', ({ prepared }) => prepared.state.bytes],
  ['lms_memory_budget_used_bytes', 'Bytes that requests, answers of the site and responses hold.', ({ memory }) => memory.used],
  ['lms_memory_budget_limit_bytes', 'Bytes that they may hold.', ({ memory }) => memory.limit],
  ['lms_cache_entries', 'Answers of the site that are kept in memory.', ({ cache }) => cache?.load.entries ?? 0],
  ['lms_cache_bytes', 'Estimated memory of these answers.', ({ cache }) => cache?.load.bytes ?? 0],
  ['lms_redis_up', 'Whether the gateway is connected with Redis: 1 or 0. Missing without Redis.', ({ redis }) => redis?.isReady],
  [
    'lms_key_set_up',
    'Whether the key set of tokens was loaded the last time: 1 or 0. Missing without one.',
    ({ keySet }) => keySet && keySet.failure === undefined,
  ],
  ['lms_client_connections', 'Connections of clients that have sent a request.', ({ clients }) => clients.state.connections],
  ['lms_client_requests', 'Requests that are not answered completely.', ({ clients }) => clients.state.requests],
  ['lms_client_unsent_bytes', 'Bytes of responses that clients have not taken.', ({ clients }) => clients.state.unsent],
  [
    'lms_settings_loaded_timestamp_seconds',
    'When the options were read that the gateway runs with, in seconds since 1970.',
    ({ loadedAt }) => loadedAt,
  ],
  ['lms_site_info', 'The preset of the site; always 1.', ({ preset }) => [{ labels: { preset }, value: 1 }]],
  [
    'lms_settings_info',
    'The hash of the options without secrets, the same for gateways with the same options; always 1.',
    ({ settingsHash: hash }) => [{ labels: { hash }, value: 1 }],
  ],
  ['lms_draining', 'Whether the gateway drains, because it is about to end: 1 or 0.', ({ isLeaving }) => isLeaving()],
  [
    'lms_breaker_state',
    'Whether the circuit breaker is in this state: 1 or 0.',
    ({ transport }) =>
      Object.entries(transport.state.breakers ?? {}).flatMap(([calls, current]) =>
        BREAKER_STATES.map((state) => ({ labels: { calls, state }, value: state === current ? 1 : 0 })),
      ),
  ],
]

/** The series of a gauge. */
export function gaugeValues(reading: Reading): readonly Value[] {
  if (reading === undefined) return []
  if (typeof reading === 'object') return reading
  return [{ labels: {}, value: typeof reading === 'number' ? reading : reading ? 1 : 0 }]
}
