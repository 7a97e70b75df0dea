import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema, type SubgraphOptions } from '../../src/index.js'
import { authorizationOf, type Login, World } from '../support/world.js'
import type { Composed } from './composers.js'
import { entityFields, type Result, type Router } from './routers.js'
import { type Service, startShop, startUsers, startWordPress } from './services.js'

/** The demo learner. */
export const LEARNER = 3
export const COURSES = [10_001, 10_002, 10_003, 10_010, 10_020]
export const MISSING = 99_999

/** The result of a query, and its requests. */
export interface Joined extends Result {
  /** Requests to the subgraph of the LMS, and how many of them were for references. */
  readonly requests: number
  readonly entities: number
  readonly restCalls: number
}

/** How the LMS is joined with WordPress. */
const WITH_WORDPRESS = { users: 'databaseId:Int', refersTo: ['MediaItem', 'Category', 'Tag'] } as const satisfies SubgraphOptions

/** A graph of three services behind a router: the LMS, one that owns users, and one that refers to courses. */
export class LargerGraph {
  private constructor(
    readonly world: World,
    private readonly services: readonly Service[],
    readonly router: Router,
  ) {}

  /** Users are owned by a service of people, or by WordPress. */
  static async start(
    start: (services: readonly Composed[]) => Promise<Router>,
    owner: 'people' | 'wordpress' = 'people',
  ): Promise<LargerGraph> {
    const options: SubgraphOptions = owner === 'people' ? {} : WITH_WORDPRESS
    const world = await World.start({ subgraph: { enabled: true, ...options } })
    const { data } = await world.query(
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { courseProgress(first: 2) { nodes { courseId } } } } }',
      {
        as: 'admin',
        variables: { of: [{ __typename: 'User', id: LEARNER, databaseId: LEARNER }] },
      },
    )
    const begun = data._entities[0].courseProgress.nodes.map(({ courseId }: { courseId: number }) => courseId)
    const services = await Promise.all([
      owner === 'people' ? startUsers(LEARNER, begun) : startWordPress(LEARNER, COURSES.slice(0, 3)),
      startShop(COURSES, MISSING),
    ])
    const lms = { name: 'lms', url: `${world.gateway.url}/graphql`, sdl: subgraphOf(graphSchema(), options).sdl }
    return new LargerGraph(world, services, await start([lms, ...services]))
  }

  async query(query: string, { as = 'admin' as Login, variables = {} } = {}): Promise<Joined> {
    const { documents } = this.router
    documents.length = 0
    this.world.calls.length = 0
    const { data, errors } = await this.router.execute(query, variables, { authorization: authorizationOf(as) })
    const entities = documents.reduce((count, document) => count + entityFields(document), 0)
    return { data, errors, requests: documents.length, entities, restCalls: this.world.calls.length }
  }

  async close(): Promise<void> {
    await this.router.close()
    await Promise.all(this.services.map((service) => service.close()))
    await this.world.close()
  }
}
