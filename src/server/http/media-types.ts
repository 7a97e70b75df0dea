import { GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { isObject } from '../../upstream/errors.js'

const RESPONSE = 'application/graphql-response+json'
export const JSON_TYPE = 'application/json'
/** Media types of answers in parts. */
export const STREAMS: readonly string[] = ['multipart/mixed', 'text/event-stream']

/** The media types of answers, for messages. */
export const OFFERED_TYPES = `${RESPONSE} or ${JSON_TYPE}`

/** Whether a client takes an answer in parts. */
export function takesParts(accept: string | null): boolean {
  const type = answerType(accept)
  return type !== undefined && STREAMS.includes(type)
}

/** The media type that a client prefers, the first one of equals. Undefined when it accepts none of them. */
export function answerType(accept: string | null): string | undefined {
  if (accept === null) return RESPONSE
  if (accept === JSON_TYPE) return JSON_TYPE
  let best: string | undefined
  let most = 0
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const offered = OFFERED.get(type)
    const quality = Number.parseFloat(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1')
    const charset = parameters.find((parameter) => parameter.startsWith('charset=')) ?? UTF8
    if (offered === undefined || charset !== UTF8 || !(quality > most)) continue
    best = offered
    most = quality
  }
  return best
}

/** Whether a `Content-Type` is JSON: browsers send it to other origins only after a preflight. */
export function isJsonType(type: string | null | undefined): boolean {
  if (type === JSON_TYPE) return true
  const [essence = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (essence !== JSON_TYPE) return false
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset)
}

/** Whether a `Content-Encoding` is no compression. */
export const isPlain = (encoding: string | null | undefined): boolean => !encoding || encoding.toLowerCase() === 'identity'

/** The parameters in the body of a request, which may begin with a byte order mark. Throws `GraphQLError` for anything but a JSON object. */
export function paramsIn(body: string): GraphQLParams {
  const params = parsed(body.startsWith('\uFEFF') ? body.slice(1) : body)
  if (isObject(params)) return params
  throw requestError(400, Array.isArray(params) ? 'Batching is not supported.' : 'The body must be a JSON object.')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error for requests that are not GraphQL over HTTP. */
export const requestError = (status: number, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } })

const UTF8 = 'charset=utf-8'

/** Wildcards are answered in `application/json`, which every client reads. */
const OFFERED: ReadonlyMap<string, string> = new Map([
  [RESPONSE, RESPONSE],
  [JSON_TYPE, JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ...STREAMS.map((type) => [type, type] as const),
])
