import type { ValueEncoder } from './encode.js'
import type { Resource, Taxonomy } from './spec/index.js'
import { termRoute } from './spec/term.js'
import type { Cell } from './store.js'

const CURIES = [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }]
const link = (href: string) => [{ href }]
const embeddable = (href: string) => [{ embeddable: true, href }]

/** Links that only courses have. No route answers at these addresses, which are those of version 1. */
const COURSE_RELATIONS = ['steps', 'users', 'groups'] as const

/** The route of a single record. Courses of a group have the route of courses. */
const ownRoute = ({ route, recordRoute }: Resource): string => recordRoute ?? route

/** A route up to its first id. */
const withoutIds = (route: string): string => route.replace(/\/<.*/, '')

/** Base URL of the REST interface in links. */
const rootOf = ({ coreLinks }: Resource, site: string): string => (coreLinks ? `${site}/wp-json` : site)

/** The address of a collection in links: its own route, or with `coreLinks` a route of WordPress, which usually cannot be read. */
export function collectionOf(resource: Resource, site: string): string {
  const root = rootOf(resource, site)
  if (resource.table === 'progress' && resource.coreLinks) return root + withoutIds(resource.route)
  return resource.coreLinks && resource.table !== 'price_types' ? `${root}/wp/v2/${resource.type}` : root + ownRoute(resource)
}

function postLinks(resource: Resource): ValueEncoder {
  const route = ownRoute(resource)
  const relations = resource.table === 'courses' ? COURSE_RELATIONS : []
  const isWritable = resource.label !== 'topic'
  return {
    columns: ['t.id', 't.author', 't.featured_media', 't.revisions'],
    encode: (row, at, { site, methods }) => {
      const [id, author, media, revisions] = row.slice(at, at + 4)
      const root = rootOf(resource, site)
      const collection = collectionOf(resource, site)
      const self = `${root}${route}/${id}`
      const wp = `${root}/wp/v2`
      const links: Record<string, unknown> = {
        self: [{ href: `${collection}/${id}`, ...(methods && { targetHints: { allow: isWritable ? methods : ['GET'] } }) }],
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

const typeLink = (root: string, type: string) => ({ about: link(`${root}/wp/v2/types/${type}`) })

/** Links of a record that is not post-like, besides `self` and `collection`. */
interface Links {
  /** Columns from which they are made. The first is the last part of `self`. */
  readonly columns: readonly string[]
  readonly further?: (resource: Resource, root: string, cells: readonly Cell[]) => object
}

/** By label of a kind of record. */
const LINKS: Readonly<Record<string, Links>> = {
  question: { columns: ['t.id'], further: ({ type }, root) => typeLink(root, type) },
  user: { columns: ['t.id'] },
  picture: {
    columns: ['t.id', 't.author'],
    further: (_, root, [, author]) => ({ ...typeLink(root, 'attachment'), author: embeddable(`${root}/wp/v2/users/${author}`) }),
  },
  term: {
    columns: ['t.id', 't.parent'],
    further({ route, items, taxonomies }, root, [id, parent]) {
      const [{ shown, field }] = taxonomies as [Taxonomy]
      return {
        about: link(`${root}/wp/v2/taxonomies/${shown}`),
        ...(parent && { up: embeddable(`${root}${route}/${parent}`) }),
        'wp:post_type': items!.map((own) => ({ href: `${root}${own}?${field}=${id}` })),
        curies: CURIES,
      }
    },
  },
  'course progress': {
    columns: ['t.course', 't.user'],
    further({ route, recordRoute, coreLinks }, root, [course, user]) {
      const own = root + (coreLinks ? withoutIds(route) : route.replace('<id>', String(user)))
      const collection = coreLinks ? `${own}?user=${user}` : own
      return {
        self: link(coreLinks ? `${collection}&course=${course}` : `${collection}/${course}`),
        collection: link(collection),
        about: embeddable(`${root}${recordRoute}/${course}`),
      }
    },
  },
  'price type': { columns: ['t.slug'], further: (_, root) => typeLink(root, 'sfwd-courses') },
}

const otherLinks = (resource: Resource, { columns, further }: Links): ValueEncoder => ({
  columns,
  encode(row, at, { site }) {
    const cells = row.slice(at, at + columns.length)
    const collection = collectionOf(resource, site)
    const links = { self: link(`${collection}/${cells[0]}`), collection: link(collection) }
    return { ...links, ...further?.(resource, rootOf(resource, site), cells) }
  },
})

/** The encoder of `_links` for the records of a resource. */
export function linksOf(resource: Resource): ValueEncoder {
  const links = LINKS[resource.label]
  return links ? otherLinks(resource, links) : postLinks(resource)
}
