/**
 * Names what an answer of the site depends on. A tag is raised when what it names has changed, so that answers that carry it are not used any
 * longer. Tags name one record (`course:12`), all lists of a type (`courses`), the lists of one record (`courses:of:group:7`), or more.
 */
export type Tag = string

/** Everything. Each answer carries it. */
export const EVERYTHING: Tag = 'site'
/** Raised by each change. Answers with unknown dependencies carry it. */
export const ANY: Tag = 'any'
/** Who may see what. */
export const ACCESS: Tag = 'access'
/** Raised by a change of any user. Answers carry it when the user id of the caller is unknown. */
export const USERS: Tag = 'users'

/** What happened to a record. `members`: the users of a group or of a course, or the courses of a group. */
export const CHANGE_KINDS = ['created', 'updated', 'deleted', 'members'] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** A change of the site's data. */
export interface SiteChange {
  readonly type: string
  /** Id of the record; of the user for `progress` and `user`. When undefined, any record of the type may have changed. */
  readonly id?: number | undefined
  readonly kind: ChangeKind
  /** For `updated`: the columns that have changed, by their names on the wire. When undefined, any column may have changed. */
  readonly columns?: readonly string[] | undefined
}

/** What one read depends on. */
export interface ReadTags {
  /** The record type in the graph. Undefined for routes of other resources. */
  readonly type: string | undefined
  readonly tags: readonly Tag[]
  /** For records that are read by `include`: the tag that the answer also depends on when it lacks some of them, because they may be created. */
  readonly whenIncomplete?: Tag
  /** Number of records that were requested by `include`. */
  readonly requested?: number
}

type Params = Readonly<Record<string, string | number>>

/** What the reads of a route depend on, and what its writes change. */
export interface RouteTags {
  /** The type of its records in changes, such as `course`. */
  readonly change: string
  /** Returns what a read depends on, as far as that is known before the call. `columns` lists the columns that are read; without it, all columns are read. */
  ofRead(params: Params, query: Readonly<Record<string, unknown>>, columns: unknown): ReadTags
  /**
   * The change that a write makes. `body` has the columns that it changes. `id` is that of a new record, when it is known. Without this
   * function, a write may change anything.
   */
  ofWrite?(method: 'POST' | 'DELETE', params: Params, body?: object, id?: number): SiteChange
}

/** Knows the tags of changes. */
export interface Tagging {
  /** The tags that a change raises. */
  ofChange(change: SiteChange): readonly Tag[]
  /** A tag without an id that is raised by each change that raises this one; tags without an id themselves. */
  widerThan(tag: Tag): Tag
}

/** The tags of a read for one caller. `viewer` is the caller's user id, if it is known; `caller` stands for the credentials. */
export const callerTags = (caller: string, viewer: number | null | undefined): readonly Tag[] => [
  ACCESS,
  callerTag(caller),
  viewer == null ? USERS : `user:${viewer}`,
]

/** Raised when the site rejects credentials. */
export const callerTag = (caller: string): Tag => `caller:${caller}`
