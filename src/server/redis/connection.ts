import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { SecureContext } from 'node:tls'
import type { Cluster, Redis } from 'ioredis'
import { getOrMake } from '../../maps.js'
import { optionalPackage } from '../../optional-package.js'
import type { Options } from '../../options/table.js'
import type { Script, ScriptRunner } from '../../upstream/cache/redis-versions.js'
import type { Emitter } from '../../upstream/events.js'
import type { Log } from '../log/levels.js'

/** A connection to Redis that never keeps the gateway waiting: commands are rejected at once while it is down. */
export interface RedisConnection extends ScriptRunner {
  readonly isReady: boolean
  /** Runs a command. Rejects when the connection is down, and after the timeout. It is never sent twice. */
  command(name: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown>
  close(): Promise<void>
}

export interface RedisEvents {
  readonly redisCommandFailed: []
}

/** Milliseconds between attempts to connect again. */
const FIRST_DELAY = 50
const LONGEST_DELAY = 2_000
/** Commands without an answer in a row after which the connection is opened again. */
const MAX_SILENT = 3
/** Milliseconds in which the connection has to be opened. */
const CONNECT_TIMEOUT = 5_000
/** Milliseconds between two lines about a lost connection. */
const PAUSE = 10_000

/** Addresses of Redis or Valkey, and whether they are nodes of a cluster. */
interface RedisOptions extends Pick<Options['redis'], 'url' | 'cluster'> {
  /** Milliseconds for a command: a read then goes to the site, which takes as long as this or less. */
  readonly timeout?: number | undefined
  /** The trusted CA certificates. When undefined, those of Node.js are trusted. */
  readonly trust?: SecureContext | undefined
}

const TIMEOUT = 500

/** Opens a connection. Does not wait for it. Throws an `Error` for operators when the client library is not installed. */
export const connectRedis = (options: RedisOptions, log: Log | undefined, events: Emitter<RedisEvents>): RedisConnection =>
  new Connection(options, log, events)

function createClient({ url = [], cluster, timeout = TIMEOUT, trust }: RedisOptions): Redis | Cluster {
  const { Cluster: ClusterClient, Redis: RedisClient } = optionalPackage('ioredis', 'Redis needs') as typeof import('ioredis')
  const common = {
    connectionName: 'lms-graphql',
    // Users with few rights may not send it.
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT,
    commandTimeout: timeout,
    // A command in flight when the connection breaks is rejected: it may have been run.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  }
  const urls = url.map((each) => each.reveal())
  const tls = urls[0]?.startsWith('rediss:') ? { tls: trust ? { secureContext: trust } : {} } : {}
  if (!cluster && urls.length === 1)
    return new RedisClient(urls[0] as string, { ...common, ...tls, enableOfflineQueue: false, retryStrategy: delayOf })
  const { password, username } = new URL(urls[0] as string)
  const redisOptions = { ...common, username: decodeURIComponent(username), password: decodeURIComponent(password) }
  return new ClusterClient(urls, {
    redisOptions: { ...redisOptions, ...tls },
    enableOfflineQueue: false,
    clusterRetryStrategy: delayOf,
    // A command to a node that is gone is rejected at once, and is not sent to another one.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  })
}

const delayOf = (attempt: number): number => Math.min(FIRST_DELAY * 2 ** Math.min(attempt, 10), LONGEST_DELAY)

class Connection implements RedisConnection {
  private readonly client: Redis | Cluster
  private isClosed = false
  private isLost = false
  /** Whether the loss of the connection has been logged. */
  private isLogged = false
  private loggedAt = Number.NEGATIVE_INFINITY
  private silent = 0
  private readonly digests = new Map<Script, string>()

  constructor(
    options: RedisOptions,
    private readonly log: Log | undefined,
    private readonly events: Emitter<RedisEvents>,
  ) {
    this.client = createClient(options)
    this.client.on('error', (error: Error) => this.lost(error))
    this.client.on('close', () => this.lost(undefined))
    this.client.on('ready', () => {
      if (this.isLogged) this.log?.info({}, 'Redis answers again')
      this.isLost = this.isLogged = false
      this.silent = 0
    })
  }

  get isReady(): boolean {
    return this.client.status === 'ready' && !this.isLost
  }

  async run(script: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<unknown> {
    const digest = getOrMake(this.digests, script, () => hash('sha1', script.lua))
    try {
      return await this.command('EVALSHA', digest, keys.length, ...keys, ...args)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return this.command('EVAL', script.lua, keys.length, ...keys, ...args)
    }
  }

  async command(name: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown> {
    try {
      if (!this.isReady) throw new Error('Redis is not connected.')
      const answer = await this.client.callBuffer(name, ...args)
      this.silent = 0
      return answer
    } catch (error) {
      this.failed(error as Error)
      throw error
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.client.disconnect()
  }

  private failed({ message }: Error): void {
    if (message.startsWith('NOSCRIPT')) return
    this.events.emit('redisCommandFailed')
    // A connection on which nothing arrives would make each read wait for the timeout.
    if (message === 'Command timed out' && ++this.silent >= MAX_SILENT) this.reconnect('no answers')
    // Another node has taken over, to which the address may lead by now.
    else if (message.includes('READONLY')) this.reconnect(message)
  }

  private reconnect(reason: string): void {
    if (this.isLost) return
    this.silent = 0
    this.lost(new Error(reason))
    this.client.disconnect(true)
  }

  private lost(error: Error | undefined): void {
    if (this.isClosed) return
    this.isLost = true
    const now = performance.now()
    if (this.isLogged || now - this.loggedAt < PAUSE) return
    this.loggedAt = now
    this.isLogged = true
    this.log?.warn({ ...(error && { reason: error.message }) }, 'Redis cannot be reached')
  }
}
