import { builder } from '../../schema/builder.js'
import { readId } from '../../schema/ids.js'

export const User = builder.lmsNodeRef('User', {
  columns: {},
  keyDescription: 'Id of the user in the LMS: a positive whole number.',
  federated: 'elsewhere',
})

User.implement({ description: 'A user, known by id only: the interface has no route for users. What it tells about them hangs here.' })

builder.queryField('user', (t) =>
  t.lmsRelation(User, {
    semanticNonNull: true,
    description:
      'A user by id. No REST call of its own, so the gateway does not know whether there is such a user. Null only beside an error.',
    args: { id: t.arg.id({ required: true, description: 'Global id or REST id of the user.' }) },
    read: ({ id }) => readId('id', 'User', id),
    key: (_, id) => id,
  }),
)

builder.queryField('viewer', (t) =>
  t.lmsRelation(User, {
    description: 'The user who asks, where the gateway knows who that is: by a claim of their token. Else null. No REST call.',
    read: (_, { viewer }) => viewer,
    key: (_, viewer) => viewer,
    perCaller: true,
  }),
)
