import { ACCESS } from '../../upstream/cache/tags.js'
import type { ListRoute } from '../../upstream/routes.js'
import { termsAndBlocksIn } from '../post/routes.js'

/**
 * The courses that a user is enrolled in; `:user` is the user's id. They are assumed to include those of groups. It is unknown whether they include
 * open courses.
 */
export const enrolmentList: ListRoute = {
  path: 'v2/users/:user/courses',
  optional: 'users/courses',
  owner: 'user',
  hasStatus: true,
  window: 'page',
  filters: {
    id: { kind: 'ids', of: 'Course', param: 'include', notIn: 'exclude', description: 'Selects these courses, or excludes them.' },
  },
  orders: {},
  tags: {
    change: 'progress',
    ofRead: ({ user }, _, columns) => ({
      type: 'Course',
      tags: [ACCESS, 'progress', `progress:${user}`, 'course', 'courses', ...termsAndBlocksIn(columns)],
    }),
  },
}

/** The users who are enrolled in a course themselves, not by a group; `:id` is the course's. */
export const memberList: ListRoute = {
  path: 'v2/sfwd-courses/:id/users',
  optional: 'sfwd-courses/users',
  members: true,
  window: 'offset',
  filters: {},
  orders: {},
  tags: {
    change: 'user',
    ofRead: ({ id }) => ({ type: 'User', tags: [ACCESS, `course:${id}`] }),
    // The plugin for WordPress sends this change, for each user.
    ofWrite: () => ({ type: 'user', kind: 'members' }),
  },
}

/** The groups that have a course; `:id` is the course's. */
export const courseGroupList: ListRoute = {
  path: 'v2/sfwd-courses/:id/groups',
  optional: 'sfwd-courses/groups',
  hasStatus: true,
  window: 'page',
  filters: {},
  orders: {},
  tags: {
    change: 'group',
    ofRead: ({ id }, _, columns) => ({ type: 'Group', tags: [ACCESS, 'group', 'groups', `course:${id}`, ...termsAndBlocksIn(columns)] }),
  },
}
