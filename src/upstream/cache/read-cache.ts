import { createHmac, hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { getOrMake } from '../../maps.js'
import type { Caller, CallObserver, CallScope } from '../call-scope.js'
import type { Credentials } from '../credentials.js'
import { BusyError, CacheUnavailableError, type LmsError, TimeoutError, UnavailableError } from '../errors.js'
import type { Emitter } from '../events.js'
import { SECRET } from '../query.js'
import { type Answer, type Request, wasPerhapsMade } from '../transport/responses.js'
import type { Transport } from '../transport/transport.js'
import { type CachedAnswer, decodeAnswer, encodeAnswer, isUnchanged } from './cached-answer.js'
import { type AnswerToShare, isHeld, type Look, type TagVersion, type TagVersions } from './tag-versions.js'
import { ACCESS, callerTag, callerTags, type ReadTags, type Tag } from './tags.js'

/**
 * How a read was answered: `hit` by an answer in this process, `shared_hit` by one that another process has shared, `stale` by one that is
 * being read again, `stale_if_error` by one that replaces the failing site; `miss` by the site. `bypass`: the read may not be cached.
 * `unknown`: the versions of its tags could not be learned.
 */
export const CACHE_RESULTS = ['hit', 'shared_hit', 'stale', 'stale_if_error', 'miss', 'bypass', 'unknown'] as const

export type CacheResult = (typeof CACHE_RESULTS)[number]

export interface CacheEvents {
  /** The cache has answered a read, or has left it to the site. */
  readonly cacheLookup: [result: CacheResult, route: string]
}

export interface ReadCacheOptions {
  readonly transport: Pick<Transport, 'get' | 'write'>
  readonly versions: TagVersions
  /** Seconds for which answers with records of a type are fresh; 0 for never. `undefined` stands for other types. */
  readonly secondsOf: (type: string | undefined) => number
  /** The most seconds for answers to callers with credentials. */
  readonly callerSeconds: number
  /** Seconds after its freshness in which an answer is still used, while it is read again. */
  readonly staleWhileRevalidate: number
  /** Seconds after its freshness in which an answer replaces one that the site fails to give. For anonymous callers only. */
  readonly staleIfError: number
  /** Largest number of answers in this process. */
  readonly entries: number
  /** Largest memory of the answers in this process, in bytes. */
  readonly bytes: number
  /** Whether answers are shared with other gateways: those for anonymous callers and, with secrets, those for others. */
  readonly shares: boolean
  /**
   * Keys of the fingerprints under which answers to callers with credentials are shared. None, one, or two while one is replaced: answers are
   * shared with the first, and looked up with both.
   */
  readonly secrets: readonly string[]
  /** Whether a write is made when its tags can't be raised, so that other gateways may show older answers while those are fresh. */
  readonly writesAlone?: boolean | undefined
  readonly events: Emitter<CacheEvents>
}

/** One read, with all that is derived from it. */
interface Read {
  readonly request: Request
  readonly call: CallScope
  readonly observer: CallObserver | undefined
  readonly seconds: number
  readonly key: string
  readonly sharedKey: string | undefined
  readonly tags: readonly Tag[]
  /** What the read has instead of these in gateways whose first secret is the second one here. */
  readonly former: { readonly sharedKey: string; readonly tags: readonly Tag[] } | undefined
  /** Whether the last tag counts only if the answer has fewer records than `requested`. */
  readonly requested: number | undefined
}

/** Answers with more bytes are not shared. */
const MAX_SHARED = 1_000_000
/** Memory of a parsed answer per byte of JSON, and of the entry. */
const PER_BYTE = 2
const PER_ENTRY = 1_000
const IN_EDIT = /[?&]context=edit(&|$)/
/** Routes of WordPress itself, such as that of the caller. */
const OF_WORDPRESS = /^wp\//
/** The state of what a read of WordPress itself shows, such as the caller: it does not depend on changes of the LMS. */
export const validityOf = (route: string): string | undefined => (OF_WORDPRESS.test(route) ? 'constant' : undefined)
/** Errors that a kept answer replaces. */
const REPLACEABLE = [UnavailableError, TimeoutError, BusyError]
const ANONYMOUS_IDS = ['']
/** Start of the names of this process's writes. */
const WRITER = `${randomBytes(9).toString('base64url')}-`

/**
 * Keeps answers of the site to reads, and uses them while their tags are unchanged.
 *
 * The versions of the tags are taken when a read starts and compared when it ends, so that an answer which a write has overtaken is not
 * kept. A write raises its tags before it is sent and again before it is answered.
 */
export class ReadCache {
  private readonly kept: LRUCache<string, CachedAnswer>
  /** Keys of answers that are being read again. */
  private readonly refreshing = new Set<string>()
  /** Answers that are kept already or being kept. Several callers receive the answer of a shared read. */
  private readonly keeping = new WeakSet<Answer>()
  private readonly ids = new WeakMap<Credentials, readonly string[]>()
  private writes = 0

  constructor(private readonly options: ReadCacheOptions) {
    this.kept = new LRUCache({
      max: options.entries,
      maxSize: options.bytes,
      sizeCalculation: ({ answer }, key) => PER_ENTRY + key.length + answer.bytes * PER_BYTE,
    })
  }

  /** Number and memory of the answers in this process. */
  get load(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.kept.size, bytes: this.kept.calculatedSize }
  }

  /** Reads from the cache or from the site. Rejects with an `LmsError`. */
  get(request: Request, depends: ReadTags, call: CallScope, observer: CallObserver | undefined): Promise<Answer> {
    const { credentials } = call.caller
    const { readsAnew } = call.freshness
    const seconds = this.secondsFor(depends.type, credentials)
    if (!this.mayKeep(request, depends, credentials, seconds)) {
      this.report('bypass', request)
      return this.send(request, call, observer, validityOf(request.route))
    }
    const key = `${credentials.id}\n${request.path}`
    const [id = '', formerId] = this.idsOf(credentials)
    const isShared = seconds > 0 && this.isShared(credentials)
    const read: Read = {
      request,
      call,
      observer,
      seconds,
      key,
      sharedKey: isShared ? sharedKeyOf(request, id) : undefined,
      tags: tagsFor(depends, call.caller, id),
      former:
        isShared && formerId !== undefined
          ? { sharedKey: sharedKeyOf(request, formerId), tags: tagsFor(depends, call.caller, formerId) }
          : undefined,
      requested: depends.whenIncomplete === undefined ? undefined : depends.requested,
    }
    const kept = readsAnew ? undefined : this.kept.get(key)
    const isFresh = kept !== undefined && performance.now() < kept.freshUntil
    return this.look(read, kept, isFresh || readsAnew ? undefined : read.sharedKey)
  }

  /**
   * Makes a write. `tagsOf` returns the tags that it raises; with the answer it includes the tags of a new record. Rejects with a
   * `CacheUnavailableError`, without sending the write, when other gateways can't be told.
   */
  async write<T>(tagsOf: (written?: T) => readonly Tag[], send: () => Promise<T>): Promise<T> {
    const { versions, writesAlone } = this.options
    const write = `${WRITER}${(++this.writes).toString(36)}`
    const tags = tagsOf()
    try {
      await versions.hold(tags, write)
    } catch {
      if (!writesAlone) throw new CacheUnavailableError()
    }
    let written: T
    try {
      written = await send()
    } catch (error) {
      await this.release(tags, write, wasPerhapsMade(error))
      throw error
    }
    await this.release(tagsOf(written), write, false)
    return written
  }

  /** Drops what depends on these tags, here and in the other gateways. Rejects when they can't be told. */
  raise(tags: readonly Tag[]): Promise<void> {
    return this.options.versions.raise(tags)
  }

  /** Drops all answers for credentials that the site has rejected. */
  forget(credentials: Credentials): void {
    if (!credentials.anonymous) this.raise(this.idsOf(credentials).map(callerTag)).catch(() => {})
  }

  /** When this fails, the tags stay held until that ends, which is as safe. */
  private release(tags: readonly Tag[], write: string, isInDoubt: boolean): Promise<void> {
    const { versions } = this.options
    return (isInDoubt ? versions.hold(tags, write) : versions.raise(tags, write)).catch(() => {})
  }

  private look(read: Read, kept: CachedAnswer | undefined, sharedKey: string | undefined): Promise<Answer> {
    const { versions } = this.options
    const look = versions.look(read.tags, sharedKey)
    const answer = (found: Look, former?: Look): Promise<Answer> =>
      this.answer(read, kept, found.versions, sharedIn(read, found, former), sharedKey !== undefined)
    if (!(look instanceof Promise)) return answer(look)
    // In the same turn, so that Redis is asked for both at once.
    const former = read.former && sharedKey !== undefined ? versions.look(read.former.tags, read.former.sharedKey) : undefined
    return Promise.all([look, former]).then(
      ([found, formerFound]) => answer(found, formerFound),
      () => {
        this.report('unknown', read.request)
        return this.send(read.request, read.call, read.observer)
      },
    )
  }

  /** Answers a read now that the versions of its tags are known. */
  private answer(
    read: Read,
    kept: CachedAnswer | undefined,
    versions: readonly TagVersion[],
    shared: CachedAnswer | undefined,
    hasLooked: boolean,
  ): Promise<Answer> {
    const { staleWhileRevalidate } = this.options
    let found = kept
    if (found && !isUnchanged(found, read.tags, versions)) {
      this.kept.delete(read.key)
      if (read.sharedKey !== undefined && !hasLooked) return this.look(read, undefined, read.sharedKey)
      found = undefined
    }
    let result: CacheResult = 'hit'
    if (shared && (!found || shared.freshUntil > found.freshUntil)) {
      found = shared
      result = 'shared_hit'
      this.kept.set(read.key, shared)
    }
    const now = performance.now()
    if (found && now < found.freshUntil) return this.answerWith(found, result, read)
    if (found && read.seconds > 0 && now < found.freshUntil + staleWhileRevalidate * 1000) {
      this.refresh(read)
      read.call.freshness.dependencies?.outdate()
      return this.answerWith(found, 'stale', read)
    }
    return this.readAnew(read, found, versions)
  }

  private answerWith({ answer, readAt }: CachedAnswer, result: CacheResult, { request, observer }: Read): Promise<Answer> {
    this.report(result, request)
    observer?.cached((performance.now() - readAt) / 1000)
    return Promise.resolve(answer)
  }

  /** Reads from the site, and keeps the answer. */
  private readAnew(read: Read, kept: CachedAnswer | undefined, versions: readonly TagVersion[]): Promise<Answer> {
    const { request, call, observer } = read
    this.report('miss', request)
    const readAt = performance.now()
    const isStable = !versions.some(isHeld)
    if (!isStable) call.freshness.dependencies?.outdate()
    const fetched = this.send(request, call, observer, isStable ? versions.join() : undefined)
    const answer = isStable ? fetched.then((received) => this.keep(read, versions, readAt, received)) : fetched
    return kept && this.mayReplace(call) ? answer.catch((error: LmsError) => this.replacement(read, kept, error)) : answer
  }

  private keep(read: Read, taken: readonly TagVersion[], readAt: number, answer: Answer): Answer | Promise<Answer> {
    if (this.keeping.has(answer) || answer.headers['set-cookie'] !== undefined) return answer
    this.keeping.add(answer)
    const isComplete = read.requested !== undefined && rowsIn(answer.body) >= read.requested
    const tags = isComplete ? read.tags.slice(0, -1) : read.tags
    const versions = isComplete ? taken.slice(0, -1) : taken
    const cached: CachedAnswer = { answer, tags, versions, readAt, freshUntil: readAt + read.seconds * 1000 }
    const isKept = this.options.versions.keep(tags, versions, this.shared(read, cached))
    const { dependencies } = read.call.freshness
    const settle = (kept: boolean): void => {
      if (kept) this.kept.set(read.key, cached)
      else dependencies?.outdate()
    }
    if (typeof isKept === 'boolean') settle(isKept)
    else {
      const settled = isKept.then(settle)
      // Caches in front of the gateway must not keep what a write has overtaken.
      if (dependencies) return settled.then(() => answer)
    }
    return answer
  }

  /** An answer as other processes can use it, if they may. */
  private shared({ sharedKey: key, seconds }: Read, cached: CachedAnswer): AnswerToShare | undefined {
    if (key === undefined || cached.answer.bytes > MAX_SHARED) return undefined
    const { staleWhileRevalidate, staleIfError } = this.options
    const lasts = (seconds + Math.max(staleWhileRevalidate, staleIfError)) * 1000
    const milliseconds = Math.max(Math.ceil(cached.readAt + lasts - performance.now()), 1)
    return { key, text: encodeAnswer(cached, lasts), milliseconds }
  }

  /** Reads an answer again for later callers. */
  private refresh(read: Read): void {
    if (this.refreshing.has(read.key)) return
    this.refreshing.add(read.key)
    const { caller, trace } = read.call
    const { requestId } = trace
    const call: CallScope = { caller, trace: { requestId }, freshness: { readsAnew: true }, budget: { operation: {} } }
    const done = (): void => void this.refreshing.delete(read.key)
    this.look({ ...read, call, observer: undefined }, undefined, undefined).then(done, done)
  }

  private replacement({ request, call, observer }: Read, { answer, readAt, freshUntil }: CachedAnswer, error: LmsError): Answer {
    const now = performance.now()
    const { stale } = call.freshness
    const isReplaceable = REPLACEABLE.some((Class) => error instanceof Class)
    if (!isReplaceable || !stale || now > freshUntil + this.options.staleIfError * 1000) throw error
    const age = (now - readAt) / 1000
    this.report('stale_if_error', request)
    observer?.cached(age)
    stale.age = Math.max(stale.age, Math.floor(age))
    stale.routes.add(request.route)
    return answer
  }

  private send(request: Request, call: CallScope, observer: CallObserver | undefined, validity?: string): Promise<Answer> {
    return this.options.transport.get(request.route, request.path, call, observer, validity)
  }

  private mayReplace({ caller, freshness }: CallScope): boolean {
    return this.options.staleIfError > 0 && freshness.stale !== undefined && caller.credentials.anonymous
  }

  private mayKeep({ route, path }: Request, { type }: ReadTags, { anonymous }: Credentials, seconds: number): boolean {
    if (seconds === 0 && !(anonymous && this.options.staleIfError > 0)) return false
    return !SECRET.test(path) && !IN_EDIT.test(path) && (type !== undefined || !OF_WORDPRESS.test(route))
  }

  private secondsFor(type: string | undefined, { anonymous }: Credentials): number {
    const { secondsOf, callerSeconds } = this.options
    return anonymous ? secondsOf(type) : Math.min(secondsOf(type), callerSeconds)
  }

  private isShared({ anonymous }: Credentials): boolean {
    const { shares, secrets } = this.options
    return shares && (anonymous || secrets.length > 0)
  }

  /** Texts that stand for credentials in tags and keys, one for each secret: the same in all gateways with that secret. */
  private idsOf(credentials: Credentials): readonly string[] {
    if (credentials.anonymous) return ANONYMOUS_IDS
    return getOrMake(this.ids, credentials, () => {
      const { secrets } = this.options
      const headers = Object.entries(credentials.headers).sort(([a], [b]) => (a < b ? -1 : 1))
      const text = JSON.stringify(credentials.publishedOnly ? [...headers, 'published'] : headers)
      return secrets.length === 0
        ? [credentials.id]
        : secrets.map((secret) => createHmac('sha256', secret).update(text).digest('base64url'))
    })
  }

  private report(result: CacheResult, { route }: Request): void {
    this.options.events.emit('cacheLookup', result, route)
  }
}

