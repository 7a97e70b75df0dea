import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import type { Emitter } from '../../upstream/events.js'
import { inRanges, isProxied, networkOf, plainAddress } from '../auth/client-address.js'

export interface ConnectionLimits {
  /** Connections at a time. The one that has been idle longest is closed for a new one. */
  readonly maxConnections: number
  /** Of one address, or one /64 network of IPv6: a tenth by default, so that no address has them all. Further ones are closed immediately. */
  readonly maxConnectionsPerAddress?: number | undefined
  /** Addresses and networks without that limit. Private addresses that send `X-Forwarded-For` have no limit either. */
  readonly trustedProxies: readonly string[]
}

/**
 * Why a connection was closed: another one needed its place, all others were in use, its address has too many, or it has many unanswered requests
 * while memory is short.
 */
export const CLOSED_FOR = ['idle', 'full', 'address', 'pipelined'] as const
export type ClosedFor = (typeof CLOSED_FOR)[number]

export interface ServerEvents {
  /** The limits of the server have closed a connection of a client. */
  readonly connectionClosed: [reason: ClosedFor, address: string]
}

/** A connection and its open responses. It is emptied when the connection closes: a set may keep removed items in memory for a while. */
export interface Connection {
  socket: Socket | undefined
  readonly address: string
  /** Oldest first. */
  readonly responses: ServerResponse[]
  /** When its last response ended, or it was made. */
  since: number
}

/** The connections of a server, within limits, and their open responses. */
export class ServerConnections {
  readonly open = new Set<Connection>()
  /** Called when a response begins and when it ends. */
  onBegin: ((connection: Connection) => void) | undefined
  onEnd: ((response: ServerResponse) => void) | undefined
  private readonly bySocket = new WeakMap<Duplex, Connection>()
  private readonly perAddress = new Map<string, number>()
  /** Private addresses that pass requests of others on. */
  private readonly forwarders = new Set<string>()
  private readonly isTrusted: (address: string) => boolean

  constructor(
    readonly server: Server,
    private readonly limits: ConnectionLimits,
    private readonly events: Emitter<ServerEvents> = new EventEmitter<ServerEvents>(),
  ) {
    this.isTrusted = inRanges(limits.trustedProxies)
    // `server.maxConnections` does not fit: it refuses new connections while others are idle.
    server.on('connection', (socket) => this.connect(socket))
    server.on('request', (request, response) => this.begin(request, response))
    server.on('checkExpectation', (request, response) => this.begin(request, response))
  }

  /** The oldest response on a connection that has not been sent completely. */
  pending(socket: Duplex): ServerResponse | undefined {
    return this.bySocket.get(socket)?.responses.find(({ writableFinished }) => !writableFinished)
  }

  private connect(socket: Socket): void {
    const peer = plainAddress(socket.remoteAddress ?? '')
    const address = networkOf(peer)
    const refused = this.refusal(peer, address)
    if (refused) {
      socket.destroy()
      this.events.emit('connectionClosed', refused, address)
      return
    }
    const connection: Connection = { socket, address, responses: [], since: performance.now() }
    this.open.add(connection)
    this.bySocket.set(socket, connection)
    this.perAddress.set(address, (this.perAddress.get(address) ?? 0) + 1)
    socket.once('close', () => this.disconnected(connection))
  }

  /** Why a new connection is closed. Makes room for it when all places are taken. */
  private refusal(peer: string, address: string): ClosedFor | undefined {
    const { maxConnections, maxConnectionsPerAddress = Math.ceil(maxConnections / 10) } = this.limits
    const isFull = (this.perAddress.get(address) ?? 0) >= maxConnectionsPerAddress
    // Unix sockets have no address.
    if (isFull && peer !== '' && !this.forwarders.has(address) && !this.isTrusted(peer)) return 'address'
    if (this.open.size < maxConnections) return undefined
    let longest: Connection | undefined
    for (const each of this.open) if (each.responses.length === 0 && !(longest && longest.since <= each.since)) longest = each
    if (!longest) return 'full'
    this.events.emit('connectionClosed', 'idle', longest.address)
    // Node.js reports that a socket is closed later.
    longest.socket?.destroy()
    this.disconnected(longest)
    return undefined
  }

  private disconnected(connection: Connection): void {
    const { address } = connection
    connection.socket = undefined
    connection.responses.length = 0
    if (!this.open.delete(connection)) return
    const left = (this.perAddress.get(address) ?? 1) - 1
    if (left > 0) return void this.perAddress.set(address, left)
    this.perAddress.delete(address)
    this.forwarders.delete(address)
  }

  private begin({ socket, headers }: IncomingMessage, response: ServerResponse): void {
    const connection = this.bySocket.get(socket)
    if (!connection) return
    const { responses, address } = connection
    if (!this.forwarders.has(address) && isProxied(plainAddress(socket.remoteAddress ?? ''), headers['x-forwarded-for']))
      this.forwarders.add(address)
    responses.push(response)
    this.onBegin?.(connection)
    response.on('close', () => {
      const index = responses.indexOf(response)
      if (index !== -1) responses.splice(index, 1)
      connection.since = performance.now()
      this.onEnd?.(response)
    })
  }
}
