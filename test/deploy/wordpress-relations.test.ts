import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/index.js'
import { globalId } from '../support/global-id.js'
import { merged } from '../support/merged.js'
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.js'
import { type Served, serve } from '../support/served.js'
import { MISSING, WordPressSite } from './wordpress-site.js'

// Images, users and terms of a real WordPress, with their calls.

const missing = MISSING.length === 0 || process.env.CI ? '' : ` (skipped: there is no ${MISSING.join(' and no ')})`
const KEY = 'some-key-0123456789'
const COURSES = 24

/** Types with images, and the route of users that a plugin closes to strangers while an option is set. */
const PLUGIN = `<?php
add_action( 'init', function () {
  foreach ( array( 'groups', 'sfwd-courses', 'sfwd-lessons' ) as $type ) add_post_type_support( $type, 'thumbnail' );
}, 20 );
add_filter( 'rest_pre_dispatch', function ( $answer, $server, $request ) {
  $is_closed = get_option( 'closed_users' ) && ! is_user_logged_in() && str_starts_with( $request->get_route(), '/wp/v2/users' );
  return $is_closed ? new WP_Error( 'rest_forbidden', 'Only for members.', array( 'status' => 401 ) ) : $answer;
}, 10, 3 );
`

/** Authors, images and terms; courses that have them in turn; a group; and an image that belongs to a draft. */
const CONTENT = `
$users = array();
foreach ( array( 'ada', 'bob' ) as $name ) {
  $users[] = wp_insert_user( array( 'user_login' => $name, 'user_pass' => 'x', 'display_name' => ucfirst( $name ) . ' &amp; Co', 'user_email' => "$name@example.org", 'first_name' => 'First', 'role' => 'author' ) );
}
$reader = wp_insert_user( array( 'user_login' => 'rex', 'user_pass' => 'x', 'display_name' => 'Rex', 'user_email' => 'rex@example.org', 'role' => 'subscriber' ) );
function image( $name, $parent ) {
  $id = wp_insert_attachment( array( 'post_title' => $name, 'post_mime_type' => 'image/png', 'post_status' => 'inherit', 'post_excerpt' => 'Caption', 'post_parent' => $parent ), "2026/$name.png" );
  $size = fn( $width, $height ) => array( 'file' => "$name-{$width}x$height.png", 'width' => $width, 'height' => $height, 'mime-type' => 'image/png' );
  wp_update_attachment_metadata( $id, array( 'width' => 1200, 'height' => 800, 'file' => "2026/$name.png", 'sizes' => array( 'medium' => $size( 300, 200 ), 'thumbnail' => $size( 150, 150 ) ) ) );
  update_post_meta( $id, '_wp_attachment_image_alt', "Picture of $name" );
  return $id;
}
$draft = wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_status' => 'draft', 'post_title' => 'Draft' ) );
$images = array( image( 'one', 0 ), image( 'two', 0 ) );
$hidden = image( 'hidden', $draft );
$above = wp_insert_term( 'Science &amp; Art', 'category' )['term_id'];
$below = wp_insert_term( 'Physics', 'category', array( 'parent' => $above ) )['term_id'];
$own = wp_insert_term( 'Beginners', 'ld_course_category', array( 'description' => 'For <b>all</b>' ) )['term_id'];
$gone = wp_insert_term( 'Gone', 'category' )['term_id'];
$courses = array();
for ( $i = 0; $i < ${COURSES}; $i++ ) {
  $id = wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_status' => 'publish', 'post_title' => "Course $i", 'post_author' => $users[ $i % 2 ] ) );
  set_post_thumbnail( $id, $images[ $i % 2 ] );
  wp_set_object_terms( $id, array( $above, $below ), 'category' );
  wp_set_object_terms( $id, array( $own ), 'ld_course_category' );
  $courses[] = $id;
}
$shown = wp_insert_post( array( 'post_type' => 'sfwd-courses', 'post_status' => 'publish', 'post_title' => 'Of the draft', 'post_author' => $users[0] ) );
set_post_thumbnail( $shown, $hidden );
$group = wp_insert_post( array( 'post_type' => 'groups', 'post_status' => 'publish', 'post_title' => 'Group', 'post_author' => $users[1] ) );
set_post_thumbnail( $group, $images[1] );
wp_set_object_terms( $group, array( $below ), 'category' );
echo wp_json_encode( compact( 'users', 'reader', 'images', 'hidden', 'above', 'below', 'own', 'courses', 'shown', 'group' ) );
`

