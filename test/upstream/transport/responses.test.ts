import { gzipSync } from 'node:zlib'
import { errors as undici } from 'undici'
import { describe, expect, it } from 'vitest'
import {
  CancelledError,
  ForbiddenError,
  InvalidResponseError,
  type LmsError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnavailableError,
} from '../../../src/upstream/errors.js'
import type { Answered, Failed } from '../../../src/upstream/transport/exchange.js'
import { errorOf, inDoubt, isTransient, type Method, type Request, read } from '../../../src/upstream/transport/responses.js'

const request = (method: Method = 'GET'): Request => ({ method, route: 'v1/list', path: '/list' })
const answered = (body: string, status = 200, headers: Answered['headers'] = {}): Answered => ({ status, headers, body: Buffer.from(body) })
const failed = (error: Error, more: Partial<Failed> = {}): Failed => ({ error, status: 0, bytes: 0, isTooLarge: false, ...more })

/** The JSON of a response, or its error, and how often text before the JSON was removed. */
function reading(answer: Answered, method?: Method): { got: unknown; cleaned: number } {
  let cleaned = 0
  const got = read(request(method), answer, 1_000, () => cleaned++)
  return { got: 'body' in got ? got.body : got, cleaned }
}

describe('a response', () => {
  it.each<[string, string, unknown, number]>([
    ['gives its JSON', '{"a":1}', { a: 1 }, 0],
    ['may have text before its JSON', 'Notice: x\n[1]', [1], 1],
    ['may be `null`', 'null', null, 0],
  ])('%s', (_, body, got, cleaned) => {
    expect(reading(answered(body))).toEqual({ got, cleaned })
  })

  it('may be empty after a write only', () => {
    expect(reading(answered(''), 'DELETE').got).toBeNull()
    expect(reading(answered(''), 'GET').got).toBeInstanceOf(InvalidResponseError)
  })

  it('with a status other than 2xx is an error, whatever its body', () => {
    expect([200, 201, 299].map((status) => reading(answered('[]', status)).got)).toEqual([[], [], []])
    for (const status of [199, 300, 302]) expect(reading(answered('[]', status)).got).toBeInstanceOf(InvalidResponseError)
    expect(reading(answered('[]', 403)).got).toBeInstanceOf(ForbiddenError)
  })

  it('that decodes to more than the limit is too large', () => {
    const packed = gzipSync('[1,2,3,4]')
    const error = read(request(), { status: 200, headers: { 'content-encoding': 'gzip' }, body: packed }, 5, () => {}) as LmsError
    expect([error.message, error.upstream]).toEqual(['The answer to v1/list is larger than 5 bytes.', { status: 200, code: null }])
  })
})

describe('`Retry-After`', () => {
  const soon = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString()
  const secondsOf = (value: string | string[] | undefined, status = 503): number | undefined =>
    (reading(answered('{}', status, { 'retry-after': value })).got as UnavailableError).retryAfter

  it.each<[string, string | string[] | undefined, number | undefined]>([
    ['seconds', '7', 7],
    ['no time at all', '0', 0],
    ['more than a day', '999999', 86_400],
    ['a day that has gone', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['what is no number behind one', '12x', undefined],
    ['what is no number before one', 'x12', undefined],
    ['words', 'soon', undefined],
    ['twice', ['1', '2'], undefined],
    ['nothing', undefined, undefined],
  ])('may be %s', (_, value, seconds) => {
    expect(secondsOf(value)).toBe(seconds)
  })

  it('may be a date', () => {
    expect(secondsOf(soon(90))).toBeGreaterThanOrEqual(89)
    expect(secondsOf(soon(90))).toBeLessThanOrEqual(91)
  })

  it('counts only for 429 and 5xx', () => {
    expect(secondsOf('7', 429)).toBe(7)
    expect(secondsOf('7', 403)).toBeUndefined()
  })
})

describe('the error of a request without a response', () => {
  const NO_HTTP = 'The answer to v1/list is not HTTP.'
  const GONE = 'The site could not be reached for v1/list.'
  const LATE = 'The site did not answer v1/list in time.'

  it.each<[string, Error, new (...args: never[]) => LmsError, string]>([
    ['headers that do not come', new undici.HeadersTimeoutError(), TimeoutError, LATE],
    ['a body that does not come', new undici.BodyTimeoutError(), TimeoutError, LATE],
    ['a connection that does not come', new undici.ConnectTimeoutError(), TimeoutError, LATE],
    ['what is no HTTP', new undici.HTTPParserError('odd'), InvalidResponseError, NO_HTTP],
    ['headers without end', new undici.HeadersOverflowError(), InvalidResponseError, NO_HTTP],
    ['connections that are closed', new undici.ClientClosedError(), CancelledError, 'The request was cancelled.'],
    ['connections that are ended', new undici.ClientDestroyedError(), CancelledError, 'The request was cancelled.'],
    ['a socket that broke', new undici.SocketError('other side closed'), UnavailableError, GONE],
    ['a refused connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), UnavailableError, GONE],
    ['a time-out of another kind', Object.assign(new Error('odd'), { code: 'ODD_TIMEOUT' }), UnavailableError, GONE],
    ['whatever else', new Error('odd'), UnavailableError, GONE],
  ])('may be %s', (_, error, Class, message) => {
    const told = errorOf(request(), failed(error), 100)
    expect([told, told.message, told.upstream]).toEqual([expect.any(Class), message, undefined])
  })

  it('has the status if the headers had arrived', () => {
    expect(errorOf(request(), failed(new undici.HTTPParserError('odd'), { status: 200 }), 100).upstream).toEqual({
      status: 200,
      code: null,
    })
    const large = errorOf(request(), failed(new Error('odd'), { status: 201, isTooLarge: true }), 100)
    expect([large.message, large.upstream]).toEqual(['The answer to v1/list is larger than 100 bytes.', { status: 201, code: null }])
  })

  it('is the reason for which the request was aborted', () => {
    const error = new CancelledError('Left.')
    expect(errorOf(request(), failed(error), 100)).toBe(error)
  })
})

describe('transient failures', () => {
  it.each([429, 502, 503, 504])('include the status %i', (status) => {
    expect(isTransient(answered('', status))).toBe(true)
  })

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])('include the code %s', (code) => {
    expect(isTransient(failed(Object.assign(new Error('broken'), { code })))).toBe(true)
  })

  it('include no others', () => {
    expect([200, 400, 404, 500, 501].map((status) => isTransient(answered('', status)))).toEqual(Array(5).fill(false))
    expect(isTransient(failed(new undici.HeadersTimeoutError()))).toBe(false)
  })
})

describe('a failed write', () => {
  const OPEN = /^No\. The change may have been made: check before you try again\.$/

  it.each([UnavailableError, TimeoutError, InvalidResponseError])('may have been done: %o', (Class) => {
    expect(inDoubt(request('POST'), new Class('No.')).message).toMatch(OPEN)
    expect(inDoubt(request('GET'), new Class('No.')).message).toBe('No.')
  })

  it.each([NotFoundError, ForbiddenError, RateLimitedError, CancelledError])('was not done if the site refused it: %o', (Class) => {
    expect(inDoubt(request('POST'), new Class('No.')).message).toBe('No.')
  })
})
