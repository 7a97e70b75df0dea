import { describe, expect, it } from 'vitest'
import * as errors from '../../../src/upstream/errors.js'
import { json } from '../../support/site.js'
import { failure, transportSetup } from './setup.js'

const setup = transportSetup()
const { answerWith, calls, get, raw, transportTo } = setup

describe('bodies', () => {
  it.each([
    ['plain JSON', '[{"id":1}]'],
    ['JSON behind a byte order mark', '\uFEFF[{"id":1}]'],
    [
      'JSON behind a PHP warning',
      '<br />\n<b>Warning</b>: Undefined array key "x" in <b>/srv/a.php</b> on line <b>5</b><br />\n[{"id":1}]',
    ],
    ['JSON behind both', '\uFEFF<br />\nDeprecated: strlen() [x] {y}\n[{"id":1}]'],
    ['JSON as another type', '[{"id":1}]'],
    ['JSON between blanks', ' \n [{"id":1}]\n'],
  ])('reads %s', async (name, body) => {
    raw(body, name.includes('another type') ? 'text/html' : 'application/json')
    expect((await get()).body).toEqual([{ id: 1 }])
  })

  it.each([
    ['HTML', '<!doctype html><title>Hello</title>'],
    ['nothing', ''],
    ['JSON that ends too early', '[{"id":1},{"id"'],
    ['a fatal error', '<b>Fatal error</b>: Uncaught Error: {closure}() [secret]'],
    ['two lists', '[1]\n[2]'],
  ])('refuses %s', async (_, body) => {
    raw(body)
    const error = await failure(get())
    expect(error).toBeInstanceOf(errors.InvalidResponseError)
    expect([error.message, error.upstream]).toEqual(['The answer to v1/list is not JSON.', { status: 200, code: null }])
  })

  it('reports which bodies it cleaned', async () => {
    const transport = transportTo()
    for (const body of ['[1]', 'Notice: x\n[1]', 'x']) {
      raw(body)
      await get(transport).catch(() => {})
    }
    answerWith((response) => response.destroy())
    await failure(get(transport))
    expect(calls.map(({ cleaned }) => cleaned)).toEqual([false, true, false, false])
  })

  it('reads the response after early hints', async () => {
    answerWith((response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' })
      json(response, ['well'])
    })
    expect(await get()).toMatchObject({ status: 200, body: ['well'] })
  })

  it('refuses a body above the limit, chunked or not, and reads one at the limit', async () => {
    const fits = JSON.stringify('x'.repeat(98))
    raw(fits)
    expect((await get(transportTo({ maxBytes: 100 }))).body).toHaveLength(98)
    for (const chunked of [true, false]) {
      answerWith((response) => {
        if (chunked) response.write('[')
        response.end('1'.repeat(500_000))
      })
      const error = await failure(get(transportTo({ maxBytes: 100 }), `/${chunked}`))
      expect(error).toBeInstanceOf(errors.InvalidResponseError)
      expect(error.message).toBe('The answer to v1/list is larger than 100 bytes.')
    }
  })

  it('fail with UnavailableError when the site closes the connection', async () => {
    answerWith((response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('[1,')
      setTimeout(() => response.destroy(), 20)
    })
    const error = await failure(get())
    expect(error).toBeInstanceOf(errors.UnavailableError)
    expect(calls).toMatchObject([{ status: 200, bytes: 3 }])
  })
})
