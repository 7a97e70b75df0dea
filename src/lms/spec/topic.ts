import { field, type Resource, taxonomiesOf, termFields, termFilters } from './field.js'
import { lesson } from './lesson.js'
import { modifiedListParameters, postListParameters } from './post.js'

/** SQL of topics as rows: steps of courses, with texts of their own and the settings of their lessons. SQLite takes the first of columns with the same name. */
const TOPICS = `(
  SELECT s.step AS id, s.course, s.lesson, s.position, 'Practice: ' || l.title AS title, 'practice: ' || l.title_folded AS title_folded,
    '<p>Exercises for the lesson.</p>' AS content, NULL AS content_folded, '' AS excerpt, NULL AS excerpt_folded, 'topic-' || s.step AS slug, 0 AS menu_order,
    '<p>Worksheet ' || s.step || '.</p>' AS materials, replace(l.video_url, l.id, 'topic-' || s.step) AS video_url, l.*
  FROM course_steps s JOIN lessons l ON l.id = s.lesson WHERE s.kind = 'topic')`

const taxonomies = taxonomiesOf('topic')

/** Topics: records like lessons, below a lesson. The specification does not have them, and here nobody can write them. */
export const topic: Resource = {
  ...lesson,
  type: 'sfwd-topic',
  label: 'topic',
  route: '/lms/v2/sfwd-topic',
  table: TOPICS,
  path: 'topic',
  taxonomies,
  fields: [...lesson.fields.filter(({ kind }) => kind !== 'terms'), ...termFields(taxonomies), field('lesson', 'integer', {})],
  listParameters: [...postListParameters, ...modifiedListParameters, ...termFilters(taxonomies), 'course', 'lesson'],
}
