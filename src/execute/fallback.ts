import { channel } from 'node:diagnostics_channel'
import { GraphQLError } from 'graphql'
import type { CallScope } from '../upstream/call-scope.js'
import type { Emitter } from '../upstream/events.js'

/** The steps of the fast path. */
export type FastStep = 'prepare' | 'estimate' | 'fetch' | 'write'

/** An exception of the gateway itself on the fast path. graphql-js answers the operation; its resolvers read the missing records. */
export interface Fallback {
  readonly step: FastStep
  readonly operationName: string | undefined
  readonly cause: unknown
  readonly requestId: string | undefined
}

/** Diagnostics channel on which fallbacks are published. */
const fallbacks = channel('lms-graphql:fallback')

export interface FallbackEvents {
  /** An exception of the gateway itself has ended the fast path of an operation. */
  readonly fallback: [fallback: Fallback]
}

interface FallbackContext {
  readonly operation: { readonly call: CallScope }
  readonly events: Emitter<FallbackEvents>
}

/** Reports an exception on the fast path. Rethrows a `GraphQLError`, which is meant for the client. */
export function reportFallback(
  { events, operation }: FallbackContext,
  step: FastStep,
  operationName: string | undefined,
  cause: unknown,
): void {
  if (cause instanceof GraphQLError) throw cause
  const fallback: Fallback = { step, operationName, cause, requestId: operation.call.trace.requestId }
  fallbacks.publish(fallback)
  events.emit('fallback', fallback)
}
