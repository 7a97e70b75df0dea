import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { blocksOf } from '../docs/contract.js'
import { ALL_PAGES } from '../docs/page.js'
import { MISSING, WordPressSite } from './wordpress-site.js'

const PLUGIN = fileURLToPath(new URL('../../deploy/wordpress/lms-graphql-hooks.php', import.meta.url))
const SECRET = 'a-secret-of-at-least-32-characters'

interface Delivery {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly changes: readonly string[]
  readonly status: number
}

/** A change as gateways receive it. */
interface Change {
  readonly type: string
  readonly id?: number
  readonly kind: string
  readonly columns?: readonly string[]
}

/** A gateway's webhook, as `docs/webhooks.md` describes it. */
class Receiver {
  readonly deliveries: Delivery[] = []
  /** The columns of the last call, by the changes that have some. */
  columns: Readonly<Record<string, readonly string[]>> = {}
  /** The status of all answers to signed requests. 0: it never answers. */
  status = 204
  headers: Record<string, string> = {}
  private readonly held: ServerResponse[] = []
  private readonly signatures = new Set<unknown>()
  private port = 0

  private readonly server = createServer(async (request, response) => {
    const at = Date.now()
    const body = Buffer.concat(await request.toArray())
    const { 'x-lms-timestamp': timestamp, 'x-lms-signature': signature } = request.headers
    const right = `sha256=${createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')}`
    const isGood =
      request.method === 'POST' &&
      request.url === '/hooks/site' &&
      request.headers['content-type'] === 'application/json' &&
      signature === right &&
      Math.abs(Date.now() / 1000 - Number.parseInt(String(timestamp), 10)) < 5
    const status = !isGood ? 401 : this.signatures.has(signature) ? 409 : this.status
    this.signatures.add(signature)
    const sent = [JSON.parse(String(body))].flat() as Change[]
    const nameOf = ({ type, id, kind }: Change) => [type, id, kind].filter((each) => each !== undefined).join(' ')
    const changes = sent.map(nameOf)
    this.columns = Object.fromEntries(sent.flatMap((change) => (change.columns ? [[nameOf(change), change.columns]] : [])))
    this.deliveries.push({ at, changes: changes.sort(), status })
    if (status === 0) this.held.push(response)
    else response.writeHead(status, this.headers).end()
  })

