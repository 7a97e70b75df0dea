import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Answer, credentials, type Json, outcome, ROUTES, useLms } from './world.js'

const { get, write, create, url } = useLms()

const send = (path: string, type: string, body: string | Uint8Array, method = 'POST'): Promise<Answer> =>
  get(path, 'admin', { method, body: body as BodyInit, headers: { 'content-type': type } })

const FORM = 'application/x-www-form-urlencoded'
const form = (pairs: readonly (readonly [string, string])[]): string => new URLSearchParams(pairs.map((pair) => [...pair])).toString()

describe('bodies', () => {
  it('are JSON by a content type in any case, with a charset or a prefix', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/vnd.api+json',
    ]) {
      const { status, body } = await send(ROUTES.Group, type, '{"title":"Größe"}')
      expect([type, status, body.title.raw]).toEqual([type, 201, 'Größe'])
    }
  })

  it('can be forms, with lists and members in brackets', async () => {
    const pairs = [
      ['title[raw]', 'From a form & more'],
      ['content', 'One+two'],
      ['tags[]', '700008'],
      ['tags[]', '700009'],
      ['categories[0]', '700001'],
      ['categories[1]', '700002'],
      ['lms_lesson_tag', '700027,700028'],
      ['is_sample', 'true'],
      ['video_auto_complete_delay', '9'],
      ['meta[level]', 'high'],
      ['meta[list][]', 'a'],
      ['meta[list][]', 'b'],
      ['meta[deep][er]', 'c'],
    ] as const
    for (const type of [FORM, `${FORM.toUpperCase()}; charset=utf-8`]) {
      const { status, body } = await send(ROUTES.Lesson, type, form(pairs))
      expect([status, body.title.raw, body.content.raw]).toEqual([201, 'From a form & more', 'One+two'])
      expect([body.tags, body.categories, body.lms_lesson_tag]).toEqual([
        [700_008, 700_009],
        [700_001, 700_002],
        [700_027, 700_028],
      ])
      expect([body.is_sample, body.video_auto_complete_delay]).toEqual([true, 9])
      expect(body.meta).toEqual({ level: 'high', list: ['a', 'b'], deep: { er: 'c' } })
    }
  })

  it('are checked in forms as in JSON', async () => {
    const { id } = await create(ROUTES.Course)
    const { status, body } = await send(
      `${ROUTES.Course}/${id}`,
      FORM,
      form([
        ['expire_access', 'on'],
        ['tags[x]', '1'],
        ['menu_order', ''],
      ]),
      'PUT',
    )
    expect([status, Object.keys(body.data.params).sort()]).toEqual([400, ['expire_access', 'menu_order', 'tags']])
    const proto = await send(
      ROUTES.Course,
      FORM,
      form([
        ['__proto__[polluted]', 'x'],
        ['meta[__proto__][polluted]', 'x'],
        ['constructor[prototype][polluted]', 'x'],
      ]),
    )
    expect([proto.status, ({} as Json).polluted]).toEqual([201, undefined])
  })

  it('override parameters of the query', async () => {
    const query = `title=${encodeURIComponent('By query')}&menu_order=4&tags[]=700008`
    expect((await get(`${ROUTES.Course}?${query}`, 'admin', { method: 'POST' })).body).toMatchObject({
      title: { raw: 'By query' },
      menu_order: 4,
      tags: [700_008],
    })
    const both = await write('POST', `${ROUTES.Course}?${query}`, { title: 'By body' })
    expect(both.body).toMatchObject({ title: { raw: 'By body' }, menu_order: 4 })
  })

  it('of other types are ignored', async () => {
    const { id } = await create(ROUTES.Quiz, { title: 'Kept' })
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/xml', 'multipart/form-data; boundary=x', '']) {
      const { status, body } = await send(`${ROUTES.Quiz}/${id}`, type, '{"title":"Lost"}')
      expect([type, status, body.title.raw]).toEqual([type, 200, 'Kept'])
    }
  })

  it('can be empty', async () => {
    expect((await send(ROUTES.Quiz, 'application/json', '')).status).toBe(201)
    expect((await send(ROUTES.Quiz, FORM, '')).status).toBe(201)
    expect((await get(ROUTES.Quiz, 'admin', { method: 'POST' })).status).toBe(201)
  })

  it('must be a JSON object', async () => {
    for (const text of ['{', '{"title":}', "{'title':1}", 'title=1', '{"a":1}}', '\u0000']) {
      const answer = await send(ROUTES.Group, 'application/json', text)
      expect([text, outcome(answer), answer.body.data.json_error_code]).toEqual([text, '400 rest_invalid_json', 4])
    }
    for (const text of ['null', '1', '"x"', 'true', '[]', '[{"title":"x"}]']) {
      expect([text, outcome(await send(ROUTES.Group, 'application/json', text))]).toEqual([text, '400 rest_invalid_json'])
    }
    const deep = `{"meta":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
    expect(outcome(await send(ROUTES.Group, 'application/json', deep))).toBe('400 rest_invalid_json')
    const fine = await send(ROUTES.Group, 'application/json', `{"meta":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`)
    expect((await get(`${ROUTES.Group}/${fine.body.id}?context=edit`)).status).toBe(200)
  })

  it('have a maximum size', async () => {
    const large = JSON.stringify({ content: 'x'.repeat(8 * 1024 ** 2) })
    for (const type of ['application/json', FORM, 'text/plain']) {
      const answer = await send(ROUTES.Group, type, large)
      expect([outcome(answer), answer.headers.get('content-type')]).toEqual(['413 rest_body_too_large', 'application/json; charset=UTF-8'])
    }
    const text = 'x'.repeat(8 * 1024 ** 2 - 100)
    expect((await send(ROUTES.Group, 'application/json', JSON.stringify({ content: text }))).body.content.raw).toBe(text)
  })

  /** Sends a body in chunks without its length. With `cut`, closes the connection before the end. */
  function chunked(pieces: readonly string[], cut = false): Promise<number | undefined> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', ...credentials('admin') }
      const sent = request(`${url()}${ROUTES.Group}`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', () => resolve(undefined))
      for (const piece of pieces) sent.write(piece)
      if (cut) setTimeout(() => sent.destroy(), 50)
      else sent.end()
    })
  }

  it('can be sent in chunks without a length', async () => {
    expect(await chunked(['{"title":', '"In pieces"}'])).toBe(201)
    const megabyte = 'x'.repeat(1024 ** 2)
    expect(await chunked(['{"title":"', ...Array.from({ length: 9 }, () => megabyte), '"}'])).toBe(413)
  })

  it('change nothing when they are incomplete', async () => {
    const count = async () => (await get(`${ROUTES.Group}?status=any&per_page=1`)).headers.get('x-wp-total')
    const before = await count()
    expect(await chunked(['{"title":"Half"'], true)).toBeUndefined()
    expect(await count()).toBe(before)
  })
})
