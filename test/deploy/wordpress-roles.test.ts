import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { globalId } from '../support/global-id.js'
import { POSTS } from '../support/marked-school.js'
import { type PassedCall, type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.js'
import { type Served, serve } from '../support/served.js'
import { MISSING, WordPressSite } from './wordpress-site.js'

// What visitors get from a real WordPress through the account of an administrator.

const missing = MISSING.length === 0 || process.env.CI ? '' : ` (skipped: there is no ${MISSING.join(' and no ')})`
const KEY = 'some-key-0123456789'

/** Texts that the records have, by the status with which they are inserted. The form of a mark is `qx…`. */
const INSERTED = ['publish', 'draft', 'pending', 'private', 'future', 'trash'] as const

/** The types of WordPress. */
const TYPE_OF = { Group: 'groups', Course: 'sfwd-courses', Lesson: 'sfwd-lessons', Quiz: 'sfwd-quiz' } as const

describe.skipIf(missing !== '')(`roles of a service account on WordPress${missing}`, () => {
  let site: WordPressSite
  let proxy: RecordingProxy
  let gateway: Served
  /** Ids of the records of a type by status, and one with a password. */
  const ids: Record<string, Readonly<Record<string, number>>> = {}

  beforeAll(async () => {
    expect(MISSING).toEqual([])
    site = await WordPressSite.start()
    for (const [name, type] of Object.entries(TYPE_OF)) {
      const records = INSERTED.map((status) => [status, `qx${name.toLowerCase()}${status}`, '']).concat([
        ['publish', 'locked', 'qxpassword'],
      ])
      const inserts = records.map(([status, mark, password]) => {
        const text = status === 'publish' ? `<!-- wp:qxblock /--><p>${password === '' ? 'Shown' : 'qxhidden'}</p>` : `<p>${mark}</p>`
        const title = status === 'publish' ? `Open ${mark === 'locked' ? mark : name}` : `Title ${mark}`
        const values = {
          post_type: type,
          post_status: status,
          post_title: title,
          post_content: text,
          post_password: password,
          post_name: mark,
        }
        const date = status === 'future' ? `'post_date' => '2099-01-01 08:00:00', 'post_date_gmt' => '2099-01-01 08:00:00',` : ''
        const pairs = Object.entries(values).map(([key, value]) => `'${key}' => '${value}'`)
        return `echo wp_insert_post( array( ${date} ${pairs.join(', ')} ) ), ' ';`
      })
      const inserted = (await site.php(inserts.join('\n'))).trim().split(/\s+/).map(Number)
      ids[name] = Object.fromEntries([...INSERTED, 'locked'].map((status, place) => [status, inserted[place] as number]))
    }
    proxy = await startRecordingProxy(site.url)
    const [user = '', password = ''] = Buffer.from(site.authorization.replace('Basic ', ''), 'base64').toString().split(/:(.*)/s)
    gateway = await serve({
      site: {
        url: `${proxy.url}/index.php?rest_route=`,
        preset: 'learndash',
        namespaces: { v1: 'ldlms/v2', v2: 'ldlms/v2' },
        user,
        password,
      },
      access: { apiKeys: [KEY], open: true },
      cache: { maxAge: 60, forCallers: 60 },
    })
  }, 120_000)

  afterAll(async () => {
    await gateway?.close()
    await proxy?.close()
    await site?.stop()
  })

  async function ask(query: string, headers: Readonly<Record<string, string>> = {}) {
    const before = proxy.calls.length
    const text = await (await gateway.post({ query }, headers)).text()
    return {
      text,
      ...(JSON.parse(text) as { data: any; errors?: readonly { extensions: { code: string } }[] }),
      calls: proxy.calls.slice(before),
    }
  }

  const FIELDS = '{ title titleRaw titleHtml content contentRaw password slug generatedSlug status link }'

  /** Each way to the records of a type. */
  function ways({ type, one, many }: (typeof POSTS)[number]): string[] {
    const all = Object.values(ids[type] as Readonly<Record<string, number>>)
    const nodes = all.map((id) => globalId(type, id))
    const slugs = INSERTED.map((status) => `qx${one}${status}`)
    const where = ['', 'where: { search: "Title" }', `where: { id: { in: [${all}] } }`, `where: { slug: ${JSON.stringify(slugs)} }`]
    return [
      ...all.map((id) => `{ it: ${one}(id: ${id}) ${FIELDS} }`),
      `{ ${all.map((id) => `a${id}: ${one}(id: ${id}) ${FIELDS}`).join(' ')} }`,
      `{ ${slugs.map((slug, place) => `a${place}: ${one}(slug: "${slug}") ${FIELDS}`).join(' ')} }`,
      `{ nodes(ids: ${JSON.stringify(nodes)}) { ... on ${type} ${FIELDS} } }`,
      ...where.map((filter) => `{ ${many}(first: 20 ${filter}) { totalCount nodes ${FIELDS} } }`),
      ...['DRAFT', 'ANY', 'FUTURE'].map((status) => `{ ${many}(where: { status: [${status}] }) { nodes ${FIELDS} } }`),
    ]
  }

  const isMarked = (text: string): boolean => /qx(?!\w*publish)\w+/.test(text)
  const isDropped = ({ path, text }: PassedCall): boolean => /%2F\d+(&|$)|\/\d+(&|$)/.test(path) && /"status":"(?!publish)/.test(text)

  it.each(POSTS.map((posts) => [posts.many, posts] as const))('holds for %s', async (_, posts) => {
    const asked = ways(posts)
    const shown: string[] = []
    for (const query of asked) {
      const { text, calls } = await ask(query)
      expect([query, isMarked(text)]).toEqual([query, false])
      expect(calls.filter(({ path }) => /context=edit|status=(?!publish(&|$))/.test(path))).toEqual([])
      expect(calls.filter((call) => !isDropped(call) && isMarked(call.text))).toEqual([])
      const administrator = await ask(query, { 'x-api-key': KEY })
      shown.push(administrator.text)
      expect([query, isMarked((await ask(query)).text)]).toEqual([query, false])
    }
    const text = shown.join()
    for (const mark of ['qxblock', 'qxhidden', 'qxpassword', ...INSERTED.slice(1).map((status) => `qx${posts.one}${status}`)])
      expect(text).toContain(mark)
  })

  it('leaves published records as they are', async () => {
    const { publish, locked } = ids.Course as Readonly<Record<string, number>>
    const { data, errors } = await ask(
      `{ course(id: ${publish}) { title content } locked: course(id: ${locked}) { title content contentProtected } }`,
    )
    expect(errors).toBe(undefined)
    expect(data.course).toEqual({ title: 'Open Course', content: expect.stringContaining('<p>Shown</p>') })
    expect(data.locked).toMatchObject({ content: '', contentProtected: true })
    const listed = await ask('{ courses { totalCount nodes { title } } }')
    expect(listed.data.courses.totalCount).toBe(2)
  })
})
