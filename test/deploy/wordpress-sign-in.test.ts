import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/index.js'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { MISSING, WordPressSite } from './wordpress-site.js'

// The sign-in with application passwords of a real WordPress, and what its users may do.

const missing = MISSING.length === 0 || process.env.CI ? '' : ` (skipped: there is no ${MISSING.join(' and no ')})`

/** Tells no current user while an option is set, as some plugins do. */
const PLUGIN = `<?php
add_filter( 'rest_endpoints', function ( $endpoints ) {
  if ( get_option( 'hidden_users' ) ) unset( $endpoints['/wp/v2/users/me'] );
  return $endpoints;
} );
`

/** Users by role with an application password each, and a course of the author. */
const CONTENT = `
$users = array();
foreach ( array( 'editor', 'author', 'subscriber' ) as $role ) {
  $id = wp_insert_user( array( 'user_login' => $role, 'user_pass' => 'x', 'display_name' => ucfirst( $role ), 'role' => $role ) );
  $users[ $role ] = array( 'id' => $id, 'password' => WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'tests' ) )[0] );
}
$course = wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_status' => 'publish', 'post_title' => 'Course', 'post_author' => 1 ) );
$own = wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_status' => 'publish', 'post_title' => 'Own', 'post_author' => $users['author']['id'] ) );
echo wp_json_encode( compact( 'users', 'course', 'own' ) );
`

interface Content {
  readonly users: Readonly<Record<'editor' | 'author' | 'subscriber', { readonly id: number; readonly password: string }>>
  readonly course: number
  readonly own: number
}

describe.skipIf(missing !== '')(`a sign-in with WordPress${missing}`, () => {
  let site: WordPressSite
  let content: Content
  const opened: Served[] = []

  beforeAll(async () => {
    expect(MISSING).toEqual([])
    site = await WordPressSite.start({ plugins: { 'hidden.php': PLUGIN } })
    content = JSON.parse(await site.php(CONTENT)) as Content
  }, 120_000)

  afterAll(async () => {
    for (const gateway of opened) await gateway.close()
    await site?.stop()
  })

  async function open(options: Partial<GatewayOptions> = {}): Promise<Served> {
    const url = `${site.url}/index.php?rest_route=`
    const gateway = await serve(merged({ site: { url, preset: 'learndash', namespaces: { v1: 'ldlms/v2', v2: 'ldlms/v2' } } }, options))
    opened.push(gateway)
    return gateway
  }

  const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  const as = (role: keyof Content['users']): string => basic(role, content.users[role].password)

  async function ask(gateway: Served, query: string, authorization?: string) {
    const response = await gateway.post({ query }, authorization === undefined ? {} : { authorization })
    const { data, errors = [] } = (await response.json()) as any
    return { data, errors: errors.map(({ path, extensions }: any) => `${path.join('.')} ${extensions.code} ${extensions.upstream?.code}`) }
  }

  it('shows name and roles of each user, and rejects a wrong password and an unknown name', async () => {
    const gateway = await open()
    const query = '{ viewer { databaseId name roles } }'
    for (const [role, { id }] of Object.entries(content.users)) {
      const viewer = { databaseId: id, name: role.replace(/^./, (first) => first.toUpperCase()), roles: [role] }
      expect(await ask(gateway, query, as(role as 'editor'))).toEqual({ data: { viewer }, errors: [] })
    }
    expect((await ask(gateway, query, site.authorization)).data.viewer).toMatchObject({ databaseId: 1, roles: ['administrator'] })
    for (const wrong of [basic('editor', 'wrong'), basic('nobody', 'wrong')]) {
      const { data, errors } = await ask(gateway, query, wrong)
      expect([data, errors]).toEqual([{ viewer: null }, [expect.stringMatching(/^viewer UNAUTHENTICATED /)]])
    }
    expect(await ask(gateway, query)).toEqual({ data: { viewer: null }, errors: [] })
  })

  it('rejects a wrong password where the site does not tell the current user', async () => {
    await site.php(`update_option( 'hidden_users', 1 );`)
    for (const routes of [[], ['users/me']] as const) {
      const gateway = await open({ site: { routes } } as object)
      for (const role of ['editor', 'author', 'subscriber'] as const)
        expect(await ask(gateway, '{ viewer { id } }', as(role))).toEqual({ data: { viewer: null }, errors: [] })
      expect((await ask(gateway, '{ viewer { id } }', basic('editor', 'wrong'))).errors).toEqual([
        expect.stringMatching(/^viewer UNAUTHENTICATED /),
      ])
    }
    await site.php(`delete_option( 'hidden_users' );`)
  })

  it('shows an edit form to those who may edit the record', async () => {
    const gateway = await open()
    const rightsOn = async (id: number, authorization?: string) => {
      const { data } = await ask(gateway, `{ course(id: ${id}) { titleRaw viewerCanUpdate viewerCanDelete } }`, authorization)
      return [data.course.viewerCanUpdate, data.course.viewerCanDelete]
    }
    expect(await rightsOn(content.course)).toEqual([false, false])
    expect(await rightsOn(content.course, as('subscriber'))).toEqual([false, false])
    expect(await rightsOn(content.course, as('editor'))).toEqual([true, true])
    expect(await rightsOn(content.own, as('author'))).toEqual([true, true])
    expect(await rightsOn(content.course, site.authorization)).toEqual([true, true])
    const change = 'mutation { updateCourse(input: { id: ID, title: "Other" }) { __typename } }'.replace('ID', String(content.course))
    expect((await ask(gateway, change, as('subscriber'))).data.updateCourse.__typename).toBe('ForbiddenError')
    expect((await ask(gateway, change, as('editor'))).data.updateCourse.__typename).toBe('UpdateCourseSuccess')
  })
})
