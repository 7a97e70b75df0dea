import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Command, type Ended } from '../support/command.js'
import { globalId } from '../support/global-id.js'
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.js'
import { type Served, serve } from '../support/served.js'
import { MISSING, WordPressSite } from './wordpress-site.js'

// The REST calls that operations make of a real WordPress, beside those that a client by hand would make, and its examination by the doctor.

const missing = MISSING.length === 0 || process.env.CI ? '' : ` (skipped: there is no ${MISSING.join(' and no ')})`

/** Makes a school, and prints the ids of its records. */
const SCHOOL = `
  function made( $type, $title, $more = array(), $meta = array() ) {
    $id = wp_insert_post( $more + array( 'post_type' => $type, 'post_title' => $title, 'post_status' => 'publish', 'post_content' => $title ) );
    foreach ( $meta as $key => $value ) {
      update_post_meta( $id, $key, $value );
    }
    return $id;
  }
  for ( $i = 1; $i <= 12; $i++ ) {
    $courses[] = made( 'sfwd-courses', sprintf( 'Course %02d', $i ) );
  }
  $draft = made( 'sfwd-courses', 'Draft', array( 'post_status' => 'draft' ) );
  $trashed = made( 'sfwd-courses', 'Trashed' );
  wp_trash_post( $trashed );
  $gone = made( 'sfwd-courses', 'Gone' );
  wp_delete_post( $gone, true );
  foreach ( array( array( $courses[4], $gone ), array( $draft, $trashed ), array( $courses[5], $draft ) ) as $i => $ids ) {
    update_post_meta( $courses[ $i ], 'course_prerequisite_enabled', 'on' );
    update_post_meta( $courses[ $i ], 'course_prerequisite', $ids );
  }
  foreach ( array( 0, 0, 0, 1 ) as $i => $course ) {
    $lessons[] = made( 'sfwd-lessons', "Lesson $i", array(), array( 'course' => $courses[ $course ] ) );
  }
  made( 'sfwd-question', 'What?', array(), array( 'quiz' => made( 'sfwd-quiz', 'Quiz', array(), array( 'course' => $courses[0] ) ) ) );
  $top = made( 'groups', 'Zeta' );
  foreach ( array( 0, 1, 2 ) as $course ) {
    add_post_meta( $top, 'course', $courses[ $course ] );
  }
  $low = made( 'groups', 'Alpha', array( 'post_parent' => $top ) );
  update_user_meta( 1, 'progress', array( $courses[0] => 2 ) );
  wp_insert_user( array( 'user_login' => 'learner', 'user_pass' => 'learner-demo', 'user_email' => 'learner@example.org', 'role' => 'subscriber' ) );
  $password = WP_Application_Passwords::create_new_application_password( 2, array( 'name' => 'tests' ) )[0];
  echo json_encode( compact( 'courses', 'draft', 'trashed', 'gone', 'lessons', 'top', 'low', 'password' ) );
`

interface School {
  readonly courses: readonly number[]
  readonly lessons: readonly number[]
  readonly draft: number
  readonly trashed: number
  readonly gone: number
  readonly top: number
  readonly low: number
  readonly password: string
}

