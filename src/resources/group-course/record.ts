import * as c from '../../upstream/codec/columns.js'
import { type Projections, Shape } from '../../upstream/codec/records.js'
import { isObject } from '../../upstream/errors.js'
import { idOf } from '../../upstream/routes.js'
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
  materialsEnabled: c.toggle('materials_enabled', 'Whether the course has materials.'),
  materials: c.html('materials', 'Materials of the course as HTML; empty for none.', { heavy: true }),
  certificateId: c.reference('certificate', 'Id of the certificate for completing the course.'),
  disableContentTable: c.toggle('disable_content_table', 'Whether the table of contents is hidden.'),
  lessonsPerPageEnabled: c.toggle('lessons_per_page', 'Whether the course has page sizes of its own.'),
  lessonPerPageCustom: c.integer('lesson_per_page_custom', 'Lessons on a page.'),
  topicPerPageCustom: c.integer('topic_per_page_custom', 'Topics on a page.'),
  priceTypeSlug: c.word('price_type', 'Slug of the price type, such as `paynow`.', { none: 'Null when none is set.' }),
  priceTypePaynowPrice: c.text('price_type_paynow_price', 'Price when bought once; empty for none.'),
  priceTypeSubscribePrice: c.text('price_type_subscribe_price', 'Price of a subscription; empty for none.'),
  priceTypeClosedPrice: c.text('price_type_closed_price', 'Price of a closed course; empty for none.'),
  priceTypeClosedCustomButtonUrl: c.urlText(
    'price_type_closed_custom_button_url',
    'Where the button of a closed course leads; empty for nowhere.',
  ),
  prerequisiteEnabled: c.toggle('prerequisite_enabled', 'Whether the prerequisites are enforced.'),
  ...c.openEnumeration('prerequisiteCompare', prerequisiteCompare, 'prerequisite_compare', 'How prerequisites are compared.'),
  prerequisiteIds: c.references('prerequisites', 'Ids of the courses to be completed before this one.'),
  pointsEnabled: c.toggle('points_enabled', 'Whether the course gives and asks for points.'),
  pointsAccess: c.decimal('points_access', 'Points a learner needs for access.'),
  pointsAmount: c.decimal('points_amount', 'Points awarded on completion.'),
  progressionDisabled: c.toggle('progression_disabled', 'Whether lessons may be taken in any order.'),
}

/** What the route says of each course that was to be added to a group. */
export const additionColumns = {
  courseId: c.integer('course_id', 'Id of the course.', { none: '' }),
  added: c.either({ success: true, failed: false }, 'status', 'Whether it was added. A course that was in the group before is not.'),
  code: c.word('code', 'What became of it, as a code of the site.'),
  message: c.plainText('message', 'What became of it, as the site says it in its language.'),
}

const additionShape = new Shape('CourseAddition', additionColumns)

/** Of each course what an answer says of it, found by its id; nothing is known of one that is not there. */
export function additionsIn(projections: Projections, body: unknown, courses: readonly number[]): object[] {
  const rows = new Map((Array.isArray(body) ? body.filter(isObject) : []).map((row) => [idOf({ id: row.course_id }), row]))
  const { decode } = projections.of(additionShape, additionShape.set(additionShape.names), [])
  return courses.map((courseId) => {
    const record: Record<string, unknown> = {}
    decode(rows.get(courseId) ?? {}, record)
    return Object.assign(record, { courseId })
  })
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
