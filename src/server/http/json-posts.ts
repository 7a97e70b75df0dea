import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import { type Authenticator, type Principal, Rejection } from '../auth/authenticator.js'
import type { Core, OperationRequest } from '../core.js'
import type { MemoryGuard } from '../limits/memory-guard.js'
import type { Trace } from '../log/trace.js'
import { consumedBody } from './consumed-body.js'
import { answerType, isJsonType, isPlain, paramsIn, STREAMS } from './media-types.js'
import type { RequestHandler } from './node-listener.js'
import { isLonger } from './plugins/use-body-limit.js'
import { addressOf, EXPLAIN_HEADER } from './protocol.js'
import { render } from './render.js'
import { type AnswerHeaders, bodyTooLarge, type PlainAnswer, rejected, SERVER_BUSY, send } from './responses.js'

export interface JsonPostsOptions {
  readonly core: Core
  readonly authenticate: Authenticator
  readonly memory: MemoryGuard
  /** Largest request body, in bytes. */
  readonly bodyBytes: number
  readonly answerHeaders: AnswerHeaders
  /** Answers all other requests. */
  readonly serve: RequestHandler
}

/** Answers JSON posts by `Core`, without the objects that Yoga makes for each request. All other requests go to `serve`. */
export function jsonPosts(options: JsonPostsOptions): RequestHandler {
  return (request, response, trace) => {
    const type = typeOfAnswer(request, trace.endpoint)
    if (type === undefined) return options.serve(request, response, trace)
    const post = new JsonPost(request, response, trace, type, options.answerHeaders.headersFor(request.headers.origin))
    receive(options, post).catch((error) => show(options, post, options.core.failed(trace, error)))
  }
}

/** A JSON post: the request for an operation, and how it is answered. */
class JsonPost implements OperationRequest {
  readonly parts = undefined
  readonly queriesOnly = false
  declare principal: Principal

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly trace: Trace,
    /** Media type of the answer. */
    readonly type: string,
    /** Headers of the answer besides its own. */
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** The value of a header. */
  get(name: string): string | null {
    const value = this.request.headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }

  get explain(): string | null {
    return this.get(EXPLAIN_HEADER)
  }

  get cacheControl(): string | null {
    return this.get('cache-control')
  }

  onLeave(leave: () => void): void {
    this.trace.onLeave = leave
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

async function receive(options: JsonPostsOptions, post: JsonPost): Promise<void> {
  const { core, memory, bodyBytes } = options
  const { request, trace } = post
  const answer = options.authenticate(post)
  const principal = answer instanceof Promise ? await answer : answer
  if (principal instanceof Rejection) return refuse(post, rejected(principal))
  post.principal = principal
  if (!memory.admits(trace)) return refuse(post, SERVER_BUSY)
  const body = consumedBody(request) ?? (await readBody(request, bodyBytes, trace))
  if (body === TOO_LARGE || (Buffer.isBuffer(body) && body.length > bodyBytes)) return refuse(post, bodyTooLarge(bodyBytes))
  if (!Buffer.isBuffer(body)) return refuse(post, body)
  // Clients of this path take no parts.
  show(options, post, (await core.answer(post, paramsIn(body.toString('utf8')))) as ExecutionResult)
}

function refuse({ response, trace, headers }: JsonPost, refusal: PlainAnswer): void {
  trace.refused(refusal.code)
  send(response, refusal, headers)
}

function show({ memory }: JsonPostsOptions, { response, trace, type, headers }: JsonPost, result: ExecutionResult): void {
  const rendered = render(memory, trace, result, type)
  trace.answered(rendered.result)
  send(response, rendered, headers)
}

const TOO_LARGE = Symbol('too large')

/** The body. Does not resolve when the client leaves before its end. */
function readBody(request: IncomingMessage, bytes: number, { memory }: Trace): Promise<Buffer | typeof TOO_LARGE> {
  if (isLonger(request.headers['content-length'] ?? '', bytes)) return Promise.resolve(TOO_LARGE)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      memory?.add(chunk.length)
      if (size <= bytes) chunks.push(chunk)
      else resolve(TOO_LARGE)
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
  })
}
