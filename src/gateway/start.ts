import { createGateway, type GatewayOptions } from './gateway.js'
import { listen, type SocketOptions } from './listen.js'

/** A gateway, and where it listens. */
export interface StartOptions extends GatewayOptions, SocketOptions {
  /** 4000 by default; 0 takes a free one. */
  readonly port?: number
  /** `127.0.0.1` by default. */
  readonly host?: string
}

export interface StartedGateway {
  /** Address without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Stops accepting, lets running requests end, forces the rest after ten seconds, then closes the connections to the site. */
  close(): Promise<void>
}

/** Starts a gateway on a host and port; rejects when the port can't be had. */
export async function startGateway(options: StartOptions): Promise<StartedGateway> {
  const gateway = createGateway(options)
  const { headersTimeout, requestTimeout, idleTimeout, maxConnections } = options
  const socket = {
    port: options.port ?? 4000,
    host: options.host ?? '127.0.0.1',
    headersTimeout,
    requestTimeout,
    idleTimeout,
    maxConnections,
  }
  const { url, port, close } = await listen(gateway.handle, socket).catch(async (error) => {
    await gateway.close()
    throw error
  })
  return {
    url,
    port,
    close: async () => {
      await close()
      await gateway.close()
    },
  }
}
