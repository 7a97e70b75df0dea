import * as c from '../../upstream/codec/columns.js'
import { contentColumns, rightColumns } from '../post/columns.js'

const none = 'Null when it belongs to none or to several.'

/** A topic as `v2/sfwd-topic` sends it. */
export const topicColumns = {
  ...contentColumns,
  content: { ...contentColumns.content, hidden: true },
  ...rightColumns,
  materials: c.html('materials', 'Materials of the topic as HTML; empty for none.', { heavy: true, hidden: true }),
  videoEnabled: c.toggle('video_enabled', 'Whether the topic has a video that counts for progress.'),
  videoUrl: c.urlText('video_url', 'URL or embed code of the video; empty for none.', { hidden: true }),
  courseId: c.reference('course', 'Id of the course the topic belongs to.', { of: 'Course', none }),
  lessonId: c.reference('lesson', 'Id of the lesson the topic belongs to.', { of: 'Lesson', none }),
}
