import type { Context as HonoContext } from 'hono'
import type { Viewer } from '../auth.js'
import type { RestError, RestStatus } from '../errors.js'
import { collectionOf } from '../links.js'
import type { RawQuery } from '../params.js'
import type { Switches } from '../profile/switches.js'
import type { Resources } from '../resources.js'
import type { Rights } from '../rights.js'
import type { Resource } from '../spec/index.js'
import type { Store } from '../store.js'

/** The LMS, as routes use it. */
export interface Lms {
  readonly store: Store
  /** Address of the site in links, without a trailing slash. */
  readonly site: string
  readonly switches: Switches
  readonly resources: Resources
  readonly rights: Rights
}

/** Variables of one request. */
export interface Variables {
  viewer: Viewer
  query: RawQuery
  /** Size of the response body. */
  bytes: number
}

/** The connection of a request. */
export interface Connection {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export type Call = HonoContext<{ Variables: Variables }>

const JSON_TYPE = 'application/json; charset=UTF-8'

/** Answers with JSON text. */
export function send(call: Call, text: string, status: RestStatus = 200, headers: Record<string, string> = {}): Response {
  call.set('bytes', call.req.method === 'HEAD' ? 0 : Buffer.byteLength(text))
  if (call.get('viewer')) headers['Cache-Control'] = 'no-cache, must-revalidate, max-age=0, no-store, private'
  return call.body(text, status, { 'Content-Type': JSON_TYPE, 'X-Content-Type-Options': 'nosniff', ...headers })
}

/** Answers with an error. */
export const sendError = (call: Call, error: RestError): Response => send(call, JSON.stringify(error), error.status)

/** The JSON text of an array of records. */
export const jsonArray = (records: readonly string[]): string => `[${records.join()}]`

/** The position of a page in a list. */
interface PagePosition {
  readonly page: number
  readonly total: number
  readonly pages: number
}

/** Answers one page of a list, with totals and links to the previous and the next page. */
export function sendPage(call: Call, lms: Lms, resource: Resource, records: readonly string[], at: PagePosition): Response {
  const headers: Record<string, string> = { 'X-WP-Total': String(at.total), 'X-WP-TotalPages': String(at.pages) }
  const links = []
  if (at.page > 1) links.push(`<${pageUrl(call, lms, resource, Math.min(at.page - 1, Math.max(at.pages, 1)))}>; rel="prev"`)
  if (at.page < at.pages) links.push(`<${pageUrl(call, lms, resource, at.page + 1)}>; rel="next"`)
  if (links.length) headers.Link = links.join(', ')
  return send(call, jsonArray(records), 200, headers)
}

function pageUrl(call: Call, { site }: Lms, resource: Resource, page: number): string {
  const url = new URL(call.req.url)
  url.searchParams.set('page', String(page))
  if (!resource.coreLinks) return `${site}${url.pathname}${url.search}`
  url.searchParams.delete('rest_route')
  return collectionOf(resource, site) + url.search
}
