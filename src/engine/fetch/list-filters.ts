import type { Query } from '../../upstream/client.js'
import type { Filter } from '../../upstream/filters.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { Site } from '../../upstream/site/site.js'
import type { ListEdge } from '../edges.js'
import type { ReadContext } from './part-reader.js'

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

/** Filters that name one record, which the site drops when it has no such record: that record is read first. */
export const confirmedIn = ({ dropped }: Site, { route }: Pick<ListEdge, 'route'>, query: Query): readonly Filter[] =>
  dropped.length === 0
    ? []
    : Object.values(route.filters).filter(
        ({ kind, param }) => kind === 'id' && query[param] !== undefined && dropped.includes(`${route.path} ${param}`),
      )

/** Whether the site cannot limit this list to some ids. */
export const isUnbatched = ({ unbatched }: Site, { entity, route }: ListEdge, query: Query): boolean =>
  query[INCLUDE] !== undefined && unbatched.includes(entity.name) && entity.byKey?.many?.route === route

/**
 * Where a list is filtered by ids: by the site; by the gateway, which reads the list whole; or by the site, and by the gateway as soon as
 * the site turns out to drop the filter.
 */
export function idsFilteredBy(
  { site, capabilities, session }: Pick<ReadContext, 'site' | 'capabilities' | 'session'>,
  edge: ListEdge,
  query: Query,
): 'site' | 'gateway' | 'either' {
  if (query[INCLUDE] === undefined && query[EXCLUDE] === undefined) return 'site'
  const { entity, route } = edge
  const given = [INCLUDE, EXCLUDE].filter((param) => query[param] !== undefined)
  if (!entity.byKey?.many) return 'site'
  const isOn = (list: readonly string[]): boolean => given.some((param) => list.includes(`${route.path} ${param}`))
  if (isOn(site.ignored) || isUnbatched(site, edge, query)) return 'gateway'
  if (!capabilities.allows(session.credentials, CAPABILITIES.ids(route))) return 'gateway'
  return isOn(site.dropped) ? 'either' : 'site'
}
