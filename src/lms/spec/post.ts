import { ALL, BODY_ONLY, EDIT, type Field, field } from './field.js'

/** Statuses a record may be given. */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'graded', 'not_graded'] as const

/** Values of the `status` filter of lists. */
export const STATUS_FILTERS = [...STATUSES, 'trash', 'any'] as const

/** Values of `comment_status` and `ping_status`. */
export const OPEN_CLOSED = ['open', 'closed'] as const

/** Fields of every post-like record. */
export const baseFields: readonly Field[] = [
  field('id', 'integer', { contexts: ALL, readOnly: true }),
  field('date', 'datetime', { contexts: ALL }),
  field('date_gmt', 'datetime'),
  field('guid', 'guid', { readOnly: true }),
  field('modified', 'datetime', { readOnly: true }),
  field('modified_gmt', 'datetime', { readOnly: true }),
  field('password', 'text', { contexts: EDIT, default: '', accepts: 'password' }),
  field('slug', 'text', { contexts: ALL, default: '', accepts: 'slug' }),
  field('status', 'text', { values: STATUSES, default: 'draft' }),
  field('type', 'postType', { contexts: ALL, readOnly: true }),
  field('link', 'link', { contexts: ALL, readOnly: true }),
  field('title', 'title', { contexts: ALL, default: '' }),
  field('content', 'content', { default: '' }),
  field('author', 'integer', { contexts: ALL, refers: 'users' }),
  field('template', 'text', { default: '' }),
  field('generated_slug', 'generatedSlug', { contexts: EDIT, readOnly: true }),
]

/** Further base fields of courses, quizzes, lessons and group courses. */
export const orderedFields: readonly Field[] = [
  field('permalink_template', 'permalinkTemplate', { contexts: EDIT, readOnly: true }),
  field('featured_media', 'integer', { contexts: ALL, default: 0 }),
  field('menu_order', 'integer', { default: 0, least: -2_147_483_648 }),
]

export const classList: Field = field('class_list', 'classList', { readOnly: true })
export const meta: Field = field('meta', 'json', { default: '{}', accepts: 'object' })

/** Whether comments and pings are open. */
export const discussionFields: readonly Field[] = [
  field('comment_status', 'text', { values: OPEN_CLOSED, default: 'closed' }),
  field('ping_status', 'text', { values: OPEN_CLOSED, default: 'closed' }),
]

/** Whether a record is deleted instead of moved to the trash. */
export const force: Field = field('force', 'boolean', { contexts: BODY_ONLY })

/** List parameters of all post-like records. */
export const postListParameters = [
  'context',
  'page',
  'per_page',
  'search',
  'after',
  'before',
  'author',
  'author_exclude',
  'exclude',
  'include',
  'menu_order',
  'offset',
  'order',
  'orderby',
  'slug',
  'status',
] as const

/** Further list parameters of groups, courses, lessons and group courses. */
export const modifiedListParameters = ['modified_after', 'modified_before', 'tax_relation'] as const

/** Search parameters of groups and courses. */
export const searchListParameters = ['search_semantics', 'search_columns'] as const

/** Tables of post-like records. */
export const POST_TABLES = ['groups', 'courses', 'lessons', 'quizzes'] as const

/** SQL that tells whether a published record of these tables, `p`, meets a condition. */
export const somePublished = (condition: string, tables: readonly string[] = POST_TABLES): string =>
  `(${tables.map((table) => `EXISTS (SELECT 1 FROM ${table} p WHERE ${condition} AND p.status = 'publish')`).join(' OR ')})`

/** Values of `orderby`. */
export const ORDER_BY = ['author', 'date', 'id', 'include', 'modified', 'parent', 'relevance', 'slug', 'include_slugs', 'title'] as const
