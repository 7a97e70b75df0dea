import * as c from '../../rest/columns.js'
import {
  discussionColumns,
  featuredMediaColumns,
  menuOrderColumns,
  ownTaxonomies,
  permalinkColumns,
  postColumns,
  prerequisiteCompare,
  taxonomyColumns,
} from '../post.js'

/** A course as `v2/groups/<id>/courses` sends it. */
export const groupCourseColumns = {
  ...postColumns,
  ...permalinkColumns,
  ...featuredMediaColumns,
  ...menuOrderColumns,
  ...discussionColumns,
  ...taxonomyColumns,
  ...ownTaxonomies('course'),
  materialsEnabled: c.toggle('materials_enabled', 'Whether the course has materials. Null when the site does not say.'),
  materials: c.html('materials', 'Materials of the course as HTML; empty for none. Null when the site does not send them.', {
    heavy: true,
  }),
  certificateId: c.reference('certificate', 'Id of the certificate for completing the course. Null when there is none.'),
  disableContentTable: c.toggle('disable_content_table', 'Whether the table of contents is hidden. Null when the site does not say.'),
  lessonsPerPage: c.toggle('lessons_per_page', 'Whether the course has page sizes of its own. Null when the site does not say.'),
  lessonPerPageCustom: c.integer('lesson_per_page_custom', 'Lessons on a page. Null when not set.'),
  topicPerPageCustom: c.integer('topic_per_page_custom', 'Topics on a page. Null when not set.'),
  priceTypeSlug: c.word('price_type', 'Slug of the price type, such as `paynow`. Null when none is set.'),
  priceTypePaynowPrice: c.text('price_type_paynow_price', 'Price when bought once; empty for none. Null when the site does not send it.'),
  priceTypeSubscribePrice: c.text(
    'price_type_subscribe_price',
    'Price of a subscription; empty for none. Null when the site does not send it.',
  ),
  priceTypeClosedPrice: c.text('price_type_closed_price', 'Price of a closed course; empty for none. Null when the site does not send it.'),
  priceTypeClosedCustomButtonUrl: c.text(
    'price_type_closed_custom_button_url',
    'Where the button of a closed course leads; empty for nowhere. Null when the site does not send it.',
  ),
  prerequisiteEnabled: c.toggle('prerequisite_enabled', 'Whether the prerequisites are enforced. Null when the site does not say.'),
  ...c.openEnumeration(
    'prerequisiteCompare',
    prerequisiteCompare,
    'prerequisite_compare',
    'How prerequisites are compared. Null when not set.',
  ),
  prerequisiteIds: c.references(
    'prerequisites',
    'Ids of the courses to be completed before this one. Null when the site does not send them.',
  ),
  pointsEnabled: c.toggle('points_enabled', 'Whether the course gives and asks for points. Null when the site does not say.'),
  pointsAccess: c.decimal('points_access', 'Points a learner needs for access. Null when not set.'),
  pointsAmount: c.decimal('points_amount', 'Points awarded on completion. Null when not set.'),
  progressionDisabled: c.toggle('progression_disabled', 'Whether lessons may be taken in any order. Null when the site does not say.'),
}

const { links: _links, curies: _curies, ...samePost } = postColumns
const g = groupCourseColumns

/**
 * The columns of a course, by their names on `Course`, that a group's list carries with the same meaning. Points are not among them:
 * where none are set, the list says 0 and the course says so.
 */
export const courseInGroupColumns = {
  ...samePost,
  ...permalinkColumns,
  ...featuredMediaColumns,
  ...menuOrderColumns,
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
