import { setImmediate } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import type { Emitter } from '../../upstream/events.js'
import { Warning } from '../log/levels.js'
import type { Guard } from './guard.js'
import { parseWithin } from './measures.js'

export interface UnfitDocumentsEvents {
  /** Trusted documents were checked, and clients get errors for some of them. */
  readonly documentsUnfit: [warning: Warning]
}

/** Largest number of documents that the warning names. */
const MOST = 10

/** Warns of trusted documents that the gateway would refuse. Checks one in each turn of the event loop, because requests come meanwhile. */
export async function checkTrustedDocuments(
  guard: Guard,
  documents: ReadonlyMap<string, string>,
  events: Emitter<UnfitDocumentsEvents>,
): Promise<void> {
  const unfit: string[] = []
  for (const [name, text] of documents) {
    await setImmediate(undefined, { ref: false })
    const error = firstErrorIn(text, guard)
    if (error) unfit.push(`${name}: ${error.message}`)
  }
  if (unfit.length === 0) return
  const fields = { count: unfit.length, documents: unfit.slice(0, MOST) }
  events.emit('documentsUnfit', new Warning('Trusted documents do not fit the graph or its limits: clients get errors for them.', fields))
}

function firstErrorIn(text: string, guard: Guard): GraphQLError | undefined {
  try {
    return guard.validate(parseWithin(guard.limits, text))[0]
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}
