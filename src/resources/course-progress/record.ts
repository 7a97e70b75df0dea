import * as c from '../../upstream/codec/columns.js'
import { linkColumns } from '../post.js'

const progressStatus: c.Enumeration = {
  name: 'ProgressStatus',
  description: 'How far a user has come in a course.',
  members: {
    NOT_STARTED: { wire: ['not_started', 'not-started'], description: 'No step done yet.' },
    IN_PROGRESS: { wire: ['in_progress', 'in-progress'], description: 'Some steps done.' },
    COMPLETED: { wire: ['completed'], description: 'All steps done.' },
  },
}

/** A user's progress in one course as `v2/users/<id>/course-progress` sends it. */
export const courseProgressColumns = {
  courseId: c.reference('course', 'Id of the course.', { none: 'Null when the site does not send it.', embed: true }),
  ...c.openEnumeration('status', progressStatus, 'progress_status', 'How far the user has come.', {
    none: 'Null when the site does not know the user.',
    embed: true,
  }),
  lastStepId: c.reference('last_step', 'Id of the step completed last.', { embed: true }),
  stepsCompleted: c.integer('steps_completed', 'Steps done.', { none: 'Null when the site does not send it.' }),
  stepsTotal: c.integer('steps_total', 'Steps of the course.', { none: 'Null when the site does not send it.' }),
  dateStarted: c.localDateTime('date_started', "When the user began, by the site's own clock.", { none: 'Null when the user has not.' }),
  dateCompleted: c.localDateTime('date_completed', "When the user finished, by the site's own clock.", {
    none: 'Null when the user has not.',
  }),
  ...linkColumns,
}
