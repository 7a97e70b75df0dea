import * as c from '../../upstream/codec/columns.js'
import { linkColumns } from '../post/columns.js'

const progressStatus: c.Enumeration = {
  name: 'ProgressStatus',
  description: 'Status of a user in a course, or in a step of one.',
  members: {
    NOT_STARTED: { wire: ['not_started', 'not-started'], description: 'No step completed yet.' },
    IN_PROGRESS: { wire: ['in_progress', 'in-progress'], description: 'Some steps completed.' },
    COMPLETED: { wire: ['completed'], description: 'All steps completed.' },
  },
}

/** A user's progress in one course as `v2/users/<id>/course-progress` sends it. */
export const courseProgressColumns = {
  courseId: c.reference('course', 'Id of the course.', { none: 'Null when the site does not send it.', embed: true }),
  ...c.openEnumeration('status', progressStatus, 'progress_status', 'Status of the user in the course.', {
    none: 'Null when the site does not know the user.',
    embed: true,
  }),
  lastStepId: c.reference('last_step', 'Id of the last completed step.', { embed: true }),
  stepsCompleted: c.integer('steps_completed', 'Number of completed steps.', { none: 'Null when the site does not send it.' }),
  stepsTotal: c.integer('steps_total', 'Number of steps in the course.', { none: 'Null when the site does not send it.' }),
  startedAt: c.moment('date_started', 'date_started_gmt', 'When the user started.', {
    none: 'Null when the user has not started, or when the site sends no time in UTC and its time zone is not known.',
  }),
  completedAt: c.moment('date_completed', 'date_completed_gmt', 'When the user completed the course.', {
    none: 'Null when the user has not completed it, or when the site sends no time in UTC and its time zone is not known.',
  }),
  dateStarted: c.localDateTime('date_started', 'When the user started, in the time zone of the site.', {
    none: 'Null when the user has not started.',
  }),
  dateCompleted: c.localDateTime('date_completed', 'When the user completed the course, in the time zone of the site.', {
    none: 'Null when the user has not completed it.',
  }),
  enrolledAt: c.timestamp('access_from', 'When the user was last enrolled in the course.', {
    none: 'Null when the site does not send it: sites do so only when they are extended.',
  }),
  ...linkColumns,
}

const noTime = 'Null when the user has not, or when the site sends no time in UTC and its time zone is not known.'

/** A step of a course with the status of a user. */
export const courseStepColumns = {
  stepId: c.reference('step', 'Id of the lesson, topic or quiz.'),
  type: c.word('post_type', 'Post type of the step: `sfwd-lessons`, `sfwd-topic` or `sfwd-quiz`.'),
  ...c.openEnumeration('status', progressStatus, 'step_status', 'Status of the user in the step.'),
  startedAt: c.moment('date_started', 'date_started_gmt', 'When the user started it.', { none: noTime }),
  completedAt: c.moment('date_completed', 'date_completed_gmt', 'When the user completed it.', { none: noTime }),
}
