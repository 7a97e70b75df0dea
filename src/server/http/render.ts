import type { ExecutionResult, GraphQLError } from 'graphql'
import type { RequestState } from '../request-state.js'
import { JSON_TYPE } from './media-types.js'
import { PIECE } from './responses.js'

/** A result as an HTTP response. */
export interface Rendered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Long bodies are bytes already. */
  readonly body: string | Buffer
}

/** Renders a result, whose memory was taken before, in a media type. */
export function render({ memory }: RequestState, result: ExecutionResult, type: string): Rendered {
  const text = textOf(result)
  const head = headOf(result, type)
  if (text.length <= PIECE) return { ...head, body: text }
  const body = Buffer.from(text)
  // Characters outside ASCII take up to three bytes.
  memory.add(body.length - text.length)
  return { ...head, body }
}

/** How errors and results ask for an HTTP status, in `extensions.http`; Yoga has the same convention. */
interface HttpExtension {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Whether clients of `application/json` get 200 in any case. */
  readonly spec?: boolean
}

const httpOf = ({ extensions }: Pick<ExecutionResult, 'extensions'>): HttpExtension | undefined =>
  extensions?.http as HttpExtension | undefined

/** The status is that of the result, else the highest one of its errors; 200 when no error has one. */
function headOf(result: ExecutionResult, type: string): Pick<Rendered, 'status' | 'headers'> {
  const headers: Record<string, string> = { 'content-type': `${type}; charset=utf-8` }
  const { errors } = result
  if (!errors && !result.extensions) return { status: 200, headers }
  const whole = httpOf(result)
  let status = whole?.status
  Object.assign(headers, whole?.headers)
  for (const error of errors ?? []) {
    const http = httpOf(error)
    Object.assign(headers, http?.headers)
    if (http?.status && !(type === JSON_TYPE && http.spec)) status = Math.max(status ?? 0, http.status)
  }
  return { status: status ?? 200, headers }
}

/** JSON of a result without `extensions.http`. Results of response writers have a serializer of their own, and no errors. */
function textOf(result: ExecutionResult & { readonly stringify?: (result: ExecutionResult) => string }): string {
  const { errors, extensions, stringify } = result
  if (stringify && !errors) return stringify(result)
  if (!errors && !extensions?.http) return JSON.stringify(result)
  const { http: _, ...shown } = extensions ?? {}
  return JSON.stringify({ ...result, errors: errors?.map(shownError), extensions: Object.keys(shown).length > 0 ? shown : undefined })
}

/** An error as clients see it. */
function shownError(error: GraphQLError): object {
  const { extensions, ...others } = error.toJSON()
  if (!extensions) return others
  const { http: _, ...shown } = extensions
  return Object.keys(shown).length > 0 ? { ...others, extensions: shown } : others
}
