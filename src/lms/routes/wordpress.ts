import type { Hono } from 'hono'
import { checkContext, forbidden, mayEdit, type Viewer } from '../auth.js'
import { deniedStatus, RestError } from '../errors.js'
import { check, listOf, listParameters, parameters } from '../params.js'
import { recordWriter } from '../record-writer.js'
import { unknownPost } from '../rights.js'
import type { Resource, Taxonomy } from '../spec/index.js'
import { media } from '../spec/media.js'
import { isHierarchical, termResource } from '../spec/term.js'
import { user } from '../spec/user.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { listPosts, recordText } from './posts.js'
import type { Select } from './selections.js'

type App = Hono<{ Variables: Variables }>

/** A kind of record of WordPress itself, and its errors. */
export interface Kind {
  readonly resource: Resource
  readonly select: Select
  readonly unknown: () => RestError
  /** The error for a record that is not public. */
  readonly hidden: (viewer: Viewer) => RestError
}

/** A taxonomy, and the kinds of records that have its terms. */
export interface TermKind extends Kind {
  readonly taxonomy: Taxonomy
  readonly types: readonly string[]
}

const denied = (viewer: Viewer, code: string, message: string): RestError => new RestError(deniedStatus(viewer), code, `Sorry, ${message}.`)

/** All users; for callers without edit rights those with published records. Only their names can be searched then. */
const users: Select = (_, viewer, params) => {
  if (mayEdit(viewer)) return { params: { ...params, status: ['any'] } }
  if (params.roles) throw denied(viewer, 'rest_user_cannot_view', 'you are not allowed to filter users by role')
  if (params.orderby === 'email' || params.orderby === 'registered_date')
    throw denied(viewer, 'rest_forbidden_orderby', 'you are not allowed to order users by this parameter')
  return { params: { ...params, search_columns: ['post_title', 'post_content'] } }
}

const pictures: Select = (_, viewer, params) => ({ params: mayEdit(viewer) ? { ...params, status: ['any'] } : params })

/** The terms of a taxonomy. Those of a record only for callers who may read the record. */
const termsOn =
  (kinds: readonly Resource[]): Select =>
  ({ store }, viewer, { post, ...params }) => {
    if (!post) return { params }
    const statuses = kinds.flatMap(({ table }) => store.rows(`SELECT status FROM ${table} WHERE id = ?`, post)).flat()
    if (statuses.length === 0) throw new RestError(400, 'rest_post_invalid_id', 'Invalid post ID.')
    if (!mayEdit(viewer) && !statuses.includes('publish'))
      throw denied(viewer, 'rest_forbidden_context', 'you are not allowed to view terms for this post')
    return { params: { ...params, post } }
  }

/** The name of a taxonomy for readers. */
const titleOf = ({ taxonomy }: Taxonomy): string => {
  const words = taxonomy
    .replace(/^(lms|post)_/, '')
    .replace('_', ' ')
    .replace('category', 'categorie')
  return `${words[0]!.toUpperCase()}${words.slice(1)}s`
}

const byName = { orderby: 'name' }

/** The kinds of records of WordPress itself. Users and pictures have links as the other records of the site. */
export function kindsOf({ resources, switches }: Lms) {
  const { group, course, quiz, lesson, topic } = resources
  const types = [group, course, lesson, quiz, ...(switches.topics ? [topic] : [])]
  const adapted = (resource: Resource): Resource => ({
    ...resource,
    coreLinks: switches.coreLinks,
    fieldsOnly: switches.fieldsOnly,
    defaults: resource.defaults ?? byName,
  })
  const taxonomies = new Map(types.flatMap((type) => type.taxonomies).map((taxonomy) => [taxonomy.taxonomy, taxonomy]))
  const terms = [...taxonomies.values()].map((taxonomy): TermKind => {
    const kinds = types.filter((type) => type.taxonomies.some((known) => known.taxonomy === taxonomy.taxonomy))
    return {
      taxonomy,
      types: kinds.map(({ type }) => type),
      resource: adapted(termResource(taxonomy, kinds)),
      select: termsOn(kinds),
      unknown: () => new RestError(404, 'rest_term_invalid', 'Term does not exist.'),
      hidden: forbidden,
    }
  })
  const people: Kind = {
    resource: adapted(user),
    select: users,
    unknown: () => new RestError(404, 'rest_user_invalid_id', 'Invalid user ID.'),
    hidden: (viewer) => denied(viewer, 'rest_user_cannot_view', 'you are not allowed to list users'),
  }
  const files: Kind = { resource: adapted(media), select: pictures, unknown: () => unknownPost('post'), hidden: forbidden }
  return { types, terms, people, files }
}

const itemSchema = parameters(['context'])

