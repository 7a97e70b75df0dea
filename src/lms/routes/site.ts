import type { Hono } from 'hono'
import type { Viewer } from '../auth.js'
import { RestError } from '../errors.js'
import { SITE_NAME } from '../html.js'
import { listOf } from '../params.js'
import type { Resource } from '../spec/index.js'
import { SITE_ZONE } from '../time.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { UPDATES } from './writes.js'

/** A route: its path with patterns for ids, such as `/lms/v1/groups/(?P<id>[\d]+)`, and the parameters of its methods. */
type Route = readonly [pattern: string, ...endpoints: readonly (readonly [methods: readonly string[], args: readonly string[]])[]]

const ID = '(?P<id>[\\d]+)'
const COURSE = '(?P<course>[\\d]+)'
const GET = ['GET']

function routesOfPosts({ route, listParameters, fields }: Resource): Route[] {
  const body = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name)
  return [
    [route, [GET, listParameters], [['POST'], body]],
    [`${route}/${ID}`, [GET, ['id', 'context', 'password']], [UPDATES, ['id', ...body]], [['DELETE'], ['id', 'force']]],
  ]
}

/** Every route of the LMS, in the order of its resources. */
function routesOf({ resources, switches }: Lms): Route[] {
  const { group, course, quiz, lesson, groupCourse, courseProgress, priceType, question, topic, progressStep } = resources
  const pathOf = ({ route }: Resource): string => route.replace('<id>', ID).replace('<course>', COURSE)
  const progress = courseProgress.listParameters
  return [
    ...[group, course, quiz, lesson].flatMap(routesOfPosts),
    [pathOf(groupCourse), [GET, ['id', ...groupCourse.listParameters]], [UPDATES, ['id', 'course_ids']]],
    [pathOf(courseProgress), [GET, ['id', ...progress]]],
    [`${pathOf(courseProgress)}/${COURSE}`, [GET, ['id', 'course', ...progress]]],
    ...(switches.progressSteps ? ([[pathOf(progressStep), [GET, ['id', 'course', ...progressStep.listParameters]]]] as const) : []),
    [priceType.route, [GET, priceType.listParameters]],
    [`${priceType.route}/(?P<slug>[\\w-]+)`, [GET, ['slug', ...priceType.listParameters]]],
    [`${question.route}/${ID}`, [GET, ['id']]],
    ...(switches.topics
      ? ([
          [topic.route, [GET, topic.listParameters]],
          [`${topic.route}/${ID}`, [GET, ['id', 'context']]],
        ] as const)
      : []),
  ]
}

const namespaceOf = (pattern: string): string => pattern.split('/').slice(1, 3).join('/')

/** A route, as the index of a site describes it. */
const described = ([pattern, ...endpoints]: Route): object => ({
  namespace: namespaceOf(pattern),
  methods: endpoints.flatMap(([methods]) => methods),
  endpoints: endpoints.map(([methods, args]) => ({
    methods,
    args: Object.fromEntries(args.map((name) => [name, { required: pattern.includes(`<${name}>`) }])),
  })),
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

/** Routes that describe the site: its routes with their parameters, and the current user. */
export function addSiteRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const routes = Object.fromEntries(routesOf(lms).map((route) => [route[0], described(route)]))
  const namespaces = [...new Set(Object.keys(routes).map(namespaceOf))]
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
  app.get('/wp/v2/users/me', (call) => {
    const { context, _fields } = call.get('query')
    const user = currentUser(lms, call.get('viewer'), context === 'edit')
    const wanted = listOf(_fields)
    return sendJson(call, wanted.length ? Object.fromEntries(wanted.flatMap((name) => (name in user ? [[name, user[name]]] : []))) : user)
  })
}
