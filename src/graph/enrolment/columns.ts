import * as c from '../../upstream/codec/columns.js'
import { Shape } from '../../upstream/codec/records.js'

export { listedColumns } from '../post/columns.js'

/** The enrolment of a user in a course as `v2/users/<id>/courses` sends it with the course. */
const enrolmentColumns = {
  enrolledAt: c.moment('enrolled_at', 'enrolled_at_gmt', 'When the user was enrolled in the course.', {
    none: 'Null when the site has no time, as for members of groups, when it does not send it, or when it sends none in UTC and its time zone is not known.',
  }),
  certificateUrl: c.url('awarded_certificate_url', 'URL of the certificate that the user got for completing the course.', {
    none: 'Null for none, or when the site does not send it.',
  }),
}

export const enrolmentShape = new Shape('UserCourseEdge', enrolmentColumns)

const enrolmentStatus: c.Enumeration = {
  name: 'EnrolmentResultStatus',
  description: 'What became of the enrolment of one user.',
  members: {
    DONE: { wire: ['success'], description: 'The site has made the change.' },
    FAILED: { wire: ['failed'], description: 'The site has not made the change: `code` and `message` say why.' },
    IN_DOUBT: {
      wire: ['in_doubt'],
      description: 'The site did not confirm the change, which may have been made: check before you try again.',
    },
    NOT_SENT: { wire: ['not_sent'], description: 'The gateway did not send it, because an earlier call failed. It can be sent again.' },
  },
}

/** Columns of the result for each user of a request to enrol users. */
export const resultColumns = {
  userId: c.integer('user_id', 'Id of the user.', { none: '' }),
  ...c.openEnumeration('status', enrolmentStatus, 'status', 'What became of it.'),
  code: c.word('code', "The site's code for the result, or for the error of the call.", { none: 'Null when there is none.' }),
  message: c.plainText('message', "The site's message about the result, in the language of the site, or that of the gateway."),
}
