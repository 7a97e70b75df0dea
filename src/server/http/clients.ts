import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { MemoryBudget } from '../../upstream/transport/memory.js'
import { bytesLeft } from './responses.js'

export interface ClientsOptions {
  /** Milliseconds without progress in sending after which a client is disconnected. */
  readonly writeTimeout: number
  readonly memory: MemoryBudget
  /** Called for each client that was disconnected. */
  readonly onStalled?: ((stalled: StalledClient) => void) | undefined
}

/** A client that has stopped reading its response. */
export interface StalledClient {
  /** Bytes that it had not read. */
  readonly unsent: number
  /** Responses that were not sent completely. */
  readonly responses: number
  /** Whether it was disconnected before `writeTimeout` because memory was short. */
  readonly early: boolean
}

/** The connections of clients at one moment. */
export interface ClientsState {
  readonly connections: number
  /** Requests that are not answered completely. */
  readonly requests: number
  /** Bytes of responses that clients have not taken. */
  readonly unsent: number
}

interface Connection {
  /** Open responses. */
  readonly responses: ServerResponse[]
  /** Bytes sent so far, and the time since which there were no more; 0 while nothing is to be sent. */
  sent: number
  since: number
}

/** Milliseconds a client may stop reading while memory is short. */
const SHORT_PAUSE = 2_000

/**
 * The connections of clients. One timer for all of them disconnects clients that have stopped reading; while memory is short, after a shorter
 * pause.
 */
export class Clients {
  private readonly connections = new Map<Socket, Connection>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: ClientsOptions) {}

  get state(): ClientsState {
    let requests = 0
    let unsent = 0
    for (const [socket, { responses }] of this.connections) {
      requests += responses.length
      unsent += socket.writableLength
      for (const response of responses) unsent += bytesLeft(response)
    }
    return { connections: this.connections.size, requests, unsent }
  }

  /** Calls back once, when the response has been sent or its connection is closed. */
  onEnd({ socket }: IncomingMessage, response: ServerResponse, ended: () => void): void {
    const { responses } = this.connections.get(socket) ?? this.connect(socket)
    responses.push(response)
    response.on('close', () => {
      const at = responses.indexOf(response)
      if (at === -1) return
      if (at === responses.length - 1) responses.pop()
      else responses.splice(at, 1)
      ended()
    })
  }

  private connect(socket: Socket): Connection {
    const connection = { responses: [] as ServerResponse[], sent: 0, since: 0 }
    this.connections.set(socket, connection)
    socket.once('close', () => this.disconnected(socket, connection))
    this.timer ??= setInterval(() => this.sweep(), Math.min(1_000, Math.ceil(this.options.writeTimeout / 4))).unref()
    return connection
  }

  private disconnected(socket: Socket, { responses }: Connection): void {
    this.connections.delete(socket)
    if (this.connections.size === 0) {
      clearInterval(this.timer)
      this.timer = undefined
    }
    // Node emits `close` for the response that is being sent, but not for those of pipelined requests behind it.
    if (responses.length > 0)
      setImmediate(() => {
        for (const response of [...responses]) response.emit('close')
      })
  }

  private sweep(): void {
    const now = performance.now()
    const { writeTimeout, memory } = this.options
    const isShort = memory.isBusy
    const pause = isShort ? Math.min(SHORT_PAUSE, writeTimeout) : writeTimeout
    for (const [socket, connection] of this.connections) {
      const unsent = socket.writableLength
      const sent = socket.bytesWritten - unsent
      if (unsent === 0) connection.since = 0
      else if (connection.since === 0 || connection.sent !== sent) {
        connection.sent = sent
        connection.since = now
      } else if (now - connection.since >= pause) this.disconnect(socket, connection, now - connection.since < writeTimeout)
    }
  }

  private disconnect(socket: Socket, { responses }: Connection, early: boolean): void {
    const stalled = { unsent: socket.writableLength, responses: responses.length, early }
    socket.destroy()
    this.options.onStalled?.(stalled)
  }
}
