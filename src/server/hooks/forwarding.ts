import { TAGGING } from '../../graph/schema.js'
import type { Options } from '../../options/table.js'
import type { SiteChange, Tag } from '../../upstream/cache/tags.js'
import type { Network } from '../../upstream/transport/network.js'
import type { Events } from '../events.js'
import type { Log } from '../log/levels.js'
import { Forwarder } from './forwarder.js'

/** Where the forwarder reports. */
interface Reporting {
  readonly log?: Log | undefined
  readonly events: Events
}

/** A forwarder to the addresses of the options; undefined when there are none. `isBehind`: another one may have given changes up before. */
export const createForwarder = (
  { forward, forwardSecret = [] }: Options['hooks'],
  { log, events }: Reporting,
  network: Network,
  isBehind: boolean,
): Forwarder | undefined =>
  forward.length === 0
    ? undefined
    : new Forwarder({ addresses: forward, secrets: forwardSecret.map((each) => each.reveal()), network, isBehind, log, events })

/** Forwards the changes that mutations make, and the changes that the site reports. `use` replaces the forwarder after a reload. */
export class Forwarding {
  private forwarder: Forwarder | undefined

  constructor(events: Events) {
    events.on('changed', (change) => this.send([change], TAGGING.ofChange(change)))
    events.on('changesReceived', (changes, tags) => this.send(changes, tags))
  }

  /** Forwards later changes by this forwarder. */
  use(forwarder: Forwarder | undefined): void {
    this.forwarder = forwarder
  }

  private send(changes: readonly SiteChange[], tags: readonly Tag[]): void {
    this.forwarder?.send(changes, tags)
  }
}
