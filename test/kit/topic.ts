import { batchByIds, Course, columns as c, defineResource, Lesson, postColumns, postList, readId } from '../../src/kit.js'

/** Topics: records below a lesson of a course. */
const topicColumns = {
  databaseId: postColumns.databaseId,
  date: postColumns.date,
  slug: postColumns.slug,
  title: postColumns.title,
  content: postColumns.content,
  courseId: c.reference('course', 'Id of the course the topic belongs to.', { of: 'Course', readOnly: true }),
  lessonId: c.reference('lesson', 'Id of the lesson the topic belongs to.', { of: 'Lesson', readOnly: true }),
}

const topicList = postList('Topic', {
  path: 'v2/sfwd-topic',
  filters: {
    course: { kind: 'id', of: 'Course', param: 'course', description: 'Limits to topics of this course.' },
    lesson: { kind: 'id', of: 'Lesson', param: 'lesson', description: 'Limits to topics of this lesson.' },
  },
  orders: { TITLE: { wire: 'title', description: 'By title.' }, ID: { wire: 'id', description: 'By id.' } },
})

export const topics = defineResource('topic', (builder) => {
  const Topic = builder.lmsNodeRef('Topic', { columns: topicColumns, load: batchByIds(topicList), federated: 'here' })

  Topic.implement({
    description: 'A topic: a step below a lesson.',
    fields: (t) => ({
      course: t.lmsRelation(Course, { key: 'courseId', description: 'The course the topic belongs to.' }),
      lesson: t.lmsRelation(Lesson, { key: 'lessonId', description: 'The lesson the topic belongs to.' }),
      heading: t.lmsComputed({
        type: 'String',
        description: 'Title of the topic below that of its course.',
        needs: { columns: ['title'], relations: { course: { ref: Course, columns: ['title'] } } },
        compute: ({ title }, { course }) => (course ? `${course.title}: ${title}` : title),
      }),
    }),
  })

  builder.queryField('topics', (t) => t.lmsConnection(Topic, { list: topicList, description: 'Topics of the site.' }))

  builder.queryField('topic', (t) =>
    t.lmsRelation(Topic, {
      description: 'A topic by its id.',
      args: { id: t.arg.id({ required: true, description: 'Global id or REST id of the topic.' }) },
      parse: ({ id }) => readId('id', 'Topic', id),
      key: (_, id) => id,
    }),
  )

  builder.objectField(Lesson, 'topics', (t) =>
    t.lmsConnection(Topic, {
      list: topicList,
      query: ({ databaseId }) => ({ lesson: databaseId }),
      fixed: ['lesson'],
      description: 'Topics of the lesson, in the order of the course.',
    }),
  )
})
