import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerBrokenRequests } from './broken-requests.js'

/** How long clients may take, in milliseconds, and how many there may be. */
export interface SocketOptions {
  /** Until the headers of a request are there, 10,000 by default; counted from the connection, or the first byte after another request. */
  readonly headersTimeout?: number | undefined
  /** Until the request is there whole, 20,000 by default. */
  readonly requestTimeout?: number | undefined
  /** Without a byte either way, while a request is waited for or answered, 120,000 by default. */
  readonly idleTimeout?: number | undefined
  /** Connections at a time, 10,000 by default; others are closed at once. */
  readonly maxConnections?: number | undefined
}

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
  { host, port, grace = 10_000, ...socket }: SocketOptions & { host: string; port: number; grace?: number },
): Promise<Listening> {
  const server = serverOf(handle, socket)
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

function serverOf(handle: RequestListener, options: SocketOptions): Server {
  const { headersTimeout = 10_000, requestTimeout = 20_000, idleTimeout = 120_000, maxConnections = 10_000 } = options
  const timing = {
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(Math.min(headersTimeout, requestTimeout) / 4)),
    keepAliveTimeout: Math.min(65_000, idleTimeout),
  }
  // A request without `Host` is answered by the gateway, as all that is wrong with a request.
  const server = createServer({ ...timing, requireHostHeader: false }, handle)
  server.maxConnections = maxConnections
  server.setTimeout(idleTimeout)
  answerBrokenRequests(server)
  // With an odd `Expect`: refused like all that is wrong with a head.
  server.on('checkExpectation', handle)
  return server
}

function drain(server: Server, grace: number): Promise<void> {
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
