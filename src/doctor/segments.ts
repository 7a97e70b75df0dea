import { isObject } from '../upstream/errors.js'
import type { Route } from '../upstream/routes.js'
import type { Site, Version } from '../upstream/site/site.js'
import { got, type Prober } from './prober.js'

/** A route as a site's own list of routes tells it: its pattern below the namespace, and the names of its parameters. */
interface Listed {
  readonly pattern: string
  readonly parameters: readonly string[]
}

/** How a path segment that sites may rename is told in that list: by the place of its name, and by a parameter its route takes. */
interface Sign {
  readonly segment: string
  /** Whose list tells it. */
  readonly version: Version
  readonly place: (site: Site) => RegExp
  readonly takes?: RegExp
}

const WORD = '([\\w-]+)'
const ID = '\\(\\?P<\\w+>[^/]+\\)'
const alone = () => new RegExp(`^${WORD}$`)

const SIGNS: readonly Sign[] = [
  { segment: 'groups', version: 'v1', place: alone, takes: /_group_category$/ },
  { segment: 'sfwd-courses', version: 'v1', place: alone, takes: /_course_category$/ },
  { segment: 'sfwd-quiz', version: 'v1', place: alone, takes: /^topic$/ },
  { segment: 'sfwd-lessons', version: 'v2', place: alone, takes: /_lesson_category$/ },
  { segment: 'course-progress', version: 'v2', place: () => new RegExp(`^users/${ID}/${WORD}/\\(\\?P<course>[^/]+\\)$`) },
  {
    segment: 'courses',
    version: 'v2',
    place: ({ segments }) => new RegExp(`^${segments.groups ?? 'groups'}/${ID}/${WORD}$`),
    takes: /_course_category$/,
  },
]

/** The routes a site lists for its namespaces; each list is large, and read once. */
export class NamespaceIndex {
  private readonly read = new Map<string, Promise<readonly Listed[]>>()

  constructor(private readonly prober: Prober) {}

  routes(site: Site, version: Version): Promise<readonly Listed[]> {
    const namespace = site.namespaces[version]
    let routes = this.read.get(namespace)
    if (!routes) {
      routes = this.ask(site, version)
      this.read.set(namespace, routes)
    }
    return routes
  }

  private async ask(site: Site, version: Version): Promise<readonly Listed[]> {
    const route = { path: version as `${Version}/` }
    const outcome = await this.prober.ask('the routes of the namespace', site, (client, session) => client.get(route, {}, {}, session))
    const routes = got(outcome)?.routes
    const prefix = `/${site.namespaces[version]}/`
    return Object.entries(isObject(routes) ? routes : {})
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, about]) => ({ pattern: path.slice(prefix.length), parameters: parametersOf(about) }))
  }
}

function parametersOf(about: unknown): string[] {
  const endpoints = isObject(about) && Array.isArray(about.endpoints) ? about.endpoints : []
  return endpoints.flatMap((endpoint) => (isObject(endpoint) && isObject(endpoint.args) ? Object.keys(endpoint.args) : []))
}

/**
 * What segments are called on the site, by its own list of the routes of a version, and of the others that a route needs; nothing of those
 * that have kept their name.
 */
export async function segmentsOf({ path }: Route, site: Site, index: NamespaceIndex): Promise<Readonly<Record<string, string>>> {
  const [version, ...segments] = path.split('/')
  const renamed: Record<string, string> = {}
  for (const sign of SIGNS.filter((each) => each.version === version || segments.includes(each.segment))) {
    const place = sign.place({ ...site, segments: { ...site.segments, ...renamed } })
    const routes = await index.routes(site, sign.version)
    const fitting = routes.filter(({ parameters }) => !sign.takes || parameters.some((name) => sign.takes?.test(name)))
    const names = fitting.flatMap(({ pattern }) => place.exec(pattern)?.[1] ?? [])
    if (names[0] !== undefined && !names.includes(sign.segment)) renamed[sign.segment] = names[0]
  }
  return renamed
}