  async open(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1')
    await once(this.server, 'listening')
    this.port = (this.server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The changes of each call since the last one that was taken, at least of one. */
  async take(): Promise<readonly (readonly string[])[]> {
    for (let waited = 0; this.deliveries.length === 0 && waited < 3000; waited += 10) await sleep(10)
    // A second call of the same change would follow at once.
    await sleep(150)
    return this.deliveries.splice(0).map(({ changes }) => changes)
  }
}

/** The block of the documentation with a text. */
function documented(text: string): string {
  const blocks = ALL_PAGES.filter(({ path }) => path === 'docs/webhooks.md').flatMap((page) => blocksOf(page.blocks, 'by'))
  const found = blocks.filter((block) => block.text.includes(text))
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

/** Changes in one request of the web server, and code that tests run in it. */
const ACTIONS = `<?php
add_action( 'init', function () { register_post_meta( '', 'shown', array( 'type' => 'string', 'single' => true, 'show_in_rest' => true ) ); } );
// As plugins that count views, and caches of WordPress, do.
add_action( 'template_redirect', function () {
  foreach ( array( 'post_views_count', '_elementor_css', '_oembed_time_0' ) as $key ) { update_post_meta( get_queried_object_id(), $key, microtime() ); }
  exit( 'counted ' . get_queried_object_id() );
} );
add_action( 'wp_ajax_run', function () { eval( wp_unslash( $_POST['code'] ) ); wp_send_json( array( 'done' => true ) ); } );
`

const missing = MISSING.length === 0 || process.env.CI ? '' : ` (skipped: there is no ${MISSING.join(' and no ')})`

describe.skipIf(missing !== '')(`the plugin of WordPress${missing}`, () => {
  const receiver = new Receiver()
  let site: WordPressSite
  let cookie: string
  let course: number
  let group: number
  let user: number

  const configured = () => ({ LMS_GRAPHQL_HOOKS: receiver.url, LMS_GRAPHQL_HOOK_SECRET: SECRET })
  const sql = (query: string) => site.php(`global $wpdb; echo $wpdb->query( "${query}" );`)
  const kept = async () =>
    JSON.parse(
      await site.php(
        `global $wpdb; echo json_encode( $wpdb->get_col( "SELECT option_value FROM wp_options WHERE option_name LIKE 'lms_graphql_hooks_%_changes_%'" ) );`,
      ),
    ) as string[]
  const forget = () => sql("DELETE FROM wp_options WHERE option_name LIKE 'lms_graphql_hooks_%'")
  const due = () =>
    sql(`UPDATE wp_options SET option_value = JSON_SET( option_value, '$.next', 0 ) WHERE option_name LIKE 'lms_graphql_hooks_%_state'`)
  const insert = async (type: string, status = 'publish') =>
    Number.parseInt(
      await site.php(`echo wp_insert_post( array( 'post_type' => '${type}', 'post_title' => 'One', 'post_status' => '${status}' ) );`),
      10,
    )
  const rename = (id: number, title = `${Math.random()}`) => site.rest('POST', `/ldlms/v2/sfwd-courses/${id}`, { title })
  /** Runs PHP in one request of the web server. */
  const inRequest = (code: string) =>
    site.request('/wp-admin/admin-ajax.php', { method: 'POST', headers: { cookie }, body: new URLSearchParams({ action: 'run', code }) })

  beforeAll(async () => {
    expect(MISSING).toEqual([])
    await receiver.open()
    site = await WordPressSite.start({ constants: configured(), plugins: { 'actions.php': ACTIONS } })
    cookie = await site.login()
    course = await insert('sfwd-courses')
    group = await insert('groups')
    user = Number.parseInt(await site.php(`echo wp_create_user( 'learner', 'learner-demo', 'learner@example.org' );`), 10)
  })

  afterAll(async () => {
    // The plugin causes no notices, warnings or errors of PHP.
    expect(site?.complaints() ?? '').not.toContain('lms-graphql-hooks')
    await site?.stop()
    await receiver.close()
  })

  beforeEach(async () => {
    // The next delivery is then due at once.
    await forget()
    receiver.deliveries.length = 0
    receiver.status = 204
  })

  it('is valid PHP', () => {
    const { status, stdout } = spawnSync('php', ['-l', PLUGIN], { encoding: 'utf8' })
    expect(stdout).toContain('No syntax errors detected')
    expect(status).toBe(0)
  })

  describe('posts', () => {
    it('of all types are sent', async () => {
      const types = ['groups', 'sfwd-courses', 'sfwd-lessons', 'sfwd-topic', 'sfwd-quiz', 'sfwd-question']
      const insert = types.map((type) => `echo wp_insert_post( array( 'post_type' => '${type}', 'post_title' => 'One' ) ) . ' ';`)
      const ids = (await site.php(insert.join('\n'))).trim().split(' ')
      const expected = ['group', 'course', 'lesson', 'topic', 'quiz', 'question'].map((type, index) => `${type} ${ids[index]} created`)
      expect(await receiver.take()).toEqual([expected.sort()])
    })

    it.each([
      ['groups', 'group'],
      ['sfwd-courses', 'course'],
    ])('of type %s are sent as %s when they are created, changed, trashed, restored and deleted', async (postType, type) => {
      const id = await insert(postType, 'draft')
      expect(await receiver.take()).toEqual([[`${type} ${id} created`]])
      await site.php(`wp_publish_post( ${id} );`)
      expect(await receiver.take()).toEqual([[`${type} ${id} updated`]])
      await site.php(`wp_update_post( array( 'ID' => ${id}, 'post_title' => 'Two', 'post_content' => 'Text' ) );`)
      expect(await receiver.take()).toEqual([[`${type} ${id} updated`]])
      await site.php(`wp_trash_post( ${id} );`)
      expect(await receiver.take()).toEqual([[`${type} ${id} deleted`]])
      await site.php(`wp_untrash_post( ${id} );`)
      expect(await receiver.take()).toEqual([[`${type} ${id} created`]])
      await site.php(`wp_delete_post( ${id}, true );`)
      // Children of a deleted group get its parent.
      expect(await receiver.take()).toEqual([postType === 'groups' ? ['group updated'] : [`${type} ${id} deleted`]])
    })

    it('are sent when they are published by a schedule', async () => {
      const id = await insert('sfwd-courses', 'draft')
      await receiver.take()
      await site.php(
        `wp_update_post( array( 'ID' => ${id}, 'post_status' => 'future', 'edit_date' => true,
          'post_date' => gmdate( 'Y-m-d H:i:s', time() + 120 ), 'post_date_gmt' => gmdate( 'Y-m-d H:i:s', time() + 120 ) ) );`,
      )
      expect(await receiver.take()).toEqual([[`course ${id} updated`]])
      // As if the time had come.
      await sql(`UPDATE wp_posts SET post_date_gmt = UTC_TIMESTAMP(), post_date = UTC_TIMESTAMP() WHERE ID = ${id}`)
      await site.php(`wp_schedule_single_event( time() - 1, 'publish_future_post', array( ${id}, 'due' ) );`)
      await site.cron()
      expect(await receiver.take()).toEqual([[`course ${id} updated`]])
      expect(await site.php(`echo get_post_status( ${id} );`)).toBe('publish')
    })

    it('of other types are not sent', async () => {
      await site.php(`$id = wp_insert_post( array( 'post_title' => 'One', 'post_status' => 'publish' ) );
        update_post_meta( $id, 'shown', 1 ); wp_set_object_terms( $id, 'x', 'other' ); wp_delete_post( $id, true );`)
      await sleep(200)
      expect(receiver.deliveries).toEqual([])
    })

    it('are not sent for the lock of an editor, a revision, an autosave, or a new form', async () => {
      await site.php(`update_post_meta( ${course}, '_edit_lock', time() . ':1' ); update_post_meta( ${course}, '_edit_last', 1 );
        _wp_put_post_revision( ${course} );`)
      expect((await site.rest('POST', `/ldlms/v2/sfwd-courses/${course}/autosaves`, { content: 'Half a sentence' })).status).toBe(200)
      // WordPress makes an automatic draft for the form.
      const form = await site.request('/wp-admin/post-new.php?post_type=sfwd-courses', { headers: { cookie } })
      expect(form.status).toBe(200)
      await form.text()
      await sleep(300)
      expect(receiver.deliveries).toEqual([])
    })

    it('are sent when their meta change, also those of all posts', async () => {
      await site.php(`add_post_meta( ${course}, '_ld_price', '1' );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      await site.php(`update_post_meta( ${course}, '_ld_price', '2' );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      await site.php(`update_post_meta( ${course}, '_ld_price', '2' ); delete_post_meta( ${course}, 'absent' );`)
      await sleep(200)
      expect(receiver.deliveries).toEqual([])
      await site.php(`delete_post_meta_by_key( '_ld_price' );`)
      expect(await receiver.take()).toEqual([['site updated']])
    })

    it.each([
      ['their title', `wp_update_post( array( 'ID' => COURSE, 'post_title' => microtime() ) );`, ['title']],
      ['nothing', `wp_update_post( array( 'ID' => COURSE ) );`, []],
      [
        'their text, and who may see them',
        `wp_update_post( array( 'ID' => COURSE, 'post_content' => microtime(), 'post_excerpt' => microtime(), 'post_password' => microtime() ) );`,
        ['content', 'excerpt', 'post_password'],
      ],
      ['their slug', `wp_update_post( array( 'ID' => COURSE, 'post_name' => uniqid() ) );`, ['meta', 'post_name']],
      [
        'their status',
        `foreach ( array( 'draft', 'publish' ) as $status ) { wp_update_post( array( 'ID' => COURSE, 'post_status' => $status ) ); }`,
        ['post_status', 'status'],
      ],
      ['their image', `update_post_meta( COURSE, '_thumbnail_id', 7 );`, ['featured_media']],
      ['settings of LearnDash', `update_post_meta( COURSE, '_sfwd-courses', microtime() );`, ['_sfwd-courses']],
      ['meta that are registered for the REST interface', `update_post_meta( COURSE, 'shown', microtime() );`, ['meta']],
      ['their terms', `wp_set_object_terms( COURSE, uniqid(), 'ld_course_category' );`, undefined],
      [
        'their title and their terms',
        `wp_update_post( array( 'ID' => COURSE, 'post_title' => microtime() ) ); wp_set_object_terms( COURSE, uniqid(), 'ld_course_category' );`,
        undefined,
      ],
    ])('are sent with the columns that have changed: %s', async (_, code, columns) => {
      await site.php(code.replaceAll('COURSE', `${course}`))
      const changes = (await receiver.take()).flat()
      expect(changes).toContain(`course ${course} updated`)
      expect(receiver.columns[`course ${course} updated`]?.toSorted()).toEqual(columns)
    })

    it('are not sent for the views of a page, which write meta that the REST interface does not show', async () => {
      for (let view = 0; view < 3; view++)
        expect(await (await site.request(`/?post_type=sfwd-courses&p=${course}`)).text()).toBe(`counted ${course}`)
      await site.php(`delete_post_meta_by_key( 'post_views_count' );`)
      await sleep(300)
      expect(receiver.deliveries).toEqual([])
      expect(await site.php(`echo get_option( 'lms_graphql_hooks_' ) . count( get_post_meta( ${course}, '_elementor_css' ) );`)).toBe('1')
    })

    it.each([
      ['before', `update_post_meta( COURSE, 'other', microtime() ); wp_update_post( array( 'ID' => COURSE ) );`],
      ['after', `wp_update_post( array( 'ID' => COURSE ) ); update_post_meta( COURSE, 'other', microtime() );`],
    ])('are sent with such meta when they are saved %s it', async (_, code) => {
      await inRequest(code.replaceAll('COURSE', `${course}`))
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      expect(receiver.columns).toEqual({ [`course ${course} updated`]: ['meta'] })
    })

    it('are sent for the meta that the filter of the documentation adds', async () => {
      await site.php(`${documented('sends_meta')} update_post_meta( ${course}, 'acf_level', microtime() );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      await site.php(`${documented('sends_meta')} update_post_meta( ${course}, 'acf_views', microtime() );`)
      await sleep(300)
      expect(receiver.deliveries).toEqual([])
    })

    it('keep the columns when they are sent later', async () => {
      receiver.status = 503
      await rename(course)
      await receiver.take()
      receiver.status = 204
      await due()
      await site.php(`wp_update_post( array( 'ID' => ${course}, 'post_content' => microtime() ) );`)
      await receiver.take()
      expect(receiver.columns).toEqual({ [`course ${course} updated`]: ['title', 'content'] })
    })

    it.each(['wp_block', 'wp_navigation', 'wp_template_part'])('of the type %s, which others include, are sent as blocks', async (type) => {
      const id = await insert(type)
      expect(await receiver.take()).toEqual([[`block ${id} created`]])
      await site.php(`wp_update_post( array( 'ID' => ${id}, 'post_content' => 'Text' ) );`)
      expect(await receiver.take()).toEqual([[`block ${id} updated`]])
      await site.php(`wp_delete_post( ${id}, true );`)
      expect(await receiver.take()).toEqual([[`block ${id} deleted`]])
    })

    it('that are files are sent as media, and as blocks when they change, because galleries show them', async () => {
      const id = Number.parseInt(await site.php(`echo wp_insert_attachment( array( 'post_mime_type' => 'image/png' ) );`), 10)
      expect(await receiver.take()).toEqual([[`media ${id} created`]])
      await site.php(`wp_update_post( array( 'ID' => ${id}, 'post_excerpt' => 'Caption' ) );`)
      expect(await receiver.take()).toEqual([[`block ${id} updated`, `media ${id} updated`]])
      await site.php(`wp_delete_attachment( ${id}, true );`)
      expect((await receiver.take()).flat()).toEqual(expect.arrayContaining([`media ${id} deleted`, `block ${id} updated`]))
    })

    it('of further types are sent with the filter of the documentation', async () => {
      await site.php(`${documented('hooks_post_types')} wp_insert_post( array( 'post_type' => 'page', 'post_title' => 'One' ) );`)
      expect(await receiver.take()).toEqual([[expect.stringMatching(/^lesson \d+ created$/)]])
    })
  })

  describe('terms', () => {
    it('are sent, and the posts that get and lose them', async () => {
      const id = Number.parseInt(await site.php(`echo wp_insert_term( 'One', 'ld_course_category' )['term_id'];`), 10)
      expect(await receiver.take()).toEqual([[`term ${id} created`]])
      for (const change of ["'name' => 'Two'", "'slug' => 'two'"]) {
        await site.php(`wp_update_term( ${id}, 'ld_course_category', array( ${change} ) );`)
        expect(await receiver.take()).toEqual([[`term ${id} updated`]])
      }
      await site.php(`wp_set_object_terms( ${course}, ${id}, 'ld_course_category' );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      await site.php(`wp_set_object_terms( ${course}, ${id}, 'ld_course_category' );`)
      await sleep(200)
      expect(receiver.deliveries).toEqual([])
      await site.php(`wp_remove_object_terms( ${course}, ${id}, 'ld_course_category' );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      await site.php(`wp_set_object_terms( ${course}, ${id}, 'ld_course_category' );`)
      await receiver.take()
      await site.php(`wp_delete_term( ${id}, 'ld_course_category' );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`, `term ${id} deleted`]])
    })

    it('of other taxonomies are not sent', async () => {
      await site.php(`wp_insert_term( 'One', 'other' );`)
      await sleep(200)
      expect(receiver.deliveries).toEqual([])
    })
  })

  describe('users, progress and membership', () => {
    it.each([
      ['update_user_meta( $user, "_sfwd-course_progress", array( 7 => 1 ) );', ['progress USER updated']],
      ['add_user_meta( $user, "course_completed_7", time() );', ['progress USER updated']],
      ['update_user_meta( $user, "_sfwd-quizzes", array( 1 ) );', ['progress USER updated']],
      ['delete_user_meta( $user, "course_completed_7" );', ['progress USER updated']],
      ['update_user_meta( $user, "course_7_access_from", time() );', ['user USER members']],
      ['update_user_meta( $user, "learndash_group_users_GROUP", GROUP );', ['group GROUP members', 'user USER members']],
      ['delete_user_meta( $user, "learndash_group_users_GROUP" );', ['group GROUP members', 'user USER members']],
      ['update_user_meta( $user, "learndash_group_leaders_GROUP", GROUP );', ['group GROUP members', 'user USER members']],
      ['delete_metadata( "user", 0, "learndash_group_leaders_GROUP", "", true );', ['group GROUP members', 'user members']],
      ['do_action( "learndash_course_completed", array( "user" => get_user_by( "id", $user ) ) );', ['progress USER updated']],
      ['do_action( "learndash_lesson_completed", array( "user" => get_user_by( "id", $user ) ) );', ['progress USER updated']],
      ['do_action( "learndash_topic_completed", array( "user" => get_user_by( "id", $user ) ) );', ['progress USER updated']],
      ['do_action( "learndash_quiz_completed", array(), get_user_by( "id", $user ) );', ['progress USER updated']],
      ['do_action( "learndash_update_user_activity", array( "user_id" => $user ) );', ['progress USER updated']],
      ['do_action( "ld_added_group_access", $user, GROUP );', ['group GROUP members', 'user USER members']],
      ['do_action( "ld_removed_group_access", $user, GROUP );', ['group GROUP members', 'user USER members']],
      ['do_action( "learndash_update_course_access", $user, 7, array(), false );', ['user USER members']],
      ['do_action( "ld_added_course_group_access", 7, GROUP );', ['group GROUP members']],
      ['do_action( "ld_removed_course_group_access", 7, GROUP );', ['group GROUP members']],
      ['update_post_meta( COURSE, "learndash_group_enrolled_GROUP", time() );', ['course COURSE updated', 'group GROUP members']],
      ['wp_update_user( array( "ID" => $user, "display_name" => "L" ) );', ['user USER updated']],
      ['get_user_by( "id", $user )->set_role( "editor" );', ['user USER updated']],
      ['update_user_meta( $user, "session_tokens", array() ); update_user_meta( $user, "nickname", "n" );', []],
      ['update_option( "timezone_string", "Europe/Berlin" );', ['site updated']],
      ['update_option( "permalink_structure", "/%postname%/" );', ['site updated']],
      ['update_option( "upload_url_path", "https://files.example.org" );', ['site updated']],
      ['update_option( "stylesheet", "other" );', ['site updated']],
      ['update_option( "template", "other" );', ['site updated']],
      [
        'update_option( "learndash_settings_courses_management_display", array( "course_builder_shared_steps" => "yes" ) );',
        ['site updated'],
      ],
      ['update_option( "blogdescription", "LMS" );', []],
    ])('%s', async (code, expected) => {
      const named = (text: string) =>
        text
          .replace(/GROUP/g, `${group}`)
          .replace(/COURSE/g, `${course}`)
          .replace('USER', `${user}`)
      await site.php(`$user = ${user}; ${named(code)}`)
      if (expected.length === 0) {
        await sleep(200)
        expect(receiver.deliveries).toEqual([])
      } else expect(await receiver.take()).toEqual([expected.map(named)])
    })

    it('are sent when a user is created and deleted, and everything when posts get another author', async () => {
      const id = Number.parseInt(await site.php(`echo wp_create_user( 'second', 'p', 'second@example.org' );`), 10)
      expect(await receiver.take()).toEqual([[`user ${id} created`]])
      await site.php(`require ABSPATH . 'wp-admin/includes/user.php'; wp_delete_user( ${id} );`)
      expect(await receiver.take()).toEqual([[`progress ${id} deleted`, `user ${id} deleted`]])
      const third = Number.parseInt(await site.php(`echo wp_create_user( 'third', 'p', 'third@example.org' );`), 10)
      await receiver.take()
      await site.php(`require ABSPATH . 'wp-admin/includes/user.php'; wp_delete_user( ${third}, 1 );`)
      expect(await receiver.take()).toEqual([['site updated']])
    })
  })

  describe('requests of an editor', () => {
    /** The receiver has the change within a second after the request was sent. */
    const delivered = async (start: number, changes: readonly string[]) => {
      for (let waited = 0; receiver.deliveries.length === 0 && waited < 3000; waited += 5) await sleep(5)
      expect((receiver.deliveries[0]?.at ?? Infinity) - start).toBeLessThan(1000)
      expect(await receiver.take()).toEqual([changes])
    }

    it('in the administration are one call, in under a second', async () => {
      const page = await (await site.request(`/wp-admin/post.php?post=${course}&action=edit`, { headers: { cookie } })).text()
      const nonce = /name="_wpnonce" value="(\w+)"/.exec(page)?.[1] ?? ''
      receiver.deliveries.length = 0
      const start = Date.now()
      const form = { action: 'editpost', post_ID: `${course}`, post_type: 'sfwd-courses', post_title: 'Edited', content: 'By a form' }
      const answer = await site.request('/wp-admin/post.php', {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({ ...form, _wpnonce: nonce }),
      })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining('message=')])
      await delivered(start, [`course ${course} updated`])
      expect(await site.php(`echo get_post( ${course} )->post_title;`)).toBe('Edited')
    })

    it('by the REST interface with the cookie of the block editor are one call, in under a second', async () => {
      const nonce = await (await site.request('/wp-admin/admin-ajax.php?action=rest-nonce', { headers: { cookie } })).text()
      const start = Date.now()
      const answer = await site.request(`/index.php?rest_route=/ldlms/v2/sfwd-courses/${course}`, {
        method: 'POST',
        headers: { cookie, 'x-wp-nonce': nonce, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'By blocks', content: 'x'.repeat(20_000), status: 'publish' }),
      })
      expect(answer.status).toBe(200)
      expect((await answer.json()).title.raw).toBe('By blocks')
      await delivered(start, [`course ${course} updated`])
    })

    it('with an application password are one call, in under a second', async () => {
      const start = Date.now()
      expect((await rename(course)).status).toBe(200)
      await delivered(start, [`course ${course} updated`])
    })

    it('by code are one call, in under a second', async () => {
      const start = Number.parseFloat(
        await site.php(`echo microtime( true ) * 1000; wp_update_post( array( 'ID' => ${course}, 'post_title' => 'X' ) );
        update_post_meta( ${course}, 'shown', microtime() ); wp_set_object_terms( ${course}, 'new', 'ld_course_category' );`),
      )
      const [first] = receiver.deliveries
      expect((first?.at ?? Infinity) - start).toBeLessThan(1000)
      expect(await receiver.take()).toEqual([[`course ${course} updated`, expect.stringMatching(/^term \d+ created$/)]])
    })

    it('at the same time are at most one call a second, and none is lost', async () => {
      const ids: number[] = []
      while (ids.length < 24) ids.push(await insert('sfwd-quiz'))
      await forget()
      receiver.deliveries.length = 0
      const start = Date.now()
      const durations: number[] = []
      // For some seconds, by four processes of PHP.
      const lane = async (own: readonly number[]) => {
        for (const id of own) {
          const sent = Date.now()
          const answer = await inRequest(`update_post_meta( ${id}, 'shown', microtime() );`)
          expect([answer.status, await answer.text()]).toEqual([200, '{"done":true}'])
          durations.push(Date.now() - sent)
          await sleep(300)
        }
      }
      await Promise.all([0, 1, 2].map((first) => lane(ids.filter((_, index) => index % 3 === first))))
      const missing = () => ids.filter((id) => !receiver.deliveries.some(({ changes }) => changes.includes(`quiz ${id} updated`)))
      for (let waited = 0; missing().length > 0 && waited < 5000; waited += 10) await sleep(10)
      expect(missing()).toEqual([])
      const times = receiver.deliveries.map(({ at }) => at)
      for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] as number)).toBeGreaterThan(950)
      console.log(`${ids.length} changes in ${times.length} calls; the last after ${(times.at(-1) as number) - start} ms`)
      // No change waits for WP-Cron.
      expect((times.at(-1) as number) - start).toBeLessThan(20_000)
      await sleep(1500)
      expect(await kept()).toEqual([])
      expect(receiver.deliveries.flatMap(({ changes }) => changes)).toHaveLength(ids.length)
    })

    it('of many records are sent as types, and finally as the site', async () => {
      const add = (type: string, count: number) => `for ( $i = 1; $i <= ${count}; $i++ ) {
        wp_insert_post( array( 'post_type' => '${type}', 'post_title' => 'One', 'post_status' => 'publish' ) ); }`
      expect((await inRequest(`wp_suspend_cache_addition( true ); ${add('sfwd-courses', 101)} ${add('sfwd-quiz', 2)}`)).status).toBe(200)
      expect(await receiver.take()).toEqual([
        ['course updated', expect.stringMatching(/^quiz \d+ created$/), expect.stringMatching(/^quiz \d+ created$/)],
      ])
      const fill = ['sfwd-course_progress', 'sfwd-quizzes'].map((key) => `update_user_meta( 100000 + $i, '_${key}', 1 );`).join(' ')
      const join = `do_action( 'ld_added_group_access', 100000 + $i, 100000 + $i );`
      await inRequest(`for ( $i = 0; $i < 5000; $i++ ) { ${join} }`)
      expect(await receiver.take()).toEqual([['group members', 'user members']])
      await inRequest(
        `for ( $i = 0; $i < 101; $i++ ) { ${fill} ${join} do_action( 'edited_term', 100000 + $i, 1, 'ld_course_category' ); }`,
      )
      expect(await receiver.take()).toEqual([['site updated']])
    })

    it('that are commands are sent while they run', async () => {
      const running = site.php(`for ( $i = 0; $i < 25; $i++ ) { update_post_meta( ${course}, 'shown', microtime() ); usleep( 100000 ); }`)
      await running
      const times = receiver.deliveries.map(({ at }) => at)
      expect(times.length).toBeGreaterThanOrEqual(3)
      expect(times.length).toBeLessThanOrEqual(4)
    })
  })

  describe('when the gateway is away', () => {
    const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] as number
    const timeOf = async (edit: () => Promise<Response>) => {
      const start = performance.now()
      const answer = await edit()
      await answer.text()
      expect(answer.status).toBeLessThan(400)
      return performance.now() - start
    }
    const edits: Record<string, () => Promise<() => Promise<Response>>> = {
      'a REST request': async () => () => rename(course),
      'a form of the administration': async () => {
        const page = await (await site.request(`/wp-admin/post.php?post=${course}&action=edit`, { headers: { cookie } })).text()
        const form = {
          action: 'editpost',
          post_ID: `${course}`,
          post_type: 'sfwd-courses',
          content: 'By a form',
          _wpnonce: /name="_wpnonce" value="(\w+)"/.exec(page)?.[1] ?? '',
        }
        return () =>
          site.request('/wp-admin/post.php', {
            method: 'POST',
            headers: { cookie },
            body: new URLSearchParams({ ...form, post_title: `${Math.random()}` }),
          })
      },
      'a request of a script': async () => () => inRequest(`update_post_meta( ${course}, 'shown', microtime() );`),
    }

    it.each(Object.entries(edits))('%s takes as long as without the plugin', async (_, prepare) => {
      const edit = await prepare()
      const measure = async () => {
        const times: number[] = []
        for (let run = 0; run < 3; run++) {
          await forget()
          times.push(await timeOf(edit))
        }
        return median(times)
      }
      try {
        site.configure({})
        const without = await measure()
        site.configure(configured())
        receiver.deliveries.length = 0
        receiver.status = 0
        const silent = await measure()
        await sleep(2100)
        expect(receiver.deliveries.length).toBe(3)
        await receiver.close()
        const refused = await measure()
        await receiver.open()
        console.log(
          `${_}: ${without.toFixed(0)} ms without the plugin, ${silent.toFixed(0)} ms with a gateway that never answers, ${refused.toFixed(0)} ms with none`,
        )
        expect(silent).toBeLessThan(1.5 * without + 100)
        expect(refused).toBeLessThan(1.5 * without + 100)
      } finally {
        site.configure(configured())
        await forget()
      }
    })

    it('changes are kept, and sent together by WP-Cron', async () => {
      await receiver.close()
      const others = [await insert('sfwd-quiz'), await insert('sfwd-lessons')]
      // At the same time, so that each request keeps its own.
      await Promise.all([
        rename(course),
        ...Array.from({ length: 3 }, () => inRequest(`update_post_meta( ${group}, 'shown', microtime() );`)),
      ])
      await sleep(200)
      await receiver.open()
      await site.cron()
      expect(receiver.deliveries).toEqual([])
      await sleep(5500)
      await site.cron()
      expect(await receiver.take()).toEqual([
        [`course ${course} updated`, `group ${group} updated`, `lesson ${others[1]} created`, `quiz ${others[0]} created`],
      ])
      expect(await kept()).toEqual([])
      await site.cron()
      await rename(course)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
    })

    it('changes are kept, and sent with the next change', async () => {
      receiver.status = 503
      const quiz = await insert('sfwd-quiz')
      await receiver.take()
      expect(await kept()).toEqual([JSON.stringify([{ type: 'quiz', id: quiz, kind: 'created' }])])
      receiver.status = 204
      await rename(course)
      await sleep(300)
      // Not before the next attempt is due, so that the gateway and the processes of PHP are left in peace.
      expect(receiver.deliveries).toEqual([])
      await due()
      await rename(course)
      expect(await receiver.take()).toEqual([[`course ${course} updated`, `quiz ${quiz} created`]])
      expect(await kept()).toEqual([])
    })

    it('no more than 500 deliveries are kept; then everything may have changed', async () => {
      receiver.status = 500
      await rename(course)
      await receiver.take()
      for (const more of ['a', 'b'])
        await sql(`INSERT INTO wp_options (option_name, option_value, autoload) SELECT CONCAT( o.option_name, '${more}', n.help_topic_id ), o.option_value, 'no'
          FROM wp_options o JOIN mysql.help_topic n ON n.help_topic_id < 25 WHERE o.option_name LIKE 'lms_graphql_hooks_%_changes_%' AND LENGTH( o.option_name ) < 85`)
      expect((await kept()).length).toBeGreaterThanOrEqual(500)
      await rename(course)
      await sleep(300)
      expect(await kept()).toEqual(['[{"type":"site","kind":"updated"}]'])
      receiver.status = 204
      await due()
      await rename(course)
      expect(await receiver.take()).toEqual([['site updated']])
    })

    it('waits as long as Retry-After says, within bounds', async () => {
      receiver.status = 503
      receiver.headers = { 'retry-after': '120' }
      await rename(course)
      await receiver.take()
      receiver.headers = {}
      await sleep(100)
      const next = await site.php(
        `global $wpdb; echo json_decode( $wpdb->get_var( "SELECT option_value FROM wp_options WHERE option_name LIKE 'lms_graphql_hooks_%_state'" ) )->next - time();`,
      )
      expect(Number.parseFloat(next)).toBeGreaterThan(110)
      expect(Number.parseFloat(next)).toBeLessThan(122)
      await forget()
    })

    it('a second gateway gets its changes', async () => {
      site.configure({ ...configured(), LMS_GRAPHQL_HOOKS: ['http://127.0.0.1:9', receiver.url] })
      await rename(course)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      expect((await kept()).length).toBe(1)
      await rename(course)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      expect((await kept()).length).toBe(2)
      // A gateway that is no longer configured leaves nothing.
      site.configure(configured())
      await site.php(`do_action( 'lms_graphql_hooks_send' );`)
      // Only the state of the one that is.
      const names = await site.php(
        `global $wpdb; echo implode( ' ', $wpdb->get_col( "SELECT option_name FROM wp_options WHERE option_name LIKE 'lms_graphql_hooks_%'" ) );`,
      )
      expect(names).toMatch(/^lms_graphql_hooks_\w+_state$/)
    })
  })

  describe('when the gateway refuses', () => {
    it('a wrong secret, WP-Cron gives up after five attempts, an administrator sees it, and nothing is lost', async () => {
      site.configure({ ...configured(), LMS_GRAPHQL_HOOK_SECRET: `${SECRET}-wrong` })
      await rename(course)
      for (let attempt = 1; attempt <= 6; attempt++) {
        await due()
        await site.php(`wp_clear_scheduled_hook( 'lms_graphql_hooks_send' ); do_action( 'lms_graphql_hooks_send' );`)
        const isPlanned = (await site.php(`echo wp_next_scheduled( 'lms_graphql_hooks_send' ) ? 'yes' : 'no';`)) === 'yes'
        expect([attempt, isPlanned]).toEqual([attempt, attempt < 4])
      }
      expect(receiver.deliveries.every(({ status }) => status === 401)).toBe(true)
      const page = await (await site.request('/wp-admin/index.php', { headers: { cookie } })).text()
      expect(page).toContain(`${receiver.url}/hooks/site answers changes with status 401. Compare LMS_GRAPHQL_HOOK_SECRET`)
      expect(page).not.toContain(SECRET)
      receiver.deliveries.length = 0
      site.configure(configured())
      await due()
      const lesson = await insert('sfwd-lessons')
      expect(await receiver.take()).toEqual([[`course ${course} updated`, `lesson ${lesson} created`]])
      expect(await (await site.request('/wp-admin/index.php', { headers: { cookie } })).text()).not.toContain('LMS GraphQL hooks')
    })

    it('a body, the next attempt is about the whole site', async () => {
      receiver.status = 400
      await rename(course)
      await receiver.take()
      expect(await kept()).toEqual(['[{"type":"site","kind":"updated"}]'])
      receiver.status = 204
      await due()
      await rename(course)
      expect(await receiver.take()).toEqual([['site updated']])
    })

    it('a delivery that it has received, the delivery is done', async () => {
      receiver.status = 409
      await rename(course)
      await receiver.take()
      expect(await kept()).toEqual([])
    })
  })

  it('the shell commands of the documentation send a change', async () => {
    const env = { ...process.env, GATEWAY: receiver.url, HOOK_SECRET: SECRET }
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', documented('openssl')], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    expect(await once(shell, 'close')).toEqual([0, null])
    expect(receiver.deliveries).toEqual([{ at: expect.any(Number), changes: ['course 12 updated'], status: 204 }])
  })

  describe('in a network of sites', () => {
    /** Runs PHP in the site with a path. */
    const runIn = (path: string, code: string) => site.php(code, path)

    beforeAll(async () => {
      await site.makeNetwork()
      site.configure({ ...configured(), ...site.network })
      expect(await site.addSite('/other/')).toBe(2)
      await sleep(300)
    })
    afterAll(() => site.configure(configured()))

    it('the changes of the main site are sent, and of others only those of users', async () => {
      receiver.deliveries.length = 0
      const change = `wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_title' => 'One' ) ); update_option( 'timezone_string', 'Europe/' . $city );`
      await runIn('/other/', `$city = 'Rome'; ${change}`)
      await runIn('/', `switch_to_blog( 2 ); $city = 'Paris'; ${change} restore_current_blog();`)
      await sleep(300)
      expect(receiver.deliveries).toEqual([])
      await runIn('/other/', `wp_update_user( array( 'ID' => ${user}, 'display_name' => microtime() ) );`)
      expect(await receiver.take()).toEqual([[`user ${user} updated`]])
      await runIn('/', `wp_update_post( array( 'ID' => ${course}, 'post_title' => microtime() ) );`)
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
    })

    it('a change of the main site by code of another one is sent, and kept in the options of the main site', async () => {
      receiver.deliveries.length = 0
      receiver.status = 503
      await runIn(
        '/other/',
        `switch_to_blog( 1 ); wp_update_post( array( 'ID' => ${course}, 'post_title' => microtime() ) ); restore_current_blog();`,
      )
      expect(await receiver.take()).toEqual([[`course ${course} updated`]])
      // A command that takes longer than a second sends more than once.
      expect((await kept()).length).toBeGreaterThan(0)
    })

    it('the site of the configuration can be another one', async () => {
      site.configure({ ...configured(), ...site.network, LMS_GRAPHQL_HOOKS_BLOG: 2 })
      receiver.deliveries.length = 0
      await runIn('/', `wp_update_post( array( 'ID' => ${course}, 'post_title' => microtime() ) );`)
      await sleep(300)
      expect(receiver.deliveries).toEqual([])
      await runIn('/other/', `wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_title' => 'One' ) );`)
      expect(await receiver.take()).toEqual([[expect.stringMatching(/^course \d+ created$/)]])
    })
  })

  describe('the configuration', () => {
    it('of the documentation is valid', async () => {
      try {
        const defined = documented('LMS_GRAPHQL_HOOKS').matchAll(/^define\( '(\w+)', '([^']+)' \);$/gm)
        site.configure(Object.fromEntries([...defined].map(([, name, value]) => [name, value as string])))
        expect(await site.php(`echo LMS_GRAPHQL_HOOKS;`)).toBe('https://graphql.example.org')
        const page = await (await site.request('/wp-admin/index.php', { headers: { cookie } })).text()
        expect(page).not.toContain('LMS GraphQL hooks')
      } finally {
        site.configure(configured())
      }
    })

    const notice = async () => {
      const page = await (await site.request('/wp-admin/index.php', { headers: { cookie } })).text()
      return /LMS GraphQL hooks: ([^<]*)/.exec(page)?.[1]
    }

    it('may be absent: nothing is sent', async () => {
      try {
        site.configure({})
        await rename(course)
        expect(await notice()).toBeUndefined()
        await sleep(200)
        expect(receiver.deliveries).toEqual([])
      } finally {
        site.configure(configured())
      }
    })

    const ADDRESSES = 'LMS_GRAPHQL_HOOKS must have http or https addresses without user, password, query and fragment. Nothing is sent.'
    const LENGTH =
      'LMS_GRAPHQL_HOOK_SECRET must be a text of at least 32 characters without commas and control characters. Nothing is sent.'
    const NONE = 'LMS_GRAPHQL_HOOKS must be the address of a gateway, or an array of addresses. Nothing is sent.'
    it.each([
      [{ LMS_GRAPHQL_HOOKS: 'URL' }, LENGTH],
      [{ LMS_GRAPHQL_HOOKS: 'URL', LMS_GRAPHQL_HOOK_SECRET: 'short' }, LENGTH],
      [{ LMS_GRAPHQL_HOOKS: 'URL', LMS_GRAPHQL_HOOK_SECRET: 7 }, LENGTH],
      [{ LMS_GRAPHQL_HOOKS: 'URL', LMS_GRAPHQL_HOOK_SECRET: `${SECRET}\n` }, LENGTH],
      [{ LMS_GRAPHQL_HOOKS: 'URL', LMS_GRAPHQL_HOOK_SECRET: `${SECRET},${SECRET}` }, LENGTH],
      [{ LMS_GRAPHQL_HOOK_SECRET: SECRET }, NONE],
      [{ LMS_GRAPHQL_HOOKS: [], LMS_GRAPHQL_HOOK_SECRET: SECRET }, NONE],
      [{ LMS_GRAPHQL_HOOKS: '', LMS_GRAPHQL_HOOK_SECRET: SECRET }, ADDRESSES],
      [{ LMS_GRAPHQL_HOOKS: ['URL', 'ftp://example.org'], LMS_GRAPHQL_HOOK_SECRET: SECRET }, ADDRESSES],
      [{ LMS_GRAPHQL_HOOKS: 'http://me:word@127.0.0.1', LMS_GRAPHQL_HOOK_SECRET: SECRET }, ADDRESSES],
    ])('%j is reported, and nothing is sent', async (constants, expected) => {
      try {
        site.configure(JSON.parse(JSON.stringify(constants).replaceAll('URL', receiver.url)))
        expect(await notice()).toBe(expected)
        await rename(course)
        await sleep(100)
        expect(receiver.deliveries).toEqual([])
      } finally {
        site.configure(configured())
      }
    })
  })
})
