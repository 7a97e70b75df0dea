import * as c from '../../upstream/codec/columns.js'
import { contentColumns, rightColumns } from '../post/columns.js'

/** A quiz as `v1/sfwd-quiz` sends it. */
export const quizColumns = {
  ...contentColumns,
  ...rightColumns,
  materials: c.html('quiz_materials', 'Materials of the quiz as HTML; empty for none.', { heavy: true }),
  threshold: c.decimal('threshold', 'Share of points, from 0 to 1, required for the certificate.', {
    least: 0,
    most: 1,
    asText: true,
    cleared: '',
  }),
  passingPercentage: c.decimal('passingpercentage', 'Percentage of points, from 0 to 100, required to pass the quiz.', {
    least: 0,
    most: 100,
    asText: true,
    cleared: '',
  }),
  certificateId: c.reference('certificate', 'Id of the certificate.', { asText: true, cleared: '' }),
}
