import type { Enumeration } from '../../upstream/codec/columns.js'
import * as c from '../../upstream/codec/columns.js'
import * as forms from '../../upstream/codec/forms.js'

const status: Enumeration = {
  name: 'PostStatus',
  description: 'Publication status of a record.',
  members: {
    PUBLISH: { wire: ['publish'], description: 'Published: visible to everyone with access to the record.' },
    FUTURE: { wire: ['future'], description: 'Scheduled: to be published at its date, in the future.' },
    DRAFT: { wire: ['draft'], description: 'Being written.' },
    PENDING: { wire: ['pending'], description: 'Waiting for review.' },
    PRIVATE: { wire: ['private'], description: 'Visible to editors only.' },
    GRADED: { wire: ['graded'], description: 'Submitted and graded.' },
    NOT_GRADED: { wire: ['not_graded'], description: 'Submitted and not graded yet.' },
    TRASH: { wire: ['trash'], description: 'In the trash.', readOnly: true },
  },
}

const openClosed: Enumeration = {
  name: 'OpenStatus',
  description: 'Whether a record accepts comments, or pings from other sites.',
  members: {
    OPEN: { wire: ['open'], description: 'They are accepted.' },
    CLOSED: { wire: ['closed'], description: 'They are not accepted.' },
  },
}

/** Columns with the parts of `_links`. */
export const linkColumns = {
  links: c.linkList('_links', 'Links that the site sends with the record. The gateway does not follow them. Empty when it sends none.', {
    heavy: true,
    otherwise: [],
    readOnly: true,
  }),
  curies: c.curieList('_links', 'Abbreviations used in the relation names of `links`. Empty when the site sends none.', {
    heavy: true,
    otherwise: [],
    readOnly: true,
  }),
}

/** What `viewerCanUpdate` and `viewerCanDelete` are computed from. */
export const rightColumns = {
  allowedMethods: c.methodList('_links.self', 'HTTP methods that the caller may use on the record.', { hidden: true, readOnly: true }),
}

/** Columns of groups, courses, lessons, topics, quizzes and the courses of a group. */
export const postColumns = {
  databaseId: c.integer('id', 'Id of the record in the LMS: a positive whole number, unique among all records of the site.', {
    none: '',
    readOnly: true,
    embed: true,
  }),
  date: c.localDateTime('date', 'When it was or will be published, in the time zone of the site.', {
    none: 'Null for a draft without a date.',
    embed: true,
  }),
  dateGmt: c.instant('date_gmt', 'When it was or will be published, in UTC.', {
    none: 'Null for a draft without a date.',
    excludes: 'date',
  }),
  guid: c.text('guid.rendered', 'Globally unique identifier of the record. It looks like a URL, but is not one.', { readOnly: true }),
  link: c.url('link', 'URL of the page for learners.', { embed: true, readOnly: true }),
  modified: c.localDateTime('modified', 'When it was last changed, in the time zone of the site.', { readOnly: true }),
  modifiedGmt: c.instant('modified_gmt', 'When it was last changed, in UTC.', { readOnly: true }),
  slug: c.text('slug', 'Short name for URLs, unique within the type. Empty for a draft without a slug.', {
    embed: true,
    longest: 200,
    form: forms.slug,
    input: 'Short name for URLs: letters, digits, `-` and `_`, at most 200. The site makes it unique within the type.',
  }),
  ...c.openEnumeration('status', status, 'status', 'Publication status of the record.'),
  type: c.word('type', 'Post type of the site, such as `sfwd-courses`.', { embed: true, readOnly: true }),
  password: c.text('password', 'Password that protects the content; empty for none.', { editOnly: true, longest: 255 }),
  generatedSlug: c.text('generated_slug', 'Slug that the site would generate from the title.', { editOnly: true, readOnly: true }),
  title: c.plainText('title.rendered', 'Title as plain text: no tags, entities decoded.', {
    embed: true,
    input: 'Title; may contain tags and entities.',
  }),
  titleHtml: c.html('title.rendered', 'Title as the site renders it, with tags and entities.', { embed: true, readOnly: true }),
  titleRaw: c.text('title.raw', 'Title as entered by the editor.', { editOnly: true, readOnly: true }),
  content: c.html('content.rendered', 'Body as rendered HTML. Empty while it is protected by a password.', {
    heavy: true,
    guarded: 'content.protected',
    input: 'Body as entered by the editor: HTML, or blocks of the block editor.',
  }),
  contentRaw: c.text('content.raw', 'Body as entered by the editor.', { editOnly: true, readOnly: true, heavy: true }),
  contentProtected: c.toggle('content.protected', 'Whether a password protects the content.', { readOnly: true }),
  authorId: c.reference('author', 'User id of the author.', { embed: true, of: 'User', required: true }),
  template: c.text('template', 'Theme file that renders the record; empty for the default.'),
  ...linkColumns,
}

/** Columns of post-like records with a permalink template. */
export const permalinkColumns = {
  permalinkTemplate: c.text('permalink_template', 'Pattern of the URL.', { editOnly: true, readOnly: true }),
}

export const featuredMediaColumns = {
  featuredMediaId: c.reference('featured_media', 'Media id of the featured image.', { embed: true }),
}

export const menuOrderColumns = {
  menuOrder: c.integer('menu_order', 'Position among records of the same type, from 0.', { least: 0 }),
}

/** Columns of courses, lessons, topics, quizzes and the courses of a group. */
export const contentColumns = { ...postColumns, ...permalinkColumns, ...featuredMediaColumns, ...menuOrderColumns }

const { links: _links, curies: _curies, ...withoutLinks } = contentColumns

/** The columns that lists below other records send with the same meaning: their links are others. */
export const listedColumns = withoutLinks

export const classAndMetaColumns = {
  classList: c.texts('class_list', 'CSS class names for the element that shows the record.', { readOnly: true }),
  meta: c.object('meta', 'Custom values of the record, by the names that the site registered.'),
}

export const discussionColumns = {
  ...c.openEnumeration('commentStatus', openClosed, 'comment_status', 'Whether comments are open.', {
    none: 'Null when the type does not support them.',
  }),
  ...c.openEnumeration('pingStatus', openClosed, 'ping_status', 'Whether other sites may ping the record.', {
    none: 'Null when the type does not support them.',
  }),
}

export const taxonomyColumns = {
  categoryIds: c.references('categories', 'Term ids in the taxonomy `category`.', { none: 'Null when the type has no categories.' }),
  tagIds: c.references('tags', 'Term ids in the taxonomy `post_tag`.', { none: 'Null when the type has no tags.' }),
}

/** The two taxonomies of a resource: `lms_<resource>_category` and `lms_<resource>_tag`. */
export const ownTaxonomies = <R extends string>(resource: R) => ({
  ...c.named(`${resource}CategoryIds`, c.references(`lms_${resource}_category`, `Term ids in the ${resource} categories.`)),
  ...c.named(`${resource}TagIds`, c.references(`lms_${resource}_tag`, `Term ids in the ${resource} tags.`)),
})

/** How prerequisites are compared, on courses and group courses. */
export const prerequisiteCompare: Enumeration = {
  name: 'PrerequisiteCompare',
  description: 'How many of the prerequisites a learner must complete.',
  members: {
    ANY: { wire: ['ANY', 'any'], description: 'One of them.' },
    ALL: { wire: ['ALL', 'all'], description: 'All of them.' },
  },
}
