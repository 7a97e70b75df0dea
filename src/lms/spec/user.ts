import { ALL, BODY_ONLY, EDIT, field, type Resource, shown, VIEW } from './field.js'
import { somePublished } from './post.js'

/** By role of the LMS: the role in WordPress, and capabilities that concern the LMS. */
const ROLES: Readonly<Record<string, readonly [role: string, ...capabilities: readonly string[]]>> = {
  admin: [
    ...(['administrator', 'read', 'manage_options', 'list_users', 'edit_users', 'upload_files', 'manage_categories'] as const),
    ...['posts', 'courses', 'groups'].flatMap((kind) =>
      ['edit', 'edit_others', 'publish', 'delete', 'delete_others', 'read_private'].map((action) => `${action}_${kind}`),
    ),
  ],
  leader: ['group_leader', 'read'],
  subscriber: ['subscriber', 'read'],
}

/** SQL that selects a JSON text by the role of a user. */
const byRole = (json: (names: readonly string[]) => unknown): string =>
  `CASE u.role ${Object.entries(ROLES)
    .map(([role, names]) => `WHEN '${role}' THEN '${JSON.stringify(json(names))}'`)
    .join(' ')} END`

const flags = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, true]))

/** SQL of users as rows. Only those with published records are published. */
const USERS = `(
  SELECT u.*, u.login AS slug, u.login AS username, u.name AS nickname, u.name AS title, u.name_folded AS title_folded,
    substr(u.name, 1, instr(u.name, ' ') - 1) AS first_name, substr(u.name, instr(u.name, ' ') + 1) AS last_name,
    u.description AS content, lower(u.login) AS content_folded, lower(u.login) || '@riverside.example' AS email,
    lower(u.login) || '@riverside.example' AS excerpt, NULL AS excerpt_folded, '' AS url, '' AS password, 'en_US' AS locale,
    ${byRole(([role]) => [role])} AS roles, ${byRole(flags)} AS capabilities, ${byRole(([role]) => flags([role!]))} AS extra_capabilities,
    '[]' AS meta, iif(${somePublished('p.author = u.id')}, 'publish', 'private') AS status
  FROM users u)`

/** Users, as WordPress itself shows them. The specification has only their ids. */
export const user: Resource = {
  type: 'users',
  label: 'user',
  route: '/wp/v2/users',
  table: USERS,
  path: 'author',
  taxonomies: [],
  fields: [
    ...shown(ALL, 'integer', 'id'),
    ...shown(EDIT, 'text', 'username', 'first_name', 'last_name', 'email', 'locale', 'nickname', 'registered_date'),
    ...shown(ALL, 'text', 'name', 'url', 'description'),
    ...shown(ALL, 'link', 'link'),
    ...shown(ALL, 'text', 'slug'),
    ...shown(EDIT, 'json', 'roles', 'capabilities', 'extra_capabilities'),
    ...shown(ALL, 'avatars', 'avatar_urls'),
    ...shown(VIEW, 'json', 'meta'),
  ],
  listParameters: ['context', 'page', 'per_page', 'search', 'exclude', 'include', 'offset', 'order', 'orderby', 'slug', 'roles'],
  orderBy: ['id', 'include', 'name', 'registered_date', 'slug', 'include_slugs', 'email', 'url'],
  anyPage: true,
}

/** Users who are directly enrolled in a course. */
export const courseUser: Resource = {
  ...user,
  route: '/lms/v2/sfwd-courses/<id>/users',
  recordRoute: user.route,
  bodyIds: field('user_ids', 'integer', { contexts: BODY_ONLY, accepts: 'idList', most: 50 }),
  defaults: { orderby: 'name' },
}
