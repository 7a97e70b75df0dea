import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Drain, type DrainOptions } from '../cluster/drain.js'
import { answerBrokenRequests } from './broken-requests.js'

/** How long clients may take, in milliseconds, and how many there may be. */
export interface SocketOptions extends DrainOptions {
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
  /** Accepts no more connections, and goes on answering on those there are. */
  refuse(): Promise<void>
  /** Accepts no more connections, lets running requests end, and after `drainTimeout` ends them. */
  close(): Promise<void>
}

/** Serves HTTP on a host and port; rejects when the port can't be had. */
export function listen(handle: RequestListener, options: SocketOptions & { host: string; port: number }): Promise<Listening> {
  const { host, port, maxConnections = 10_000 } = options
  const server = serverOf(options)
  const drain = new Drain(server, { ...options, maxConnections })
  server.on('request', handle)
  // With an odd `Expect`: refused like all that is wrong with a head.
  server.on('checkExpectation', handle)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is already in use' : error.message
      reject(new Error(`The gateway cannot listen on ${host}:${port}: ${why}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      const { port } = server.address() as AddressInfo
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${port}`, port, refuse: () => drain.refuse(), close: () => drain.end() })
    })
  })
}

function serverOf({ headersTimeout = 10_000, requestTimeout = 20_000, idleTimeout = 120_000 }: SocketOptions): Server {
  const timing = {
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(Math.min(headersTimeout, requestTimeout) / 4)),
    keepAliveTimeout: Math.min(65_000, idleTimeout),
  }
  // A request without `Host` is answered by the gateway, as all that is wrong with a request.
  const server = createServer({ ...timing, requireHostHeader: false })
  server.setTimeout(idleTimeout)
  answerBrokenRequests(server)
  return server
}
