import type { Log } from '../log/levels.js'
import type { Metrics } from '../metrics/metrics.js'
import { Deliveries, type SharedDeliveries } from './deliveries.js'
import { Forwarder } from './forwarder.js'
import type { SiteHook } from './receive.js'

/** Webhooks: from the site, and to further addresses. */
export interface HookOptions {
  /**
   * Secret of at least 32 characters with which deliveries to `/hooks/site` are signed; while it is replaced, an array of both. Without it there
   * is no such route.
   */
  readonly secret?: string | readonly string[] | undefined
  /** Addresses that receive changes of the site, such as a function that purges a CDN. None by default. */
  readonly forward?: readonly string[] | undefined
  /** Secret of at least 32 characters with which the gateway signs what it sends there; while it is replaced, an array of both, and both sign. */
  readonly forwardSecret?: string | readonly string[] | undefined
}

interface HookParts extends Pick<SiteHook, 'memory' | 'onTrouble' | 'onChanges' | 'tagsOf' | 'changeTypes'> {
  readonly metrics: Metrics | undefined
  readonly log: Log | undefined
  readonly onFault: (fault: unknown) => void
  /** Undefined without Redis. */
  readonly shared?: SharedDeliveries | undefined
}

/** The webhook of the site, and the forwarder to further addresses; each is undefined when it is not configured. */
export function createHooks({ secret, forward = [], forwardSecret = [] }: HookOptions = {}, parts: HookParts) {
  const { metrics, log, onFault, onTrouble, shared, ...site } = parts
  const forwarder =
    forward.length > 0
      ? new Forwarder({ addresses: forward, secrets: [forwardSecret].flat(), log, onFault, onOutcome: metrics?.onForward })
      : undefined
  let isFailing = false
  const siteHook: SiteHook | undefined =
    secret === undefined
      ? undefined
      : {
          ...site,
          secrets: [secret].flat(),
          deliveries: new Deliveries(shared),
          onAccepted: (changes, tags) => {
            isFailing = false
            forwarder?.send(changes, tags)
          },
          onOutcome: metrics?.onHook,
          // Senders try again: once is enough until a delivery is accepted.
          onTrouble: (trouble, requestId) => {
            if (!isFailing) onTrouble(trouble, requestId)
            isFailing = true
          },
        }
  return { siteHook, forwarder }
}

/** Complaints about options that require each other. */
export function contradictingHooks({ forward, forwardSecret }: HookOptions = {}): string[] {
  if (forward && forward.length > 0 && forwardSecret === undefined)
    return ['`hooks.forward` needs `hooks.forwardSecret`, with which the gateway signs what it sends there.']
  if (!forward && forwardSecret !== undefined) return ['`hooks.forwardSecret` has no effect without `hooks.forward`.']
  return []
}
