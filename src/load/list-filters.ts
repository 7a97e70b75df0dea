import type { ListEdge } from '../model/edge.js'
import type { ReadContext } from '../model/reads.js'
import type { Query } from '../upstream/client.js'
import { BadInputError, NotFoundError, RejectedError } from '../upstream/errors.js'
import type { Filter } from '../upstream/filters.js'
import { searchesWithheld } from '../upstream/roles.js'
import type { ListRoute } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import type { Site } from '../upstream/site/site.js'

/** Query parameters that limit a list to ids, and that leave ids out. */
export const INCLUDE = 'include'
export const EXCLUDE = 'exclude'

/** Returns the name of a given filter that the site ignores, other than filters by id, which the gateway applies itself. */
export function ignoredIn({ ignoredFilters: ignored }: Site, { route }: Pick<ListEdge, 'route'>, query: Query): string | undefined {
  if (ignored.length === 0) return undefined
  for (const [name, { param, notIn }] of Object.entries(route.filters)) {
    const given = [param, notIn].find(
      (each) => each !== undefined && query[each] !== undefined && ignored.includes(`${route.path} ${each}`),
    )
    if (given !== undefined && given !== INCLUDE && given !== EXCLUDE) return name
  }
  return undefined
}

/** Returns the given filters that name one record and that the site drops when the record is unknown. The gateway reads that record first. */
export const confirmedIn = ({ droppedFilters: dropped }: Site, { route }: Pick<ListEdge, 'route'>, query: Query): readonly Filter[] =>
  dropped.length === 0
    ? []
    : Object.values(route.filters).filter(
        ({ kind, param }) => kind === 'id' && query[param] !== undefined && dropped.includes(`${route.path} ${param}`),
      )

/** Whether the site cannot limit this list to ids. */
const isUnbatched = ({ unbatched }: Site, { entity, route }: ListEdge, query: Query): boolean =>
  query[INCLUDE] !== undefined && unbatched.includes(entity.name) && entity.byKey?.many?.route === route

/** Returns the filter that must be given together with ids, because the site cannot limit this list to ids alone; undefined if it is given. */
export function missingWithIds(site: Site, edge: ListEdge, query: Query): string | undefined {
  const { narrowedBy, filters } = edge.route
  if (narrowedBy === undefined || !isUnbatched(site, edge, query)) return undefined
  return query[filters[narrowedBy]?.param ?? ''] === undefined ? narrowedBy : undefined
}

/**
 * Returns the error of a list that only administrators may read without a filter. `advice` says how to give the filter. Other errors are
 * returned as they are.
 */
export function narrowed<E>(route: ListRoute, query: Query, error: E, advice: (filter: string) => string): E | BadInputError {
  const filter = route.narrowedBy
  const isRefused = error instanceof RejectedError || error instanceof NotFoundError
  if (filter === undefined || !isRefused || (route.filters[filter]?.param as string) in query) return error
  return new BadInputError(`Only administrators can ${advice(filter)}`, error.upstream)
}

/**
 * Returns what filters a list by ids, and a search whose texts may be withheld: the site; the gateway, which reads the whole list; or the site until it is found to drop the
 * filter, and then the gateway.
 */
export function idsFilteredBy(
  { site, capabilities, call }: Pick<ReadContext, 'site' | 'capabilities' | 'call'>,
  edge: ListEdge,
  query: Query,
): 'site' | 'gateway' | 'either' {
  if (searchesWithheld(call.caller, edge.route, query)) return 'gateway'
  if (query[INCLUDE] === undefined && query[EXCLUDE] === undefined) return 'site'
  const { entity, route } = edge
  const given = [INCLUDE, EXCLUDE].filter((param) => query[param] !== undefined)
  if (!entity.byKey?.many) return 'site'
  const isOn = (list: readonly string[]): boolean => given.some((param) => list.includes(`${route.path} ${param}`))
  if (isOn(site.ignoredFilters) || isUnbatched(site, edge, query)) return 'gateway'
  if (!capabilities.allows(call.caller.credentials, CAPABILITIES.ids(route))) return 'gateway'
  return isOn(site.droppedFilters) ? 'either' : 'site'
}
