import type { Hono } from 'hono'
import { SITE_NAME } from '../html.js'
import type { Resource } from '../spec/index.js'
import { SITE_ZONE } from '../time.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { kindsOf } from './wordpress.js'
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
function routesOf(lms: Lms): Route[] {
  const { resources, switches } = lms
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
    ...wordpressRoutes(lms),
  ]
}

/** The routes of WordPress itself. */
function wordpressRoutes(lms: Lms): Route[] {
  const { terms, people, files } = kindsOf(lms)
  const tables = [people, files, ...terms].flatMap(({ resource: { route, listParameters } }): Route[] => [
    [route, [GET, listParameters]],
    [`${route}/${ID}`, [GET, ['id', 'context']]],
  ])
  const directories = ['taxonomies', 'types'].flatMap((name): Route[] => [
    [`/wp/v2/${name}`, [GET, ['context']]],
    [`/wp/v2/${name}/(?P<name>[\\w-]+)`, [GET, ['name', 'context']]],
  ])
  return [...tables, [`${people.resource.route}/me`, [GET, ['context']]], ...directories]
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

/** Routes that describe the routes of the site with their parameters. */
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
      namespaces,
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
}
