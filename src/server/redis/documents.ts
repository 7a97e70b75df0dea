import type { SharedDocuments } from '../limits/persisted.js'
import type { RedisConnection } from './connection.js'

/** Seconds for which a document is kept after its last use. */
const KEEP = 86_400

/** Persisted documents in Redis. */
export class RedisDocuments implements SharedDocuments {
  constructor(
    private readonly redis: Pick<RedisConnection, 'command'>,
    /** Start of the keys. */
    private readonly prefix: string,
  ) {}

  async get(name: string): Promise<string | undefined> {
    const text = await this.redis.command('GETEX', this.key(name), 'EX', KEEP)
    return Buffer.isBuffer(text) ? text.toString() : undefined
  }

  set(name: string, text: string): void {
    this.redis.command('SET', this.key(name), text, 'EX', KEEP).catch(() => {})
  }

  private key(name: string): string {
    return `${this.prefix}:document:${name}`
  }
}
