import { Course, CourseProgress, defineResource, LmsError, type NeededRecord, readId, toOne } from '../../src/kit.js'

/** Whether a user has begun a course: a computed field with an argument, and with an edge of its own. */
export const begun = defineResource('begun', (builder) => {
  builder.objectField(Course, 'isBegun', (t) =>
    t.lmsComputed({
      type: 'Boolean',
      description: 'Whether the user has begun the course. Null when the caller may not know.',
      args: { user: t.arg.id({ required: true, description: 'Global id or REST id of the user.' }) },
      needs: {
        columns: ['databaseId'],
        relations: {
          progress: toOne(CourseProgress, ({ databaseId }, user: number) => `${user}:${databaseId}`, {
            parse: ({ user }) => readId('user', 'User', user),
            // All courses of an operation are asked for the same user, so they can be one batch.
            oneScope: true,
            columns: ['status'],
          }),
        },
      },
      compute(_, { progress }) {
        const record = progress instanceof LmsError ? progress : (progress as NeededRecord).record
        if (record instanceof LmsError) throw record
        return record !== null && record.status !== 'NOT_STARTED'
      },
    }),
  )
})
