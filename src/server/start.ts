import { type Checks, checkOptions, wholeNumber } from '../options.js'
import { asSettings } from '../settings/option-checks.js'
import { assembleGateway } from './gateway.js'
import { GATEWAY_CHECKS, GATEWAY_INSTEAD, type GatewayOptions } from './gateway-options.js'
import { listen, type SocketOptions } from './http/listen.js'

export { subgraphOf } from '../federation/subgraph.js'
export { graphSchema } from '../schema/graph.js'
export { refusedFilterNotice } from './site-checks.js'
export { unknownNamesOf } from './site-names.js'

/** The options of a gateway, and its address. */
export interface StartOptions extends GatewayOptions, SocketOptions {
  /** 4000 by default; 0 takes a free port. */
  readonly port?: number
  /** `127.0.0.1` by default. */
  readonly host?: string
}

export interface StartedGateway {
  /** Address without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Stops accepting connections, and keeps answering on open ones. `/health/ready` is 503 from then on. */
  refuse(): Promise<void>
  /** Stops accepting connections, answers running requests, closes the rest after `drainTimeout`, then the connections to the site. */
  close(): Promise<void>
}

const CHECKS: Checks<StartOptions> = {
  ...GATEWAY_CHECKS,
  ...asSettings('port', 'host', 'headersTimeout', 'requestTimeout', 'idleTimeout', 'maxConnections', 'drainTimeout'),
  linger: wholeNumber(0, 3_600_000),
}

/** Starts a gateway on a host and port. Rejects when an option is wrong, and when it cannot listen there. */
export async function startGateway(options: StartOptions): Promise<StartedGateway> {
  checkOptions('startGateway', options, CHECKS, GATEWAY_INSTEAD)
  let isLeaving = false
  const gateway = assembleGateway('startGateway', { ...options, isLeaving: () => isLeaving || options.isLeaving?.() === true })
  const listening = { ...options, port: options.port ?? 4000, host: options.host ?? '127.0.0.1' }
  const { url, port, refuse, close } = await listen(gateway.handle, listening).catch(async (error) => {
    await gateway.close()
    throw error
  })
  return {
    url,
    port,
    refuse: () => {
      isLeaving = true
      return refuse()
    },
    close: async () => {
      isLeaving = true
      await close()
      await gateway.close()
    },
  }
}
