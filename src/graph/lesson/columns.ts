import * as c from '../../upstream/codec/columns.js'
import * as forms from '../../upstream/codec/forms.js'
import { classAndMetaColumns, contentColumns, discussionColumns, ownTaxonomies, rightColumns, taxonomyColumns } from '../post/columns.js'

const videoShown: c.Enumeration = {
  name: 'VideoShown',
  description: 'When the video of a lesson is shown.',
  members: {
    BEFORE: { wire: ['BEFORE'], description: 'Before the sub-steps of the lesson.' },
    AFTER: { wire: ['AFTER'], description: 'After the sub-steps of the lesson.' },
  },
}

const visibleType: c.Enumeration = {
  name: 'VisibleType',
  description: 'Release schedule of a lesson.',
  members: {
    VISIBLE_AFTER: { wire: ['visible_after'], description: 'A number of days after enrolment: see `visibleAfter`.' },
    VISIBLE_AFTER_SPECIFIC_DATE: { wire: ['visible_after_specific_date'], description: 'On a date: see `visibleAfterSpecificDate`.' },
  },
}

/** A lesson as `v2/sfwd-lessons` sends it. */
export const lessonColumns = {
  ...contentColumns,
  content: { ...contentColumns.content, hidden: true },
  ...rightColumns,
  ...classAndMetaColumns,
  ...discussionColumns,
  ...taxonomyColumns,
  ...ownTaxonomies('lesson'),
  materialsEnabled: c.toggle('materials_enabled', 'Whether the lesson has materials.'),
  materials: c.html('materials', 'Materials of the lesson as HTML; empty for none.', { heavy: true, hidden: true }),
  videoEnabled: c.toggle('video_enabled', 'Whether the lesson has a video that counts for progress.'),
  videoUrl: c.urlText('video_url', 'URL or embed code of the video; empty for none.', { hidden: true }),
  ...c.openEnumeration('videoShown', videoShown, 'video_shown', 'Whether the video is shown before or after the sub-steps.'),
  videoAutoComplete: c.toggle('video_auto_complete', 'Whether the end of the video completes the lesson.'),
  videoAutoCompleteDelay: c.integer('video_auto_complete_delay', 'Seconds from the end of the video to completion.', { least: 0 }),
  videoShowCompleteButton: c.toggle('video_show_complete_button', 'Whether the mark-complete button is shown with the video.'),
  videoAutoStart: c.toggle('video_auto_start', 'Whether the video starts by itself.'),
  videoShowControls: c.toggle('video_show_controls', 'Whether the player shows its controls, if it supports this setting.'),
  videoFocusPause: c.toggle('video_focus_pause', 'Whether the video pauses when its window loses focus.'),
  videoResume: c.toggle('video_resume', 'Whether the video continues where the learner stopped.'),
  assignmentUploadEnabled: c.toggle('assignment_upload_enabled', 'Whether learners can upload files.'),
  assignmentUploadLimitExtensions: c.commaList('assignment_upload_limit_extensions', 'Allowed file extensions; empty for any.', {
    form: forms.fileExtension,
  }),
  assignmentUploadLimitSize: c.text(
    'assignment_upload_limit_size',
    'Largest file in the notation of the site, such as `32M`; empty for the default.',
    { form: forms.uploadSize, input: 'Largest file, in bytes or with K, M or G, such as `500K`: at most `32M`; empty for the default.' },
  ),
  assignmentUploadLimitCount: c.integer('assignment_upload_limit_count', 'Number of files that a learner may upload.', { least: 0 }),
  assignmentPointsEnabled: c.toggle('assignment_points_enabled', 'Whether assignments award points.'),
  assignmentPointsAmount: c.integer('assignment_points_amount', 'Points for an assignment.', { least: 0 }),
  assignmentAutoApprove: c.toggle('assignment_auto_approve', 'Whether assignments are approved automatically.'),
  assignmentDeletionEnabled: c.toggle('assignment_deletion_enabled', 'Whether learners may delete their uploads.'),
  forcedTimerEnabled: c.toggle('forced_timer_enabled', 'Whether learners must stay on the lesson for a minimum time.'),
  forcedTimerAmount: c.integer('forced_timer_amount', 'Minimum time in seconds.', { least: 0 }),
  courseId: c.reference('course', 'Id of the course the lesson belongs to.', {
    of: 'Course',
    none: 'Null when it belongs to no course or to several.',
  }),
  isSample: c.toggle('is_sample', 'Whether the lesson is open to everyone as a sample.'),
  ...c.openEnumeration('visibleType', visibleType, 'visible_type', 'Release schedule.', {
    none: 'Null when the lesson opens at enrolment.',
    cleared: '',
  }),
  visibleAfter: c.integer('visible_after', 'Days from enrolment until the lesson opens.', { least: 0 }),
  visibleAfterSpecificDate: c.localDate('visible_after_specific_date', 'Date on which the lesson opens.'),
  visibleAfterSpecificTime: c.timestampOrText(
    'visible_after_specific_date',
    'When the lesson opens, on sites that send a moment instead of a date.',
    {
      none: 'Null when it is not set, or when the site sends a date.',
      readOnly: true,
    },
  ),
}
