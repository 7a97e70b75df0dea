import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { Lesson, ofLesson } from '../lesson/type.js'
import { addPostFields, LmsContent } from '../post/type.js'
import { topicColumns } from './columns.js'
import { topics } from './loader.js'
import { topicList } from './routes.js'

export const Topic = builder.lmsNodeRef('Topic', { columns: topicColumns, load: topics, federated: 'here' })

const cost = 'Null when it belongs to none or to several. One REST call for each 100 different ones of a level.'

Topic.implement({
  description: 'A topic: a step below a lesson. Only on sites that have the route of topics.',
  interfaces: [LmsContent],
  fields: (t) => ({
    course: t.lmsRelation(Course, { key: 'courseId', description: `The course the topic belongs to. ${cost}` }),
    lesson: t.lmsRelation(Lesson, { key: 'lessonId', description: `The lesson the topic belongs to. ${cost}` }),
  }),
})

addPostFields(Topic)

builder.objectField(Lesson, 'topics', (t) =>
  t.lmsConnection(Topic, {
    ...ofLesson,
    list: topicList,
    fixed: ['course'],
    description: 'Topics of the lesson, in the order of the course. One REST call per lesson for each 100 rows.',
  }),
)
