import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/index.js'
import { MISSING, WordPressSite } from '../deploy/wordpress-site.js'
import { SECRET } from '../support/hooks.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { type Served, serve } from '../support/served.js'

// An edit in a real WordPress with the plugin is seen through three gateways that keep answers for an hour.

/** The column of WordPress 6.7. */
const CLASS_LIST = `<?php add_action( 'rest_api_init', function () {
  register_rest_field( 'sfwd-courses', 'class_list', array( 'get_callback' => function ( $post ) { return array_values( get_post_class( '', $post['id'] ) ); } ) );
} );`

const isPossible = MISSING.length === 0 && WITHOUT_REDIS === undefined

describe.skipIf(!isPossible && process.env.CI !== 'true')('an edit in WordPress', () => {
  let site: WordPressSite
  let redis: RedisServer
  const gateways: Served[] = []
  let course: number

  beforeAll(async () => {
    redis = await RedisServer.start()
    site = await WordPressSite.start({ plugins: { 'class-list.php': CLASS_LIST } })
    const namespaces = { v1: 'ldlms/v2', v2: 'ldlms/v2' }
    const options: GatewayOptions = {
      site: { url: `${site.url}/index.php?rest_route=`, preset: 'learndash', namespaces },
      redis: { url: redis.url },
      cache: { maxAge: 3_600 },
      hooks: { secret: SECRET },
      observe: { metrics: 'open' },
    }
    for (let replica = 0; replica < 3; replica++) gateways.push(await serve(options))
    // Now that the gateways run: the plugin waits for seconds after a call that failed.
    site.configure({ LMS_GRAPHQL_HOOKS: gateways[0]?.url as string, LMS_GRAPHQL_HOOK_SECRET: SECRET })
    for (const { url } of gateways) while (!(await (await fetch(`${url}/metrics`)).text()).includes('lms_redis_up 1')) await sleep(20)
    const inserted = `echo wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_title' => 'First', 'post_status' => 'publish' ) );`
    course = Number.parseInt(await site.php(inserted), 10)
  }, 120_000)

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await site?.stop()
    await redis?.close()
  })

  const titles = () =>
    Promise.all(
      gateways.map(async ({ post }) => {
        const { data, errors } = (await (await post({ query: `{ course(id: ${course}) { title } }` })).json()) as any
        return errors ? errors[0].message : data.course.title
      }),
    )

  /** Milliseconds from the end of an edit until all gateways show it. */
  async function seenAfter(edit: () => Promise<unknown>, title: string): Promise<number> {
    await titles()
    const before = await titles()
    expect(new Set(before).size).toBe(1)
    expect(before).not.toContain(title)
    await edit()
    const start = performance.now()
    while ((await titles()).some((each) => each !== title)) {
      if (performance.now() - start > 10_000) throw new Error(`They show ${await titles()}. ${site.complaints()}`)
      await sleep(10)
    }
    return performance.now() - start
  }

  const shown = (field: string) =>
    Promise.all(
      gateways.map(async ({ post }) => {
        const { data, errors } = (await (await post({ query: `{ course(id: ${course}) { ${field} } }` })).json()) as any
        return errors ? errors[0].message : JSON.stringify(data.course[field])
      }),
    )

  it('of the slug of a term is seen in the class names of records on all gateways', async () => {
    const term = Number.parseInt(await site.php(`echo wp_insert_term( 'One', 'ld_course_category' )['term_id'];`), 10)
    await site.php(`wp_set_object_terms( ${course}, ${term}, 'ld_course_category' );`)
    for (const each of await shown('classList')) expect(each).toContain('ld_course_category-one')
    await site.php(`wp_update_term( ${term}, 'ld_course_category', array( 'slug' => 'two' ) );`)
    for (const each of await shown('classList')) expect(each).toContain('ld_course_category-two')
  })

  it('of a synced pattern is seen in the texts of records on all gateways', async () => {
    const block = Number.parseInt(
      await site.php(
        `echo wp_insert_post( array( 'post_type' => 'wp_block', 'post_content' => 'The old pattern', 'post_status' => 'publish' ) );`,
      ),
      10,
    )
    await site.php(`wp_update_post( array( 'ID' => ${course}, 'post_content' => '<!-- wp:block {"ref":${block}} /-->' ) );`)
    for (const each of await shown('content')) expect(each).toContain('The old pattern')
    await site.php(`wp_update_post( array( 'ID' => ${block}, 'post_content' => 'The new pattern' ) );`)
    for (const each of await shown('content')) expect(each).toContain('The new pattern')
  })

  it('by code, by a form of the administration and by the REST interface is seen on all gateways in under a second', async () => {
    const cookie = await site.login()
    const page = await (await site.request(`/wp-admin/post.php?post=${course}&action=edit`, { headers: { cookie } })).text()
    const nonce = /name="_wpnonce" value="(\w+)"/.exec(page)?.[1] ?? ''
    const form = { action: 'editpost', post_ID: `${course}`, post_type: 'sfwd-courses', content: 'x', _wpnonce: nonce }
    const edits: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['By code', () => site.php(`wp_update_post( array( 'ID' => ${course}, 'post_title' => 'By code' ) );`)],
      [
        'By a form',
        () =>
          site.request('/wp-admin/post.php', {
            method: 'POST',
            headers: { cookie },
            body: new URLSearchParams({ ...form, post_title: 'By a form' }),
          }),
      ],
      ['By REST', () => site.rest('POST', `/ldlms/v2/sfwd-courses/${course}`, { title: 'By REST' })],
    ]
    for (const [title, edit] of edits) {
      // The plugin sends once a second.
      await sleep(1_100)
      const milliseconds = await seenAfter(edit, title)
      console.log(`${title}: seen on ${gateways.length} gateways ${Math.round(milliseconds)} ms after the edit`)
      expect(milliseconds).toBeLessThan(1_000)
    }
  })
})
