import * as c from '../../upstream/codec/columns.js'

const ADMINISTRATORS = { editOnly: true, readOnly: true }

/** A user as `wp/v2/users` sends it. */
export const userColumns = {
  name: c.plainText('name', 'Display name. Always known of the viewer.', { none: 'Null when the site does not show the user.' }),
  slug: c.text('slug', 'Short name for URLs.'),
  url: c.url('url', 'URL of their own page.', { none: 'Null for none.' }),
  description: c.text('description', 'What they say about themselves, in plain text; empty for nothing.'),
  link: c.url('link', 'URL of the page of the site with their articles.'),
  avatarUrl: c.url('avatar_urls.96', 'URL of their picture, 96 pixels wide and high.', {
    none: 'Null when the site shows no pictures.',
    whole: true,
  }),
  username: c.text('username', 'Name with which they sign in.', ADMINISTRATORS),
  firstName: c.text('first_name', 'First name; empty for none.', ADMINISTRATORS),
  lastName: c.text('last_name', 'Last name; empty for none.', ADMINISTRATORS),
  nickname: c.text('nickname', 'Nickname.', ADMINISTRATORS),
  email: c.text('email', 'E-mail address.', ADMINISTRATORS),
  locale: c.word('locale', 'Language, such as `de_DE`.', ADMINISTRATORS),
  roles: c.texts('roles', 'Names of their roles, such as `administrator`, `group_leader` or `subscriber`.', ADMINISTRATORS),
  registeredAt: c.instant('registered_date', 'When they registered.', ADMINISTRATORS),
}
