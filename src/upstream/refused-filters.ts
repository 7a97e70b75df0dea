import type { ListRoute } from './routes.js'
import type { Site } from './site/site.js'

/** Parameters that select or exclude ids. Where a site ignores them, the gateway filters the rows itself. */
const BY_ID: readonly (string | undefined)[] = ['include', 'exclude']

/** A list, and the plural noun for its records. */
export interface NamedList {
  readonly plural: string
  readonly list: ListRoute
}

/** Filters of a list that the gateway rejects because the site ignores them: `parent`, or `parent.notIn` when only that is ignored. */
export function refusedFilters({ ignored }: Site, { path, filters }: ListRoute): string[] {
  const isIgnored = (param: string | undefined): boolean =>
    param !== undefined && !BY_ID.includes(param) && ignored.includes(`${path} ${param}`)
  return Object.entries(filters).flatMap(([name, { param, notIn }]) => {
    if (isIgnored(param)) return notIn === undefined || isIgnored(notIn) ? [name] : [`${name}.in`]
    return isIgnored(notIn) ? [`${name}.notIn`] : []
  })
}

/** Describes the refused filters of several lists as part of a sentence. Empty when there are none. */
export const refusedText = (site: Site, lists: readonly NamedList[]): string =>
  lists
    .map(({ plural, list }) => ({ plural, names: refusedFilters(site, list) }))
    .filter(({ names }) => names.length > 0)
    .map(({ plural, names }) => `${plural} ${names.length} (${names.join(', ')})`)
    .join('; ')
