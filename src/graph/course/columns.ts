import * as c from '../../upstream/codec/columns.js'
import * as forms from '../../upstream/codec/forms.js'
import type { Site } from '../../upstream/site/site.js'
import { classAndMetaColumns, contentColumns, ownTaxonomies, prerequisiteCompare, rightColumns, taxonomyColumns } from '../post/columns.js'

/** Spellings of price types in version 1, and those of version 2 and of the price types. */
const priceTypeSpellings = { buynow: 'paynow' }
const priceTypeOn = (slug: string, { payNowSpelling }: Site): string => (slug === 'paynow' ? payNowSpelling : slug)

/** A course as `v1/sfwd-courses` sends it. */
export const courseColumns = {
  ...contentColumns,
  ...rightColumns,
  ...classAndMetaColumns,
  ...taxonomyColumns,
  ...ownTaxonomies('course'),
  materials: c.html('course_materials', 'Materials of the course as HTML; empty for none.', { heavy: true }),
  priceTypeSlug: c.spelled(priceTypeSpellings, priceTypeOn, 'course_price_type', 'Slug of the price type, such as `paynow`.', {
    none: 'Null when none is set.',
    longest: 200,
    form: forms.identifier,
  }),
  customButtonLabel: c.text('custom_button_label', 'Label of the button of a closed course; empty for the default.'),
  customButtonUrl: c.urlText('custom_button_url', 'URL of the button of a closed course; empty for none.'),
  price: c.text('course_price', 'Price as stored by the site, with or without currency; empty for none.'),
  prerequisiteEnabled: c.toggle('course_prerequisite_enabled', 'Whether the prerequisites are enforced.'),
  prerequisiteIds: c.references('course_prerequisite', 'Ids of the courses to complete before this one.', { of: 'Course' }),
  ...c.openEnumeration('prerequisiteCompare', prerequisiteCompare, 'course_prerequisite_compare', 'How prerequisites are compared.'),
  pointsEnabled: c.toggle('course_points_enabled', 'Whether the course awards and requires points.'),
  points: c.decimal('course_points', 'Points awarded on completion.', { least: 0 }),
  pointsAccess: c.decimal('course_points_access', 'Points required for access.', { least: 0 }),
  disableLessonProgression: c.toggle('course_disable_lesson_progression', 'Whether lessons may be taken in any order.'),
  expireAccess: c.toggle('expire_access', 'Whether access ends a number of days after enrolment.'),
  expireAccessDays: c.decimal('expire_access_days', 'Days until access ends.', { least: 0 }),
  expireAccessDeleteProgress: c.toggle('expire_access_delete_progress', 'Whether course and quiz data are deleted when access ends.'),
  startDate: c.timestamp('course_start_date', 'When the course starts: nobody has access before.', {
    none: 'Null when it has no start, or when the site does not send it.',
    readOnly: true,
  }),
  endDate: c.timestamp('course_end_date', 'When the course ends: nobody has access from then on.', {
    none: 'Null when it has no end, or when the site does not send it.',
    readOnly: true,
  }),
  seatsLimit: c.integer('course_seats_limit', 'Most learners who can be enrolled.', {
    none: 'Null when there is no limit, or when the site does not send it.',
    readOnly: true,
  }),
}
