import { hash } from 'node:crypto'
import type { Rendered } from './render.js'

/**
 * Adds an `ETag` to an answer that caches may keep: a weak one, because it is the same for all encodings. When it is among those of
 * `If-None-Match`, the answer becomes one with status 304 and without body.
 */
export function withETag(answer: Rendered, ifNoneMatch: string | null): Rendered {
  const { status, headers, body } = answer
  const cacheControl = headers['cache-control']
  if (status !== 200 || cacheControl === undefined || cacheControl === 'no-store') return answer
  const etag = `W/"${hash('sha256', headers['content-type'] + hash('sha256', body), 'base64url')}"`
  const marked: Readonly<Record<string, string>> = { ...headers, etag }
  const known = ifNoneMatch?.split(',').map((each) => each.trim()) ?? []
  if (!known.includes(etag) && !known.includes('*')) return { ...answer, headers: marked }
  const { 'content-type': _, ...kept } = marked
  return { ...answer, status: 304, headers: kept, body: '' }
}