/** `id` stands for the credentials of the caller. */
function tagsFor({ tags, whenIncomplete }: ReadTags, { credentials, viewer, role }: Caller, id: string): readonly Tag[] {
  // What an account of the gateway reads does not depend on the viewer, so that all viewers share it.
  const ofCaller = role === undefined ? callerTags(id, viewer) : [ACCESS, callerTag(id)]
  const all = credentials.anonymous ? tags : [...tags, ...ofCaller]
  return whenIncomplete === undefined ? all : [...all, whenIncomplete]
}

const sharedKeyOf = ({ path }: Request, id: string): string => hash('sha256', `${id}\n${path}`, 'base64url')

/** The answer that another gateway has shared with the first secret, or else with the second one. */
function sharedIn({ tags, seconds, former }: Read, look: Look, formerLook: Look | undefined): CachedAnswer | undefined {
  const shared = look.shared && decodeAnswer(look.shared, tags, look.versions, seconds)
  if (shared || !former || !formerLook?.shared) return shared
  const found = decodeAnswer(formerLook.shared, former.tags, formerLook.versions, seconds)
  // Kept with the tags of the read. There are as many of them, in the same order, and both looks are of the same moment.
  const count = found?.tags.length
  return found && { ...found, tags: tags.slice(0, count), versions: look.versions.slice(0, count) }
}

const rowsIn = (body: unknown): number =>
  Array.isArray(body) ? body.length : typeof body === 'object' && body !== null ? Object.keys(body).length : 0
