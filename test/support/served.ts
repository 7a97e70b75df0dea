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

/** Options of a gateway that trusts the programs of this machine as proxies: it takes the ids and traces of their requests. */
export const BEHIND_PROXY = { http: { trustedProxies: ['127.0.0.1'] } } as const

/** Creates a gateway without a socket. */
export const create = ({ tuning, ...options }: TunedOptions): Gateway => createTuned(options, tuning)

/** Starts a gateway on a free port. */
export async function serve(options: TunedOptions): Promise<Served> {
  const { site } = options.tuning ?? {}
  const { tuning, ...given } = merged({ http: { port: 0 }, site: { url: site?.url }, tuning: { shortPath } }, options)
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
