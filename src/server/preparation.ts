import { setImmediate } from 'node:timers/promises'
import { GraphQLError, Kind } from 'graphql'
import type { TrustedDocuments } from '../operations/trusted.js'
import { variableValues } from '../plan/graphql-js.js'
import type { Emitter } from '../upstream/events.js'
import type { CoreOptions } from './core.js'
import { parseWithin } from './limits/measures.js'
import { Warning } from './log/levels.js'

export interface PreparationEvents {
  /** Trusted documents were checked, and clients get errors for some of them. */
  readonly documentsUnfit: [warning: Warning]
}

export interface PreparationOptions extends Pick<CoreOptions, 'schema' | 'guard' | 'prepared' | 'writers'> {
  /** The kinds of plans that callers need: for restricted ones, or for others. */
  readonly restricted: readonly boolean[]
  readonly events: Emitter<PreparationEvents>
}

/** Largest number of documents that the warning names. */
const MOST = 10

/**
 * Checks trusted documents before clients send them, and prepares their operations, so that a first request costs about as much as later ones. It
 * handles one document in each turn of the event loop, so that requests are answered meanwhile, and ends early when `signal` is aborted. A warning
 * names the documents for which clients get errors.
 */
export async function prepareTrusted({ usual }: TrustedDocuments, options: PreparationOptions, signal: AbortSignal): Promise<void> {
  const unfit = new Map<string, string>()
  for (const [name, text] of usual) {
    await setImmediate()
    if (signal.aborted) return
    const error = prepare(text, options)
    if (error) unfit.set(name, `${name}: ${error.message}`)
  }
  if (unfit.size === 0) return
  const fields = { count: unfit.size, documents: [...unfit.values()].slice(0, MOST) }
  const message = 'Trusted documents do not fit the graph or its limits: clients get errors for them.'
  options.events.emit('documentsUnfit', new Warning(message, fields))
}

/** Prepares the operations of a document, while there is room for them. Returns the first error in it. */
function prepare(text: string, { schema, guard, prepared, writers, restricted }: PreparationOptions): GraphQLError | undefined {
  try {
    const document = parseWithin(guard.limits, text)
    const [error] = guard.validate(document)
    if (error || !prepared.hasRoom) return error
    const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    for (const operation of operations) {
      const name = operation.name?.value
      for (const asked of operations.length === 1 ? [name, undefined, null] : [name]) prepared.passed(document, asked)
      const variables = variableValues(schema, operation, {}) ?? {}
      for (const each of restricted) {
        const ahead = prepared.ahead(document, name, variables, each)
        if (ahead) writers?.of(ahead)
      }
    }
    return undefined
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}
