import { performance } from 'node:perf_hooks'
import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { operationOf } from '../../engine/document.js'
import { isObject } from '../../upstream/errors.js'
import type { Tally } from '../../upstream/session.js'
import type { RequestMemory } from '../../upstream/transport/memory.js'
import { shownVariables } from './variables.js'

/**
 * What became of an operation. `ok`: no errors. `partial`: errors beside data. `failed`: it was run, and there are no data, or the gateway
 * is at fault. `refused`: it was not run. `cancelled`: the client left before the answer.
 */
export type Outcome = 'ok' | 'partial' | 'failed' | 'refused' | 'cancelled'

/** One request to the GraphQL endpoint that has ended. */
export interface OperationEvent {
  readonly requestId: string
  /** Null where it has no name, or is not known. */
  readonly operation: string | null
  readonly kind: 'query' | 'mutation' | 'subscription' | null
  readonly outcome: Outcome
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number
  /** Milliseconds from the headers of the request to the end of the answer. */
  readonly duration: number
  /** REST calls that were sent for it. Those it shared are counted with who asked first. */
  readonly calls: number
  /** How often each code of an error stands in the answer, five codes at most. Not there where there are none. */
  readonly codes?: Readonly<Record<string, number>>
  /** As far as they may be shown. Not there unless they are wanted, and the document could be read. */
  readonly variables?: Readonly<Record<string, unknown>>
}

const MAX_CODES = 5
const MAX_NAME = 100
const INTERNAL = 'INTERNAL_SERVER_ERROR'

/** What is known of a request while it is worked on. */
export class Trace implements Tally {
  calls = 0
  refusals = 0
  /** Whether it turned out to ask for a page. */
  isPage = false
  /** What it holds of the memory budget, from when it is admitted. */
  memory: RequestMemory | undefined
  private readonly startedAt = performance.now()
  private params: GraphQLParams | undefined
  private document: DocumentNode | undefined
  private outcome: Outcome = 'refused'
  private codes: Record<string, number> | undefined

  /** `address` is the network address of the client, where it is known. */
  constructor(
    readonly requestId: string,
    readonly address = '',
  ) {}

  /** It asks for this. */
  asks(params: GraphQLParams): void {
    this.params = params
  }

  /** That is in this document. */
  finds(document: DocumentNode): void {
    this.document = document
  }

  /** It ends before GraphQL sees it. */
  refuses(code: string): void {
    this.codes = { [code]: 1 }
    this.outcome = code === INTERNAL ? 'failed' : 'refused'
  }

  /** It is answered with this, as clients see it. */
  answers({ data, errors }: ExecutionResult): void {
    if (!errors || errors.length === 0) {
      this.outcome = 'ok'
      return
    }
    const codes = this.count(errors)
    if (data && Object.values(data).some((value) => value !== null)) this.outcome = 'partial'
    else this.outcome = data !== undefined || INTERNAL in codes || this.calls > 0 ? 'failed' : 'refused'
  }

  /** Something has followed what it was answered with. */
  continues(errors: readonly GraphQLError[]): void {
    this.count(errors)
    if (errors.length > 0 && this.outcome === 'ok') this.outcome = 'partial'
  }

  private count(errors: readonly GraphQLError[]): Readonly<Record<string, number>> {
    this.codes ??= {}
    for (const { extensions } of errors) {
      const code = String(extensions?.code)
      if (code in this.codes || Object.keys(this.codes).length < MAX_CODES) this.codes[code] = (this.codes[code] ?? 0) + 1
    }
    return this.codes
  }

  /** Milliseconds so far, to a hundredth. */
  get duration(): number {
    return Math.round((performance.now() - this.startedAt) * 100) / 100
  }

  /** What is to be told of it at its end; a status of 0 says that the client has left. */
  event(status: number, withVariables: boolean): OperationEvent {
    const { requestId, params, document, codes, calls, duration } = this
    const { operationName, variables } = isObject(params) ? params : ({} as GraphQLParams)
    const wanted = typeof operationName === 'string' && NAME.test(operationName) ? operationName : undefined
    const definition = document && operationOf(document, wanted)
    const name = definition ? definition.name?.value : wanted
    return {
      requestId,
      operation: name?.slice(0, MAX_NAME) ?? null,
      kind: definition?.operation ?? null,
      outcome: status === 0 ? 'cancelled' : this.outcome,
      status,
      duration,
      calls,
      ...(codes && status !== 0 && Object.keys(codes).length > 0 && { codes }),
      ...(withVariables && document && isObject(variables) && { variables: shownVariables(variables, document) }),
    }
  }
}

const NAME = /^[_A-Za-z]\w*$/
