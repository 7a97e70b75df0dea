import { ACCESS, type RouteTags } from '../../upstream/cache/tags.js'
import type { ListRoute, Route } from '../../upstream/routes.js'

/** Changes of users are changes of what they may see too. Who sees a user depends on what the user has published. */
const tags: RouteTags = {
  change: 'user',
  ofRead: ({ id }, { include }) => {
    const ids = id === undefined ? (include as readonly unknown[]) : [id]
    return { type: 'User', tags: [ACCESS, ...ids.map((each) => `user:${each}`)] }
  },
}

const route = { wordpress: 'users', asStranger: true, tags } as const

export const userList: ListRoute = { path: 'wp/v2/users', ...route, window: 'offset', filters: {}, orders: {} }

export const userRoute: Route = { path: 'wp/v2/users/:id', ...route }
