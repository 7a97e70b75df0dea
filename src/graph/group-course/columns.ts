import * as c from '../../upstream/codec/columns.js'
import { contentColumns, discussionColumns, listedColumns, ownTaxonomies, prerequisiteCompare, taxonomyColumns } from '../post/columns.js'

/** A course as `v2/groups/<id>/courses` sends it. */
export const groupCourseColumns = {
  ...contentColumns,
  ...discussionColumns,
  ...taxonomyColumns,
  ...ownTaxonomies('course'),
  materialsEnabled: c.toggle('materials_enabled', 'Whether the course has materials.'),
  materials: c.html('materials', 'Materials of the course as HTML; empty for none.', { heavy: true }),
  certificateId: c.reference('certificate', 'Id of the certificate for completing the course.'),
  disableContentTable: c.toggle('disable_content_table', 'Whether the table of contents is hidden.'),
  lessonsPerPageEnabled: c.toggle('lessons_per_page', 'Whether the course has its own page sizes.'),
  lessonPerPageCustom: c.integer('lesson_per_page_custom', 'Lessons per page.'),
  topicPerPageCustom: c.integer('topic_per_page_custom', 'Topics per page.'),
  priceTypeSlug: c.word('price_type', 'Slug of the price type, such as `paynow`.', { none: 'Null when none is set.' }),
  priceTypePaynowPrice: c.text('price_type_paynow_price', 'Price of a single purchase; empty for none.'),
  priceTypeSubscribePrice: c.text('price_type_subscribe_price', 'Price of a subscription; empty for none.'),
  priceTypeClosedPrice: c.text('price_type_closed_price', 'Price of a closed course; empty for none.'),
  priceTypeClosedCustomButtonUrl: c.urlText('price_type_closed_custom_button_url', 'URL of the button of a closed course; empty for none.'),
  prerequisiteEnabled: c.toggle('prerequisite_enabled', 'Whether the prerequisites are enforced.'),
  ...c.openEnumeration('prerequisiteCompare', prerequisiteCompare, 'prerequisite_compare', 'How prerequisites are compared.'),
  prerequisiteIds: c.references('prerequisites', 'Ids of the courses to complete before this one.'),
  pointsEnabled: c.toggle('points_enabled', 'Whether the course awards and requires points.'),
  pointsAccess: c.decimal('points_access', 'Points required for access.'),
  pointsAmount: c.decimal('points_amount', 'Points awarded on completion.'),
  progressionDisabled: c.toggle('progression_disabled', 'Whether lessons may be taken in any order.'),
}

/** Columns of the result for each course of a request to add courses to a group. */
export const additionColumns = {
  courseId: c.integer('course_id', 'Id of the course.', { none: '' }),
  added: c.either({ success: true, failed: false }, 'status', 'Whether it was added. False for a course that was in the group already.'),
  code: c.word('code', "The site's code for the result."),
  message: c.plainText('message', "The site's message about the result, in the language of the site."),
}

const g = groupCourseColumns

/**
 * The columns of a course, by their names on `Course`, that the list of a group sends with the same meaning. The columns for points differ:
 * when unset, the list sends 0 and the course sends nothing.
 */
export const courseInGroupColumns = {
  ...listedColumns,
  ...taxonomyColumns,
  ...ownTaxonomies('course'),
  materials: g.materials,
  priceTypeSlug: g.priceTypeSlug,
  prerequisiteEnabled: g.prerequisiteEnabled,
  prerequisiteIds: g.prerequisiteIds,
  prerequisiteCompare: g.prerequisiteCompare,
  prerequisiteCompareValue: g.prerequisiteCompareValue,
  pointsEnabled: g.pointsEnabled,
  disableLessonProgression: g.progressionDisabled,
}
