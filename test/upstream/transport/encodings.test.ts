import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failure, Guarded } from './setup.js'

const ROWS = [{ id: 1, title: { rendered: 'Übung' } }]
const TEXT = JSON.stringify(ROWS)

let guarded: Guarded
beforeEach(async () => {
  guarded = await Guarded.to()
})
afterEach(() => guarded.close())

const answer = (encoding: string, body: Buffer | string, status = 200): void =>
  guarded.answers((response) => response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body))

describe('an encoding nobody asked for', () => {
  it('is asked for by nobody', async () => {
    await guarded.get()
    expect(guarded.site.requests[0]?.headers).not.toHaveProperty('accept-encoding')
  })

  it.each<[string, (text: string) => Buffer | string]>([
    ['gzip', gzipSync],
    ['GZip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text) => text],
  ])('%s is read', async (encoding, pack) => {
    answer(encoding, pack(TEXT))
    expect((await guarded.get()).body).toEqual(ROWS)
    expect(guarded.calls[0]).toMatchObject({ bytes: Buffer.byteLength(pack(TEXT)), cleaned: false })
  })

  it('is read though something stands before the JSON in it', async () => {
    answer('gzip', gzipSync(`\uFEFF<br />\n<b>Warning</b>: odd\n${TEXT}`))
    expect((await guarded.get()).body).toEqual(ROWS)
    expect(guarded.calls[0]?.cleaned).toBe(true)
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
  ])('is no answer: %s', async (_, encoding, body) => {
    answer(encoding, body)
    const { code, message, upstream } = await failure(guarded.get())
    expect([code, message]).toEqual(['UPSTREAM_INVALID_RESPONSE', 'The answer to v1/list is not JSON.'])
    expect(upstream).toEqual({ status: 200, code: null })
  })

  it('may not hide more than is taken', async () => {
    const bomb = gzipSync(JSON.stringify('x'.repeat(1_000_000)))
    expect(bomb.length).toBeLessThan(10_000)
    answer('gzip', bomb)
    const { code, message } = await failure(guarded.get())
    expect([code, message]).toEqual(['UPSTREAM_INVALID_RESPONSE', 'The answer to v1/list is larger than 10000 bytes.'])
  })

  it('leaves an error what it is', async () => {
    answer('gzip', gzipSync('{"code":"rest_forbidden","message":"No."}'), 403)
    expect(await failure(guarded.get())).toMatchObject({ code: 'FORBIDDEN', message: 'No.' })
    answer('gzip', 'no gzip', 403)
    expect(await failure(guarded.get('/y'))).toMatchObject({ code: 'FORBIDDEN', message: 'The site answered 403 for v1/list.' })
  })
})
