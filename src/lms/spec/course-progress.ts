import { type Context, field, type Resource } from './field.js'

/** Statuses of progress in a course. */
export const PROGRESS_STATUSES = ['not_started', 'in_progress', 'completed'] as const

const readOnly = true
const everywhere: readonly Context[] = ['view', 'embed', 'edit']

/** Progress of one user in their courses. */
export const courseProgress: Resource = {
  type: 'course-progress',
  label: 'course progress',
  route: '/lms/v2/users/<id>/course-progress',
  recordRoute: '/lms/v1/sfwd-courses',
  table: 'progress',
  path: '',
  taxonomies: [],
  fields: [
    field('course', 'integer', { readOnly, contexts: everywhere }),
    field('progress_status', 'text', { readOnly, contexts: everywhere, values: PROGRESS_STATUSES, column: 'status' }),
    field('last_step', 'integer', { readOnly, contexts: everywhere }),
    field('steps_completed', 'integer', { readOnly }),
    field('steps_total', 'integer', { readOnly }),
    field('date_started', 'datetime', { readOnly }),
    field('date_completed', 'datetime', { readOnly }),
  ],
  listParameters: ['context', 'exclude', 'include', 'per_page', 'page'],
  orderBy: [],
}
