import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Emitter } from '../../upstream/events.js'
import type { MemoryBudget } from '../../upstream/transport/memory.js'
import { plainAddress } from '../auth/client-address.js'
import { bytesLeft } from './responses.js'
import type { ServerEvents } from './server-connections.js'

export interface ClientsOptions {
  /** Milliseconds without progress in sending after which a client is disconnected. */
  readonly writeTimeout: number
  readonly memory: MemoryBudget
  readonly events: Emitter<ClientEvents>
}

export interface ClientEvents extends ServerEvents {
  /** A client was disconnected because it did not read its response. */
  readonly clientStalled: [stalled: StalledClient]
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

/** A request on a connection. */
interface FollowedRequest {
  start(): void
  /** `bytes` is the size of the response with its headers. */
  ended(bytes: number): void
  readonly memory: { readonly isRefused: boolean }
}

interface Connection {
  /** Open responses. */
  readonly responses: ServerResponse[]
  /** Starts the requests that wait until earlier ones on the connection are answered. */
  readonly waiting: (() => void)[]
  /** Whether no more is read from it. */
  isPaused: boolean
  /** Bytes of the responses that have ended. */
  written: number
  /** Bytes sent so far, and the time since which there were no more; 0 while nothing is to be sent. */
  sent: number
  since: number
}

/** Milliseconds a client may stop reading while memory is short. */
const SHORT_PAUSE = 2_000
/** Requests of one connection that are answered at the same time. Further ones wait, and no more are read. */
const MOST_STARTED = 32

/**
 * The connections of clients. One timer for all of them disconnects clients that have stopped reading; while memory is short, after a shorter
 * pause. A client that pipelines is read only as fast as it is answered, and is disconnected while memory is short.
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

  /**
   * Follows a request. Starts it, at the latest when most of the earlier ones on its connection are answered. Calls `ended` once, when the response
   * has been sent or its connection is closed.
   */
  follow({ socket }: IncomingMessage, response: ServerResponse, { start, ended, memory }: FollowedRequest): void {
    const connection = this.connections.get(socket) ?? this.connect(socket)
    const { responses, waiting } = connection
    responses.push(response)
    const before = socket.bytesWritten
    response.on('close', () => {
      const at = responses.indexOf(response)
      if (at === -1) return
      if (at === responses.length - 1) responses.pop()
      else responses.splice(at, 1)
      // Frameworks may send other responses on the connection, and pipelined requests arrive before earlier responses are sent.
      const from = Math.max(before, connection.written)
      connection.written = socket.bytesWritten
      ended(connection.written - from)
      if (connection.isPaused) this.proceed(socket, connection)
    })
    if (responses.length > 1 && memory.isRefused) this.disconnectPipelining(socket)
    else if (responses.length <= MOST_STARTED && waiting.length === 0) start()
    else {
      waiting.push(start)
      connection.isPaused = true
      socket.pause()
    }
  }

  private disconnectPipelining(socket: Socket): void {
    if (socket.destroyed) return
    this.options.events.emit('connectionClosed', 'pipelined', plainAddress(socket.remoteAddress ?? ''))
    socket.destroy()
  }

  /** Starts the next request that waits, or reads on. */
  private proceed(socket: Socket, connection: Connection): void {
    const start = connection.waiting.shift()
    // Not within the end of another request: each may be answered at once.
    if (start) return void setImmediate(() => socket.destroyed || start())
    if (connection.responses.length > MOST_STARTED / 2) return
    connection.isPaused = false
    socket.resume()
  }

  private connect(socket: Socket): Connection {
    const connection: Connection = { responses: [], waiting: [], isPaused: false, written: 0, sent: 0, since: 0 }
    this.connections.set(socket, connection)
    socket.once('close', () => this.disconnected(socket, connection))
    // Node.js resumes a socket to read the body of a request.
    socket.on('resume', () => connection.isPaused && socket.pause())
    this.timer ??= setInterval(() => this.sweep(), Math.min(1_000, Math.ceil(this.options.writeTimeout / 4))).unref()
    return connection
  }

  private disconnected(socket: Socket, { responses, waiting }: Connection): void {
    this.connections.delete(socket)
    waiting.length = 0
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
      if (isShort && connection.responses.length > 1) {
        this.disconnectPipelining(socket)
        continue
      }
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
    this.options.events.emit('clientStalled', stalled)
  }
}
