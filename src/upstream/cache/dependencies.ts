import type { Answer } from '../transport/responses.js'
import type { ReadTags, Tag, Tagging } from './tags.js'

/** What the answer to an operation depends on, for caches in front of the gateway. */
export class Dependencies {
  /** Whether they may keep the answer. */
  areCurrent = true
  private readonly tags = new Set<Tag>()

  constructor(private readonly tagging: Pick<Tagging, 'widerThan'>) {}

  /** A read was answered by stale data, or by data that a write has overtaken. */
  outdate(): void {
    this.areCurrent = false
  }

  /** Adds the tags of a read. A record that does not exist may be created: then the answer also depends on the lists of its type. */
  follow({ tags, whenIncomplete, requested = 0 }: ReadTags, answer: Promise<Answer>): Promise<Answer> {
    for (const tag of tags) this.tags.add(tag)
    return answer.then(
      (received) => {
        if (whenIncomplete !== undefined && !(Array.isArray(received.body) && received.body.length >= requested))
          this.tags.add(whenIncomplete)
        return received
      },
      (error) => {
        for (const tag of tags) this.tags.add(this.tagging.widerThan(tag))
        throw error
      },
    )
  }

  /** The tags for a header of at most `most` characters. If they are too long together, tags with an id are replaced by wider ones. */
  tagsWithin(most: number): readonly Tag[] {
    const tags = [...this.tags].filter((tag) => NAMEABLE.test(tag)).sort()
    if (tags.join().length <= most) return tags
    return [...new Set(tags.map((tag) => this.tagging.widerThan(tag)))].sort()
  }
}

/** Tags that need no escapes in headers. Others end in a slug, by which no change names a record. */
const NAMEABLE = /^[\w:.-]{1,100}$/
