import * as c from '../../rest/columns.js'
import { featuredMediaColumns, menuOrderColumns, permalinkColumns, postColumns } from '../post.js'

/** A quiz as `v1/sfwd-quiz` sends it. */
export const quizColumns = {
  ...postColumns,
  ...permalinkColumns,
  ...featuredMediaColumns,
  ...menuOrderColumns,
  materials: c.html('quiz_materials', 'Materials of the quiz as HTML; empty for none. Null when the site does not send them.', {
    heavy: true,
  }),
  threshold: c.decimal('threshold', 'Share of points, from 0 to 1, from which the certificate is given. Null when not set.'),
  passingPercentage: c.decimal(
    'passingpercentage',
    'Percentage of points, from 0 to 100, from which the quiz is passed. Null when not set.',
  ),
  certificateId: c.reference('certificate', 'Id of the certificate. Null when there is none.'),
}
