import { type ExecutionResult, GraphQLError } from 'graphql'
import { jsonLength } from '../../engine/respond/index.js'
import { ServerBusyError } from '../../upstream/errors.js'
import { defaultMemoryBudget, MemoryBudget, RequestMemory } from '../../upstream/transport/memory.js'
import type { PartOfResult } from '../errors.js'
import type { Trace } from '../log/trace.js'
import { refusedResult } from '../session.js'
import type { Limits } from './limits.js'

/** Estimated bytes of memory per character of a parsed and planned document, and the most per token. */
const PER_CHARACTER = 100
const PER_TOKEN = 500

export interface MemoryOptions {
  /**
   * Estimated bytes that requests, answers of the site and responses may hold together; by default a quarter of the heap limit or of the memory
   * limit of the container, whichever is smaller. New operations are refused with SERVER_BUSY from three quarters on.
   */
  readonly memoryBudget?: number | undefined
  /** Milliseconds a client may stop reading its response before it is disconnected, 20,000 by default; 2,000 while memory is short. */
  readonly writeTimeout?: number | undefined
}

/** Keeps the memory of all operations within the budget of the process. */
export class MemoryGuard {
  readonly budget: MemoryBudget

  /** `onRefused` is called for each operation that is refused or ended because memory is short. */
  constructor(
    { memoryBudget }: MemoryOptions,
    private readonly limits: Limits,
    private readonly onRefused: () => void = () => {},
  ) {
    this.budget = new MemoryBudget(memoryBudget ?? defaultMemoryBudget())
  }

  /** Opens the account of a request. False when no operation may start. */
  admits(trace: Trace): boolean {
    if (this.budget.isBusy) {
      this.onRefused()
      return false
    }
    trace.memory = new RequestMemory(this.budget)
    return true
  }

  /** Accounts for a new document. Throws `GraphQLError` when memory is short. */
  takeDocument(trace: Trace, text: string): void {
    const bytes = Math.min(text.length * PER_CHARACTER, this.limits.maxTokens * PER_TOKEN)
    if (!trace.memory || trace.memory.take(bytes)) return
    this.onRefused()
    const { message, extensions, retryAfter } = new ServerBusyError()
    const http = { status: 503, headers: { 'retry-after': String(retryAfter) } }
    throw new GraphQLError(message, { extensions: { ...extensions, http } })
  }

  /** The result that replaces a response of so many bytes, when there is no memory for it. */
  refusal({ memory }: Trace, bytes: number): ExecutionResult | undefined {
    if (!memory || memory.takeResponse(bytes)) return undefined
    this.onRefused()
    return bytes > this.budget.limit ? { errors: [exceedsBudget(this.budget.limit)] } : refusedResult(new ServerBusyError())
  }

  /** The parts of a response; each is accounted for until the next one is requested. */
  async *parts(trace: Trace, parts: AsyncIterable<PartOfResult>): AsyncIterableIterator<PartOfResult> {
    let held = 0
    for await (const part of parts) {
      const { memory } = trace
      memory?.add(-held)
      // Its text and its bytes.
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
  new GraphQLError(`The answer is too large: the gateway has ${limit} bytes of memory for all answers together. Select less at a time.`, {
    extensions: { code: 'ANSWER_TOO_LARGE', http: { status: 400, spec: true } },
  })
