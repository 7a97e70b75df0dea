import { GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { PARTS_FORMATS, type PartsFormat } from '../../plan/graphql-js.js'
import { isObject } from '../../upstream/errors.js'

const RESPONSE = 'application/graphql-response+json'
export const JSON_TYPE = 'application/json'
const MULTIPART = 'multipart/mixed'
export const EVENTS = 'text/event-stream'
/** Media types of answers in parts. */
export const STREAMS: readonly string[] = [MULTIPART, EVENTS]

/** The media types of answers, for messages. */
export const OFFERED_TYPES = `${RESPONSE} or ${JSON_TYPE}`

/** What a client may accept. */
interface Offer {
  readonly type: string
  /** The format of media types of answers in parts. */
  readonly format?: PartsFormat
}

/** The format of parts that a client prefers to a whole answer. Undefined when it prefers that. */
export const partsFormat = (accept: string | null): PartsFormat | undefined => preferred(accept)?.format

/** The media type that a client prefers, the first one of equals. Undefined when it accepts none of them. */
export function answerType(accept: string | null): string | undefined {
  if (accept === null) return RESPONSE
  if (accept === JSON_TYPE) return JSON_TYPE
  return preferred(accept)?.type
}

function preferred(accept: string | null): Offer | undefined {
  let best: Offer | undefined
  let most = 0
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const offered = type === MULTIPART ? multipart(parameters) : OFFERED.get(type)
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

/** The parameter that names a format, in lower case. Clients without it read the format of `deferSpec=20220824`. */
const INCREMENTAL = 'incrementalspec='
const DEFAULT_FORMAT: PartsFormat = 'deferSpec=20220824'

/** Wildcards are answered in `application/json`, which every client reads. */
const OFFERED: ReadonlyMap<string, Offer> = new Map([
  [RESPONSE, { type: RESPONSE }],
  [JSON_TYPE, { type: JSON_TYPE }],
  ['application/*', { type: JSON_TYPE }],
  ['*/*', { type: JSON_TYPE }],
  [EVENTS, { type: EVENTS, format: DEFAULT_FORMAT }],
])

/** The offer of parts in the format that a client names. Undefined when it cannot be written. */
function multipart(parameters: readonly string[]): Offer | undefined {
  const named = parameters.find((parameter) => parameter.startsWith(INCREMENTAL))
  const format = named === undefined ? DEFAULT_FORMAT : PARTS_FORMATS.find((known) => known.toLowerCase() === named.replaceAll('"', ''))
  return format && { type: MULTIPART, format }
}
