import { ALL, EDIT, field, type Resource } from './field.js'
import { somePublished } from './post.js'

const readOnly = true

/** The capabilities of each role in WordPress, as far as they concern the LMS. */
const [LEARNER, LEADER] = [['read'], ['read', 'group_leader']]
const ADMINISTRATOR = [
  ...['read', 'manage_options', 'list_users', 'edit_users', 'upload_files', 'manage_categories', 'manage_links', 'moderate_comments'],
  ...['posts', 'courses', 'groups'].flatMap((kind) =>
    ['edit', 'edit_others', 'publish', 'delete', 'delete_others', 'read_private'].map((action) => `${action}_${kind}`),
  ),
]

const capabilities = (role: string, names: readonly string[]): string =>
  `'${JSON.stringify(Object.fromEntries([...names, role].map((name) => [name, true])))}'`

const byRole = (admin: string, leader: string, learner: string): string =>
  `CASE u.role WHEN 'admin' THEN ${admin} WHEN 'leader' THEN ${leader} ELSE ${learner} END`

/** SQL of users as rows. Only those with published records are published. */
const USERS = `(
  SELECT u.*, u.login AS slug, u.name AS title, u.name_folded AS title_folded, u.description AS content, lower(u.login) AS content_folded, '' AS password,
    u.login || '@riverside.example' AS email, lower(u.login) || '@riverside.example' AS excerpt_folded, '' AS excerpt, '' AS url,
    ${byRole("'administrator'", "'group_leader'", "'subscriber'")} AS wp_role,
    ${byRole(capabilities('administrator', ADMINISTRATOR), capabilities('group_leader', LEADER), capabilities('subscriber', LEARNER))}
      AS capabilities,
    iif(${somePublished('p.author = u.id')}, 'publish', 'private') AS status
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
    field('id', 'integer', { contexts: ALL, readOnly }),
    field('username', 'text', { contexts: EDIT, readOnly, column: 'login' }),
    field('name', 'text', { contexts: ALL, readOnly }),
    field('first_name', 'text', { contexts: EDIT, readOnly, column: "substr(t.name, 1, instr(t.name, ' ') - 1)" }),
    field('last_name', 'text', { contexts: EDIT, readOnly, column: "substr(t.name, instr(t.name, ' ') + 1)" }),
    field('email', 'text', { contexts: EDIT, readOnly }),
    field('url', 'text', { contexts: ALL, readOnly }),
    field('description', 'text', { contexts: ALL, readOnly }),
    field('link', 'link', { contexts: ALL, readOnly }),
    field('locale', 'text', { contexts: EDIT, readOnly, column: "'en_US'" }),
    field('nickname', 'text', { contexts: EDIT, readOnly, column: 'name' }),
    field('slug', 'text', { contexts: ALL, readOnly }),
    field('registered_date', 'text', { contexts: EDIT, readOnly, column: "t.registered || '+00:00'" }),
    field('roles', 'json', { contexts: EDIT, readOnly, column: 'json_array(t.wp_role)' }),
    field('capabilities', 'json', { contexts: EDIT, readOnly }),
    field('extra_capabilities', 'json', { contexts: EDIT, readOnly, column: "json_object(t.wp_role, json('true'))" }),
    field('avatar_urls', 'avatars', { contexts: ALL, readOnly }),
    field('meta', 'json', { readOnly, column: "'[]'" }),
  ],
  listParameters: ['context', 'page', 'per_page', 'search', 'exclude', 'include', 'offset', 'order', 'orderby', 'slug', 'roles'],
  orderBy: ['id', 'include', 'name', 'registered_date', 'slug', 'include_slugs', 'email', 'url'],
  anyPage: true,
}
