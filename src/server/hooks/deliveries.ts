import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Sends a command to Redis. Rejects when Redis cannot be reached. */
export interface RedisCommands {
  command(name: string, ...args: (string | number)[]): Promise<unknown>
}

/** Deliveries to all replicas. */
export interface SharedDeliveries {
  readonly redis: RedisCommands
  /** Returns the beginning of the keys. Rejects while it is not known. */
  readonly prefix: () => string | Promise<string>
}

/** Deliveries that a process remembers. Only senders that know the secret can displace others. */
const MOST = 10_000

/**
 * Remembers received deliveries by signature, so that each is accepted once: those to this process, and with Redis those to all replicas. Without an
 * answer of Redis, those to this process count.
 */
export class Deliveries {
  private readonly own = new LRUCache<string, true>({ max: MOST })

  constructor(private readonly shared?: SharedDeliveries) {}

  /** Records a delivery for so many seconds. False when it is recorded already. */
  async claim(signature: string, seconds: number): Promise<boolean> {
    if (this.own.has(signature)) return false
    this.own.set(signature, true, { ttl: seconds * 1000 })
    return this.shared === undefined || claimShared(this.shared, signature, seconds).catch(() => true)
  }

  /** Forgets a delivery, so that it may be sent again. */
  async release(signature: string): Promise<void> {
    this.own.delete(signature)
    if (this.shared) await releaseShared(this.shared, signature).catch(() => {})
  }
}

async function claimShared({ redis, prefix }: SharedDeliveries, signature: string, seconds: number): Promise<boolean> {
  const key = keyOf(await prefix(), signature)
  const mark = randomUUID()
  if ((await redis.command('SET', key, mark, 'NX', 'EX', seconds)) !== null) return true
  // A command may arrive twice, for example through a proxy. The key has the mark of this claim then.
  return String(await redis.command('GET', key)) === mark
}

async function releaseShared({ redis, prefix }: SharedDeliveries, signature: string): Promise<void> {
  await redis.command('DEL', keyOf(await prefix(), signature))
}

const keyOf = (prefix: string, signature: string): string => `${prefix}hook:${signature}`
