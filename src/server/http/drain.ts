import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Connection, ServerConnections } from './server-connections.js'

export interface DrainOptions {
  /** Milliseconds after which idle connections are closed. 0 by default. */
  readonly linger?: number | undefined
  /** Milliseconds after which all other connections are closed. */
  readonly drainTimeout: number
}

/** Milliseconds between checks for connections that can be closed. */
const SWEEP = 50
/** Additional milliseconds that a new connection has for its first byte. */
const FIRST_BYTE = 250

/**
 * Closes a server without losing requests. Clients reuse a connection until a response has `Connection: close`. So the last response on
 * each connection has that header, and only idle connections are closed without it.
 */
export class Drain {
  /** The response with `Connection: close` of each connection. */
  private readonly last = new WeakMap<Connection, ServerResponse>()
  private ended: Promise<void> | undefined
  private leaving = false
  /** The time of the last event after which clients may still send requests. */
  private since = 0

  constructor(
    private readonly connections: ServerConnections,
    private readonly options: DrainOptions,
  ) {
    connections.onBegin = (connection) => this.leaving && this.markLast(connection)
    connections.onEnd = ({ shouldKeepAlive }) => {
      // Its head was sent before the draining began, so the client may send another request.
      if (this.leaving && shouldKeepAlive) this.since = performance.now()
    }
  }

  /**
   * Stops accepting connections. Answers the requests that run, and new requests on open connections. Resolves when all connections are
   * closed.
   */
  end(): Promise<void> {
    this.ended ??= this.drain()
    return this.ended
  }

  private async drain(): Promise<void> {
    const { drainTimeout } = this.options
    const { server } = this.connections
    const closed = new Promise((resolve) => server.once('close', resolve))
    // After connections that this turn of the event loop accepts.
    await new Promise((resolve) => setImmediate(resolve))
    // `close` of `net` leaves idle connections open, unlike that of `http`: a request may be under way on them. The servers of Bun are not
    // servers of `net`.
    if (server instanceof NetServer) NetServer.prototype.close.call(server)
    else (server as Server).close()
    this.leaving = true
    this.since = performance.now()
    for (const connection of this.connections.open) this.markLast(connection)
    const force = setTimeout(() => this.closeWhere(() => true), drainTimeout)
    // `setImmediate`: after the data that has arrived was read.
    const sweep = setInterval(() => setImmediate(() => this.sweep()), SWEEP)
    this.sweep()
    await closed
    clearTimeout(force)
    clearInterval(sweep)
    // Stops the timer of `http` for slow requests.
    server.close()
  }

  private markLast(connection: Connection): void {
    const latest = connection.responses.at(-1)
    const last = this.last.get(connection)
    if (!latest || latest.headersSent || !latest.shouldKeepAlive) return
    // Node does not answer pipelined requests behind a response with `Connection: close`.
    if (last && !last.headersSent) last.shouldKeepAlive = true
    latest.shouldKeepAlive = false
    this.last.set(connection, latest)
  }

  private sweep(): void {
    const silent = performance.now() - this.since - (this.options.linger ?? 0)
    if (silent < 0) return
    this.connections.server.closeIdleConnections()
    if (silent >= FIRST_BYTE) this.closeWhere(({ bytesRead }) => bytesRead === 0)
  }

  private closeWhere(isDue: (socket: Socket) => boolean): void {
    for (const { socket } of this.connections.open) if (socket && isDue(socket)) socket.destroy()
  }
}