interface Ids {
  readonly users: readonly number[]
  readonly images: readonly number[]
  readonly courses: readonly number[]
  readonly reader: number
  readonly hidden: number
  readonly above: number
  readonly below: number
  readonly own: number
  readonly shown: number
  readonly group: number
}

const CATALOGUE = `{ courses(first: 24, orderBy: { field: ID }, where: { search: "Course" }) { nodes {
  title
  featuredImage { url alt width height sizes { name width } srcSet }
  author { name avatarUrl }
  categories { name }
  courseCategories { name }
} } }`

describe.skipIf(missing !== '')(`the relations to WordPress's own records${missing}`, () => {
  let site: WordPressSite
  let proxy: RecordingProxy
  let ids: Ids
  const opened: Served[] = []

  beforeAll(async () => {
    expect(MISSING).toEqual([])
    site = await WordPressSite.start({ plugins: { 'relations.php': PLUGIN } })
    ids = JSON.parse(await site.php(CONTENT)) as Ids
    proxy = await startRecordingProxy(site.url)
  }, 120_000)

  afterEach(async () => {
    for (const gateway of opened.splice(0)) await gateway.close()
  })

  afterAll(async () => {
    await proxy?.close()
    await site?.stop()
  })

  async function open(options: Partial<GatewayOptions> = {}): Promise<Served> {
    const url = `${proxy.url}/index.php?rest_route=`
    const gateway = await serve(
      merged({ site: { url, preset: 'learndash', namespaces: { v1: 'ldlms/v2', v2: 'ldlms/v2' } } }, options as object),
    )
    opened.push(gateway)
    return gateway
  }

  async function ask(gateway: Served, query: string, headers: Readonly<Record<string, string>> = {}) {
    const before = proxy.calls.length
    const response = await gateway.post({ query }, headers)
    const text = await response.text()
    const { data, errors = [] } = JSON.parse(text) as { data: any; errors?: { path: unknown; extensions: { code: string } }[] }
    return {
      text,
      data,
      codes: errors.map(({ path, extensions }) => [(path as string[]).join('.'), extensions.code]),
      calls: proxy.calls.slice(before).map(({ path }) => decodeURIComponent(path)),
      cacheControl: response.headers.get('cache-control'),
    }
  }

  const routesOf = (calls: readonly string[]): string[] => calls.map((path) => /rest_route=\/([^&]*)/.exec(path)?.[1] ?? path).sort()
  const asAdmin = () => ({ authorization: site.authorization })

  it('takes five calls for a catalogue with images, authors and two kinds of categories', async () => {
    const { data, codes, calls } = await ask(await open(), CATALOGUE)
    expect(codes).toEqual([])
    expect(routesOf(calls)).toEqual(['ldlms/v2/sfwd-courses', 'wp/v2/categories', 'wp/v2/ld_course_category', 'wp/v2/media', 'wp/v2/users'])
    expect(data.courses.nodes).toHaveLength(COURSES)
    const uploads = `${site.url}/wp-content/uploads/2026`
    expect(data.courses.nodes[1]).toEqual({
      title: 'Course 1',
      featuredImage: {
        url: `${uploads}/two.png`,
        alt: 'Picture of two',
        width: 1200,
        height: 800,
        sizes: expect.arrayContaining([
          { name: 'medium', width: 300 },
          { name: 'thumbnail', width: 150 },
        ]),
        srcSet: `${uploads}/two-300x200.png 300w, ${uploads}/two.png 1200w`,
      },
      author: { name: 'Bob & Co', avatarUrl: expect.stringContaining('s=96') },
      categories: expect.arrayContaining([{ name: 'Science & Art' }, { name: 'Physics' }]),
      courseCategories: [{ name: 'Beginners' }],
    })
  })

  it('takes three calls when two of the relations are not selected, and none for ids alone', async () => {
    const gateway = await open()
    const three = await ask(gateway, '{ courses(first: 24) { nodes { featuredImage { url } author { name } } } }')
    expect(routesOf(three.calls)).toEqual(['ldlms/v2/sfwd-courses', 'wp/v2/media', 'wp/v2/users'])
    const one = await ask(gateway, '{ courses(first: 24) { nodes { author { id databaseId } } } }')
    expect(routesOf(one.calls)).toEqual(['ldlms/v2/sfwd-courses'])
    expect((await ask(gateway, `{ user(id: ${ids.reader}) { id } }`)).calls).toEqual([])
  })

  it('reads the images, users and terms of several types together', async () => {
    const fields = '{ nodes { featuredImage { url } author { name } categories { name } } }'
    const { codes, calls } = await ask(await open(), `{ groups(first: 5) ${fields} courses(first: 5) ${fields} }`)
    expect(codes).toEqual([])
    expect(routesOf(calls)).toEqual(['ldlms/v2/groups', 'ldlms/v2/sfwd-courses', 'wp/v2/categories', 'wp/v2/media', 'wp/v2/users'])
  })

  it('shows null for an image that the site does not show the caller, without further calls', async () => {
    const gateway = await open()
    const query = `{ course(id: ${ids.shown}) { featuredImage { url } } node(id: "${globalId('FeaturedImage', ids.hidden)}") { id } }`
    const { data, codes, calls } = await ask(gateway, query)
    expect([data, codes]).toEqual([{ course: { featuredImage: null }, node: null }, []])
    // One read of the image or two: by then, the other field may have shown that it is missing.
    expect([...new Set(routesOf(calls))]).toEqual([`ldlms/v2/sfwd-courses/${ids.shown}`, 'wp/v2/media'])
    const shown = await ask(gateway, query, asAdmin())
    expect(shown.data.course.featuredImage.url).toContain('/hidden.png')
  })

  it('shows null for columns of a user whom the site does not show the caller', async () => {
    const gateway = await open()
    const query = `{ reader: user(id: ${ids.reader}) { databaseId name } author: user(id: ${ids.users[0]}) { name } }`
    const { data, codes, calls } = await ask(gateway, query)
    expect([data, codes]).toEqual([{ reader: { databaseId: ids.reader, name: null }, author: { name: 'Ada & Co' } }, []])
    expect(calls).toHaveLength(1)
    expect((await ask(gateway, query, asAdmin())).data.reader.name).toBe('Rex')
  })

  it('reports once that the site does not show users to strangers, and asks once', async () => {
    const gateway = await open()
    await site.php(`update_option( 'closed_users', 1 );`)
    try {
      const { data, codes, calls } = await ask(gateway, '{ courses(first: 3) { nodes { title author { databaseId name } } } }')
      expect(data.courses.nodes[0].author).toMatchObject({ databaseId: expect.any(Number), name: null })
      expect(codes).toEqual([0, 1, 2].map((index) => [`courses.nodes.${index}.author.name`, 'FORBIDDEN']))
      expect(routesOf(calls)).toEqual(['ldlms/v2/sfwd-courses', 'wp/v2/users'])
    } finally {
      await site.php(`delete_option( 'closed_users' );`)
    }
  })

  it('reads the terms of a menu', async () => {
    const gateway = await open()
    const { data, codes, calls } = await ask(
      gateway,
      `{
        top: terms(taxonomy: CATEGORY, where: { parent: 0, hideEmpty: true }, orderBy: { field: COUNT, direction: DESC }) {
          totalCount
          nodes { id databaseId taxonomy name slug count parent { name } }
        }
        below: terms(taxonomy: CATEGORY, where: { parent: "${globalId('LmsTerm', `categories:${ids.above}`)}" }) {
          nodes { name parent { name taxonomy } }
        }
      }`,
    )
    expect(codes).toEqual([])
    expect(data.top.nodes[0]).toEqual({
      id: globalId('LmsTerm', `categories:${ids.above}`),
      databaseId: ids.above,
      taxonomy: 'CATEGORY',
      name: 'Science & Art',
      slug: expect.any(String),
      count: COURSES,
      parent: null,
    })
    expect(data.below.nodes).toEqual([{ name: 'Physics', parent: { name: 'Science & Art', taxonomy: 'CATEGORY' } }])
    expect(routesOf(calls)).toEqual(['wp/v2/categories', 'wp/v2/categories'])
  })

  it('filters courses by the global id of a term', async () => {
    const own = globalId('LmsTerm', `lms_course_category:${ids.own}`)
    const gateway = await open({ site: { ignoredFilters: [] } as never })
    const { data, codes } = await ask(gateway, `{ courses(first: 1, where: { courseCategories: { in: ["${own}"] } }) { totalCount } }`)
    expect([data, codes]).toEqual([{ courses: { totalCount: COURSES } }, []])
    const other = await ask(gateway, `{ courses(first: 1, where: { categories: { in: ["${own}"] } }) { totalCount } }`)
    expect([other.codes, other.calls]).toEqual([[['courses', 'BAD_USER_INPUT']], []])
  })

  it('remembers that a taxonomy is not shown in the interface', async () => {
    const gateway = await open()
    const query = `{ terms(taxonomy: LESSON_TAG) { nodes { name } } }`
    const first = await ask(gateway, query)
    expect([first.codes, first.calls.length]).toEqual([[['terms', 'NOT_AVAILABLE']], 1])
    const second = await ask(gateway, query)
    expect([second.codes, second.calls]).toEqual([[['terms', 'NOT_AVAILABLE']], []])
  })

  it('never keeps columns of administrators', async () => {
    const gateway = await open({ cache: { maxAge: 60, forCallers: 60 }, subgraph: {}, http: {} } as Partial<GatewayOptions>)
    const query = `{ user(id: ${ids.users[0]}) { name email firstName roles registeredAt } }`
    const admin = await ask(gateway, query, asAdmin())
    expect(admin.codes).toEqual([])
    expect(admin.data.user).toMatchObject({ name: 'Ada & Co', email: 'ada@example.org', firstName: 'First', roles: ['author'] })
    const visitor = await ask(gateway, query)
    expect(visitor.text).not.toContain('ada@example.org')
    expect(visitor.data.user).toMatchObject({ name: 'Ada & Co', email: null, firstName: null, roles: null })
    expect(visitor.codes.map(([, code]) => code)).toEqual(Array(4).fill('UNAUTHENTICATED'))
    const again = await ask(gateway, query, asAdmin())
    expect(again.calls.some((path) => path.includes('context=edit'))).toBe(true)
  })

  it('reads users and images for plain callers of a service account as strangers', async () => {
    const [user = '', password = ''] = Buffer.from(site.authorization.replace('Basic ', ''), 'base64').toString().split(/:(.*)/s)
    const gateway = await open({ site: { user, password }, access: { apiKeys: [KEY], open: true } } as never)
    const query = `{
      reader: user(id: ${ids.reader}) { name }
      author: user(id: ${ids.users[0]}) { name email }
      node(id: "${globalId('FeaturedImage', ids.hidden)}") { id }
      course(id: ${ids.courses[0]}) { featuredImage { alt } categories { name } }
    }`
    const plain = await ask(gateway, query)
    expect(plain.data).toMatchObject({ reader: { name: null }, author: { name: 'Ada & Co', email: null }, node: null })
    expect(plain.data.course).toMatchObject({ featuredImage: { alt: 'Picture of one' }, categories: [{}, {}] })
    expect(plain.codes).toEqual([['author.email', 'FORBIDDEN']])
    const administrator = await ask(gateway, query, { 'x-api-key': KEY })
    expect(administrator.data).toMatchObject({ reader: { name: 'Rex' }, author: { email: 'ada@example.org' }, node: {} })
  })

  it('makes no call for routes that the settings do not name', async () => {
    const gateway = await open({ site: { routes: [] } } as never)
    const query = `{ course(id: ${ids.courses[0]}) { title featuredImage { url } author { databaseId name } categories { name } } terms(taxonomy: TAG) { totalCount } }`
    const { data, codes, calls } = await ask(gateway, query)
    expect(routesOf(calls)).toEqual([`ldlms/v2/sfwd-courses/${ids.courses[0]}`])
    expect(data).toEqual({
      course: { title: 'Course 0', featuredImage: null, author: { databaseId: ids.users[0], name: null }, categories: [null, null] },
      terms: null,
    })
    expect(codes.sort()).toEqual(
      ['course.author.name', 'course.categories.0', 'course.categories.1', 'course.featuredImage', 'terms'].map((path) => [
        path,
        'NOT_AVAILABLE',
      ]),
    )
  })
})
