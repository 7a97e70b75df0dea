import { EVERYTHING, type SiteChange, type Tag } from '../../upstream/cache/tags.js'
import { MAX_CHANGES } from './changes.js'

/** A change of anything. */
const WHOLE_SITE: SiteChange = { type: 'site', kind: 'updated' }

/** Largest number of tags; a change raises a few. */
const MAX_TAGS = 5 * MAX_CHANGES

/** Changes that wait to be sent, each once, and the tags that they raise. Too many become one change of the whole site. */
export class ChangeSet {
  private readonly changes = new Map<string, SiteChange>()
  private readonly tags = new Set<Tag>()
  private isCollapsed = false

  get isEmpty(): boolean {
    return this.changes.size === 0
  }

  /** Returns `collapsed` when they have become one change of the whole site. */
  add(changes: readonly SiteChange[], tags: readonly Tag[]): 'collapsed' | undefined {
    if (this.isCollapsed) return undefined
    for (const change of changes) {
      const key = `${change.type} ${change.id} ${change.kind}`
      // The last one has the right place.
      this.changes.delete(key)
      this.changes.set(key, change)
    }
    for (const tag of tags) this.tags.add(tag)
    if (this.changes.size <= MAX_CHANGES && this.tags.size <= MAX_TAGS) return undefined
    this.collapse()
    return 'collapsed'
  }

  collapse(): void {
    this.isCollapsed = true
    this.changes.clear()
    this.changes.set('', WHOLE_SITE)
    this.tags.clear()
    this.tags.add(EVERYTHING)
  }

  toText(): string {
    // Not the columns, which have had their effect on the tags.
    return JSON.stringify({ changes: [...this.changes.values()], tags: [...this.tags] }, ['changes', 'type', 'id', 'kind', 'tags'])
  }
}
