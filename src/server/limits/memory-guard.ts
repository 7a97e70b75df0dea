import { type ExecutionResult, GraphQLError } from 'graphql'
import { jsonLength } from '../../engine/respond/index.js'
import { ServerBusyError } from '../../upstream/errors.js'
import { defaultMemoryBudget, MemoryBudget, RequestMemory } from '../../upstream/transport/memory.js'
import type { PartOfResult } from '../errors.js'
import type { Trace } from '../log/trace.js'
import { refusedResult } from '../session.js'
import type { Limits } from './limits.js'

/** Bytes of memory that a character of a new document takes once it is parsed and planned, and at most for each token it may have. */
const PER_CHARACTER = 100
const PER_TOKEN = 500

export interface MemoryOptions {
  /**
   * Bytes that requests, answers of the site and responses may hold together, as estimated; a quarter of the smaller of the heap limit and the
   * memory limit of the container by default. At three quarters of it new operations are refused with SERVER_BUSY.
   */
  readonly memoryBudget?: number | undefined
  /** Milliseconds a client may stop reading its response before it is disconnected, 20,000 by default; 2,000 while memory is short. */
  readonly writeTimeout?: number | undefined
}

/** Keeps what all operations hold within the memory budget of the process. */
export class MemoryGuard {
  readonly budget: MemoryBudget

  /** `onRefused` is told of each operation that is refused or ended for want of memory. */
  constructor(
    { memoryBudget }: MemoryOptions,
    private readonly limits: Limits,
    private readonly onRefused: () => void = () => {},
  ) {
    this.budget = new MemoryBudget(memoryBudget ?? defaultMemoryBudget())
  }

  /** Opens the account of a request; false when no operation may start now. */
  admits(trace: Trace): boolean {
    if (this.budget.isBusy) {
      this.onRefused()
      return false
    }
    trace.memory = new RequestMemory(this.budget)
    return true
  }

  /** Takes what a document that was not parsed yet will hold. Throws when there is no room for it. */
  takeDocument(trace: Trace, text: string): void {
    const bytes = Math.min(text.length * PER_CHARACTER, this.limits.maxTokens * PER_TOKEN)
    if (!trace.memory || trace.memory.take(bytes)) return
    this.onRefused()
    const { message, extensions, retryAfter } = new ServerBusyError()
    const http = { status: 503, headers: { 'retry-after': String(retryAfter) } }
    throw new GraphQLError(message, { extensions: { ...extensions, http } })
  }

  /** What to answer in place of a response of so many bytes that has no room. */
  refusal({ memory }: Trace, bytes: number): ExecutionResult | undefined {
    if (!memory || memory.takeResponse(bytes)) return undefined
    this.onRefused()
    return bytes > this.budget.limit ? { errors: [exceedsBudget(this.budget.limit)] } : refusedResult(new ServerBusyError())
  }

  /** The parts of a response, each accounted for until the next one is asked for. */
  async *parts(trace: Trace, parts: AsyncIterable<PartOfResult>): AsyncIterableIterator<PartOfResult> {
    let held = 0
    for await (const part of parts) {
      const { memory } = trace
      memory?.add(-held)
      // The text, and its bytes.
      held = 2 * jsonLength([part.data ?? null, part.incremental ?? null])
      if (memory && !memory.take(held)) {
        this.onRefused()
        const { message, extensions } = new ServerBusyError()
        yield { errors: [new GraphQLError(message, { extensions })], hasNext: false }
        return
      }
      yield part
    }
  }
}

const exceedsBudget = (limit: number): GraphQLError =>
  new GraphQLError(`The answer is too large: the gateway has ${limit} bytes of memory for all answers together. Ask for less at a time.`, {
    extensions: { code: 'ANSWER_TOO_LARGE', http: { status: 400, spec: true } },
  })
