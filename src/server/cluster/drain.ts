import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface DrainOptions {
  /** Milliseconds after which idle connections are closed. 0 by default. */
  readonly linger?: number | undefined
  /** Milliseconds after which all other connections are closed, 10,000 by default. */
  readonly drainTimeout?: number | undefined
}

/** A connection and its open responses. It is emptied when the connection closes: a set may keep removed items in memory for a while. */
interface Connection {
  socket: Socket | undefined
  /** Oldest first. */
  readonly responses: ServerResponse[]
  /** The response with `Connection: close`. */
  last: ServerResponse | undefined
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
  private readonly connections = new Set<Connection>()
  private readonly bySocket = new WeakMap<Duplex, Connection>()
  private refusing: Promise<void> | undefined
  private closed: Promise<void> | undefined
  private leaving = false
  /** The time of the last event after which clients may still send requests. */
  private since = 0

  constructor(
    private readonly server: Server,
    private readonly options: DrainOptions & { readonly maxConnections: number },
  ) {
    // `server.maxConnections` does not fit: workers would hand refused connections to each other endlessly.
    server.on('connection', (socket) => {
      if (this.connections.size >= options.maxConnections) return void socket.destroy()
      this.connect(socket)
    })
    server.on('request', (_, response) => this.begin(response))
    server.on('checkExpectation', (_, response) => this.begin(response))
  }

  /** The oldest response on a connection that has not been sent completely. */
  pending(socket: Duplex): ServerResponse | undefined {
    return this.bySocket.get(socket)?.responses.find(({ writableFinished }) => !writableFinished)
  }

  /** Stops accepting connections. Those that were made before are accepted, and all stay open. */
  refuse(): Promise<void> {
    this.refusing ??= new Promise((resolve) => {
      this.closed = new Promise((closed) => this.server.once('close', closed))
      // Waits for connections that this turn of the event loop accepts. `close` of `net` leaves idle connections open, unlike that of
      // `http`: a request may be under way on them.
      setImmediate(() => {
        // The servers of Bun are not servers of `net`.
        if (this.server instanceof NetServer) NetServer.prototype.close.call(this.server)
        else (this.server as Server).close()
        resolve()
      })
    })
    return this.refusing
  }

  /** Answers running requests, and those that still arrive on open connections; resolves when all connections are closed. */
  async end(): Promise<void> {
    const { drainTimeout = 10_000 } = this.options
    await this.refuse()
    this.leaving = true
    this.since = performance.now()
    for (const connection of this.connections) this.markLast(connection)
    const force = setTimeout(() => this.closeWhere(() => true), drainTimeout)
    // `setImmediate`: after the data that has arrived was read.
    const sweep = setInterval(() => setImmediate(() => this.sweep()), SWEEP)
    this.sweep()
    await this.closed
    clearTimeout(force)
    clearInterval(sweep)
    // Stops the timer of `http` for slow requests.
    this.server.close()
  }

  private connect(socket: Socket): void {
    const connection: Connection = { socket, responses: [], last: undefined }
    this.connections.add(connection)
    this.bySocket.set(socket, connection)
    socket.once('close', () => {
      this.connections.delete(connection)
      connection.socket = connection.last = undefined
      connection.responses.length = 0
    })
  }

  private begin(response: ServerResponse): void {
    const connection = this.bySocket.get(response.req.socket)
    if (!connection) return
    const { responses } = connection
    responses.push(response)
    if (this.leaving) this.markLast(connection)
    response.on('close', () => {
      const index = responses.indexOf(response)
      if (index !== -1) responses.splice(index, 1)
      // Its head was sent before the draining began, so the client may send another request.
      if (this.leaving && response.shouldKeepAlive) this.since = performance.now()
    })
  }

  private markLast(connection: Connection): void {
    const { responses, last } = connection
    const latest = responses.at(-1)
    if (!latest || latest.headersSent || !latest.shouldKeepAlive) return
    // Node does not answer pipelined requests behind a response with `Connection: close`.
    if (last && !last.headersSent) last.shouldKeepAlive = true
    latest.shouldKeepAlive = false
    connection.last = latest
  }

  private sweep(): void {
    const silent = performance.now() - this.since - (this.options.linger ?? 0)
    if (silent < 0) return
    this.server.closeIdleConnections()
    if (silent >= FIRST_BYTE) this.closeWhere(({ bytesRead }) => bytesRead === 0)
  }

  private closeWhere(isDue: (socket: Socket) => boolean): void {
    for (const { socket } of this.connections) if (socket && isDue(socket)) socket.destroy()
  }
}
