import type { EventEmitter } from 'node:events'
import type { CacheEvents } from '../upstream/cache/read-cache.js'
import type { ChangeEvents } from '../upstream/client.js'
import type { RepairEvents } from '../upstream/codec/records.js'
import type { Call, TransportEvents } from '../upstream/transport/transport.js'
import type { AccessEvents } from './auth/authenticator.js'
import type { EventView } from './auth/callers.js'
import type { CoreEvents } from './core.js'
import type { ForwarderEvents } from './hooks/forwarder.js'
import type { HookEvents } from './hooks/receive.js'
import type { ClientEvents } from './http/clients.js'
import type { MemoryEvents } from './limits/memory-guard.js'
import type { ShareEvents } from './limits/shares.js'
import type { PreparationEvents } from './preparation.js'
import type { RedisEvents } from './redis/connection.js'
import type { RequestEvents } from './request-end.js'
import { type MutationEvent, mutationEvent, type OperationEvent } from './request-state.js'

/** The channels of a gateway, each with the arguments of its listeners. */
export interface GatewayEvents
  extends RequestEvents,
    AccessEvents,
    CoreEvents,
    TransportEvents,
    CacheEvents,
    RepairEvents,
    ChangeEvents,
    MemoryEvents,
    PreparationEvents,
    ShareEvents,
    ClientEvents,
    HookEvents,
    ForwarderEvents,
    RedisEvents {}

/** What happens in a gateway, for the log, the metrics, traces, the forwarder and listeners of programs. There is one for each gateway. */
export type Events = EventEmitter<GatewayEvents>

/** Listeners of a program. */
export interface Listeners {
  /** Called for each REST call when it has ended. */
  readonly call?: ((call: Call) => void) | undefined
  /** Called for each value of the site that could not be decoded, and became null. */
  readonly repair?: ((shape: string, column: string) => void) | undefined
  /** Called for each operation when it has ended, also for refused ones. */
  readonly operation?: ((operation: OperationEvent) => void) | undefined
  /** Called for each root field of a mutation when it has ended. */
  readonly mutation?: ((mutation: MutationEvent) => void) | undefined
  /**
   * Called for each fault of the gateway itself, whose text clients never see, with the id of its request when it is known. By default faults
   * go to `log`, or without one to `console.error`.
   */
  readonly fault?: ((fault: unknown, requestId?: string) => void) | undefined
}

/** Subscribes the listeners of a program, except that of faults: `logEvents` calls it in place of the log. */
export function subscribeListeners(events: Events, { call, repair, operation, mutation }: Listeners = {}, shown: EventView): void {
  if (call) events.on('call', call)
  if (repair) events.on('repair', repair)
  if (operation) events.on('operation', (state, status) => operation(state.event(status, shown)))
  if (mutation) events.on('mutation', (state, ended) => mutation(mutationEvent(state, ended, shown)))
}
