import type { Hono } from 'hono'
import { SITE_NAME } from '../html.js'
import { force, type Resource } from '../spec/index.js'
import { SITE_ZONE } from '../time.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { kindsOf } from './wordpress.js'

type App = Hono<{ Variables: Variables }>

const ITEM = ['context']
const POST_ITEM = [...ITEM, 'password']

/** The names of the parameters of a method on the records of a resource, or on one of them. */
function parametersOf({ fields, listParameters, bodyIds }: Resource, method: string, isItem: boolean): readonly string[] {
  if (bodyIds && method !== 'GET') return [bodyIds.name]
  if (method === 'DELETE') return [force.name]
  if (method !== 'GET') return fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name)
  if (!isItem) return listParameters
  return fields.some(({ name }) => name === 'password') ? POST_ITEM : ITEM
}

/** The pattern of a route, such as `/lms/v1/groups/(?P<id>[\d]+)`. */
const patternOf = (path: string): string =>
  path.replace(/<(\w+)>|:(\w+)\{\[0-9\]\+\}/g, '(?P<$1$2>[\\d]+)').replace(/:(\w+)/g, '(?P<$1>[\\w-]+)')

const namespaceOf = (pattern: string): string => pattern.split('/').slice(1, 3).join('/')

/** The routes of the LMS by pattern, as the index of a site describes them. */
function describe(app: App, lms: Lms): Readonly<Record<string, object>> {
  const resources = [...Object.values(lms.resources), ...kindsOf(lms).records.map(({ resource }) => resource)]
  const byPattern = new Map(resources.map((resource) => [patternOf(resource.route), resource]))
  const described: Record<string, { namespace: string; methods: string[]; endpoints: object[] }> = {}
  for (const { path, method } of app.routes) {
    const pattern = patternOf(path)
    const list = byPattern.get(pattern)
    const resource = list ?? byPattern.get(pattern.slice(0, pattern.lastIndexOf('/')))
    const args = Object.fromEntries([...pattern.matchAll(/<(\w+)>/g)].map(([, name]) => [name, { required: true }]))
    for (const name of resource ? parametersOf(resource, method, !list) : ITEM) args[name] ??= { required: false }
    described[pattern] ??= { namespace: namespaceOf(pattern), methods: [], endpoints: [] }
    const { methods, endpoints } = described[pattern]
    methods.push(method)
    endpoints.push({ methods: [method], args })
  }
  return described
}

/** Routes that describe the routes that the site has so far, with their parameters. */
export function addSiteRoutes(app: App, lms: Lms): void {
  const routes = describe(app, lms)
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
    app.get(`/${namespace}`, (call) =>
      sendJson(call, { namespace, routes: { [`/${namespace}`]: { namespace, methods: ['GET'] }, ...own } }),
    )
  }
}
