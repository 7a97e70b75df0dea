import { assembleGateway } from './gateway.js'
import { type Checks, checkOptions, wholeNumber } from './checks.js'
import { GATEWAY_CHECKS, type GatewayOptions } from './server/gateway-options.js'
import { listen, type SocketOptions } from './server/http/listen.js'
import { serveMetrics } from './server/metrics/exposition.js'
import { asSettings } from './settings/option-checks.js'

/** The options of a gateway, and its address. */
export interface StartOptions extends GatewayOptions, SocketOptions {
  /** 4000 by default; 0 takes a free port. */
  readonly port?: number
  /** `127.0.0.1` by default. */
  readonly host?: string
  /** Port of its own for the metrics, which are then not served beside GraphQL; 0 takes a free port. None by default. */
  readonly metricsPort?: number | undefined
  /** Host of this port; that of the gateway by default. */
  readonly metricsHost?: string | undefined
}

export interface StartedGateway {
  /** Address without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Address of the metrics when they have a port of their own. */
  readonly metricsUrl: string | undefined
  /**
   * Stops accepting connections, answers running requests, closes the rest after `drainTimeout`, then the connections to the site.
   * `/health/ready` is 503 from its call on.
   */
  close(): Promise<void>
}

const CHECKS: Checks<StartOptions> = {
  ...GATEWAY_CHECKS,
  ...asSettings(
    'port',
    'host',
    'metricsPort',
    'metricsHost',
    'headersTimeout',
    'requestTimeout',
    'idleTimeout',
    'maxConnections',
    'maxConnectionsPerAddress',
    'drainTimeout',
  ),
  linger: wholeNumber(0, 3_600_000),
}

/** Starts a gateway on a host and port. Rejects when an option is wrong, and when it cannot listen there. */
export async function startGateway(options: StartOptions): Promise<StartedGateway> {
  checkOptions('startGateway', options, CHECKS, 'upstream')
  let isLeaving = false
  const { port: wanted = 4000, host = '127.0.0.1', metricsPort, metricsHost = host } = options
  const own = metricsPort === undefined ? undefined : { metrics: true, metricsRoute: false }
  const gateway = assembleGateway('startGateway', { ...options, ...own, isLeaving: () => isLeaving || options.isLeaving?.() === true })
  const opened: { close(): Promise<void> }[] = [gateway]
  const open = async <Opened extends { close(): Promise<void> }>(opening: Promise<Opened>): Promise<Opened> => {
    try {
      const each = await opening
      opened.push(each)
      return each
    } catch (error) {
      for (const each of opened.reverse()) await each.close()
      throw error
    }
  }
  const metrics =
    metricsPort === undefined ? undefined : await open(serveMetrics(gateway.metrics, { port: metricsPort, host: metricsHost }))
  const { url, port, close } = await open(listen(gateway.handle, { ...options, port: wanted, host }, gateway.events))
  return {
    url,
    port,
    metricsUrl: metrics?.url,
    close: async () => {
      isLeaving = true
      await close()
      await gateway.close()
      // Last, so that the end can be observed.
      await metrics?.close()
    },
  }
}