/** Answers one record. Callers see their own user as in the edit context. */
function sendRecord(call: Call, lms: Lms, { resource, unknown, hidden }: Kind, id: number): Response {
  const viewer = call.get('viewer')
  const query = call.get('query')
  const { context } = check(itemSchema, query)
  const row = lms.store.row(`SELECT t.status FROM ${resource.table} t WHERE t.id = ?`, id)
  if (!row) throw unknown()
  if (resource.label !== 'user' || viewer?.id !== id) {
    checkContext(viewer, context)
    if (row[0] !== 'publish' && !mayEdit(viewer)) throw hidden(viewer)
  }
  return send(call, recordText(call, lms, resource, id, recordWriter(resource, context, query), true))
}

/** What a site says of its taxonomies or of its types, by name. */
interface Directory {
  readonly route: string
  readonly entries: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  readonly unknown: RestError
}

const CURIES = [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }]

/** The taxonomies of a site and its types, with the routes of their records. */
function directoriesOf({ site, switches }: Lms, { types, terms, files }: ReturnType<typeof kindsOf>): readonly Directory[] {
  const root = switches.coreLinks ? `${site}/wp-json` : site
  const entry = (list: string, slug: string, route: string, rest: object) => {
    const [, namespace, version, base] = route.split('/')
    const links = { collection: [{ href: root + list }], 'wp:items': [{ href: root + route }], curies: CURIES }
    return [slug, { slug, description: '', ...rest, rest_base: base, rest_namespace: `${namespace}/${version}`, _links: links }] as const
  }
  const [taxonomyList, typeList] = ['/wp/v2/taxonomies', '/wp/v2/types']
  const taxonomies = terms.map(({ taxonomy, types, resource }) =>
    entry(taxonomyList, taxonomy.shown, resource.route, { name: titleOf(taxonomy), types, hierarchical: isHierarchical(taxonomy) }),
  )
  const kinds = [...types, { ...files.resource, type: 'attachment' }].map(({ type, label, table, route, taxonomies: own }) => {
    const name = `${label[0]!.toUpperCase()}${label.slice(1)}`.replace(/z?$/, (end) => (end ? 'zzes' : 's'))
    return entry(typeList, type, route, {
      name,
      hierarchical: table === 'groups',
      has_archive: false,
      icon: null,
      taxonomies: own.map(({ shown }) => shown),
    })
  })
  return [
    { route: taxonomyList, entries: new Map(taxonomies), unknown: new RestError(404, 'rest_taxonomy_invalid', 'Invalid taxonomy.') },
    { route: typeList, entries: new Map(kinds), unknown: new RestError(404, 'rest_type_invalid', 'Invalid post type.') },
  ]
}

/** Routes that answer a directory, as an object by name, and one of its entries. */
function addDirectory(app: App, { route, entries, unknown }: Directory): void {
  const prepare = (call: Call, code: string) => {
    const query = call.get('query')
    const viewer = call.get('viewer')
    if (check(itemSchema, query).context === 'edit' && !mayEdit(viewer)) throw denied(viewer, code, 'you are not allowed to edit this')
    const wanted = listOf(query._fields)
    return (entry: object) => (wanted.length ? Object.fromEntries(Object.entries(entry).filter(([name]) => wanted.includes(name))) : entry)
  }
  app.get(route, (call) => {
    const chosen = prepare(call, 'rest_cannot_view')
    const { type } = call.get('query')
    const some = [...entries].filter(([, { types }]) => type === undefined || !Array.isArray(types) || types.includes(type))
    return send(call, JSON.stringify(Object.fromEntries(some.map(([name, entry]) => [name, chosen(entry)]))))
  })
  app.get(`${route}/:name`, (call) => {
    const entry = entries.get(call.req.param('name')!)
    if (!entry) throw unknown
    return send(call, JSON.stringify(prepare(call, 'rest_forbidden_context')(entry)))
  })
}

/** Routes of WordPress itself: users, pictures, terms, and the lists of taxonomies and of types. */
export function addWordpressRoutes(app: App, lms: Lms): void {
  const kinds = kindsOf(lms)
  const { terms, people, files } = kinds
  app.get(`${people.resource.route}/me`, (call) => {
    const viewer = call.get('viewer')
    if (!viewer) throw new RestError(401, 'rest_not_logged_in', 'You are not currently logged in.')
    return sendRecord(call, lms, people, viewer.id)
  })
  for (const directory of directoriesOf(lms, kinds)) addDirectory(app, directory)
  for (const kind of [people, files, ...terms]) {
    const { resource, select } = kind
    const schema = listParameters(resource)
    app.get(resource.route, (call) => listPosts(call, lms, resource, schema, select))
    app.get(`${resource.route}/:id{[0-9]+}`, (call) => sendRecord(call, lms, kind, Number(call.req.param('id'))))
  }
}
