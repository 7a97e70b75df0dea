import type { Hono } from 'hono'
import type { Viewer } from '../auth.js'
import { RestError } from '../errors.js'
import { SITE_NAME } from '../html.js'
import { listOf } from '../params.js'
import type { Field, Resource } from '../spec/index.js'
import { SITE_ZONE } from '../time.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { UPDATES } from './writes.js'

/** A route, as the index of a site describes it. */
interface RouteDescription {
  /** Its path with patterns for ids, such as `/lms/v1/groups/(?P<id>[\d]+)`. */
  readonly pattern: string
  readonly resource: Resource
  readonly endpoints: readonly { readonly methods: readonly string[]; readonly args: readonly string[] }[]
}

const ID = '(?P<id>[\\d]+)'
const COURSE = '(?P<course>[\\d]+)'
const GET = ['GET']

const bodyOf = ({ fields }: Resource): string[] => fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name)

function describePosts(resource: Resource): RouteDescription[] {
  const { route, listParameters } = resource
  const body = bodyOf(resource)
  return [
    {
      pattern: route,
      resource,
      endpoints: [
        { methods: GET, args: listParameters },
        { methods: ['POST'], args: body },
      ],
    },
    {
      pattern: `${route}/${ID}`,
      resource,
      endpoints: [
        { methods: GET, args: ['id', 'context', 'password'] },
        { methods: UPDATES, args: ['id', ...body] },
        { methods: ['DELETE'], args: ['id', 'force'] },
      ],
    },
  ]
}

/** Every route of the LMS, in the order of its resources. */
function describe({ resources, switches }: Lms): RouteDescription[] {
  const { group, course, quiz, lesson, groupCourse, courseProgress, priceType, question, topic, progressStep } = resources
  const read = (resource: Resource, below: string, args: readonly string[]): RouteDescription => ({
    pattern: `${resource.route.replace('<id>', ID).replace('<course>', COURSE)}${below}`,
    resource,
    endpoints: [{ methods: GET, args }],
  })
  const courses = read(groupCourse, '', ['id', ...groupCourse.listParameters])
  return [
    ...[group, course, quiz, lesson].flatMap(describePosts),
    { ...courses, endpoints: [...courses.endpoints, { methods: UPDATES, args: ['id', 'course_ids'] }] },
    read(courseProgress, '', ['id', ...courseProgress.listParameters]),
    read(courseProgress, `/${COURSE}`, ['id', 'course', ...courseProgress.listParameters]),
    ...(switches.progressSteps ? [read(progressStep, '', ['id', 'course', ...progressStep.listParameters])] : []),
    read(priceType, '', priceType.listParameters),
    read(priceType, '/(?P<slug>[\\w-]+)', ['slug', ...priceType.listParameters]),
    read(question, `/${ID}`, ['id']),
    ...(switches.topics ? [read(topic, '', topic.listParameters), read(topic, `/${ID}`, ['id', 'context'])] : []),
  ]
}

const namespaceOf = (pattern: string): string => pattern.split('/').slice(1, 3).join('/')

const endpointsOf = ({ pattern, endpoints }: RouteDescription): object[] =>
  endpoints.map(({ methods, args }) => ({
    methods,
    args: Object.fromEntries(args.map((name) => [name, { required: pattern.includes(`<${name}>`) }])),
  }))

const routeOf = (described: RouteDescription): object => ({
  namespace: namespaceOf(described.pattern),
  methods: described.endpoints.flatMap(({ methods }) => methods),
  endpoints: endpointsOf(described),
})

const propertyOf = ({ name, contexts, readOnly, values }: Field): readonly [string, object] => [
  name,
  { context: contexts, readonly: readOnly, ...(values && { enum: values }) },
]

const schemaOf = ({ type, fields }: Resource): object => ({
  $schema: 'http://json-schema.org/draft-04/schema#',
  title: type,
  type: 'object',
  properties: Object.fromEntries(fields.map(propertyOf)),
})

/** The roles of the LMS in WordPress, with some of their capabilities. */
const ROLES = {
  admin: { role: 'administrator', capabilities: { administrator: true, manage_options: true, edit_others_posts: true } },
  leader: { role: 'group_leader', capabilities: { group_leader: true, read: true } },
  subscriber: { role: 'subscriber', capabilities: { subscriber: true, read: true } },
} as const

/** The caller as WordPress describes them: fewer fields than there, with their display name. */
function currentUser({ store, site }: Lms, viewer: Viewer, edit: boolean): Record<string, unknown> {
  if (!viewer) throw new RestError(401, 'rest_not_logged_in', 'You are not currently logged in.')
  const { id, login } = viewer
  const { role, capabilities } = ROLES[viewer.role]
  const [name] = store.row('SELECT name FROM users WHERE id = ?', id) ?? [login]
  const collection = `${site}/wp-json/wp/v2/users`
  return {
    id,
    ...(edit && { username: login }),
    name,
    url: '',
    description: '',
    link: `${site}/author/${login}/`,
    slug: login,
    ...(edit && { roles: [role], capabilities }),
    meta: [],
    _links: { self: [{ href: `${collection}/${id}` }], collection: [{ href: collection }] },
  }
}

/** The path of a route in the syntax of Hono. */
const pathOf = (pattern: string): string =>
  pattern.replace(/\(\?P<(\w+)>\[\\d\]\+\)/g, ':$1{[0-9]+}').replace(/\(\?P<(\w+)>[^)]+\)/g, ':$1')

/** Routes that describe the site: its routes with their parameters, and the current user. */
export function addSiteRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const described = describe(lms)
  const routes = Object.fromEntries(described.map((each) => [each.pattern, routeOf(each)]))
  const namespaces = [...new Set(described.map(({ pattern }) => namespaceOf(pattern)))]
  const sendJson = (call: Call, body: object): Response => send(call, JSON.stringify(body))

  app.get('/', (call) =>
    sendJson(call, {
      name: SITE_NAME,
      description: '',
      url: lms.site,
      home: lms.site,
      timezone_string: SITE_ZONE,
      namespaces: [...namespaces, 'wp/v2'],
      authentication: {
        'application-passwords': { endpoints: { authorization: `${lms.site}/wp-admin/authorize-application.php` } },
      },
      routes,
    }),
  )
  for (const namespace of namespaces) {
    const own = Object.fromEntries(Object.entries(routes).filter(([pattern]) => namespaceOf(pattern) === namespace))
    app.get(`/${namespace}`, (call) => sendJson(call, { namespace, routes: { [`/${namespace}`]: { namespace, methods: GET }, ...own } }))
  }
  for (const each of described) {
    app.options(pathOf(each.pattern), (call) => sendJson(call, { ...routeOf(each), schema: schemaOf(each.resource) }))
  }
  app.get('/wp/v2/users/me', (call) => {
    const { context, _fields } = call.get('query')
    const user = currentUser(lms, call.get('viewer'), context === 'edit')
    const wanted = listOf(_fields)
    return sendJson(call, wanted.length ? Object.fromEntries(wanted.flatMap((name) => (name in user ? [[name, user[name]]] : []))) : user)
  })
}
