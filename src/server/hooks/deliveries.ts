import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Remembers received deliveries by signature, so that each is accepted once. */
export interface Deliveries {
  /** Records a delivery for so many seconds. False when it is recorded already. */
  claim(signature: string, seconds: number): Promise<boolean>
  /** Forgets a delivery, so that it may be sent again. */
  release(signature: string): Promise<void>
}

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

/** The deliveries to this process, and with Redis those to all replicas. Without an answer of Redis, those to this process count. */
export function deliveriesOf(shared?: SharedDeliveries): Deliveries {
  const own = new OwnDeliveries()
  return shared ? new AllDeliveries(own, new RedisDeliveries(shared)) : own
}

/** Deliveries that a process remembers. Only senders that know the secret can displace others. */
const MOST = 10_000

class OwnDeliveries implements Deliveries {
  private readonly recorded = new LRUCache<string, true>({ max: MOST })

  async claim(signature: string, seconds: number): Promise<boolean> {
    if (this.recorded.has(signature)) return false
    this.recorded.set(signature, true, { ttl: seconds * 1000 })
    return true
  }

  async release(signature: string): Promise<void> {
    this.recorded.delete(signature)
  }
}

class RedisDeliveries implements Deliveries {
  constructor(private readonly shared: SharedDeliveries) {}

  async claim(signature: string, seconds: number): Promise<boolean> {
    const { redis } = this.shared
    const key = await this.keyOf(signature)
    const mark = randomUUID()
    if ((await redis.command('SET', key, mark, 'NX', 'EX', seconds)) !== null) return true
    // A command may arrive twice, for example through a proxy. The key has the mark of this claim then.
    return String(await redis.command('GET', key)) === mark
  }

  async release(signature: string): Promise<void> {
    await this.shared.redis.command('DEL', await this.keyOf(signature))
  }

  private async keyOf(signature: string): Promise<string> {
    return `${await this.shared.prefix()}hook:${signature}`
  }
}

class AllDeliveries implements Deliveries {
  constructor(
    private readonly own: Deliveries,
    private readonly shared: Deliveries,
  ) {}

  async claim(signature: string, seconds: number): Promise<boolean> {
    if (!(await this.own.claim(signature, seconds))) return false
    return this.shared.claim(signature, seconds).catch(() => true)
  }

  async release(signature: string): Promise<void> {
    await this.own.release(signature)
    await this.shared.release(signature).catch(() => {})
  }
}
