import type { Query } from '../../upstream/client.js'
import type { Site } from '../../upstream/site/site.js'
import type { ListEdge } from '../edges.js'

/** Parameters that limit a list to some ids, and that leave ids out of it. */
export const INCLUDE = 'include'
export const EXCLUDE = 'exclude'

/** Name of a filter the site is known to ignore, other than those by id: lists with those are filtered here, with others there are none. */
export function ignoredIn({ ignored }: Site, { route }: Pick<ListEdge, 'route'>, query: Query): string | undefined {
  if (ignored.length === 0) return undefined
  for (const [name, { param, notIn }] of Object.entries(route.filters)) {
    const given = [param, notIn].find(
      (each) => each !== undefined && query[each] !== undefined && ignored.includes(`${route.path} ${each}`),
    )
    if (given !== undefined && given !== INCLUDE && given !== EXCLUDE) return name
  }
  return undefined
}
