import type { Query } from '../client.js'
import type { ListRoute, Params, Route } from '../routes.js'

/**
 * Names what an answer of the site depends on. A tag is raised when what it names has changed, so that answers that carry it are not used any
 * longer. Examples: `course:12` is one record, `courses` all lists of courses, `courses:of:group:7` the courses of one group, `site` everything.
 */
export type Tag = string

/** The kinds of records that a change can name. */
export const CHANGE_TYPES = ['group', 'course', 'lesson', 'topic', 'quiz', 'question', 'priceType', 'progress', 'user', 'term', 'site'] as const

export type ChangeType = (typeof CHANGE_TYPES)[number]

/** What happened to it. `members`: the users of a group or of a course, or the courses of a group. */
export const CHANGE_KINDS = ['created', 'updated', 'deleted', 'members'] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** A change of the site's data. */
export interface SiteChange {
  readonly type: ChangeType
  /** Id of the record; of the user for `progress` and `user`. When undefined, any record of the type may have changed. */
  readonly id?: number | undefined
  readonly kind: ChangeKind
}
