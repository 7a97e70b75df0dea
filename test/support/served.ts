import { type StartedGateway, startGateway } from '../../src/index.js'
import type { StartOptions } from '../../src/start.js'

/** A gateway over HTTP. */
export interface Served extends StartedGateway {
  /** Sends a GraphQL request as JSON. */
  post(request: object, headers?: Readonly<Record<string, string>>, init?: RequestInit): Promise<Response>
}

/** Whether gateways have the fast JSON path; the suites about HTTP run with and without it. */
export const shortPath = process.env.SHORT_PATH !== 'false'

/** Starts a gateway on a free port. */
export async function serve(options: StartOptions): Promise<Served> {
  const gateway = await startGateway({ port: 0, shortPath, ...options })
  const post: Served['post'] = (request, headers, init) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'application/graphql-response+json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(request),
      ...init,
    })
  return { ...gateway, post }
}
