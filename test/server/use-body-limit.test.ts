import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serve } from '../support/served.js'

describe('the limit on request bodies', () => {
  let gateway: Served
  beforeAll(async () => {
    gateway = await serve({ site: { url: 'http://127.0.0.1:9' }, limits: { maxBodyBytes: 2_000 } })
  })
  afterAll(() => gateway.close())

  const post = (headers: Record<string, string>, chunks: readonly string[]): Promise<{ status: number | undefined; text: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${gateway.url}/graphql`,
        { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode, text }))
        },
      )
      sent.on('error', reject)
      for (const chunk of chunks) sent.write(chunk)
      sent.end()
    })

  const small = JSON.stringify({ query: '{ __typename }' })
  const large = JSON.stringify({ query: `{ __typename } # ${'x'.repeat(3_000)}` })

  it('passes small bodies, with a length or in chunks', async () => {
    for (const headers of [{ 'content-length': String(small.length) }, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
      const answer = await post(headers, [small.slice(0, 5), small.slice(5)])
      expect(answer).toEqual({ status: 200, text: '{"data":{"__typename":"Query"}}' })
    }
  })

  it('refuses large ones, with a length or in chunks', async () => {
    for (const headers of [{ 'content-length': String(large.length) }, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
      const { status, text } = await post(headers, [large.slice(0, 1_500), large.slice(1_500)])
      expect(status).toBe(413)
      expect(JSON.parse(text).errors[0].extensions.code).toBe('BODY_TOO_LARGE')
    }
  })
})
