import { createTuned } from '../../src/gateway.js'
import type { Gateway, StartedGateway } from '../../src/index.js'
import { startTuned } from '../../src/start.js'
import { merged, type TunedOptions } from './merged.js'

/** A gateway over HTTP. */
export interface Served extends StartedGateway {
  /** Sends a GraphQL request as JSON. */
  post(request: object, headers?: Readonly<Record<string, string>>, init?: RequestInit): Promise<Response>
}

/** Whether gateways have the fast JSON path; the suites about HTTP run with and without it. */
export const shortPath = process.env.SHORT_PATH !== 'false'

/** Shares of clients without a limit: suites send more from one address than any client does. */
export const UNLIMITED = { limits: { operationsPerMinute: 0, callsPerMinute: 0, documentCostPerMinute: 0 } } as const satisfies TunedOptions

/** Creates a gateway without a socket. */
export const create = ({ tuning, ...options }: TunedOptions): Gateway => createTuned(options, tuning)

/** Starts a gateway on a free port. */
export async function serve(options: TunedOptions): Promise<Served> {
  const { site } = options.tuning ?? {}
  const { tuning, ...given } = merged({ http: { port: 0 }, site: { url: site?.url }, tuning: { shortPath } }, UNLIMITED, options)
  const gateway = await startTuned(given, tuning)
  const post: Served['post'] = (request, headers, init) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'application/graphql-response+json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(request),
      ...init,
    })
  return { ...gateway, post }
}
