import type { Hono } from 'hono'
import { checkContext, forbidden, mayEdit, type Viewer } from '../auth.js'
import { deniedStatus, RestError } from '../errors.js'
import { listOf } from '../params.js'
import { unknownPost } from '../rights.js'
import type { Resource, Taxonomy } from '../spec/index.js'
import { media } from '../spec/media.js'
import { isHierarchical, termResource } from '../spec/term.js'
import { user } from '../spec/user.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { addRecordRoutes, type Kind, readContext, sendRecord } from './records.js'
import type { Select } from './selections.js'

type App = Hono<{ Variables: Variables }>

const denied = (viewer: Viewer, code: string, message: string): RestError => new RestError(deniedStatus(viewer), code, `Sorry, ${message}.`)
const missing = (code: string, message: string) => (): RestError => new RestError(404, code, message)

/** Lists users. Callers without edit rights see users with published records only, and search their names only. */
const users: Select = (_, viewer, params) => {
  if (mayEdit(viewer)) return { params: { ...params, status: ['any'] } }
  if (params.roles) throw denied(viewer, 'rest_user_cannot_view', 'you are not allowed to filter users by role')
  if (params.orderby === 'email' || params.orderby === 'registered_date')
    throw denied(viewer, 'rest_forbidden_orderby', 'you are not allowed to order users by this parameter')
  return { params: { ...params, search_columns: ['post_title', 'post_content'] } }
}

const pictures: Select = (_, viewer, params) => ({ params: mayEdit(viewer) ? { ...params, status: ['any'] } : params })

/** The terms of a taxonomy. Those of one record only for callers who may read the record. */
const termsOn =
  (kinds: readonly Resource[]): Select =>
  ({ store }, viewer, { post, ...params }) => {
    if (!post) return { params }
    const [status] = kinds.flatMap(({ table }) => store.rows(`SELECT status FROM ${table} WHERE id = ?`, post)).flat()
    if (status === undefined) throw new RestError(400, 'rest_post_invalid_id', 'Invalid post ID.')
    if (status !== 'publish' && !mayEdit(viewer))
      throw denied(viewer, 'rest_forbidden_context', 'you are not allowed to view terms for this post')
    return { params: { ...params, post } }
  }

/** The kinds of records of WordPress itself, and the types and taxonomies of the site. */
export function kindsOf({ resources, switches: { coreLinks, fieldsOnly, topics } }: Lms) {
  const { group, course, quiz, lesson, topic } = resources
  const types = [group, course, lesson, quiz, ...(topics ? [topic] : [])]
  const adapted = (resource: Resource): Resource => ({ defaults: { orderby: 'name' }, ...resource, coreLinks, fieldsOnly })
  const known = new Map(types.flatMap(({ taxonomies }) => taxonomies).map((taxonomy) => [taxonomy.taxonomy, taxonomy]))
  const taxonomies = [...known.values()].map((taxonomy) => {
    const own = types.filter((type) => type.taxonomies.some(({ field }) => field === taxonomy.field))
    return { taxonomy, types: own, resource: adapted(termResource(taxonomy, own)) }
  })
  const people: Kind = {
    resource: adapted(user),
    select: users,
    unknown: missing('rest_user_invalid_id', 'Invalid user ID.'),
    hidden: (viewer) => denied(viewer, 'rest_user_cannot_view', 'you are not allowed to list users'),
  }
  const files: Kind = { resource: adapted(media), select: pictures, unknown: () => unknownPost('post'), hidden: forbidden }
  const terms = taxonomies.map(({ resource, types: own }): Kind => {
    return { resource, select: termsOn(own), unknown: missing('rest_term_invalid', 'Term does not exist.'), hidden: forbidden }
  })
  return { types, taxonomies, people, records: [people, files, ...terms] }
}

type Entry = Readonly<Record<string, unknown>>

/** Routes that answer entries as an object by their slug, and one of them. `type` limits taxonomies to those of a type. */
function addDirectory(app: App, route: string, entries: ReadonlyMap<string, Entry>, unknown: () => RestError): void {
  const writer = (call: Call): ((entry: Entry) => Entry) => {
    checkContext(call.get('viewer'), readContext(call.get('query')).context)
    const wanted = listOf(call.get('query')._fields)
    return (entry) => (wanted.length ? Object.fromEntries(Object.entries(entry).filter(([name]) => wanted.includes(name))) : entry)
  }
  app.get(route, (call) => {
    const { type } = call.get('query')
    const some = [...entries].filter(([, { types }]) => type === undefined || !Array.isArray(types) || types.includes(type))
    const write = writer(call)
    return send(call, JSON.stringify(Object.fromEntries(some.map(([slug, entry]) => [slug, write(entry)]))))
  })
  app.get(`${route}/:slug`, (call) => {
    const entry = entries.get(call.req.param('slug'))
    if (!entry) throw unknown()
    return send(call, JSON.stringify(writer(call)(entry)))
  })
}

/** `Course categories` for `lms_course_category`, `Quizzes` for `quiz`. */
const plural = (name: string): string => {
  const words = name
    .replace(/^(lms|post)_/, '')
    .replace('_', ' ')
    .replace(/y$/, 'ie')
    .replace(/z$/, 'zze')
  return `${words[0]!.toUpperCase()}${words.slice(1)}s`
}

/** Routes of WordPress itself: users, pictures, terms, and which taxonomies and types there are. */
export function addWordpressRoutes(app: App, lms: Lms): void {
  const { types, taxonomies, people, records } = kindsOf(lms)
  app.get(`${people.resource.route}/me`, (call) => {
    const viewer = call.get('viewer')
    if (!viewer) throw new RestError(401, 'rest_not_logged_in', 'You are not currently logged in.')
    return sendRecord(call, lms, people, viewer.id)
  })
  for (const kind of records) addRecordRoutes(app, lms, kind)
  const shown = (own: readonly Taxonomy[]): readonly string[] => own.map((taxonomy) => taxonomy.shown)
  const entry = (slug: string, name: string, route: string, rest: Entry): readonly [string, Entry] => {
    const [, namespace, version, base] = route.split('/')
    const links = { 'wp:items': [{ href: `${lms.site}${lms.switches.coreLinks ? '/wp-json' : ''}${route}` }] }
    return [
      slug,
      { name: plural(name), slug, description: '', ...rest, rest_base: base, rest_namespace: `${namespace}/${version}`, _links: links },
    ]
  }
  const ofTaxonomies = taxonomies.map(({ taxonomy, types: own, resource }) => {
    const rest = { types: own.map(({ type }) => type), hierarchical: isHierarchical(taxonomy) }
    return entry(taxonomy.shown, taxonomy.taxonomy, resource.route, rest)
  })
  const ofTypes = [...types, { ...media, type: 'attachment' }].map(({ type, label, route, table, taxonomies: own }) =>
    entry(type, label, route, { hierarchical: table === 'groups', taxonomies: shown(own) }),
  )
  addDirectory(app, '/wp/v2/taxonomies', new Map(ofTaxonomies), missing('rest_taxonomy_invalid', 'Invalid taxonomy.'))
  addDirectory(app, '/wp/v2/types', new Map(ofTypes), missing('rest_type_invalid', 'Invalid post type.'))
}
