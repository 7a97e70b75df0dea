import type { Query } from '../../upstream/client.js'
import type { Site } from '../../upstream/site/site.js'
import type { ListEdge } from '../edges.js'

/** Query parameters that limit a list to ids, and that leave ids out. */
export const INCLUDE = 'include'
export const EXCLUDE = 'exclude'

/** Returns the name of a given filter that the site ignores, other than filters by id, which the gateway applies itself. */
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
