import { field, type Resource } from './field.js'

/** Statuses of a step of a course. */
const STEP_STATUSES = ['not_started', 'completed'] as const

const readOnly = true

/** Type names of the steps of a course, by kind. */
export const TYPE = "CASE t.kind WHEN 'lesson' THEN 'sfwd-lessons' WHEN 'topic' THEN 'sfwd-topic' ELSE 'sfwd-quiz' END"

/** Steps of a course, with the progress of one user. The specification does not have this kind of record. */
export const progressStep: Resource = {
  type: 'course-progress-steps',
  label: 'step',
  route: '/lms/v2/users/<id>/course-progress/<course>/steps',
  table: 'course_steps',
  path: '',
  taxonomies: [],
  fields: [
    field('step', 'integer', { readOnly }),
    field('post_type', 'text', { readOnly, column: TYPE }),
    field('date_started', 'datetime', { readOnly }),
    field('date_completed', 'datetime', { readOnly }),
    field('step_status', 'text', { readOnly, values: STEP_STATUSES }),
  ],
  listParameters: ['context', 'per_page', 'page'],
  orderBy: [],
  contexts: ['view'],
  unlinked: true,
}

/** The steps of a course as a tree. The specification does not have this route. */
export const stepTree: Resource = {
  ...progressStep,
  type: 'steps',
  route: '/lms/v2/sfwd-courses/<id>/steps',
  fields: [],
  listParameters: ['context', 'type'],
}

/** The steps of a course (?2) in the order of the course, each lesson before what is below it. `place` counts from 1. */
export const IN_ORDER = `
  SELECT s.step AS id, s.step, s.kind, s.lesson, s.topic, row_number() OVER (ORDER BY
    s.lesson = 0 AND s.kind = 'quiz', coalesce(l.position, s.position), s.kind <> 'lesson',
    s.topic = 0 AND s.kind = 'quiz', coalesce(o.position, s.position), s.kind = 'quiz', s.position) AS place
  FROM course_steps s
  LEFT JOIN course_steps l ON l.course = s.course AND l.step = s.lesson
  LEFT JOIN course_steps o ON o.course = s.course AND o.step = s.topic
  WHERE s.course = ?2`

/** Columns of the steps of a course (?2) for a user (?1). As many steps are completed as the progress says, from the first. */
export const STEPS = `(
  SELECT i.*,
    iif(i.place <= p.steps_completed, 'completed', 'not_started') AS step_status,
    iif(i.place <= p.steps_completed, p.date_started, NULL) AS date_started,
    iif(i.place <= p.steps_completed, coalesce(p.date_completed, p.date_started), NULL) AS date_completed
  FROM (${IN_ORDER}) i LEFT JOIN progress p ON p.user = ?1 AND p.course = ?2)`
