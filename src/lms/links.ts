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
const ownRoute = ({ route, courseRoute }: Resource): string => courseRoute ?? route

/** Root of the REST interface in links. */
const rootOf = ({ coreLinks }: Resource, site: string): string => (coreLinks ? `${site}/wp-json` : site)

/** Where records are by their links: at their own route, or at one of WordPress itself, where they are as a rule not for reading. */
export function collectionOf(resource: Resource, site: string): string {
  const root = rootOf(resource, site)
  if (!resource.coreLinks) return root + ownRoute(resource)
  return resource.table === 'progress' ? `${root}${resource.route.replace(/\/<.*/, '')}` : `${root}/wp/v2/${resource.type}`
}

/** What administrators may do with a record. */
const HINTS = { allow: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }

function postLinks(resource: Resource): Leaf {
  const route = ownRoute(resource)
  const relations = resource.table === 'courses' ? COURSE_RELATIONS : []
  return {
    columns: ['t.id', 't.author', 't.featured_media', 't.revisions'],
    encode: (row, at, { site }) => {
      const [id, author, media, revisions] = row.slice(at, at + 4)
      const root = rootOf(resource, site)
      const collection = collectionOf(resource, site)
      const self = `${root}${route}/${id}`
      const wp = `${root}/wp/v2`
      const links: Record<string, unknown> = {
        self: [{ href: `${collection}/${id}`, ...(resource.targetHints && { targetHints: HINTS }) }],
        collection: to(collection),
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
  resource.taxonomies.map(({ shown }) => ({
    taxonomy: shown,
    embeddable: true,
    href: `${wp}/${TERM_ROUTES[shown] ?? shown}?post=${id}`,
  }))

/** Links of records that are not post-like, by their table. */
const OTHERS: Readonly<Record<string, (resource: Resource) => Leaf>> = {
  questions: (resource) => ({
    columns: ['t.id'],
    encode: (row, at, { site }) => ({
      self: to(`${collectionOf(resource, site)}/${row[at]}`),
      collection: to(collectionOf(resource, site)),
      about: to(`${rootOf(resource, site)}/wp/v2/types/${resource.type}`),
    }),
  }),
  progress: (resource) => ({
    columns: ['t.user', 't.course'],
    encode: (row, at, { site }) => {
      const [user, course] = row.slice(at, at + 2)
      const root = rootOf(resource, site)
      const collection = resource.coreLinks
        ? `${collectionOf(resource, site)}?user=${user}`
        : root + resource.route.replace('<id>', String(user))
      return {
        self: to(resource.coreLinks ? `${collection}&course=${course}` : `${collection}/${course}`),
        collection: to(collection),
        about: embed(`${root}${resource.courseRoute}/${course}`),
      }
    },
  }),
  price_types: (resource) => ({
    columns: ['t.slug'],
    encode: (row, at, { site }) => {
      const collection = rootOf(resource, site) + resource.route
      return {
        self: to(`${collection}/${row[at]}`),
        collection: to(collection),
        about: to(`${rootOf(resource, site)}/wp/v2/types/sfwd-courses`),
      }
    },
  }),
}

/** The `_links` of a resource's records. */
export const linksOf = (resource: Resource): Leaf => (OTHERS[resource.table] ?? postLinks)(resource)
