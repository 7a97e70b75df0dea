import { viewerField } from '../../execute/resolve.js'
import { builder } from '../kit/builder.js'
import { readId } from '../kit/ids.js'

export const User = builder.lmsNodeRef('User', {
  columns: {},
  keyDescription: 'Id of the user in the LMS: a positive whole number.',
  federated: 'elsewhere',
})

User.implement({
  description:
    'A user. Only the id is known, and for the viewer the name too, because the interface has no route for users. Has the relations that start from a user.',
  fields: (t) => ({
    roles: t.field({
      type: ['String'],
      nullable: { list: true, items: true },
      description:
        'Roles of the viewer, by their names on the site, such as `administrator`. Null for all other users, where the site does not tell them, and with a service account. At most one REST call, as for `viewer`.',
      ...viewerField(({ databaseId }, viewer) => (viewer !== null && viewer.id === databaseId ? viewer.roles : null)),
    }),
    name: t.field({
      type: 'String',
      nullable: true,
      description:
        'Display name of the viewer. Null for all other users, and when the viewer is not known. At most one REST call, as for `viewer`.',
      ...viewerField(({ databaseId }, viewer) => (viewer !== null && viewer.id === databaseId ? viewer.name : null)),
    }),
  }),
})

builder.queryField('user', (t) =>
  t.lmsRelation(User, {
    semanticNonNull: true,
    description: 'A user by id. No REST call, so the gateway does not check whether the user exists. Null only beside an error.',
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
  }),
)
