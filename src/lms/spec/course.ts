import { ALL, field, type Resource, taxonomiesOf, termFields, termFilters } from './field.js'
import { courseIds } from './group.js'
import {
  baseFields,
  classList,
  discussionFields,
  meta,
  modifiedListParameters,
  ORDER_BY,
  orderedFields,
  postListParameters,
  searchListParameters,
} from './post.js'

const taxonomies = taxonomiesOf('course')

/** Whether any or all prerequisites are needed. */
export const COMPARE = ['ANY', 'ALL'] as const

/** Slugs of price types. */
export const PRICE_TYPES = ['open', 'free', 'paynow', 'subscribe', 'closed'] as const

const common = {
  type: 'sfwd-courses',
  label: 'course',
  table: 'courses',
  path: 'courses',
  taxonomies,
  orderBy: [...ORDER_BY, 'menu_order'],
}

const listParameters = [...postListParameters, ...modifiedListParameters, ...termFilters(taxonomies)]

/** Courses in version 1: toggles are "on" or "", numbers are texts of digits. */
export const course: Resource = {
  ...common,
  route: '/lms/v1/sfwd-courses',
  listParameters: [...listParameters, ...searchListParameters],
  fields: [
    ...baseFields,
    ...orderedFields,
    classList,
    meta,
    ...termFields(taxonomies),
    field('course_materials', 'html', { column: 'materials', default: '' }),
    field('course_price_type', 'text', { column: 'price_type', values: PRICE_TYPES, default: 'open', accepts: 'priceType' }),
    field('custom_button_label', 'text', { column: 'button_label', default: '' }),
    field('custom_button_url', 'text', { column: 'button_url', default: '' }),
    field('course_price', 'text', { column: 'price', default: '' }),
    field('course_prerequisite_enabled', 'toggle', { column: 'prerequisite_enabled', default: 0 }),
    field('course_prerequisite', 'json', { column: 'prerequisites', default: '[]', accepts: 'ids' }),
    field('course_prerequisite_compare', 'text', { column: 'prerequisite_compare', values: COMPARE, default: 'ANY' }),
    field('course_points_enabled', 'toggle', { column: 'points_enabled', default: 0 }),
    field('course_points', 'digits', { column: 'points', default: null }),
    field('course_points_access', 'digits', { column: 'points_access', default: null }),
    field('course_disable_lesson_progression', 'toggle', { column: 'progression_disabled', default: 0 }),
    field('expire_access', 'toggle', { default: 0 }),
    field('expire_access_days', 'digits', { default: null, accepts: 'wholeDigits' }),
    field('expire_access_delete_progress', 'toggle', { default: 0 }),
  ],
}

const priceOf = (type: (typeof PRICE_TYPES)[number]): string => `CASE t.price_type WHEN '${type}' THEN t.price ELSE '' END`

/** Fields of courses in version 2 without their settings. */
const plainFields = [...baseFields, ...orderedFields, ...discussionFields, ...termFields(taxonomies)]

/** Courses in version 2, in the list of the courses of a group: with booleans and numbers. */
export const groupCourse: Resource = {
  ...common,
  route: '/lms/v2/groups/<id>/courses',
  recordRoute: course.route,
  bodyIds: courseIds,
  listParameters,
  fields: [
    ...plainFields,
    field('materials_enabled', 'boolean'),
    field('materials', 'html'),
    field('certificate', 'integer'),
    field('disable_content_table', 'boolean'),
    field('lessons_per_page', 'boolean'),
    field('lesson_per_page_custom', 'integer'),
    field('topic_per_page_custom', 'integer'),
    field('price_type', 'text', { values: PRICE_TYPES }),
    field('price_type_paynow_price', 'text', { column: priceOf('paynow') }),
    field('price_type_subscribe_price', 'text', { column: priceOf('subscribe') }),
    field('price_type_closed_price', 'text', { column: priceOf('closed') }),
    field('price_type_closed_custom_button_url', 'text', { column: 'button_url' }),
    field('prerequisite_enabled', 'boolean'),
    field('prerequisite_compare', 'text', { values: COMPARE }),
    field('prerequisites', 'json'),
    field('points_enabled', 'boolean'),
    field('points_access', 'number', { column: 'coalesce(t.points_access, 0)' }),
    field('points_amount', 'number', { column: 'coalesce(t.points, 0)' }),
    field('progression_disabled', 'boolean'),
  ],
}

/** The time of enrolment as GMT text. No time is the time stamp 0. */
const ENROLLED_AT = "strftime('%Y-%m-%dT%H:%M:%S', coalesce(e.enrolled_at, 0), 'unixepoch')"

/** The path of the certificate of a completed course; empty when there is none [guess]. */
const CERTIFICATE = `iif(e.status = 'completed' AND t.certificate > 0,
  '/certificates/' || t.certificate || '/?course_id=' || t.id || '&user=' || e.user, '')`

const readOnly = true

/** Courses of a user, with the enrolment `e`. The specification does not have this list. */
export const userCourse: Resource = {
  ...common,
  route: '/lms/v2/users/<id>/courses',
  recordRoute: course.route,
  listParameters: ['context', 'page', 'per_page', 'include', 'exclude'],
  // [guess] The order of the list.
  defaults: { order: 'desc', orderby: 'date' },
  fields: [
    ...plainFields,
    field('enrolled_at', 'datetime', { readOnly, contexts: ALL, column: ENROLLED_AT, variations: ['siteTime'] }),
    field('enrolled_at_gmt', 'datetime', { readOnly, contexts: ALL, column: ENROLLED_AT }),
    field('awarded_certificate_url', 'sitePath', { readOnly, contexts: ALL, column: CERTIFICATE }),
  ],
}
