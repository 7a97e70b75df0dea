import { TAGGING } from '../../graph/schema.js'
import type { Options } from '../../options/table.js'
import type { SiteChange, Tag } from '../../upstream/cache/tags.js'
import type { Events } from '../events.js'
import type { Log } from '../log/levels.js'
import { Forwarder } from './forwarder.js'

/** A forwarder to the addresses of the options; undefined when there are none. */
export const createForwarder = ({ forward, forwardSecret = [] }: Options['hooks'], log: Log | undefined, events: Events) =>
  forward.length === 0 ? undefined : new Forwarder({ addresses: forward, secrets: forwardSecret.map((each) => each.reveal()), log, events })

/** Forwards changes of the site: those of mutations, and those that the site reports. After a change of options by another forwarder. */
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
