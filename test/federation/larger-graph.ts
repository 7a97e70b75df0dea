import { createGatewayRuntime, type GatewayPlugin, type GatewayRuntime } from '@graphql-hive/gateway-runtime'
import { composeServices } from '@theguild/federation-composition'
import { parse, print, visit } from 'graphql'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema } from '../../src/index.js'
import { authorizationOf, type Login, World } from '../support/world.js'
import { type Service, startShop, startUsers } from './services.js'

/** The demo learner. */
export const LEARNER = 3
export const COURSES = [10_001, 10_002, 10_003, 10_010, 10_020]
export const MISSING = 99_999

/** The result of a query, and its requests. */
export interface Joined {
  readonly data: any
  readonly errors: readonly { message: string; path?: readonly (string | number)[]; extensions?: { code?: string } }[]
  /** Requests to the subgraph of the LMS, and how many of them were for references. */
  readonly requests: number
  readonly entities: number
  readonly restCalls: number
}

/** Composes services. Throws when they do not compose. */
export function compose(services: readonly Pick<Service, 'name' | 'url' | 'sdl'>[]): string {
  const result = composeServices(services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })))
  if (result.errors?.length) throw new Error(result.errors.map(({ message }) => message).join('\n'))
  return result.supergraphSdl as string
}

/** A graph of three services behind a router: the LMS, one that owns users, and one that refers to courses. */
export class LargerGraph {
  private readonly documents: string[] = []
  private router: GatewayRuntime | undefined

  private constructor(
    readonly world: World,
    readonly services: readonly Service[],
    readonly supergraph: string,
  ) {}

  static async start(): Promise<LargerGraph> {
    const [world, users, shop] = await Promise.all([World.start({ subgraph: {} }), startUsers(LEARNER), startShop(COURSES, MISSING)])
    const lms = { name: 'lms', url: `${world.gateway.url}/graphql`, sdl: subgraphOf(graphSchema()).sdl }
    const graph = new LargerGraph(world, [users, shop], compose([lms, users, shop]))
    const note: GatewayPlugin = {
      onSubgraphExecute({ subgraphName, executionRequest }) {
        if (subgraphName === 'lms') graph.documents.push(print(executionRequest.document))
      },
    }
    graph.router = createGatewayRuntime({
      supergraph: graph.supergraph,
      logging: false,
      propagateHeaders: { fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') ?? '' }) },
      plugins: () => [note],
    })
    return graph
  }

  async query(query: string, { as = 'admin' as Login, variables = {} } = {}): Promise<Joined> {
    this.documents.length = 0
    this.world.calls.length = 0
    const response = await (this.router as GatewayRuntime).fetch('http://router/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: authorizationOf(as) },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors = [] } = (await response.json()) as Joined
    const entities = this.documents.reduce((count, document) => count + entityFields(document), 0)
    return { data, errors, requests: this.documents.length, entities, restCalls: this.world.calls.length }
  }

  async close(): Promise<void> {
    await this.router?.[Symbol.asyncDispose]()
    await Promise.all(this.services.map((service) => service.close()))
    await this.world.close()
  }
}

/** Number of `_entities` fields in a document. */
function entityFields(document: string): number {
  let count = 0
  visit(parse(document), { Field: ({ name }) => void (name.value === '_entities' && count++) })
  return count
}
