import type { GraphQLParams } from 'graphql-yoga'
import { isObject, jsonIn } from '../../maps.js'
import { requestError } from '../errors.js'

const RESPONSE = 'application/graphql-response+json'
export const JSON_TYPE = 'application/json'
const MULTIPART = 'multipart/mixed'
export const EVENTS = 'text/event-stream'
/** Media types of answers in parts. */
export const STREAMS: readonly string[] = [MULTIPART, EVENTS]

/** The media types of answers, for messages. */
export const OFFERED_TYPES = `${RESPONSE} or ${JSON_TYPE}`

/** A media range of an `Accept` header, or an encoding of an `Accept-Encoding`, in lower case. */
interface MediaRange {
  readonly type: string
  readonly parameters: readonly string[]
  readonly quality: number
}

const mediaRanges = (accept: string | null): MediaRange[] =>
  (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
      return { type, parameters, quality }
    })

/** The media type that a client prefers, the first one of equals. Undefined when it accepts none of them. */
export function answerType(accept: string | null): string | undefined {
  if (accept === null) return RESPONSE
  // Most clients send one type alone.
  const only = OFFERED.get(accept)
  if (only !== undefined) return only
  let best: string | undefined
  let most = 0
  for (const { type, parameters, quality } of mediaRanges(accept)) {
    const offered = OFFERED.get(type)
    if (offered === undefined || !(quality > most) || parameters.some(isOther)) continue
    best = offered
    most = quality
  }
  return best
}

/** Whether a client prefers an answer in parts to a whole one. */
export const prefersParts = (accept: string | null): boolean => STREAMS.includes(answerType(accept) ?? '')

/** Whether a client prefers HTML to the media types of answers. */
export function prefersHtml(accept: string | null): boolean {
  const ranges = mediaRanges(accept)
  const most = (types: readonly string[]): number =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ quality }) => quality))
  return most(['text/html']) > most([RESPONSE, JSON_TYPE, ...STREAMS])
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

/** The encodings of compressed answers, the preferred one first. */
export type Encoding = 'br' | 'gzip'

/**
 * The encoding that an `Accept-Encoding` prefers among those offered, the first one of equals. Undefined when the client accepts none of them, or
 * prefers answers without compression.
 */
export function preferredEncoding(accept: string | null | undefined, offered: readonly Encoding[] = ['br', 'gzip']): Encoding | undefined {
  if (!accept) return undefined
  const qualities = new Map(mediaRanges(accept).map(({ type, quality }) => [type, quality]))
  const qualityOf = (encoding: Encoding): number => qualities.get(encoding) ?? qualities.get('*') ?? 0
  const best = offered.reduce((first, other) => (qualityOf(other) > qualityOf(first) ? other : first))
  const quality = qualityOf(best)
  return quality > 0 && quality >= (qualities.get('identity') ?? 0) ? best : undefined
}

/** The parameters in the body of a request, which may begin with a byte order mark. Throws `GraphQLError` for anything but a JSON object. */
export function paramsIn(body: string): GraphQLParams {
  const params = jsonIn(body.startsWith('\uFEFF') ? body.slice(1) : body)
  if (isObject(params)) return params
  throw requestError(400, Array.isArray(params) ? 'Batching is not supported.' : 'The body must be a JSON object.')
}

/**
 * Whether a parameter asks for something else than what is sent: UTF-8, and for parts the format of `deferSpec=20220824`, which is the only one
 * that graphql-js 16 and 17 both write.
 */
const isOther = (parameter: string): boolean =>
  (parameter.startsWith('charset=') && parameter !== 'charset=utf-8') || parameter.startsWith('incrementalspec=')

/** The media type of an answer, by what a client accepts. Wildcards are answered in `application/json`, which every client reads. */
const OFFERED: ReadonlyMap<string, string> = new Map([
  ...[RESPONSE, JSON_TYPE, ...STREAMS].map((type) => [type, type] as const),
  ['application/*', JSON_TYPE],
  ['*/*', JSON_TYPE],
])
