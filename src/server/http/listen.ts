import { createServer, type RequestListener, type Server } from 'node:http'
import { type Address, listenOn } from '../../listening.js'
import type { Emitter } from '../../upstream/events.js'
import { answerBrokenRequests } from './broken-requests.js'
import { Drain, type DrainOptions } from './drain.js'
import { type ConnectionLimits, ServerConnections, type ServerEvents } from './server-connections.js'

/** Time limits for clients in milliseconds, and limits of their number. */
export interface SocketOptions extends DrainOptions, ConnectionLimits {
  /** For the whole request. */
  readonly requestTimeout: number
  /** For the headers of a request, from the connection or its first byte on: half of `requestTimeout` by default. */
  readonly headersTimeout?: number | undefined
  /** Without a byte in either direction, between and during requests: two minutes by default, longer than proxies keep idle connections. */
  readonly idleTimeout?: number | undefined
}

export interface Listening extends Address {
  /** Stops accepting connections, answers running requests, and closes the rest after `drainTimeout`. */
  close(): Promise<void>
}

/** Serves HTTP on a host and port. Rejects when it cannot listen there. */
export async function listen(
  handle: RequestListener,
  options: SocketOptions & { host: string; port: number },
  events?: Emitter<ServerEvents>,
): Promise<Listening> {
  const server = serverOf(options)
  const connections = new ServerConnections(server, options, events)
  const drain = new Drain(connections, options)
  answerBrokenRequests(server, (socket) => connections.pending(socket))
  server.on('request', handle)
  // Requests with an unknown `Expect`; `HeadCheck` refuses them.
  server.on('checkExpectation', handle)
  return { ...(await listenOn(server, options, 'The gateway cannot listen')), close: () => drain.end() }
}

function serverOf({ requestTimeout, headersTimeout = requestTimeout / 2, idleTimeout = 120_000 }: SocketOptions): Server {
  const timing = {
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(Math.min(headersTimeout, requestTimeout) / 4)),
    keepAliveTimeout: Math.min(65_000, idleTimeout),
  }
  // `HeadCheck` refuses requests without `Host`, in the form of all other errors.
  const server = createServer({ ...timing, requireHostHeader: false })
  server.setTimeout(idleTimeout)
  return server
}
