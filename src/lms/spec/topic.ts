import { ALL, field, type Resource } from './field.js'

/** SQL of topics as rows: steps of courses, with texts made from their lessons. */
export const TOPICS = `(
  SELECT s.step AS id, s.course, s.lesson, s.position, 'Practice: ' || l.title AS title, 'practice: ' || l.title_folded AS title_folded,
    '<p>Exercises for the lesson.</p>' AS content, 'topic-' || s.step AS slug, l.status, '' AS password, l.author, l.date, l.date_gmt,
    l.modified, l.modified_gmt, 0 AS menu_order, 0 AS featured_media, 0 AS revisions
  FROM course_steps s JOIN lessons l ON l.id = s.lesson WHERE s.kind = 'topic')`

/** Topics: post-like records below a lesson. The specification does not have them. */
export const topic: Resource = {
  type: 'sfwd-topic',
  label: 'topic',
  route: '/lms/v2/sfwd-topic',
  table: TOPICS,
  path: 'topic',
  taxonomies: [],
  fields: [
    ...(['id', 'author', 'course', 'lesson'] as const).map((name) => field(name, 'integer', { contexts: ALL, readOnly: true })),
    field('date', 'datetime', { contexts: ALL, readOnly: true }),
    field('modified', 'datetime', { readOnly: true }),
    field('slug', 'text', { contexts: ALL, readOnly: true }),
    field('status', 'text', { readOnly: true }),
    field('type', 'postType', { contexts: ALL, readOnly: true }),
    field('link', 'link', { contexts: ALL, readOnly: true }),
    field('title', 'title', { contexts: ALL, readOnly: true }),
    field('content', 'content', { readOnly: true }),
  ],
  listParameters: ['context', 'page', 'per_page', 'offset', 'include', 'exclude', 'order', 'orderby', 'slug', 'status', 'course', 'lesson'],
  orderBy: ['id', 'date', 'title', 'include'],
}
