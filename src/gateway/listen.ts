import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  /** Address without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Stops accepting, lets running requests end, and after `grace` milliseconds ends them. */
  close(): Promise<void>
}

/** Serves HTTP on a host and port; rejects when the port can't be had. */
export function listen(
  handle: RequestListener,
  { host, port, grace = 10_000 }: { host: string; port: number; grace?: number },
): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 65_000 }, handle)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is already in use' : error.message
      reject(new Error(`The gateway cannot listen on ${host}:${port}: ${why}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      const { port } = server.address() as AddressInfo
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${port}`, port, close: () => drain(server, grace) })
    })
  })
}

function drain(server: ReturnType<typeof createServer>, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), grace)
    // A connection whose request ends later would be kept alive otherwise, and hold up the end.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    server.close(() => {
      clearTimeout(force)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}
