import { createGraphiQLFetcher, type Fetcher, type FetcherOpts, type FetcherParams } from '@graphiql/toolkit'
import type { Explanation } from './calls/explanation.js'
import type { Answer, Outcome, Runs } from './calls/runs.js'
import { isForbidden } from './explain-access.js'
import { type HttpHeaders, mergedHeaders } from './headers.js'
import type { PageContext } from './page-context.js'

/** A part of a response, or a whole one. */
interface Part {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: unknown } }[]
  readonly extensions?: { readonly explain?: Explanation; readonly [name: string]: unknown }
}

type Results = AsyncIterable<Part | Part[]>

/** Records how a run ended. */
type Ended = ReturnType<Runs['begin']>

/** Operations that are answered in parts, if the request accepts nothing else. */
const IN_PARTS = /@(?:defer|stream)\b/

/**
 * The fetcher of GraphiQL. Asks the gateway to explain each operation that it runs, records the explanation, and removes it from the response.
 * Stopping a run aborts its request.
 */
export function createFetcher({ url, headers, access, runs }: Pick<PageContext, 'url' | 'headers' | 'access' | 'runs'>): Fetcher {
  const introspect = createGraphiQLFetcher({ url, fetch: (input, init) => fetch(input, init) })

  /** Sends one request. Its parts arrive one by one. */
  async function* send(params: FetcherParams, sent: HttpHeaders, signal: AbortSignal, answer: Answer, options?: FetcherOpts): Results {
    const fetchAnswer: typeof fetch = async (input, init) => {
      const response = await fetch(input, { ...init, signal })
      answer.status = response.status
      return response
    }
    const post = createGraphiQLFetcher({ url, fetch: fetchAnswer })
    const results = (await post(params, { ...options, headers: sent })) as Part | Results
    if (Symbol.asyncIterator in results) yield* results
    else yield results
  }

  async function* run(params: FetcherParams, caller: HttpHeaders, controller: AbortController, ended: Ended, options?: FetcherOpts) {
    const sent = IN_PARTS.test(params.query) ? mergedHeaders({ accept: 'multipart/mixed' }, caller) : caller
    // A refused explanation has run nothing: the operation is sent again without.
    const tries = access.allows(caller) ? [true, false] : [false]
    for (const explains of tries) {
      let outcome: Outcome = { kind: explains ? 'failed' : 'forbidden' }
      let isRefused = false
      const answer: Answer = { status: 0, time: 0 }
      const startedAt = performance.now()
      for await (const result of send(explains ? withExplain(params) : params, sent, controller.signal, answer, options)) {
        isRefused = explains && isForbidden(result)
        if (isRefused) break
        if (!explains && tries.length > 1 && !isForbidden(result)) access.refuse(caller)
        const parts = Array.isArray(result) ? result : [result]
        outcome = parts.map(outcomeOf).find((found) => found !== undefined) ?? outcome
        answer.time = performance.now() - startedAt
        yield Array.isArray(result) ? parts.map(withoutExplanation) : withoutExplanation(result)
      }
      if (!isRefused) return ended(outcome, answer)
    }
  }

  return (given, options) => {
    const params = withKnownName(given)
    // GraphiQL itself asks for the schema.
    if (given.operationName === 'IntrospectionQuery' && !options?.documentAST)
      return introspect(params, { ...options, headers: mergedHeaders(headers(), options?.headers) })
    const caller = mergedHeaders(headers(), options?.headers)
    const { query, operationName, variables } = params
    const ended = runs.begin({ query, operationName: operationName ?? undefined, variables: variables ?? {}, headers: caller })
    const controller = new AbortController()
    return stoppable(run(params, caller, controller, ended, options), controller, ended) as ReturnType<Fetcher>
  }
}

/** After a change of tab, GraphiQL briefly sends the operation name of the previous tab. A name that is not in the document is omitted. */
function withKnownName({ operationName, ...rest }: FetcherParams): FetcherParams {
  // Names of links are any text.
  const known = operationName && rest.query.split(/\W+/).includes(operationName)
  return known ? { operationName, ...rest } : rest
}

const withExplain = (params: FetcherParams): FetcherParams & { extensions: object } => ({ ...params, extensions: { explain: 'run' } })

function withoutExplanation(part: Part): Part {
  if (!part.extensions?.explain) return part
  const { extensions, ...rest } = part
  const { explain: _explain, ...others } = extensions
  return Object.keys(others).length > 0 ? { ...rest, extensions: others } : rest
}

/** What a part of a response says about the REST calls of the operation. */
function outcomeOf({ data, errors, extensions }: Part): Outcome | undefined {
  if (extensions?.explain) return { kind: 'explained', explanation: extensions.explain }
  const refusal = data === undefined ? errors?.find((error) => error.extensions?.code === 'CALL_BUDGET_EXCEEDED') : undefined
  return refusal && { kind: 'refused', message: refusal.message }
}

/** Results that end, and whose request is aborted, when `return` is called. A generator alone would wait for its next result first. */
function stoppable<Result>(results: AsyncGenerator<Result>, controller: AbortController, ended: Ended): AsyncIterableIterator<Result> {
  const done = { done: true, value: undefined } as const
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        return await results.next()
      } catch (error) {
        if (controller.signal.aborted) return done
        ended({ kind: 'failed' })
        throw error
      }
    },
    async return() {
      controller.abort()
      ended({ kind: 'stopped' })
      return done
    },
  }
}
