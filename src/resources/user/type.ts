import { builder } from '../../schema/builder.js'
import { readId } from '../../schema/ids.js'

export const User = builder.lmsNodeRef('User', {
  columns: {},
  keyDescription: 'Id of the user in the LMS: a positive whole number.',
  federated: 'elsewhere',
})

User.implement({
  description: 'A user, of whom only the id is known: the interface has no route for users. Has the relations that start from a user.',
})

builder.queryField('user', (t) =>
  t.lmsRelation(User, {
    semanticNonNull: true,
    description: 'A user by id. No REST call, so the gateway does not check whether the user exists. Null only beside an error.',
    args: { id: t.arg.id({ required: true, description: 'Global id or REST id of the user.' }) },
    read: ({ id }) => readId('id', 'User', id),
    key: (_, id) => id,
  }),
)

builder.queryField('viewer', (t) =>
  t.lmsRelation(User, {
    description: 'The user who sends the request, if a claim of their token has the id; else null. No REST call.',
    read: (_, { viewer }) => viewer,
    key: (_, viewer) => viewer,
    perCaller: true,
  }),
)
