import type { MiddlewareHandler } from 'hono'
import { getPathNoStrict } from 'hono/utils/url'
import { renderContent } from '../encode.js'
import { documentOf, PAGE_HEADERS } from '../html.js'
import { readQuery, searchOf } from '../params.js'
import type { Resource } from '../spec/index.js'
import type { Row } from '../store.js'
import type { Lms, Variables } from './answer.js'
import { kindsOf } from './wordpress.js'

const SLUG_PATH = /^\/([^/]+)\/([^/]+)$/

const CLOSED = '<p>The REST interface has the content, for callers who may read it.</p>'

/**
 * Answers the addresses in `link` and `guid` of published records with a page for reading. It has only content that everybody may read.
 * Other requests go on to the REST interface.
 */
export function pages(lms: Lms): MiddlewareHandler<{ Variables: Variables }> {
  const { store, site, switches, rights } = lms
  const { types, people, files, terms } = kindsOf(lms)
  const kinds = [...types, ...(switches.siteRoutes ? [people, files, ...terms].map(({ resource }) => resource) : [])]
  const restRoot = switches.routing === 'query' ? `${site}/?rest_route=` : `${site}/wp-json`

  const find = (request: Request): { readonly resource: Resource; readonly row: Row } | undefined => {
    const path = getPathNoStrict(request)
    const [, segment, slug] = SLUG_PATH.exec(path) ?? []
    const { post_type: type, p: id, rest_route: route } = path === '/' ? readQuery(searchOf(request.url)) : {}
    const bySlug = slug !== undefined
    const resource = kinds.find((kind) => (bySlug ? kind.path === segment : kind.type === type && route === undefined))
    if (!resource) return undefined
    const sql = `SELECT id, title, content, password FROM ${resource.table} t WHERE status = 'publish' AND ${bySlug ? 'slug' : 'id'} = ?`
    const row = store.row(sql, bySlug ? slug : Number(id) || 0)
    return row && { resource, row }
  }

  return async (call, next) => {
    const found = call.req.method === 'GET' || call.req.method === 'HEAD' ? find(call.req.raw) : undefined
    if (!found) return next()
    const { resource, row } = found
    const [id, title, content, password] = row
    const isOpen = password === '' && rights.isPublic(resource)
    const text = documentOf(String(title), isOpen ? renderContent(String(content)) : CLOSED, `${restRoot}${resource.route}/${id}`)
    call.set('bytes', call.req.method === 'HEAD' ? 0 : Buffer.byteLength(text))
    return call.body(text, 200, PAGE_HEADERS)
  }
}
