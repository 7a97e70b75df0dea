import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import type { Principal } from '../server/auth/authenticator.js'
import type { OperationRequest } from '../server/core.js'
import { consumedBody } from '../server/http/consumed-body.js'
import { answerType, isJsonType, isPlain, paramsIn, STREAMS } from '../server/http/media-types.js'
import type { HttpParts, JsonPosts } from '../server/http/node-listener.js'
import { addressOf, EXPLAIN_HEADER } from '../server/http/protocol.js'
import { render } from '../server/http/render.js'
import { type PlainAnswer, send } from '../server/http/responses.js'
import { isAnswer } from '../server/http/steps.js'
import type { RequestState } from '../server/request-state.js'

/** Answers JSON posts by `Core`, without the objects that Yoga makes for each request. */
export const jsonPosts =
  (parts: HttpParts): JsonPosts =>
  (request, response, state) => {
    const type = typeOfAnswer(request, state.endpoint)
    if (type === undefined) return false
    const post = new JsonPost(request, response, state, type, parts.answerHeaders.headersFor(request.headers.origin))
    receive(parts, post).catch((error) => show(post, parts.core.failed(state, error)))
    return true
  }

/** A JSON post: the request for an operation, and how it is answered. */
class JsonPost implements OperationRequest {
  readonly parts = undefined
  readonly queriesOnly = false

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly state: RequestState,
    /** Media type of the answer. */
    readonly type: string,
    /** Headers of the answer besides its own. */
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  get principal(): Principal {
    return this.state.principal as Principal
  }

  /** The value of a header, by its name in lower case. */
  get(name: string): string | null {
    const value = this.request.headers[name]
    return value === undefined ? null : String(value)
  }

  get explain(): string | null {
    return this.get(EXPLAIN_HEADER)
  }

  get cacheControl(): string | null {
    return this.get('cache-control')
  }

  onLeave(leave: () => void): void {
    this.state.onClose(leave)
  }
}

/** The media type of the answer. Undefined for requests that are left to Yoga: other than JSON, and for streams. */
function typeOfAnswer(request: IncomingMessage, endpoint: string): string | undefined {
  const { method, headers } = request
  if (method !== 'POST' || !isJsonType(headers['content-type']) || !isPlain(headers['content-encoding'])) return undefined
  const address = addressOf(request)
  if (address !== endpoint && !(address.startsWith(endpoint) && address[endpoint.length] === '?')) return undefined
  if (headers['access-control-request-method'] !== undefined || headers['access-control-request-headers'] !== undefined) return undefined
  const wanted = answerType(headers.accept ?? null)
  return wanted !== undefined && STREAMS.includes(wanted) ? undefined : wanted
}

async function receive({ core, steps }: HttpParts, post: JsonPost): Promise<void> {
  const { request, state } = post
  const rejection = steps.authenticate(state, post)
  const refusal = (rejection instanceof Promise ? await rejection : rejection) ?? steps.refusal(state)
  if (refusal) return refuse(post, refusal)
  const consumed = consumedBody(request)
  if (consumed && isAnswer(consumed)) return refuse(post, consumed)
  const body = await steps.receive(state, consumed ?? request, request.headers['content-length'])
  if (isAnswer(body)) return refuse(post, body)
  // Clients of this path take no parts.
  return show(post, (await core.answer(post, paramsIn(body.toString('utf8')))) as ExecutionResult)
}

function refuse({ response, state, headers }: JsonPost, refusal: PlainAnswer): void | Promise<void> {
  state.refused(refusal.code)
  return send(response, refusal, headers)
}

function show({ response, state, type, headers }: JsonPost, result: ExecutionResult): void | Promise<void> {
  state.answered(result)
  return send(response, render(state, result, type), headers)
}
