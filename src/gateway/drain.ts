import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

export interface DrainOptions {
  /** Milliseconds after which connections that say nothing more are closed. 0 by default: at once. */
  readonly linger?: number | undefined
  /** Milliseconds after which all others are closed too, 10,000 by default. */
  readonly drainTimeout?: number | undefined
}

/** The answers on a connection that are not over. */
interface Open {
  /** To the latest request. */
  latest: ServerResponse | undefined
  /** The one that says that it is the last. */
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
  /**
   * What is open on each connection. Not a set of all that is open: its tables, once they are old, keep alive what has long left it, and
   * all that hangs on that, until the next full collection.
   */
  private readonly connections = new Map<Socket, Open>()
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
      this.connections.set(socket, { latest: undefined, last: undefined })
      socket.once('close', () => this.connections.delete(socket))
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
    for (const connection of this.connections.values()) this.markLast(connection)
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

  private begin(response: ServerResponse): void {
    const connection = this.connections.get(response.req.socket)
    if (!connection) return
    connection.latest = response
    if (this.leaving) this.markLast(connection)
    response.on('close', () => {
      if (connection.latest === response) connection.latest = undefined
      // Its head was on its way before it could say so.
      if (this.leaving && response.shouldKeepAlive) this.since = performance.now()
    })
  }

  private markLast(connection: Open): void {
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
    for (const socket of this.connections.keys()) if (isDue(socket)) socket.destroy()
  }
}
