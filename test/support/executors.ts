import { EventEmitter } from 'node:events'
import { type DocumentNode, type ExecutionResult, type GraphQLError, type GraphQLSchema, parse } from 'graphql'
import type { GraphContext, ResponseWriters } from '../../src/execute/context.js'
import { executePlanned } from '../../src/execute/execute.js'
import { graphSchema } from '../../src/index.js'
import { executeWhole } from '../../src/plan/graphql-js.js'
import { Planner } from '../../src/plan/planner.js'
import { PreparedOperations } from '../../src/plan/prepared-operations.js'
import { Operation, type Upstream } from '../../src/prefetch/operation.js'
import { masking } from '../../src/server/errors.js'
import type { GatewayEvents } from '../../src/server/events.js'
import type { Caller } from '../../src/upstream/call-scope.js'
import { ANONYMOUS, Credentials } from '../../src/upstream/credentials.js'
import type { FaultEvents } from '../../src/upstream/events.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from './call-scope.js'
import { ALL_ROUTES, WITH_WORDPRESS } from './profile.js'
import { upstreamOf } from './upstream.js'
import { authorizationOf, type Login } from './world.js'

const NAMES = { ...WITH_WORDPRESS, routes: [...(WITH_WORDPRESS.routes ?? []), ...(ALL_ROUTES.routes ?? []), 'users/courses'] as const }

export interface Asked {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  readonly operationName?: string | undefined
  readonly caller?: Login | undefined
  /** What the caller is for a gateway whose service account is that of the login, and the user. */
  readonly role?: Pick<Caller, 'role' | 'viewer'>
}

/** The outcome of an operation. */
export interface Executed {
  /** The response as a client gets it. */
  readonly text: string
  readonly data: any
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[]; readonly code: unknown }[]
  /** Paths of the REST calls, sorted. */
  readonly calls: readonly string[]
  /** Whether a response writer wrote it. */
  readonly written: boolean
}

/** `compiled` is the product with response writers, `ordinary` the same with the executor of graphql-js, `alone` that executor without a plan. */
export type Way = 'compiled' | 'ordinary' | 'alone'

const schema = graphSchema()

class CountingWriters implements ResponseWriters {
  written = 0

  constructor(private readonly writers: ResponseWriters | undefined) {}

  of(operation: Parameters<ResponseWriters['of']>[0]): ReturnType<ResponseWriters['of']> {
    const compiled = this.writers?.of(operation)
    return (...response) => {
      const text = compiled?.(...response)
      if (typeof text === 'string') this.written++
      return text
    }
  }
}

/** One way to execute, with its own capabilities and sizes. Documents are parsed once, so that plans are cached. */
class Executor {
  private readonly calls: string[] = []
  private readonly transport: Transport
  private readonly upstream: Upstream
  private readonly events = new EventEmitter<GatewayEvents>()
  private readonly prepared = new PreparedOperations(new Planner(schema))
  private readonly writers: CountingWriters
  private readonly documents = new Map<string, DocumentNode>()

  constructor(
    url: string,
    private readonly way: Way,
    writers?: ResponseWriters,
  ) {
    this.writers = new CountingWriters(writers)
    const limits = { maxInFlight: 8, timeout: 20_000, connectTimeout: 5_000, maxBytes: 20_000_000, share: true }
    this.events.on('call', ({ path }) => this.calls.push(path))
    this.transport = new Transport({ origin: url, ...limits, events: this.events })
    this.upstream = upstreamOf(defineSite(url, NAMES), this.transport)
  }

  async run({ query, variables, operationName, caller, role }: Asked): Promise<Executed> {
    const document = this.documents.get(query) ?? parse(query)
    this.documents.set(query, document)
    this.calls.length = 0
    this.prepared.passed(document, operationName)
    const before = this.writers.written
    const credentials = caller ? new Credentials({ authorization: authorizationOf(caller) }) : ANONYMOUS
    const operation = new Operation(this.upstream, callScope({ credentials, ...role }))
    const contextValue = {
      operation,
      prepared: this.prepared,
      writers: this.writers,
      events: this.events,
    } satisfies GraphContext
    const args = { schema, document, contextValue, variableValues: variables ?? null, operationName: operationName ?? null }
    const result = await (this.way === 'alone' ? executeWhole(args) : executePlanned(args))
    return { ...shown(result), calls: [...this.calls].sort(), written: this.writers.written > before }
  }

  close(): Promise<void> {
    return this.transport.close()
  }
}

/** Faults of operations are shown. */
const SHOWN = new EventEmitter<FaultEvents>().on('fault', console.error)

function shown(result: ExecutionResult): Pick<Executed, 'text' | 'data' | 'errors'> {
  const errors = result.errors?.map(masking(SHOWN)) as GraphQLError[] | undefined
  const masked = { ...result, ...(errors && { errors }) }
  const { stringify = JSON.stringify } = masked as { stringify?: (result: unknown) => string }
  const text = stringify(masked)
  const found = (errors ?? []).map(({ message, path, extensions }) => ({ message, code: extensions.code, ...(path && { path }) }))
  return { text, data: JSON.parse(text).data, errors: found }
}

/** The response writers next to the executors of graphql-js, in front of one site. */
export class Executors {
  private readonly ways: Readonly<Record<Way, Executor>>

  /** `writersFor` makes the response writers of the schema that operations run against. Without it, `compiled` is the same as `ordinary`. */
  constructor(url: string, writersFor?: (schema: GraphQLSchema) => ResponseWriters) {
    this.ways = {
      compiled: new Executor(url, 'compiled', writersFor?.(schema)),
      ordinary: new Executor(url, 'ordinary'),
      alone: new Executor(url, 'alone'),
    }
  }

  /** Runs an operation in one way. */
  run(way: Way, asked: Asked): Promise<Executed> {
    return this.ways[way].run(asked)
  }

  /** Runs an operation with both executors. */
  async both(asked: Asked): Promise<Record<'compiled' | 'ordinary', Executed>> {
    return { compiled: await this.run('compiled', asked), ordinary: await this.run('ordinary', asked) }
  }

  /** The same, and without a plan. */
  async all(asked: Asked): Promise<Record<Way, Executed>> {
    return { ...(await this.both(asked)), alone: await this.run('alone', asked) }
  }

  async close(): Promise<void> {
    for (const executor of Object.values(this.ways)) await executor.close()
  }
}
