import type { RouteTags } from '../../upstream/cache/tags.js'
import type { Filters, Orders } from '../../upstream/filters.js'
import type { Key, ListRoute, Params } from '../../upstream/routes.js'

/** The taxonomies: the names of their routes, as the specification spells them. */
export const TAXONOMIES: Readonly<Record<string, string>> = {
  CATEGORY: 'categories',
  TAG: 'tags',
  ...Object.fromEntries(
    ['group', 'course', 'lesson'].flatMap((resource) =>
      ['category', 'tag'].map((kind) => [`${resource}_${kind}`.toUpperCase(), `lms_${resource}_${kind}`]),
    ),
  ),
}

/** The number of records of a term changes with the records. */
const COUNTED = ['groups', 'courses', 'lessons']

/** All terms have the same tags: they are few, and seldom change. */
const tags: RouteTags = {
  change: 'term',
  ofRead(_, { include, hide_empty: hidesEmpty }, columns) {
    const counts = hidesEmpty !== undefined || !Array.isArray(columns) || columns.includes('count') ? COUNTED : []
    const read = { type: 'LmsTerm', tags: ['terms', ...counts] }
    return Array.isArray(include)
      ? { ...read, whenIncomplete: 'newTerms', requested: include.length }
      : { ...read, tags: [...read.tags, 'newTerms'] }
  },
}

const filters: Filters = {
  id: { kind: 'ids', of: 'LmsTerm', param: 'include', notIn: 'exclude', description: 'Selects these terms, or excludes them.' },
  slug: { kind: 'texts', param: 'slug', description: 'Selects terms with one of these slugs.' },
  search: { kind: 'text', param: 'search', description: 'Selects terms whose name, slug or description contains this text.' },
  parent: {
    kind: 'id',
    of: 'LmsTerm',
    param: 'parent',
    orNone: true,
    description: 'Selects the terms directly below this one. 0 stands for the top level.',
  },
  hideEmpty: { kind: 'flag', param: 'hide_empty', on: 'true', description: 'True leaves out terms without published records.' },
}

const orders: Orders = {
  NAME: { wire: 'name', description: 'By name.' },
  SLUG: { wire: 'slug', description: 'By slug.' },
  COUNT: { wire: 'count', description: 'By number of records.' },
  ID: { wire: 'id', description: 'By id.' },
  INCLUDE: { wire: 'include', needs: 'id.in', description: 'In the order of `where.id.in`, which is required.' },
}

/** The terms of one taxonomy. */
export const termList: ListRoute = { path: 'wp/v2/:taxonomy', optional: 'terms', tags, window: 'offset', filters, orders }

/** Key of a term: term ids are numbers of the site, but each route has those of one taxonomy only. */
export const termKey = (taxonomy: Key | undefined, id: Key): string => `${taxonomy}:${id}`

/** The path parameters of a key. */
export const termParams = (key: Key): Params & { readonly taxonomy: string; readonly id: string } => {
  const [taxonomy = '', id = ''] = String(key).split(':')
  return { taxonomy, id }
}
