import type { ValueEncoder } from './encode.js'
import type { Resource, Taxonomy } from './spec/index.js'
import { termRoute } from './spec/term.js'

const CURIES = [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }]
const link = (href: string) => [{ href }]
const embeddable = (href: string) => [{ embeddable: true, href }]

/** Links that only courses have. No route answers at these addresses. */
const COURSE_RELATIONS = ['steps', 'users', 'groups'] as const

/** The route of a single record. Courses of a group have the route of courses. */
const ownRoute = ({ route, courseRoute }: Resource): string => courseRoute ?? route

/** Base URL of the REST interface in links. */
const rootOf = ({ coreLinks }: Resource, site: string): string => (coreLinks ? `${site}/wp-json` : site)

/** The address of a collection in links: its own route, or with `coreLinks` a route of WordPress, which usually cannot be read. */
export function collectionOf(resource: Resource, site: string): string {
  const root = rootOf(resource, site)
  if (!resource.coreLinks) return root + ownRoute(resource)
  return resource.table === 'progress' ? `${root}${resource.route.replace(/\/<.*/, '')}` : `${root}/wp/v2/${resource.type}`
}

function postLinks(resource: Resource): ValueEncoder {
  const route = ownRoute(resource)
  const relations = resource.table === 'courses' ? COURSE_RELATIONS : []
  return {
    columns: ['t.id', 't.author', 't.featured_media', 't.revisions'],
    encode: (row, at, { site, methods }) => {
      const [id, author, media, revisions] = row.slice(at, at + 4)
      const root = rootOf(resource, site)
      const collection = collectionOf(resource, site)
      const self = `${root}${route}/${id}`
      const wp = `${root}/wp/v2`
      const links: Record<string, unknown> = {
        self: [{ href: `${collection}/${id}`, ...(methods && { targetHints: { allow: methods } }) }],
        collection: link(collection),
        about: link(`${wp}/types/${resource.type}`),
        author: embeddable(`${wp}/users/${author}`),
        'version-history': [{ count: revisions, href: `${self}/revisions` }],
      }
      for (const name of relations) links[name] = embeddable(`${self}/${name}`)
      if (media) links['wp:featuredmedia'] = embeddable(`${wp}/media/${media}`)
      links['wp:attachment'] = link(`${wp}/media?parent=${id}`)
      if (resource.taxonomies.length) links['wp:term'] = termLinks(resource, wp, Number(id))
      links.curies = CURIES
      return links
    },
  }
}

const termLinks = (resource: Resource, wp: string, id: number): object[] =>
  resource.taxonomies.map(({ shown }) => ({
    taxonomy: shown,
    embeddable: true,
    href: `${wp}/${termRoute(shown)}?post=${id}`,
  }))

/** Links to the record with an id, and to its list. */
const selfAndList = (collection: string, id: unknown) => ({ self: link(`${collection}/${id}`), collection: link(collection) })

/** Encoders of `_links` for records that are not post-like, by their label. */
const LINKS_BY_LABEL: Readonly<Record<string, (resource: Resource) => ValueEncoder>> = {
  question: (resource) => ({
    columns: ['t.id'],
    encode: (row, at, { site }) => ({
      ...selfAndList(collectionOf(resource, site), row[at]),
      about: link(`${rootOf(resource, site)}/wp/v2/types/${resource.type}`),
    }),
  }),
  user: (resource) => ({ columns: ['t.id'], encode: (row, at, { site }) => selfAndList(collectionOf(resource, site), row[at]) }),
  picture: (resource) => ({
    columns: ['t.id', 't.author'],
    encode: (row, at, { site }) => ({
      ...selfAndList(collectionOf(resource, site), row[at]),
      about: link(`${rootOf(resource, site)}/wp/v2/types/attachment`),
      author: embeddable(`${rootOf(resource, site)}/wp/v2/users/${row[at + 1]}`),
    }),
  }),
  term: (resource) => ({
    columns: ['t.id', resource.singleIds?.includes('parent') ? 't.parent' : '0'],
    encode: (row, at, { site }) => {
      const [id, parent] = row.slice(at, at + 2)
      const [root, collection] = [rootOf(resource, site), collectionOf(resource, site)]
      const [{ shown, field }] = resource.taxonomies as [Taxonomy]
      return {
        ...selfAndList(collection, id),
        about: link(`${root}/wp/v2/taxonomies/${shown}`),
        ...(parent && { up: embeddable(`${collection}/${parent}`) }),
        'wp:post_type': resource.items!.map((route) => ({ href: `${root}${route}?${field}=${id}` })),
        curies: CURIES,
      }
    },
  }),
  'course progress': (resource) => ({
    columns: ['t.user', 't.course'],
    encode: (row, at, { site }) => {
      const [user, course] = row.slice(at, at + 2)
      const root = rootOf(resource, site)
      const collection = resource.coreLinks
        ? `${collectionOf(resource, site)}?user=${user}`
        : root + resource.route.replace('<id>', String(user))
      return {
        self: link(resource.coreLinks ? `${collection}&course=${course}` : `${collection}/${course}`),
        collection: link(collection),
        about: embeddable(`${root}${resource.courseRoute}/${course}`),
      }
    },
  }),
  'price type': (resource) => ({
    columns: ['t.slug'],
    encode: (row, at, { site }) => {
      const collection = rootOf(resource, site) + resource.route
      return {
        ...selfAndList(collection, row[at]),
        about: link(`${rootOf(resource, site)}/wp/v2/types/sfwd-courses`),
      }
    },
  }),
}

/** The encoder of `_links` for the records of a resource. */
export const linksOf = (resource: Resource): ValueEncoder => (LINKS_BY_LABEL[resource.label] ?? postLinks)(resource)
