import type { ListRoute } from './routes.js'
import type { Site } from './site/site.js'

/** Parameters that limit a list to some ids, and that leave ids out of it: where a site ignores them, the gateway filters instead. */
const BY_ID: readonly (string | undefined)[] = ['include', 'exclude']

/** A list, and what its records are called in sentences. */
export interface NamedList {
  readonly plural: string
  readonly list: ListRoute
}

/** Filters of a list that the gateway refuses because the site ignores them, such as `parent`; `parent.notIn` where only that is refused. */
export function refusedFilters({ ignored }: Site, { path, filters }: ListRoute): string[] {
  const isIgnored = (param: string | undefined): boolean =>
    param !== undefined && !BY_ID.includes(param) && ignored.includes(`${path} ${param}`)
  return Object.entries(filters).flatMap(([name, { param, notIn }]) => {
    if (isIgnored(param)) return notIn === undefined || isIgnored(notIn) ? [name] : [`${name}.in`]
    return isIgnored(notIn) ? [`${name}.notIn`] : []
  })
}

/** The refused filters of several lists with their number, as one sentence part; empty when there are none. */
export const refusedText = (site: Site, lists: readonly NamedList[]): string =>
  lists
    .map(({ plural, list }) => ({ plural, names: refusedFilters(site, list) }))
    .filter(({ names }) => names.length > 0)
    .map(({ plural, names }) => `${plural} ${names.length} (${names.join(', ')})`)
    .join('; ')
