import type { Events } from '../events.js'
import type { Log } from '../log/levels.js'
import { Deliveries, type SharedDeliveries } from './deliveries.js'
import { Forwarder } from './forwarder.js'
import type { SiteHook } from './receive.js'

/** Webhooks: from the site, and to further addresses. */
export interface HookOptions {
  /** Secret of at least 32 characters with which deliveries to `/hooks/site` are signed. Without it there is no such route. */
  readonly secret?: string | undefined
  /** Addresses that receive changes of the site, such as a function that purges a CDN. None by default. */
  readonly forward?: readonly string[] | undefined
  /** Secret of at least 32 characters with which the gateway signs what it sends there. */
  readonly forwardSecret?: string | undefined
}

interface HookParts extends Pick<SiteHook, 'memory' | 'onChanges' | 'tagsOf' | 'changeTypes'> {
  readonly log: Log | undefined
  readonly events: Events
  /** Undefined without Redis. */
  readonly shared?: SharedDeliveries | undefined
}

/** The webhook of the site, and the forwarder to further addresses; each is undefined when it is not configured. */
export function createHooks({ secret, forward = [], forwardSecret = '' }: HookOptions = {}, parts: HookParts) {
  const { log, events, shared, ...site } = parts
  const forwarder = forward.length > 0 ? new Forwarder({ addresses: forward, secret: forwardSecret, log, events }) : undefined
  if (forwarder) {
    events.on('changed', (change) => forwarder.send([change], site.tagsOf(change)))
    events.on('changesReceived', (changes, tags) => forwarder.send(changes, tags))
  }
  const siteHook: SiteHook | undefined = secret === undefined ? undefined : { ...site, secret, deliveries: new Deliveries(shared), events }
  return { siteHook, forwarder }
}

/** Complaints about options that require each other. */
export function contradictingHooks({ forward, forwardSecret }: HookOptions = {}): string[] {
  if (forward && forward.length > 0 && forwardSecret === undefined)
    return ['`hooks.forward` needs `hooks.forwardSecret`, with which the gateway signs what it sends there.']
  if (!forward && forwardSecret !== undefined) return ['`hooks.forwardSecret` has no effect without `hooks.forward`.']
  return []
}
