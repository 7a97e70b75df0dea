import { builder } from '../../graph/builder.js'
import { readId } from '../../graph/ids.js'
import { keyRelation, rootByKey } from '../../graph/relations.js'
import { entityType } from '../../graph/types.js'

export const User = entityType({
  name: 'User',
  description: 'A user, known by id only: the interface has no route for users. What it tells about them hangs here.',
  columns: {},
  joined: 'elsewhere',
  key: { field: 'databaseId', description: 'Id of the user in the LMS: a positive whole number.' },
})

rootByKey('user', User, {
  semanticNonNull: [0],
  description:
    'A user by id. No REST call of its own, so the gateway does not know whether there is such a user. Null only beside an error.',
  args: builder.args((t) => ({ id: t.id({ required: true, description: 'Global id or REST id of the user.' }) })),
  read: ({ id }) => ({ key: readId('id', 'User', id) }),
})

keyRelation('Query', 'viewer', {
  type: User.ref,
  description: 'The user who asks, where the gateway knows who that is: by a claim of their token. Else null. No REST call.',
  prepare: (_, { viewer }) => viewer,
  entities: () => [User.entity],
  targets: (_, viewer) => (viewer === null ? null : { entity: User.entity, key: viewer }),
  perCaller: true,
})
