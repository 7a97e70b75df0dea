import type { Query } from '../../upstream/client.js'
import type { PlannedEdge } from '../prepare/selections.js'
import type { Names } from './sizes.js'

/** An edge behind the one that leads to it: it matters where its parents come from. */
const behind = ({ edge, origin }: PlannedEdge): string => `${origin?.id ?? ''} > ${edge.id}`

/** The names under which it is remembered where an edge leads to, of records of one type. */
export const keyNames = (planned: PlannedEdge, type: string): Names => [`${behind(planned)} ${type}`, `${planned.edge.id} ${type}`]

/** The same for lists: under other filters they are others. */
export function listNames(planned: PlannedEdge, query: Query | null): Names {
  let filters = ''
  for (const param in query) if (query[param] !== undefined && param !== 'orderby' && param !== 'order') filters += ` ${param}`
  const { id } = planned.edge
  if (filters === '') {
    planned.sizeNames ??= [behind(planned), id]
    return planned.sizeNames
  }
  return [behind(planned) + filters, id + filters, `${id} *`]
}

/** Whether these are the names of a list without filters. */
export const isUnfiltered = (planned: PlannedEdge, names: Names): boolean => names[0] === behind(planned)
