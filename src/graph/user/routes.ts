import { ACCESS, type RouteTags } from '../../upstream/cache/tags.js'
import type { ListRoute } from '../../upstream/routes.js'

/** Changes of users are changes of what they may see too. Who sees a user depends on what the user has published. */
const tags: RouteTags = {
  change: 'user',
  ofRead: ({ id }, { include }) => {
    const ids = id === undefined ? (include as readonly unknown[]) : [id]
    return { type: 'User', tags: [ACCESS, ...ids.map((each) => `user:${each}`)] }
  },
}

export const userList: ListRoute = {
  path: 'wp/v2/users',
  optional: 'users',
  asStranger: true,
  tags,
  window: 'offset',
  filters: {},
  orders: {},
}
