import { TAGGING } from '../../graph/schema.js'
import type { Options } from '../../options/table.js'
import type { Events } from '../events.js'
import type { Log } from '../log/levels.js'
import { Forwarder } from './forwarder.js'

/** Sends changes of the site to further addresses; undefined when there are none. It listens until it is closed. */
export function createForwarder({ forward, forwardSecret = [] }: Options['hooks'], log: Log | undefined, events: Events) {
  if (forward.length === 0) return undefined
  const forwarder = new Forwarder({ addresses: forward, secrets: forwardSecret.map((each) => each.reveal()), log, events })
  const send: Forwarder['send'] = (changes, tags) => forwarder.send(changes, tags)
  const sendOne = (change: Parameters<typeof send>[0][number]): void => send([change], TAGGING.ofChange(change))
  events.on('changed', sendOne).on('changesReceived', send)
  return {
    async close() {
      await forwarder.close()
      events.off('changed', sendOne).off('changesReceived', send)
    },
  }
}
