import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

export interface DrainOptions {
  /** Milliseconds after which connections that say nothing more are closed. 0 by default: at once. */
  readonly linger?: number | undefined
  /** Milliseconds after which all others are closed too, 10,000 by default. */
  readonly drainTimeout?: number | undefined
}

/**
 * A connection and its answers that are not over. Emptied when it is closed: the tables that a set has outgrown keep what they held, and
 * all that hangs on that, until the next full collection.
 */
interface Connection {
  socket: Socket | undefined
  /** The answer to its latest request. */
  latest: ServerResponse | undefined
  /** The answer that says that it is the last. */
  last: ServerResponse | undefined
}

/** Milliseconds between looks at what is still open. */
const SWEEP = 50
/** Milliseconds a new connection has for its first byte, beyond those of all. */
const FIRST_BYTE = 250

/**
 * Ends a server without losing a request. Clients reuse connections, and can't know that one is about to be closed unless an answer
 * has said so: the last one on each does, and only those that stay silent are closed without.
 */
export class Drain {
  private readonly connections = new Set<Connection>()
  private readonly bySocket = new WeakMap<Socket, Connection>()
  private refusing: Promise<void> | undefined
  private closed: Promise<void> | undefined
  private leaving = false
  /** Since when clients can have known of it. */
  private since = 0

  constructor(
    private readonly server: Server,
    private readonly options: DrainOptions & { readonly maxConnections: number },
  ) {
    // Not by `server.maxConnections`: workers would hand such connections to each other without end.
    server.on('connection', (socket) => {
      if (this.connections.size >= options.maxConnections) return void socket.destroy()
      this.connect(socket)
    })
    server.on('request', (_, response) => this.begin(response))
  }

  /** Accepts no more connections; those that have been made until now are taken, and all go on as before. */
  refuse(): Promise<void> {
    this.refusing ??= new Promise((resolve) => {
      this.closed = new Promise((closed) => this.server.once('close', closed))
      // After what this turn of the event loop still accepts. That of `http` would close what is idle, and lose what is on its way.
      setImmediate(() => {
        NetServer.prototype.close.call(this.server)
        resolve()
      })
    })
    return this.refusing
  }

  /** Lets running requests end, and those that still come in on connections there are; resolves when nothing is open any more. */
  async end(): Promise<void> {
    const { drainTimeout = 10_000 } = this.options
    await this.refuse()
    this.leaving = true
    this.since = performance.now()
    for (const connection of this.connections) this.markLast(connection)
    const force = setTimeout(() => this.closeWhere(() => true), drainTimeout)
    // Only after what has come in meanwhile was read.
    const sweep = setInterval(() => setImmediate(() => this.sweep()), SWEEP)
    this.sweep()
    await this.closed
    clearTimeout(force)
    clearInterval(sweep)
    // For the timer by which it looks for slow requests.
    this.server.close()
  }

  private connect(socket: Socket): void {
    const connection: Connection = { socket, latest: undefined, last: undefined }
    this.connections.add(connection)
    this.bySocket.set(socket, connection)
    socket.once('close', () => {
      this.connections.delete(connection)
      connection.socket = connection.latest = connection.last = undefined
    })
  }

  private begin(response: ServerResponse): void {
    const connection = this.bySocket.get(response.req.socket)
    if (!connection) return
    connection.latest = response
    if (this.leaving) this.markLast(connection)
    response.on('close', () => {
      if (connection.latest === response) connection.latest = undefined
      // Its head was on its way before it could say so.
      if (this.leaving && response.shouldKeepAlive) this.since = performance.now()
    })
  }

  private markLast(connection: Connection): void {
    const { latest, last } = connection
    if (!latest || latest.headersSent || !latest.shouldKeepAlive) return
    // What was sent behind it without waiting would not be answered.
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
