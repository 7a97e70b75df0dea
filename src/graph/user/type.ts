import { VIEWER_COLUMNS } from '../../load/viewer.js'
import { builder } from '../kit/builder.js'
import { readId } from '../kit/ids.js'
import { userColumns } from './columns.js'
import { users } from './loader.js'

export const User = builder.lmsNodeRef('User', {
  columns: userColumns,
  load: users,
  byKeyAlone: true,
  keyDescription: 'Id of the user in the LMS: a positive whole number.',
  federated: 'elsewhere',
})

User.implement({
  description:
    'A user. The id is known without a REST call; the columns are read from WordPress, and are null when the site does not show the user to the caller. What only editors may read, administrators may, and users of themselves. Has the relations that start from a user.',
})

builder.queryField('user', (t) =>
  t.lmsRelation(User, {
    semanticNonNull: true,
    description:
      'A user by id. No REST call for the id alone, so that the gateway does not check whether the user exists; else one. Null only beside an error.',
    args: { id: t.arg.id({ required: true, description: 'Global id or REST id of the user.' }) },
    parse: ({ id }) => readId('id', 'User', id),
    key: (_, id) => id,
  }),
)

builder.queryField('viewer', (t) =>
  t.lmsRelation(User, {
    description:
      'The user who sends the request. With a service account, the id is in a claim of the token. With credentials that are passed to the site, on WordPress, the gateway asks the site: one REST call, and the answer is kept for some minutes. Null when the user is not known.',
    parse: (_, { viewer }) => viewer,
    key: (_, viewer) => viewer,
    perCaller: 'checked',
    // The route of the current user sends them too.
    knownColumns: ({ readsAsViewer }) => (readsAsViewer ? VIEWER_COLUMNS : []),
  }),
)
