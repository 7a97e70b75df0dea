import { field, type Resource, taxonomiesOf, termFields, termFilters } from './field.js'
import {
  baseFields,
  classList,
  discussionFields,
  meta,
  modifiedListParameters,
  ORDER_BY,
  orderedFields,
  postListParameters,
} from './post.js'

const taxonomies = taxonomiesOf('lesson')

/** Whether the video comes before or after the steps below a lesson. */
export const VIDEO_SHOWN = ['BEFORE', 'AFTER'] as const

/** When a lesson is released. The empty text means at once. */
export const VISIBLE_TYPES = ['', 'visible_after', 'visible_after_specific_date'] as const

const off = { default: 0 } as const

/** Lessons. `course` is 0 for a lesson of several courses. */
export const lesson: Resource = {
  type: 'sfwd-lessons',
  label: 'lesson',
  route: '/lms/v2/sfwd-lessons',
  table: 'lessons',
  path: 'lessons',
  taxonomies,
  fields: [
    ...baseFields,
    ...orderedFields,
    classList,
    meta,
    ...discussionFields,
    ...termFields(taxonomies),
    field('materials_enabled', 'boolean', off),
    field('materials', 'html', { default: '' }),
    field('video_enabled', 'boolean', off),
    field('video_url', 'text', { default: '' }),
    field('video_shown', 'text', { values: VIDEO_SHOWN, default: 'BEFORE' }),
    field('video_auto_complete', 'boolean', off),
    field('video_auto_complete_delay', 'integer', off),
    field('video_show_complete_button', 'boolean', off),
    field('video_auto_start', 'boolean', off),
    field('video_show_controls', 'boolean', off),
    field('video_focus_pause', 'boolean', off),
    field('video_resume', 'boolean', off),
    field('assignment_upload_enabled', 'boolean', off),
    field('assignment_upload_limit_extensions', 'text', { default: '', accepts: 'extensions' }),
    field('assignment_upload_limit_size', 'text', { default: '', accepts: 'uploadSize' }),
    field('assignment_upload_limit_count', 'integer', { default: 1 }),
    field('assignment_points_enabled', 'boolean', off),
    field('assignment_points_amount', 'integer', off),
    field('assignment_auto_approve', 'boolean', off),
    field('assignment_deletion_enabled', 'boolean', off),
    field('forced_timer_enabled', 'boolean', off),
    field('forced_timer_amount', 'integer', off),
    field('course', 'integer', { ...off, refers: 'courses' }),
    field('is_sample', 'boolean', off),
    field('visible_type', 'text', { values: VISIBLE_TYPES, default: '' }),
    field('visible_after', 'integer', off),
    field('visible_after_specific_date', 'date', { default: '' }),
  ],
  listParameters: [...postListParameters, ...modifiedListParameters, ...termFilters(taxonomies), 'course'],
  orderBy: [...ORDER_BY, 'menu_order'],
}
