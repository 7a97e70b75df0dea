import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where a server listens. */
export interface Address {
  /** Without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
}

/** Lets a server listen on a host and port. Rejects when it cannot; `failure` is the start of the message. */
export function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  failure: string,
): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is already in use: set another one, or 0 for any free one' : error.message
      reject(new Error(`${failure} on ${host}:${port}: ${why}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo
      resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound })
    })
  })
}
