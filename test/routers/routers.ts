import { createHash } from 'node:crypto'
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway'
import { createGatewayRuntime, type GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { unifiedGraphHandler } from '@graphql-hive/router-runtime'
import { parse, print, visit } from 'graphql'
import { COMPOSERS, type Composed, supergraphOf } from './composers.js'

/** The result of an operation. */
export interface Result {
  readonly data: any
  readonly errors: readonly { message: string; path?: readonly (string | number)[]; extensions?: Record<string, any> }[]
}

/** A router in front of services. */
export interface Router {
  /** Documents that were sent to the service `lms` since they were last cleared. */
  readonly documents: string[]
  execute(query: string, variables: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>>): Promise<Result>
  close(): Promise<void>
}

/** The headers of a client that routers pass on to services. */
const PASSED_ON = ['authorization', 'traceparent', 'tracestate', 'x-request-id']

const passedOn = (header: (name: string) => string | null | undefined): Record<string, string> =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (header(name) == null ? [] : [[name, String(header(name))]])))

/** Hive Gateway, with the composer of The Guild: with its own planner, or with that of Hive Router. */
async function startHive(services: readonly Composed[], options: object = {}): Promise<Router> {
  const documents: string[] = []
  const note: GatewayPlugin = {
    onSubgraphExecute({ subgraphName, executionRequest }) {
      if (subgraphName === 'lms') documents.push(print(executionRequest.document))
    },
  }
  const runtime = createGatewayRuntime({
    supergraph: supergraphOf(services),
    logging: false,
    propagateHeaders: { fromClientToSubgraphs: ({ request }) => passedOn((name) => request.headers.get(name)) },
    plugins: () => [note],
    ...options,
  })
  return {
    documents,
    async execute(query, variables, headers) {
      const response = await runtime.fetch('http://router/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      })
      const { data, errors = [] } = (await response.json()) as Partial<Result>
      return { data, errors }
    },
    close: async () => runtime[Symbol.asyncDispose](),
  }
}

/** The gateway of Apollo, with its composer. */
async function startApollo(services: readonly Composed[]): Promise<Router> {
  const { errors, supergraph: supergraphSdl } = COMPOSERS.find(({ name }) => name === 'Apollo')?.compose(services) ?? { errors: [] }
  if (supergraphSdl === undefined) throw new Error(errors.join('\n'))
  const documents: string[] = []
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    buildService: ({ name, url = '' }) =>
      new RemoteGraphQLDataSource({
        url,
        willSendRequest({ request, context }: any) {
          if (name === 'lms') documents.push(request.query)
          for (const [header, value] of Object.entries(passedOn((name) => context.headers?.[name]))) request.http.headers.set(header, value)
        },
      }),
  })
  const { executor } = await gateway.load()
  return {
    documents,
    async execute(query, variables, headers) {
      const document = parse(query)
      const operationName = document.definitions.flatMap((each) =>
        'name' in each && each.kind === 'OperationDefinition' ? (each.name?.value ?? []) : [],
      )[0]
      // What the executor reads of the context of a request in Apollo Server.
      const context = {
        document,
        operationName: operationName ?? null,
        queryHash: createHash('sha256').update(query).digest('hex'),
        request: { query, variables },
        context: { headers },
        metrics: {},
      }
      const { data, errors = [] } = await executor(context as never)
      // As a server sends it.
      return JSON.parse(JSON.stringify({ data, errors }))
    },
    close: () => gateway.stop(),
  }
}

/** The routers that run here. */
export const ROUTERS: readonly (readonly [name: string, start: (services: readonly Composed[]) => Promise<Router>])[] = [
  ['Hive Gateway', (services) => startHive(services)],
  ['Hive Router', (services) => startHive(services, { unifiedGraphHandler })],
  ['Apollo Gateway', startApollo],
]

/** Number of `_entities` fields in a document. */
export function entityFields(document: string): number {
  let count = 0
  visit(parse(document), { Field: ({ name }) => void (name.value === '_entities' && count++) })
  return count
}
