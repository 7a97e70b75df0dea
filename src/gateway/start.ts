import { createGateway, type GatewayOptions } from './gateway.js'
import { listen } from './listen.js'

export interface StartedGateway {
  /** Address without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Stops accepting, lets running requests end, forces the rest after ten seconds, then closes the connections to the site. */
  close(): Promise<void>
}

/** Starts a gateway on a host and port; rejects when the port can't be had. */
export async function startGateway(options: GatewayOptions & { readonly port?: number; readonly host?: string }): Promise<StartedGateway> {
  const gateway = createGateway(options)
  const { url, port, close } = await listen(gateway.handle, { port: options.port ?? 4000, host: options.host ?? '127.0.0.1' }).catch(
    async (error) => {
      await gateway.close()
      throw error
    },
  )
  return {
    url,
    port,
    close: async () => {
      await close()
      await gateway.close()
    },
  }
}
