import { getOrMake, isObject } from '../maps.js'
import type { Route } from '../upstream/routes.js'
import type { Site, Version } from '../upstream/site/site.js'
import { type Prober, resultOf } from './prober.js'

/** A route in the site's index of routes: its pattern below the namespace, and the names of its parameters. */
interface IndexedRoute {
  readonly pattern: string
  readonly parameters: readonly string[]
}

/** How to find a path segment that sites may rename: a pattern of the route, and a parameter of the route. */
interface SegmentRule {
  readonly segment: string
  /** Version of the interface with the route. */
  readonly version: Version
  readonly place: (site: Site) => RegExp
  readonly parameter?: RegExp
}

const WORD = '([\\w-]+)'
const ID = '\\(\\?P<\\w+>[^/]+\\)'
const singleSegment = () => new RegExp(`^${WORD}$`)

const SEGMENT_RULES: readonly SegmentRule[] = [
  { segment: 'groups', version: 'v1', place: singleSegment, parameter: /_group_category$/ },
  { segment: 'sfwd-courses', version: 'v1', place: singleSegment, parameter: /_course_category$/ },
  { segment: 'sfwd-quiz', version: 'v1', place: singleSegment, parameter: /^topic$/ },
  { segment: 'sfwd-lessons', version: 'v2', place: singleSegment, parameter: /_lesson_category$/ },
  { segment: 'course-progress', version: 'v2', place: () => new RegExp(`^users/${ID}/${WORD}/\\(\\?P<course>[^/]+\\)$`) },
  {
    segment: 'courses',
    version: 'v2',
    place: ({ segments }) => new RegExp(`^${segments.groups ?? 'groups'}/${ID}/${WORD}$`),
    parameter: /_course_category$/,
  },
]

/** Reads the index of routes of each namespace once, since it is large. */
export class NamespaceIndex {
  private readonly read = new Map<string, Promise<readonly IndexedRoute[]>>()

  constructor(private readonly prober: Prober) {}

  routes(site: Site, version: Version): Promise<readonly IndexedRoute[]> {
    return getOrMake(this.read, site.namespaces[version], () => this.ask(site, version))
  }

  private async ask(site: Site, version: Version): Promise<readonly IndexedRoute[]> {
    const route = { path: version as `${Version}/` }
    const outcome = await this.prober.ask('the routes of the namespace', site, (client, call) => client.get(route, {}, {}, call))
    const routes = resultOf(outcome)?.routes
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
 * Returns the renamed segments of a route on the site, found in the index of routes. Segments that have kept their name are not included.
 */
export async function segmentsOf({ path }: Route, site: Site, index: NamespaceIndex): Promise<Readonly<Record<string, string>>> {
  const [version, ...segments] = path.split('/')
  const renamed: Record<string, string> = {}
  for (const rule of SEGMENT_RULES.filter((rule) => rule.version === version || segments.includes(rule.segment))) {
    const place = rule.place({ ...site, segments: { ...site.segments, ...renamed } })
    const routes = await index.routes(site, rule.version)
    const candidates = routes.filter(({ parameters }) => !rule.parameter || parameters.some((name) => rule.parameter?.test(name)))
    const names = candidates.flatMap(({ pattern }) => place.exec(pattern)?.[1] ?? [])
    if (names[0] !== undefined && !names.includes(rule.segment)) renamed[rule.segment] = names[0]
  }
  return renamed
}
