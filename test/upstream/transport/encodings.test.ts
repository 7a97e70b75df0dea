import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failure, ProtectedSetup } from './setup.js'

const ROWS = [{ id: 1, title: { rendered: 'Übung' } }]
const TEXT = JSON.stringify(ROWS)

let setup: ProtectedSetup
beforeEach(async () => {
  setup = await ProtectedSetup.start()
})
afterEach(() => setup.close())

const answer = (encoding: string, body: Buffer | string, status = 200): void =>
  setup.answers((response) => response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body))

describe('a Content-Encoding that was not requested', () => {
  it('is not requested', async () => {
    await setup.get()
    expect(setup.site.requests[0]?.headers).not.toHaveProperty('accept-encoding')
  })

  it.each<[string, (text: string) => Buffer | string]>([
    ['gzip', gzipSync],
    ['GZip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text) => text],
  ])('is decoded: %s', async (encoding, pack) => {
    answer(encoding, pack(TEXT))
    expect((await setup.get()).body).toEqual(ROWS)
    expect(setup.calls[0]).toMatchObject({ bytes: Buffer.byteLength(pack(TEXT)), cleaned: false })
  })

  it('is decoded when text precedes the JSON', async () => {
    answer('gzip', gzipSync(`\uFEFF<br />\n<b>Warning</b>: odd\n${TEXT}`))
    expect((await setup.get()).body).toEqual(ROWS)
    expect(setup.calls[0]?.cleaned).toBe(true)
  })

  it.each<[string, string, Buffer | string]>([
    ['plain text that is said to be gzip', 'gzip', TEXT],
    ['gzip that is cut off', 'gzip', gzipSync(TEXT).subarray(0, 30)],
    ['gzip that is damaged', 'gzip', Buffer.concat([gzipSync(TEXT).subarray(0, 20), Buffer.alloc(30, 7)])],
    ['nothing', 'gzip', ''],
    ['gzip of HTML', 'gzip', gzipSync('<html>')],
    ['another one', 'br', gzipSync(TEXT)],
    ['an unknown one', 'zip', TEXT],
    ['two', 'gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['what is a name of something else', 'constructor', TEXT],
  ])('is refused: %s', async (_, encoding, body) => {
    answer(encoding, body)
    const { code, message, upstream } = await failure(setup.get())
    expect([code, message]).toEqual(['UPSTREAM_INVALID_RESPONSE', 'The answer to v1/list is not JSON.'])
    expect(upstream).toEqual({ status: 200, code: null })
  })

  it('is refused when the decoded body is too large', async () => {
    const bomb = gzipSync(JSON.stringify('x'.repeat(1_000_000)))
    expect(bomb.length).toBeLessThan(10_000)
    answer('gzip', bomb)
    const { code, message } = await failure(setup.get())
    expect([code, message]).toEqual(['UPSTREAM_INVALID_RESPONSE', 'The answer to v1/list is larger than 10000 bytes.'])
  })

  it('keeps the error of a refused request', async () => {
    answer('gzip', gzipSync('{"code":"rest_forbidden","message":"No."}'), 403)
    expect(await failure(setup.get())).toMatchObject({ code: 'FORBIDDEN', message: 'No.' })
    answer('gzip', 'no gzip', 403)
    expect(await failure(setup.get('/y'))).toMatchObject({ code: 'FORBIDDEN', message: 'The site answered 403 for v1/list.' })
  })
})
