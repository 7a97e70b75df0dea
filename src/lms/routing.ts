import { getPathNoStrict } from 'hono/utils/url'
import type { Switches } from './profile/switches.js'

/** A path no route has. */
const NOWHERE = '/-/'

/** The route of a request: its path, or where `only` is set, nothing but what stands in its query as `/?rest_route=/lms/v1/groups`. */
function routeOf(request: Request, only: boolean): string {
  const path = getPathNoStrict(request)
  const route = /^\/(index\.php)?$/.test(path) ? new URL(request.url).searchParams.get('rest_route') : null
  if (route !== null) return `/wp-json${route.replace(/\/$/, '')}`
  return only ? NOWHERE : path
}

/** How Hono finds the path of a request; a slash at its end does not count. */
export function pathOptions(routing: Switches['routing']): { strict: false } | { getPath: (request: Request) => string } {
  return routing === 'paths' ? { strict: false } : { getPath: (request) => routeOf(request, routing === 'query') }
}
