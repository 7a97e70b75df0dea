import { LRUCache } from 'lru-cache'
import type { Tag } from './tags.js'

/** The version of a tag at one moment. It never comes back once the tag was raised. */
export type TagVersion = string

/** An answer that another process has shared. */
export interface SharedAnswer {
  readonly text: Buffer
  /** When it is dropped, by `performance.now()`. */
  readonly endsAt: number
}

/** An answer to be shared with other processes. */
export interface AnswerToShare {
  readonly key: string
  readonly text: Buffer
  /** For which it may be kept. */
  readonly milliseconds: number
}

/** What is known when a read starts. */
export interface Look {
  /** In the order of the tags. */
  readonly versions: readonly TagVersion[]
  /** The shared answer to the read, if there is one. */
  readonly shared?: SharedAnswer | undefined
}

/**
 * The versions of tags. A write raises its tags before it is sent and again before it is answered; between the two, reads get a version that
 * is `held`, and their answers are not kept. All methods may reject when other processes can't be reached.
 */
export interface TagVersions {
  /** Returns the versions of tags, at once if no other process has to be asked; and the answer shared under a key. */
  look(tags: readonly Tag[], key?: string): Look | Promise<Look>
  /** Shares an answer unless one of its tags has been raised. Resolves with whether all are unchanged. Never rejects. */
  keep(tags: readonly Tag[], versions: readonly TagVersion[], answer?: AnswerToShare): boolean | Promise<boolean>
  /** Raises and holds the tags of a write that is about to be sent, or that has ended and may have been made. */
  hold(tags: readonly Tag[], write: string): Promise<void>
  /** Raises the tags of a write that has ended, or of a change that others have made. Tags that another write holds stay held. */
  raise(tags: readonly Tag[], write?: string): Promise<void>
}

/** Number of tags whose versions are kept. A tag that is forgotten gets a new version, so that answers with the old one are not used. */
const MAX_TAGS = 200_000

export const isHeld = (version: TagVersion): boolean => version.startsWith('w')

interface LocalTag {
  readonly version: TagVersion
  /** When it stops being held. */
  readonly heldUntil: number
}

/** Versions of the tags in the memory of this process. */
export class LocalVersions implements TagVersions {
  private readonly known = new LRUCache<Tag, LocalTag>({ max: MAX_TAGS })
  private last = 0

  /** `holdFor`: milliseconds for which a write whose end is not known holds its tags. */
  constructor(private readonly holdFor: number) {}

  look(tags: readonly Tag[]): Look {
    return { versions: tags.map((tag) => this.versionOf(tag)) }
  }

  keep(tags: readonly Tag[], versions: readonly TagVersion[]): boolean {
    return tags.every((tag, at) => this.versionOf(tag) === versions[at])
  }

  async hold(tags: readonly Tag[], write: string): Promise<void> {
    for (const tag of tags) this.known.set(tag, { version: `w${write}`, heldUntil: performance.now() + this.holdFor })
  }

  /** Forgets versions, so that the next ones are new. */
  async raise(tags: readonly Tag[], write = ''): Promise<void> {
    for (const tag of tags) {
      const known = this.known.get(tag)
      if (known && known.version !== `w${write}` && known.heldUntil > performance.now()) continue
      this.known.delete(tag)
    }
  }

  private versionOf(tag: Tag): TagVersion {
    const known = this.known.get(tag)
    if (known && (known.heldUntil === 0 || known.heldUntil > performance.now())) return known.version
    const version = String(++this.last)
    this.known.set(tag, { version, heldUntil: 0 })
    return version
  }
}