describe.skipIf(missing !== '')(`a WordPress with an LMS${missing}`, () => {
  let site: WordPressSite
  let proxy: RecordingProxy
  let gateway: Served
  let school: School

  beforeAll(async () => {
    expect(MISSING).toEqual([])
    const plugin = readFileSync(new URL('lms-interface.php', import.meta.url), 'utf8')
    site = await WordPressSite.start({ plugins: { 'lms-interface.php': plugin } })
    school = JSON.parse(await site.php(SCHOOL)) as School
    proxy = await startRecordingProxy(site.url)
    gateway = await serve({ site: { url: `${proxy.url}/index.php?rest_route=`, preset: 'learndash' } })
    // What the gateway learns of an administrator with their first operation.
    await asked(`{ nodes(ids: ["${globalId('Course', school.draft)}", "${globalId('Course', school.trashed)}"]) { id } }`)
  }, 120_000)

  afterAll(async () => {
    const complaints = site?.complaints() ?? ''
    await gateway?.close()
    await proxy?.close()
    await site?.stop()
    expect(complaints).not.toContain('lms-interface')
  })

  /** The data of an operation, its error codes, and its calls, sorted: the path and the decisive parameters. */
  async function asked(query: string, authorization: string | undefined = site.authorization) {
    const before = proxy.calls.length
    const response = await gateway.post({ query }, authorization === '' ? {} : { authorization })
    const { data, errors = [] } = (await response.json()) as { data: any; errors?: readonly { extensions: { code: string } }[] }
    const calls = proxy.calls.slice(before).map(({ path }) => {
      const [route = '', ...params] = decodeURIComponent(path).replace('/index.php?rest_route=/ldlms/', '').split('&')
      return [route, ...params.filter((param) => !/^(_fields|posts_per_page|context=view)/.test(param))].join(' ')
    })
    return { data, codes: errors.map(({ extensions }) => extensions.code), calls: calls.sort() }
  }

  describe('records that a batch leaves out', () => {
    it('are read one by one, so that those in the trash are shown and those that are gone are not', async () => {
      const { courses, draft, trashed, gone } = school
      const { data, codes, calls } = await asked('{ courses(first: 3) { nodes { prerequisites { title status } } } }')
      expect(data.courses.nodes.map(({ prerequisites }: any) => prerequisites)).toEqual([
        [{ title: 'Course 05', status: 'PUBLISH' }, null],
        [
          { title: 'Draft', status: 'DRAFT' },
          { title: 'Trashed', status: 'TRASH' },
        ],
        [
          { title: 'Course 06', status: 'PUBLISH' },
          { title: 'Draft', status: 'DRAFT' },
        ],
      ])
      expect(codes).toEqual([])
      expect(calls).toEqual([
        `v1/sfwd-courses per_page=100 include=${[courses[4], gone, draft, trashed, courses[5]]} status=any`,
        'v1/sfwd-courses per_page=3',
        `v1/sfwd-courses/${trashed}`,
        `v1/sfwd-courses/${gone}`,
      ])
    })

    it('have an error if they are hidden, and none if they are gone', async () => {
      const { courses, draft, gone } = school
      const { data, codes, calls } = await asked(
        `{ a: course(id: ${courses[0]}) { title } b: course(id: ${draft}) { title } c: course(id: ${gone}) { title } }`,
        '',
      )
      expect([data, codes]).toEqual([{ a: { title: 'Course 01' }, b: null, c: null }, ['UNAUTHENTICATED']])
      expect(calls).toEqual([
        `v1/sfwd-courses per_page=100 include=${courses[0]},${draft},${gone}`,
        `v1/sfwd-courses/${draft}`,
        `v1/sfwd-courses/${gone}`,
      ])
    })

    it('cost no call when nothing is left out', async () => {
      const { courses, draft } = school
      const { calls } = await asked(`{ a: course(id: ${courses[0]}) { title } b: course(id: ${draft}) { title } }`)
      expect(calls).toEqual([`v1/sfwd-courses per_page=100 include=${courses[0]},${draft} status=any`])
    })
  })

  it('the last rows of a list that is not longer need one call, those of a longer one two', async () => {
    const [first, second] = school.courses
    const { data, calls } = await asked(
      `{ a: course(id: ${first}) { lessons(last: 2) { totalCount nodes { title } } } b: course(id: ${second}) { lessons(last: 2) { totalCount nodes { title } } } }`,
    )
    expect([data.a.lessons, data.b.lessons]).toEqual([
      { totalCount: 3, nodes: [{ title: 'Lesson 1' }, { title: 'Lesson 2' }] },
      { totalCount: 1, nodes: [{ title: 'Lesson 3' }] },
    ])
    expect(calls.filter((call) => call.startsWith('v2/sfwd-lessons'))).toEqual([
      `v2/sfwd-lessons per_page=2 course=${first}`,
      `v2/sfwd-lessons per_page=2 course=${second}`,
      `v2/sfwd-lessons per_page=2 offset=1 course=${first}`,
    ])
    // By hand the order is turned round, which a client of the graph can do too.
    const turned = await asked('{ courses(first: 3, orderBy: { field: TITLE, direction: DESC }) { totalCount nodes { title } } }')
    expect(turned.data.courses).toEqual({ totalCount: 12, nodes: [12, 11, 10].map((number) => ({ title: `Course ${number}` })) })
    expect(turned.calls).toEqual(['v1/sfwd-courses per_page=3 orderby=title order=desc'])
  })

  it('an offset past the end needs a second call for the total, which WordPress sends as 0 there, and no other', async () => {
    const past = 'courses(first: 5, offset: 50)'
    const PAGE = 'v1/sfwd-courses per_page=5 offset=50'
    const { data, calls } = await asked(`{ ${past} { totalCount nodes { title } } }`)
    expect([data.courses, calls]).toEqual([{ totalCount: 12, nodes: [] }, ['v1/sfwd-courses per_page=1', PAGE]])
    const page = await site.request('/index.php?rest_route=/ldlms/v1/sfwd-courses&per_page=5&offset=50')
    expect([await page.json(), page.headers.get('x-wp-total')]).toEqual([[], '0'])
    expect((await asked(`{ ${past} { nodes { title } pageInfo { hasNextPage } } }`)).calls).toEqual([PAGE])
  })

  it('overlapping windows of progress are one call each', async () => {
    const { data, calls } = await asked(
      '{ user(id: 1) { a: courseProgress(first: 3) { nodes { courseId } pageInfo { hasNextPage } } b: courseProgress(first: 4, offset: 2) { totalCount nodes { courseId status } } } }',
    )
    const { a, b } = data.user
    expect([a.nodes.length, a.pageInfo.hasNextPage, b.nodes.length, b.totalCount, b.nodes[0].courseId]).toEqual([
      3,
      true,
      4,
      12,
      a.nodes[2].courseId,
    ])
    expect(calls).toEqual(['v2/users/1/course-progress per_page=100', 'v2/users/1/course-progress per_page=3'])
  })

  it('edit-only columns of a list are read with it, and by id beside columns that a password guards', async () => {
    const EDIT = 'v1/sfwd-courses per_page=3 context=edit'
    const { data, calls } = await asked('{ courses(first: 3) { nodes { title titleRaw } } }')
    expect([data.courses.nodes[0], calls]).toEqual([{ title: 'Course 01', titleRaw: 'Course 01' }, [EDIT]])
    const guarded = await asked('{ courses(first: 3) { nodes { content titleRaw } } }')
    expect(guarded.calls).toEqual([
      `v1/sfwd-courses per_page=100 context=edit include=${school.courses.slice(0, 3)} status=any`,
      'v1/sfwd-courses per_page=3',
    ])
  })

  it('parents that a list shows cost no call, others one for all of them', async () => {
    const { data, calls } = await asked('{ groups(first: 10) { nodes { title parent { title } } } }')
    expect(data.groups.nodes).toEqual([
      { title: 'Alpha', parent: { title: 'Zeta' } },
      { title: 'Zeta', parent: null },
    ])
    expect(calls).toEqual(['v1/groups per_page=10'])
    const alone = await asked('{ groups(first: 1) { nodes { title parent { title } } } }')
    expect([alone.data.groups.nodes, alone.calls]).toEqual([
      data.groups.nodes.slice(0, 1),
      ['v1/groups per_page=1', `v1/groups/${school.top}`],
    ])
  })

  it('progress in one course is in the call for those of a list', async () => {
    const { courses } = school
    const { data, calls } = await asked(
      `{ user(id: 1) { progressIn(course: ${courses[0]}) { stepsCompleted } } courses(first: 3, offset: 1) { nodes { progress(user: 1) { stepsCompleted } } } }`,
    )
    expect([data.user.progressIn.stepsCompleted, data.courses.nodes.length]).toEqual([2, 3])
    expect(calls).toEqual(['v1/sfwd-courses per_page=3 offset=1', `v2/users/1/course-progress per_page=100 include=${courses.slice(0, 4)}`])
  })

  describe('the doctor', () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'lms-doctor-'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    const doctor = (argv: readonly string[], user: string, password: string): Promise<Ended> =>
      new Command(['doctor', ...argv], { LMS_USER: user, LMS_PASSWORD: password }, [], { cwd: folder }).ended
    const passwordOf = (authorization: string): string =>
      Buffer.from(authorization.slice(6), 'base64').toString().split(/:(.*)/s)[1] as string
    const lastLine = (text: string): string | undefined => text.trimEnd().split('\n').at(-1)

    it('ends without a warning when its page is followed, and the gateway starts with the file that it names', async () => {
      const password = passwordOf(site.authorization)
      const written = await doctor(['--upstream', site.url, '--write', 'lms.yaml'], 'admin', password)
      expect(lastLine(written.stderr)).toBe(
        'lms-graphql: `lms.yaml` was written; start the gateway with it: `lms-graphql --config lms.yaml`.',
      )
      expect([written.stdout.match(/^(warning|breaks).*/gm), written.code]).toEqual([null, 0])
      expect(lastLine(written.stdout)).toMatch(/^0 broken, 0 with less data or more calls, /)
      expect(written.stdout.replace(/\s+/g, ' ')).toContain('no visible record has a value in categories: ')
      const checked = await doctor(['--config', 'lms.yaml'], 'admin', password)
      expect([checked.stdout.match(/^(warning|breaks).*/gm), checked.code]).toEqual([null, 0])
      expect(lastLine(checked.stderr)).toBe('lms-graphql: `lms.yaml` has the settings that the site needs.')
      const running = new Command(['--config', 'lms.yaml', '--port', '0'], {}, [], { cwd: folder })
      const answer = await fetch(`${await running.address()}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: site.authorization },
        body: JSON.stringify({ query: '{ courses(first: 1) { nodes { title lessons(first: 1) { nodes { title } } } } }' }),
      })
      expect(await answer.json()).toEqual({
        data: { courses: { nodes: [{ title: 'Course 01', lessons: { nodes: [{ title: 'Lesson 0' }] } }] } },
      })
      await running.stop()
    })

    it('says what an account may not do, in place of that nothing is broken', async () => {
      const { code, stdout } = await doctor(['--upstream', site.url], 'learner', school.password)
      expect([code, stdout.includes('0 broken')]).toEqual([3, false])
      expect(stdout.replace(/\s+/g, ' ')).toMatch(
        / Incomplete: the account may not read courses of a group, course progress, and may not edit\. /,
      )
    })
  })
})
