import type { Answer } from '../transport/responses.js'
import type { SharedAnswer, TagVersion } from './tag-versions.js'
import type { Tag } from './tags.js'

/** An answer, and the versions of its tags when its read started. */
export interface CachedAnswer {
  readonly answer: Answer
  readonly tags: readonly Tag[]
  readonly versions: readonly TagVersion[]
  /** By `performance.now()`, which no change of the clock moves. */
  readonly readAt: number
  readonly freshUntil: number
}

/** Whether no tag of an answer has been raised. `tags` are the tags of the read. The answer has all of them, or all except the last one. */
export function isUnchanged(cached: CachedAnswer, tags: readonly Tag[], versions: readonly TagVersion[]): boolean {
  for (let at = 0; at < cached.tags.length; at++) if (cached.versions[at] !== versions[at] || cached.tags[at] !== tags[at]) return false
  return cached.tags.length >= tags.length - 1
}

/** The first line of a shared answer. The JSON of the site follows. */
interface Head {
  readonly versions: readonly TagVersion[]
  /** Milliseconds from its read until Redis drops it. */
  readonly lasts: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
}

/** Headers of an answer that are used. */
const HEADERS = ['x-wp-total', 'x-wp-totalpages']
const LINE_FEED = 0x0a

/** An answer as a text for other processes. It has no moments, because their clocks differ: Redis knows for how long it still keeps the answer. */
export function encodeAnswer({ answer, versions }: Pick<CachedAnswer, 'answer' | 'versions'>, lasts: number): Buffer {
  const { status, headers, bytes, body } = answer
  const used = Object.fromEntries(HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
  const head: Head = { versions, lasts, status, headers: used, bytes }
  return Buffer.from(`${JSON.stringify(head)}\n${JSON.stringify(body)}`)
}

/**
 * Reads an answer that another process has shared, and that is fresh for `seconds`. Returns nothing when one of its tags has been raised, or
 * when it can't be read. `tags` are the tags of the read, and `versions` are their current versions.
 */
export function decodeAnswer({ text, endsAt }: SharedAnswer, tags: readonly Tag[], versions: readonly TagVersion[], seconds: number) {
  const end = text.indexOf(LINE_FEED)
  try {
    const head = JSON.parse(text.toString('utf8', 0, end)) as Head
    const { status, headers, bytes } = head
    const readAt = endsAt - head.lasts
    const cached = { tags: tags.slice(0, head.versions.length), versions: head.versions, readAt, freshUntil: readAt + seconds * 1000 }
    const answer: Answer = { status, headers, bytes, body: undefined }
    // Read in the future: the clock of Redis was put back, so the age is not known.
    if (!(readAt <= performance.now()) || !isUnchanged({ ...cached, answer }, tags, versions)) return undefined
    return { ...cached, answer: { ...answer, body: JSON.parse(text.toString('utf8', end + 1)) } }
  } catch {
    return undefined
  }
}
