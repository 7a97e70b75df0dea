import { batchByIds, Course, columns as c, defineResource, type ListRoute, postColumns, readId, recordTags, User } from '../../src/kit.js'

/** Pictures: the media library of WordPress, with the courses that they were uploaded to. */
const pictureColumns = {
  databaseId: postColumns.databaseId,
  date: postColumns.date,
  slug: postColumns.slug,
  title: postColumns.title,
  url: c.url('source_url', 'URL of the file.'),
  authorId: postColumns.authorId,
  courseId: c.reference('post', 'Id of the course the picture was uploaded to.', { of: 'Course', readOnly: true }),
}

const pictureList: ListRoute = {
  path: 'wp/v2/media',
  window: 'offset',
  filters: {
    search: { kind: 'text', param: 'search', description: 'Selects pictures whose title or caption contains this text.' },
    course: { kind: 'id', of: 'Course', param: 'parent', description: 'Selects the pictures of this course.' },
  },
  orders: { TITLE: { wire: 'title', description: 'By title.' }, ID: { wire: 'id', description: 'By id.' } },
  tags: recordTags('Picture', { change: 'media' }),
}

export const pictures = defineResource('pictures', (builder) => {
  const Picture = builder.lmsNodeRef('Picture', { columns: pictureColumns, load: batchByIds(pictureList), federated: 'here' })

  Picture.implement({
    description: 'A picture of the media library.',
    fields: (t) => ({
      author: t.lmsRelation(User, { key: 'authorId', description: 'The user who uploaded the picture.' }),
      course: t.lmsRelation(Course, { key: 'courseId', description: 'The course the picture was uploaded to.' }),
      credit: t.lmsComputed({
        type: 'String',
        description: 'Title of the picture, with the name of the user who uploaded it.',
        needs: { columns: ['title'], relations: { author: { ref: User, columns: ['name'] } } },
        compute: ({ title }, { author }) => (author?.name ? `${title}, by ${author.name}` : title),
      }),
    }),
  })

  builder.queryField('pictures', (t) => t.lmsConnection(Picture, { list: pictureList, description: 'Pictures of the site.' }))

  builder.queryField('picture', (t) =>
    t.lmsRelation(Picture, {
      description: 'A picture by its id.',
      args: { id: t.arg.id({ required: true, description: 'Global id or REST id of the picture.' }) },
      parse: ({ id }) => readId('id', 'Picture', id),
      key: (_, id) => id,
    }),
  )

  builder.objectField(Course, 'pictures', (t) =>
    t.lmsConnection(Picture, {
      list: pictureList,
      query: ({ databaseId }) => ({ parent: databaseId }),
      fixed: ['course'],
      description: 'Pictures that were uploaded to the course.',
    }),
  )
})
