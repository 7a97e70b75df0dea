import type { Leaf } from './kinds.js'
import type { Resource } from './spec/index.js'

const CURIES = [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }]
const to = (href: string) => [{ href }]
const embed = (href: string) => [{ embeddable: true, href }]

/** Path below `/wp/v2` where a taxonomy's terms are. */
const TERM_ROUTES: Readonly<Record<string, string>> = { category: 'categories', post_tag: 'tags' }

/** Relations only courses have; no route answers behind them. */
const COURSE_RELATIONS = ['steps', 'users', 'groups'] as const

/** A course's own route is the v1 one, also where it is listed as a course of a group. */
const ownRoute = ({ route, type }: Resource): string => (route.includes('<') ? `/lms/v1/${type}` : route)

function postLinks(resource: Resource): Leaf {
  const route = ownRoute(resource)
  const relations = resource.table === 'courses' ? COURSE_RELATIONS : []
  return {
    columns: ['t.id', 't.author', 't.featured_media', 't.revisions'],
    encode: (row, at, { site }) => {
      const [id, author, media, revisions] = row.slice(at, at + 4)
      const self = `${site}${route}/${id}`
      const wp = `${site}/wp/v2`
      const links: Record<string, unknown> = {
        self: to(self),
        collection: to(site + route),
        about: to(`${wp}/types/${resource.type}`),
        author: embed(`${wp}/users/${author}`),
        'version-history': [{ count: revisions, href: `${self}/revisions` }],
      }
      for (const name of relations) links[name] = embed(`${self}/${name}`)
      if (media) links['wp:featuredmedia'] = embed(`${wp}/media/${media}`)
      links['wp:attachment'] = to(`${wp}/media?parent=${id}`)
      if (resource.taxonomies.length) links['wp:term'] = termLinks(resource, wp, id as number)
      links.curies = CURIES
      return links
    },
  }
}

const termLinks = (resource: Resource, wp: string, id: number): object[] =>
  resource.taxonomies.map(({ taxonomy }) => ({
    taxonomy,
    embeddable: true,
    href: `${wp}/${TERM_ROUTES[taxonomy] ?? taxonomy}?post=${id}`,
  }))

/** Links of records that are not post-like, by their table. */
const OTHERS: Readonly<Record<string, (resource: Resource) => Leaf>> = {
  questions: ({ route, type }) => ({
    columns: ['t.id'],
    encode: (row, at, { site }) => ({
      self: to(`${site}${route}/${row[at]}`),
      collection: to(site + route),
      about: to(`${site}/wp/v2/types/${type}`),
    }),
  }),
  progress: ({ route }) => ({
    columns: ['t.user', 't.course'],
    encode: (row, at, { site }) => {
      const collection = site + route.replace('<id>', String(row[at]))
      return {
        self: to(`${collection}/${row[at + 1]}`),
        collection: to(collection),
        about: embed(`${site}/lms/v1/sfwd-courses/${row[at + 1]}`),
      }
    },
  }),
  price_types: ({ route }) => ({
    columns: ['t.slug'],
    encode: (row, at, { site }) => ({
      self: to(`${site}${route}/${row[at]}`),
      collection: to(site + route),
      about: to(`${site}/wp/v2/types/sfwd-courses`),
    }),
  }),
}

/** The `_links` of a resource's records. */
export const linksOf = (resource: Resource): Leaf => (OTHERS[resource.table] ?? postLinks)(resource)
