import { EventEmitter } from 'node:events'
import type { ExecutionResult } from 'graphql'
import { isWritten } from '../../execute/execute.js'
import { jsonLength, mostCharacters, serverBusy, tooLong } from '../../execute/length.js'
import { lineOf, Turns } from '../../execute/turns.js'
import type { CallScope } from '../../upstream/call-scope.js'
import { ServerBusyError } from '../../upstream/errors.js'
import type { Emitter } from '../../upstream/events.js'
import { type MemoryBudget, RequestMemory } from '../../upstream/transport/memory.js'
import type { PartOfResult } from '../errors.js'
import type { RequestState } from '../request-state.js'
import type { Limits } from './limits.js'

/** Estimated bytes of memory per character of a parsed and planned document, and the most per token. */
const PER_CHARACTER = 100
const PER_TOKEN = 500

export interface MemoryEvents {
  /** An operation is refused or ended because memory is short. */
  readonly memoryRefused: []
}

/** Keeps the memory of all operations within the budget of the process. */
export class MemoryGuard {
  readonly turns = new Turns()

  constructor(
    readonly budget: MemoryBudget,
    private readonly limits: Limits,
    private readonly events: Emitter<MemoryEvents> = new EventEmitter<MemoryEvents>(),
  ) {}

  /** The memory of a request that begins. `address` is the network address of its client. */
  open(address = ''): RequestMemory {
    return new RequestMemory(this.budget, address)
  }

  /** Whether a new operation may not start. */
  refuses(memory: RequestMemory): boolean {
    if (!memory.isRefused) return false
    this.events.emit('memoryRefused')
    return true
  }

  /** Accounts for a new document. Throws when memory is short. */
  takeDocument(state: RequestState, text: string): void {
    const bytes = Math.min(text.length * PER_CHARACTER, this.limits.maxTokens * PER_TOKEN)
    if (state.memory.take(bytes)) return
    this.events.emit('memoryRefused')
    throw new ServerBusyError()
  }

  /** Takes the memory of a result before it is written as JSON; an error when it is too long. Response writers have done that themselves. */
  counted(memory: RequestMemory | undefined, result: ExecutionResult): ExecutionResult {
    if (isWritten(result)) return result
    if (!result.data) {
      if (result.errors?.some(({ originalError }) => originalError instanceof ServerBusyError)) this.events.emit('memoryRefused')
      return result
    }
    const { maxAnswerSize } = this.limits
    const most = mostCharacters(memory, maxAnswerSize)
    const length = jsonLength(result.data, most)
    if (length > most) return this.counted(memory, { errors: [tooLong(memory, maxAnswerSize)] })
    memory?.takeResponse(length)
    return result
  }

  /** The parts of a response. Each is accounted for until the next one is requested; one that is too long is the last. */
  async *parts({ caller, budget }: CallScope, parts: AsyncIterable<PartOfResult>): AsyncIterableIterator<PartOfResult> {
    const { memory } = budget
    let held = 0
    for await (const part of parts) {
      const turn = this.turns.next(lineOf(caller))
      if (turn) await turn
      memory?.add(-held)
      const { maxAnswerSize } = this.limits
      const length = jsonLength([part.data ?? null, part.incremental ?? null], maxAnswerSize)
      // Its text and its bytes.
      held = 2 * length
      const isTooLong = length > maxAnswerSize
      if (isTooLong || memory?.take(held) === false) {
        const error = isTooLong ? tooLong(undefined, maxAnswerSize) : serverBusy()
        return yield { ...this.counted(memory, { errors: [error] }), hasNext: false }
      }
      yield part
    }
  }
}
