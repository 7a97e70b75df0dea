import { createYoga, type YogaInitialContext } from 'graphql-yoga'
import type { GraphContext } from '../graph/context.js'
import { Manners } from '../graph/manners.js'
import { Operation, type Upstream } from '../graph/operation.js'
import { Planner } from '../graph/plan.js'
import { graphSchema } from '../graph/schema.js'
import { priceTypeTable } from '../resources/price-type/routes.js'
import { Client } from '../rest/client.js'
import { LmsError, UnavailableError } from '../rest/errors.js'
import { type OnRepair, Projections } from '../rest/records.js'
import { defineSite, type Site } from '../rest/site.js'
import { type Call, Transport } from '../rest/transport.js'
import { masking } from './errors.js'
import { useBodyLimit } from './plugins/use-body-limit.js'
import { type GraphiQLUser, useGraphiQL } from './plugins/use-graphiql.js'
import { useHealth } from './plugins/use-health.js'
import { usePlanning } from './plugins/use-planning.js'

export interface GatewayOptions {
  /** REST root of the site, or a full description of it. */
  readonly upstream: string | Site
  /** REST calls at a time, over all callers. 4 by default. */
  readonly maxInFlight?: number
  /** Milliseconds for the headers of an answer and each pause in its body, 20,000 by default; and for a connection, 5,000. */
  readonly timeout?: number
  readonly connectTimeout?: number
  /** Largest answer of the site in bytes, 20,000,000 by default. */
  readonly maxResponseBytes?: number
  /** Whether identical reads in flight with the same credentials are one call. True by default. */
  readonly shareReads?: boolean
  /** Largest body of a request to the gateway in bytes, 1,000,000 by default. */
  readonly maxBodyBytes?: number
  /** Largest `first` and `last` of a list, 1,000 by default. */
  readonly maxRows?: number
  /** Users GraphiQL offers to sign in as. None by default; meant for the embedded LMS only. */
  readonly users?: readonly GraphiQLUser[]
  /** Told of each REST call when it has ended. */
  readonly onCall?: (call: Call) => void
  /** Told of each value the site sent that could not be decoded; it has become null. */
  readonly onRepair?: OnRepair
  /** Told of each fault of the gateway itself, whose text clients never see. `console.error` by default. */
  readonly onFault?: (fault: unknown) => void
}

/** A gateway without a socket: `fetch` answers requests, `handle` is for `http.createServer`. */
export interface Gateway {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly handle: (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void
  /** Lets running REST calls end, then closes the connections to the site. */
  close(): Promise<void>
}

/** Puts a GraphQL gateway in front of a site. */
export function createGateway(options: GatewayOptions): Gateway {
  const site = typeof options.upstream === 'string' ? defineSite(options.upstream) : options.upstream
  const transport = new Transport({
    origin: new URL(site.url).origin,
    maxInFlight: options.maxInFlight ?? 4,
    timeout: options.timeout ?? 20_000,
    connectTimeout: options.connectTimeout ?? 5_000,
    maxBytes: options.maxResponseBytes ?? 20_000_000,
    share: options.shareReads ?? true,
    onCall: options.onCall,
  })
  const client = new Client(site, transport)
  const upstream: Upstream = {
    client,
    projections: new Projections(site, options.onRepair),
    manners: new Manners(),
    limits: { rows: options.maxRows ?? 1_000 },
  }
  const schema = graphSchema()
  const planner = new Planner(schema)
  const yoga = createYoga({
    schema,
    context: ({ request }: YogaInitialContext): GraphContext => ({ operation: operationFor(upstream, request), planner }),
    maskedErrors: { maskError: masking(options.onFault ?? console.error) },
    logging: false,
    landingPage: false,
    graphiql: false,
    multipart: false,
    // Ours costs nothing where the length is known.
    maxRequestBodySize: false,
    healthCheckEndpoint: '/health/live',
    plugins: [
      useBodyLimit({ bytes: options.maxBodyBytes ?? 1_000_000 }),
      // Answers pages before GraphQL sees them.
      useGraphiQL({ users: options.users ?? [] }),
      useHealth({ ready: () => isReady(client) }),
      // Runs queries: fetches ahead, then resolves.
      usePlanning(),
    ],
  })
  return {
    fetch: async (input, init) => yoga.fetch(input as string, init as RequestInit),
    handle: yoga as unknown as Gateway['handle'],
    close: () => transport.close(),
  }
}

function operationFor(upstream: Upstream, request: Request): Operation {
  const authorization = request.headers.get('authorization')
  return new Operation(upstream, { authorization, caller: authorization ?? '', operation: {}, signal: request.signal })
}

/** Any answer of the site will do, even a refusal, but not a 5xx. */
async function isReady(client: Client): Promise<boolean> {
  try {
    await client.list(priceTypeTable, {}, {}, { authorization: null, caller: 'health', operation: {} })
    return true
  } catch (error) {
    return error instanceof LmsError && error.upstream !== undefined && !(error instanceof UnavailableError)
  }
}
