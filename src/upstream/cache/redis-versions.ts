import { randomBytes } from 'node:crypto'
import type { AnswerToShare, Look, TagVersion, TagVersions } from './tag-versions.js'
import type { Tag } from './tags.js'

/** Runs Lua scripts on Redis or Valkey. Rejects when it can't be reached. */
export interface ScriptRunner {
  run(script: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<unknown>
}

/** A Lua script. It returns bulk strings, which arrive as buffers. */
export interface Script {
  readonly name: string
  readonly lua: string
}

export interface RedisVersionsOptions {
  readonly redis: ScriptRunner
  /** Returns the start of all keys. It has a hash tag, so that all keys of a site are on one node of a cluster. Rejects while it is not known. */
  readonly prefix: () => string | Promise<string>
  /** Milliseconds for which a write whose end is not known holds its tags. */
  readonly holdFor: number
}

/** Seconds for which Redis keeps a version that nobody raises. A version that is gone is replaced by a new one. */
const KEEP_VERSION = 86_400

/** Reads of one turn of the event loop, which are looked up together. */
interface Pending {
  readonly tags: Map<Tag, number>
  readonly keys: string[]
  readonly answer: Promise<readonly (Buffer | number | null)[]>
  /** When Redis is asked, by `performance.now()`. */
  askedAt: number
}

/**
 * Versions of tags and answers in Redis, shared by several gateways.
 *
 * A version consists of the epoch and a number. An epoch ends when Redis starts again, another node takes over, or the epoch is evicted:
 * versions of an older epoch are replaced, so that neither a snapshot nor a replica that lags behind brings answers back.
 */
export class RedisVersions implements TagVersions {
  private pending: Pending | undefined
  /** Names of epochs that this process may begin. */
  private readonly epochs = `e${randomBytes(12).toString('base64url')}-`
  private looks = 0

  constructor(private readonly options: RedisVersionsOptions) {}

  async look(tags: readonly Tag[], key?: string): Promise<Look> {
    this.pending ??= this.begin()
    const { pending } = this
    const { tags: indexes, keys, answer } = pending
    for (const tag of tags) if (!indexes.has(tag)) indexes.set(tag, indexes.size)
    const keyAt = key === undefined ? undefined : keys.push(key) - 1
    const found = await answer
    const versions = tags.map((tag) => String(found[indexes.get(tag) ?? 0]))
    if (keyAt === undefined) return { versions }
    const [text, left] = found.slice(indexes.size + 2 * keyAt)
    return { versions, shared: Buffer.isBuffer(text) ? { text, endsAt: pending.askedAt + Number(left) } : undefined }
  }

  async keep(tags: readonly Tag[], versions: readonly TagVersion[], answer?: AnswerToShare): Promise<boolean> {
    try {
      const prefix = await this.options.prefix()
      const keys = [...tags.map((tag) => tagKey(prefix, tag)), ...(answer ? [answerKey(prefix, answer.key)] : [])]
      const args = [...versions, ...(answer ? [answer.text, String(answer.milliseconds)] : [])]
      return (await this.options.redis.run(KEEP, keys, args)) === 1
    } catch {
      return false
    }
  }

  hold(tags: readonly Tag[], write: string): Promise<void> {
    return this.change(tags, 'hold', write)
  }

  raise(tags: readonly Tag[], write = ''): Promise<void> {
    return this.change(tags, 'raise', write)
  }

  private async change(tags: readonly Tag[], action: 'hold' | 'raise', write: string): Promise<void> {
    const { redis, prefix, holdFor } = this.options
    const start = await prefix()
    const keys = tags.map((tag) => tagKey(start, tag))
    await redis.run(RAISE, keys, [action, `w${write}`, String(holdFor)])
  }

  private begin(): Pending {
    const tags = new Map<Tag, number>()
    const keys: string[] = []
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.pending = undefined
      const prefix = await this.options.prefix()
      pending.askedAt = performance.now()
      return this.options.redis.run(
        LOOK,
        [`${prefix}epoch`, ...Array.from(tags.keys(), (tag) => tagKey(prefix, tag)), ...keys.map((key) => answerKey(prefix, key))],
        [this.epochs + String(++this.looks), String(tags.size), String(KEEP_VERSION)],
      ) as Promise<readonly (Buffer | number | null)[]>
    })
    const pending: Pending = { tags, keys, answer, askedAt: 0 }
    return pending
  }
}

const tagKey = (prefix: string, tag: Tag): string => `${prefix}t:${tag}`
const answerKey = (prefix: string, key: string): string => `${prefix}a:${key}`

/** Returns the versions of tags, then the answers, each with the milliseconds for which it is kept. A tag without a version of this epoch gets one. */
const LOOK: Script = {
  name: 'look',
  lua: `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local epoch = redis.call('HMGET', KEYS[1], 'run', 'id')
local id = epoch[2]
if epoch[1] ~= run or not id then
  id = ARGV[1]
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'run', run, 'id', id)
end
local tags = tonumber(ARGV[2])
local found = {}
for i = 1, #KEYS - 1 do
  local value = redis.call('GET', KEYS[i + 1])
  if i <= tags and not (value and (string.sub(value, 1, 1) == 'w' or string.sub(value, 1, #id + 1) == id .. '.')) then
    value = id .. '.' .. redis.call('HINCRBY', KEYS[1], 'last', 1)
    redis.call('SET', KEYS[i + 1], value, 'EX', ARGV[3])
  end
  found[#found + 1] = value
  if i > tags then found[#found + 1] = redis.call('PTTL', KEYS[i + 1]) end
end
return found
`,
}

/** Stores an answer if the versions of all tags are as given. */
const KEEP: Script = {
  name: 'keep',
  lua: `
local tags = #KEYS
if #ARGV > #KEYS then tags = #KEYS - 1 end
for i = 1, tags do
  if redis.call('GET', KEYS[i]) ~= ARGV[i] then return 0 end
end
if tags < #KEYS then redis.call('SET', KEYS[#KEYS], ARGV[#ARGV - 1], 'PX', ARGV[#ARGV]) end
return 1
`,
}

/** Raises tags, and holds them for a write. A tag that another write holds stays held. */
const RAISE: Script = {
  name: 'raise',
  lua: `
for i = 1, #KEYS do
  if ARGV[1] == 'hold' then
    redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3])
  else
    local value = redis.call('GET', KEYS[i])
    if value and (string.sub(value, 1, 1) ~= 'w' or value == ARGV[2]) then redis.call('DEL', KEYS[i]) end
  end
end
return 1
`,
}
