import type { Filter, Filters, Order, Orders } from '../../upstream/filters.js'

const statusValues = {
  name: 'PostStatusFilter',
  description: 'Statuses to select records by.',
  members: {
    PUBLISH: { wire: 'publish', description: 'Published.' },
    FUTURE: { wire: 'future', description: 'Scheduled: to be published at a future date.' },
    DRAFT: { wire: 'draft', description: 'Being written.' },
    PENDING: { wire: 'pending', description: 'Waiting for review.' },
    PRIVATE: { wire: 'private', description: 'Visible to editors only.' },
    GRADED: { wire: 'graded', description: 'Submitted and graded.' },
    NOT_GRADED: { wire: 'not_graded', description: 'Submitted and not graded yet.' },
    TRASH: { wire: 'trash', description: 'In the trash.' },
    ANY: { wire: 'any', description: 'All but those in the trash.' },
  },
}

const relationValues = {
  name: 'TaxRelation',
  description: 'How filters on several taxonomies are combined.',
  members: {
    AND: { wire: 'AND', description: 'A record must match all of them. The default.' },
    OR: { wire: 'OR', description: 'A record must match one of them.' },
  },
}

const semanticsValues = {
  name: 'SearchSemantics',
  description: 'How a search text is compared.',
  members: { EXACT: { wire: 'exact', description: 'With the whole value of a column instead of any part of it.' } },
}

const columnValues = {
  name: 'SearchColumn',
  description: 'Columns that a search can be limited to.',
  members: {
    TITLE: { wire: 'post_title', description: 'The title.' },
    CONTENT: { wire: 'post_content', description: 'The body.' },
    EXCERPT: { wire: 'post_excerpt', description: 'The excerpt.' },
  },
}

const dateTime = (param: string, what: string): Filter => ({
  kind: 'dateTime',
  param,
  description: `Selects records ${what} this moment.`,
})

/** Filters of every list of post-like records of `type`. */
export const postFilters = (type: string): Filters => ({
  id: { kind: 'ids', of: type, param: 'include', notIn: 'exclude', description: 'Selects records with these ids, or excludes them.' },
  author: {
    kind: 'ids',
    of: 'User',
    param: 'author',
    notIn: 'author_exclude',
    description: 'Selects records by these authors, or excludes them.',
  },
  slug: { kind: 'texts', param: 'slug', description: 'Selects records with one of these slugs.' },
  status: {
    kind: 'enumerations',
    param: 'status',
    values: statusValues,
    description: 'Selects records with one of these statuses. The default is PUBLISH; others need the permission to edit.',
  },
  menuOrder: { kind: 'integer', param: 'menu_order', description: 'Selects records with this menu order.' },
  search: {
    kind: 'text',
    param: 'search',
    description: 'Selects records whose title, body or excerpt contains all of these words. A blank text is no search.',
  },
  publishedAfter: dateTime('after', 'published after'),
  publishedBefore: dateTime('before', 'published before'),
})

export const modifiedFilters: Filters = {
  modifiedAfter: dateTime('modified_after', 'changed after'),
  modifiedBefore: dateTime('modified_before', 'changed before'),
}

export const searchFilters: Filters = {
  searchSemantics: {
    kind: 'enumeration',
    param: 'search_semantics',
    refines: 'search',
    values: semanticsValues,
    description: 'How `search` is compared. By default words are found anywhere in a column. It has no effect without a search.',
  },
  searchColumns: {
    kind: 'enumerations',
    param: 'search_columns',
    refines: 'search',
    values: columnValues,
    description: 'Columns that `search` uses. All by default. They have no effect without a search.',
  },
}

const terms = (param: string, what: string): Filter => ({
  kind: 'terms',
  param,
  notIn: `${param}_exclude`,
  description: `Selects records with one of these ${what}, or with none of them.`,
})

/** Filters of the taxonomies `category` and `post_tag`, and of the two taxonomies of a resource. */
export const taxonomyFilters = (resource: string): Filters => ({
  taxRelation: {
    kind: 'enumeration',
    param: 'tax_relation',
    values: relationValues,
    description: 'How filters on several taxonomies are combined. AND by default.',
  },
  categories: terms('categories', 'categories'),
  tags: terms('tags', 'tags'),
  [`${resource}Categories`]: terms(`lms_${resource}_category`, `${resource} categories`),
  [`${resource}Tags`]: terms(`lms_${resource}_tag`, `${resource} tags`),
})

/** Selects the records of one course. */
export const courseFilter: Filter = {
  kind: 'id',
  of: 'Course',
  param: 'course',
  description: 'Selects the records of this course, in the order of the course. Required for callers who are not administrators.',
}

const order = (wire: string, description: string, needs?: string): Order => ({ wire, description, ...(needs ? { needs } : {}) })

/** Sort orders of every list of post-like records. */
export const postOrders: Orders = {
  TITLE: order('title', 'By title.'),
  DATE: order('date', 'By date of publication.'),
  MODIFIED: order('modified', 'By date of the last change.'),
  ID: order('id', 'By id.'),
  SLUG: order('slug', 'By slug.'),
  AUTHOR: order('author', 'By user id of the author.'),
  PARENT: order('parent', 'By id of the parent.'),
  RELEVANCE: order(
    'relevance',
    'By relevance for `where.search`, which is required. With a blank search, the default order is used.',
    'search',
  ),
  INCLUDE: order('include', 'In the order of `where.id.in`, which is required.', 'id.in'),
  INCLUDE_SLUGS: order('include_slugs', 'In the order of `where.slug`, which is required.', 'slug'),
}

export const menuOrders: Orders = { ...postOrders, MENU_ORDER: order('menu_order', 'By menu order.') }
