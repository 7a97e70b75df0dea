import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as errors from '../../src/upstream/errors.js'
import { ANONYMOUS, Credentials, type Session } from '../../src/upstream/session.js'
import { Deadline } from '../../src/upstream/transport/deadline.js'
import { PROTECTION } from '../../src/upstream/transport/protection.js'
import { type Call, Transport, type TransportOptions } from '../../src/upstream/transport/transport.js'
import { FakeSite, json } from '../support/site.js'

let site: FakeSite
let calls: Call[]
const transports: Transport[] = []

beforeEach(async () => {
  site = await FakeSite.start()
  calls = []
})
afterEach(async () => {
  await site.close()
  await Promise.all(transports.splice(0).map((transport) => transport.close()))
})

function transportTo(options: Partial<TransportOptions> = {}): Transport {
  const transport = new Transport({
    origin: site.url,
    maxInFlight: 4,
    timeout: 5_000,
    connectTimeout: 1_000,
    maxBytes: 10_000,
    share: true,
    onCall: (call) => calls.push(call),
    ...options,
  })
  transports.push(transport)
  return transport
}

type Asker = Partial<Session> & { readonly signal?: AbortSignal }
const session = ({ signal, ...more }: Asker = {}): Session => ({
  credentials: ANONYMOUS,
  caller: '',
  operation: {},
  deadline: signal && new Deadline(undefined, signal),
  ...more,
})
const answerWith = (send: (response: ServerResponse) => void): void => {
  site.handler = (_, response) => send(response)
}
const raw = (body: string | Buffer, type = 'application/json', status = 200): void =>
  answerWith((response) => response.writeHead(status, { 'content-type': type }).end(body))
const get = (transport = transportTo(), path = '/list?a=1', more: Asker = {}) => transport.get('v1/list', path, session(more))
const failure = (asked: Promise<unknown>): Promise<errors.LmsError> =>
  asked.then(
    () => expect.fail('It was answered.'),
    (error) => error,
  )
const until = (what: () => boolean): Promise<void> => expect.poll(what, { interval: 2, timeout: 10_000 }).toBe(true)

/** Holds every request until `answer` is called. */
function hold(body: unknown = ['held']): { answer: () => void } {
  const held: ServerResponse[] = []
  answerWith((response) => held.push(response))
  return { answer: () => held.splice(0).map((response) => json(response, body)) }
}

describe('requests', () => {
  it("sends path, Accept and the caller's Authorization, and nothing else of the caller", async () => {
    answerWith((response) => json(response, [1], { headers: { 'x-wp-total': '1' } }))
    const transport = transportTo()
    const answer = await get(transport, '/list?a=1,2', { credentials: new Credentials({ authorization: 'Basic abc' }) })
    expect(answer).toMatchObject({ status: 200, body: [1], headers: { 'x-wp-total': '1' } })
    await get(transport, '/other')
    const [first, second] = site.requests
    expect([first?.method, first?.url]).toEqual(['GET', '/list?a=1,2'])
    expect(first?.headers).toEqual({
      accept: 'application/json',
      authorization: 'Basic abc',
      connection: 'keep-alive',
      host: new URL(site.url).host,
    })
    expect(second?.headers.authorization).toBeUndefined()
  })

  it('reports each call with route, path, status and size', async () => {
    raw('[1,2,3]')
    await get()
    raw('<h1>', 'text/html', 503)
    await failure(get(transportTo(), '/list'))
    expect(calls).toMatchObject([
      { route: 'v1/list', path: '/list?a=1', status: 200, bytes: 7 },
      { route: 'v1/list', path: '/list', status: 503, bytes: 4 },
    ])
    for (const { startedAt, duration } of calls) expect([startedAt > 0, duration >= 0 && duration < 5_000]).toEqual([true, true])
  })

  it('carries the id of the request it is sent for, and counts for it', async () => {
    const transport = transportTo({ share: false })
    const [mine, yours] = [{ calls: 0 }, { calls: 0 }]
    await get(transport, '/x', { requestId: 'mine', tally: mine })
    await get(transport, '/x', { requestId: 'mine', tally: mine })
    await get(transport, '/x', { tally: yours })
    expect(site.requests.map(({ headers }) => headers['x-request-id'])).toEqual(['mine', 'mine', undefined])
    expect('x-request-id' in (site.requests[2]?.headers ?? {})).toBe(false)
    expect(calls.map(({ requestId }) => requestId)).toEqual(['mine', 'mine', undefined])
    expect([mine, yours]).toEqual([{ calls: 2 }, { calls: 1 }])
  })

  it('tells who watches how it went, and whether it was on its way already', async () => {
    const { answer } = hold()
    const transport = transportTo({ onCall: undefined })
    const seen: unknown[] = []
    const watcher = (name: string) => ({
      joined: () => seen.push(`${name} joined`),
      ended: ({ status, bytes }: Pick<Call, 'status' | 'bytes'>) => seen.push([name, status, bytes]),
    })
    const ask = (name: string) => transport.get('v1/list', '/x', session(), watcher(name))
    const asked = [ask('first'), get(transport, '/x'), ask('second')]
    expect(seen).toEqual(['second joined'])
    await until(() => site.requests.length === 1)
    answer()
    await Promise.all(asked)
    expect(seen.slice(1)).toEqual([
      ['first', 200, 8],
      ['second', 200, 8],
    ])
  })

  it('waits for no longer than it may for its turn', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 1, protection: { ...PROTECTION, queueTimeout: 30 } })
    const first = get(transport, '/first')
    const second = await failure(get(transport, '/second'))
    expect([second.code, second]).toEqual(['UPSTREAM_BUSY', expect.any(errors.BusyError)])
    await until(() => site.requests.length === 1)
    answer()
    await first
    expect(site.paths).toEqual(['/first'])
  })

  it('ends before its connections are closed, and none goes out after that', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const asked = get(transport)
    await until(() => site.requests.length === 1)
    transports.pop()
    const closed = transport.close()
    answer()
    expect((await asked).body).toEqual(['held'])
    await closed
    expect(await failure(get(transport, '/late'))).toBeInstanceOf(errors.CancelledError)
    expect(site.paths).toEqual(['/list?a=1'])
  })

  it('never has more in flight than allowed, and reuses its connections', async () => {
    answerWith((response) => setTimeout(() => json(response, []), 5))
    const transport = transportTo({ maxInFlight: 3 })
    await Promise.all(Array.from({ length: 30 }, (_, i) => get(transport, `/${i}`)))
    expect([site.requests.length, site.most]).toEqual([30, 3])
    expect(new Set(site.requests.map(({ socket }) => socket)).size).toBeLessThanOrEqual(3)
  })
})

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

  it('says which ones it has cleaned', async () => {
    const transport = transportTo()
    for (const body of ['[1]', 'Notice: x\n[1]', 'x']) {
      raw(body)
      await get(transport).catch(() => {})
    }
    answerWith((response) => response.destroy())
    await failure(get(transport))
    expect(calls.map(({ cleaned }) => cleaned)).toEqual([false, true, false, false])
  })

  it('reads what comes after hints', async () => {
    answerWith((response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' })
      json(response, ['well'])
    })
    expect(await get()).toMatchObject({ status: 200, body: ['well'] })
  })

  it('refuses an answer that is too large, however it is sent, and reads one that just fits', async () => {
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

  it('says that the site broke off', async () => {
    answerWith((response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('[1,')
      setTimeout(() => response.destroy(), 20)
    })
    const error = await failure(get())
    expect(error).toBeInstanceOf(errors.UnavailableError)
    expect(calls).toMatchObject([{ status: 200, bytes: 3 }])
  })
})

describe('errors', () => {
  it.each([
    [400, errors.RejectedError, 'UPSTREAM_REJECTED'],
    [401, errors.UnauthenticatedError, 'UNAUTHENTICATED'],
    [403, errors.ForbiddenError, 'FORBIDDEN'],
    [404, errors.NotFoundError, 'NOT_FOUND'],
    [409, errors.ConflictError, 'CONFLICT'],
    [410, errors.NotFoundError, 'NOT_FOUND'],
    [429, errors.RateLimitedError, 'UPSTREAM_RATE_LIMITED'],
    [500, errors.UnavailableError, 'UPSTREAM_UNAVAILABLE'],
    [501, errors.UnavailableError, 'UPSTREAM_UNAVAILABLE'],
    [503, errors.UnavailableError, 'UPSTREAM_UNAVAILABLE'],
    [301, errors.InvalidResponseError, 'UPSTREAM_INVALID_RESPONSE'],
  ])('makes of a %i an error of its own class', async (status, Class, code) => {
    const message = 'Sorry, <b>no</b>: see https://example.org/secret?x=1 for more.'
    answerWith((response) =>
      json(response, { code: 'rest_oh_no', message, data: { status } }, { status, headers: { location: '/elsewhere' } }),
    )
    const error = await failure(get())
    expect(error).toBeInstanceOf(Class)
    expect(error.extensions).toEqual({ code, upstream: { status, code: 'rest_oh_no' } })
    // What a broken site says is for its operators.
    expect(error.message).toBe(status < 500 ? 'Sorry, no: see … for more.' : `The site answered ${status} for v1/list.`)
    expect(site.requests).toHaveLength(1)
  })

  it.each([
    ['rest_already_trashed', 410],
    ['rest_post_exists', 400],
    ['rest_trash_not_supported', 501],
  ])('tells a record in the wrong state by the code %s', async (code, status) => {
    answerWith((response) => json(response, { code, message: 'Not now.', data: { status } }, { status }))
    const error = await failure(get())
    expect([error.name, error.message, error.extensions.code]).toEqual(['ConflictError', 'Not now.', 'CONFLICT'])
  })

  it('keeps what the site says of each parameter, as plain and bounded text', async () => {
    const params = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`p${i}`, `&lt;i&gt;no&lt;/i&gt; ${i}`]))
    answerWith((response) => json(response, { code: 'rest_invalid_param', message: 'x', data: { status: 400, params } }, { status: 400 }))
    const error = (await failure(get())) as errors.RejectedError
    expect(Object.keys(error.params)).toHaveLength(100)
    expect(error.params.p7).toBe('no 7')
  })

  it.each([403, 429, 500, 503])('shows nothing of a page that comes with a %i', async (status) => {
    raw('<html><script>secret()</script></html>', 'text/html', status)
    const error = await failure(get())
    expect([error.message, error.upstream]).toEqual([`The site answered ${status} for v1/list.`, { status, code: null }])
  })

  it('cuts long messages, and takes no codes and messages that are none', async () => {
    answerWith((response) => json(response, { code: 'c'.repeat(500), message: 'm'.repeat(5_000) }, { status: 400 }))
    const long = await failure(get())
    expect([long.message.length, long.upstream?.code]).toEqual([300, null])
    answerWith((response) => json(response, { code: 5, message: { a: 1 } }, { status: 400 }))
    const odd = await failure(get(transportTo(), '/odd'))
    expect([odd.message, odd.upstream?.code]).toEqual(['The site answered 400 for v1/list.', null])
  })

  it('answers though the listener throws, and tells of that', async () => {
    raw('["well"]')
    const faults: unknown[] = []
    const onCall = (): void => {
      throw new Error('listener')
    }
    const answer = await get(transportTo({ onCall, onFault: (fault) => faults.push(fault) }))
    expect([answer.body, faults]).toEqual([['well'], [new Error('listener')]])
  })

  it('of the account of the gateway are told to its operator, and are no matter of the caller', async () => {
    const told: unknown[] = []
    const transport = transportTo({ onAccountRefused: ({ message }, requestId) => told.push([message, requestId]) })
    const refused = async (status: number): Promise<errors.LmsError> => {
      answerWith((response) => json(response, { code: 'rest_no', message: 'No.', data: { status } }, { status }))
      return failure(get(transport, `/${status}`, { requestId: 'mine' }))
    }
    const [unknown, forbidden] = [await refused(401), await refused(403)]
    expect([unknown, unknown.message]).toEqual([expect.any(errors.UnavailableError), 'The site does not take the account of the gateway.'])
    expect(unknown.upstream).toEqual({ status: 401, code: 'rest_no' })
    expect(forbidden).toBeInstanceOf(errors.ForbiddenError)
    expect(told).toEqual([['No.', 'mine']])
  })

  it("tells a site that can't be reached from one that is too slow", async () => {
    const { url } = site
    await site.close()
    const refused = await failure(get(transportTo({ origin: url })))
    expect(refused).toBeInstanceOf(errors.UnavailableError)
    expect([refused.message, refused.extensions]).toEqual(['The site could not be reached for v1/list.', { code: 'UPSTREAM_UNAVAILABLE' }])
    expect(calls).toMatchObject([{ status: 0, bytes: 0 }])
    site = await FakeSite.start(() => {})
    const silent = await failure(get(transportTo({ timeout: 100 })))
    expect(silent).toBeInstanceOf(errors.TimeoutError)
    expect([silent.message, silent.extensions]).toEqual(['The site did not answer v1/list in time.', { code: 'UPSTREAM_TIMEOUT' }])
  })

  it('waits no longer for a body that stops in between', async () => {
    answerWith((response) => response.writeHead(200).write('[1,'))
    expect(await failure(get(transportTo({ timeout: 100 })))).toBeInstanceOf(errors.TimeoutError)
  })

  it('gives its place to others after each failure', async () => {
    const transport = transportTo({ maxInFlight: 1, timeout: 100, maxBytes: 100 })
    const bad = [
      () => raw('x'),
      () => raw('1'.repeat(5_000)),
      () => raw('{}', 'application/json', 500),
      () => answerWith((response) => response.destroy()),
      () => answerWith(() => {}),
    ]
    for (const [i, how] of bad.entries()) {
      how()
      await failure(get(transport, `/${i}`))
    }
    raw('["well"]')
    expect((await get(transport, '/last')).body).toEqual(['well'])
  })
})

describe('identical reads', () => {
  const as = (authorization: string) => ({ credentials: new Credentials({ authorization }) })
  const a = as('Basic a')

  it('are one call while in flight, and no longer', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const asked = [get(transport, '/x', a), get(transport, '/x', { ...a, operation: {} })]
    await until(() => site.requests.length === 1)
    asked.push(get(transport, '/x', a))
    answer()
    const [first, second, third] = await Promise.all(asked)
    expect(second).toBe(first)
    expect(third).toBe(first)
    expect(calls).toHaveLength(1)
    raw('["new"]')
    expect((await get(transport, '/x', a)).body).toEqual(['new'])
  })

  it('are never shared between credentials or paths, nor when sharing is off', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 10 })
    const asked = [a, as('Basic b'), { credentials: ANONYMOUS }, as('basic a')].map((who) => get(transport, '/x', who))
    asked.push(get(transport, '/x?', a))
    const unshared = transportTo({ share: false })
    asked.push(get(unshared, '/x', a), get(unshared, '/x', a))
    await until(() => site.requests.length === asked.length)
    answer()
    await Promise.all(asked)
    expect(site.requests.map(({ headers }) => headers.authorization ?? 'none').sort()).toEqual(
      ['Basic a', 'Basic a', 'Basic a', 'Basic a', 'Basic b', 'basic a', 'none'].sort(),
    )
  })

  it('fail together', async () => {
    raw('{"code":"rest_forbidden","message":"No."}', 'application/json', 403)
    const transport = transportTo()
    const [first, second] = await Promise.all([failure(get(transport)), failure(get(transport))])
    expect([first.message, second.message, site.requests.length]).toEqual(['No.', 'No.', 1])
  })

  it('go on when one of two leaves, and end when the last one does', async () => {
    const { answer } = hold(['for who stayed'])
    const transport = transportTo()
    const [leaver, stayer] = [new AbortController(), new AbortController()]
    const left = failure(get(transport, '/x', { ...a, signal: leaver.signal }))
    const stayed = get(transport, '/x', { ...a, signal: stayer.signal })
    await until(() => site.requests.length === 1)
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    expect(site.open).toBe(1)
    answer()
    expect((await stayed).body).toEqual(['for who stayed'])

    hold()
    const both = [leaver, stayer].map(() => new AbortController())
    const leaving = both.map(({ signal }) => failure(get(transport, '/y', { ...a, signal })))
    await until(() => site.open === 1)
    for (const each of both) each.abort()
    expect((await Promise.all(leaving)).map(({ extensions }) => extensions.code)).toEqual(['REQUEST_CANCELLED', 'REQUEST_CANCELLED'])
    await until(() => site.open === 0)
  })

  it('stay with who never said they might leave', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const leaver = new AbortController()
    const left = failure(get(transport, '/x', { ...a, signal: leaver.signal }))
    const stayed = get(transport, '/x', a)
    await until(() => site.requests.length === 1)
    leaver.abort()
    await left
    answer()
    expect((await stayed).status).toBe(200)
  })

  it('that were given up are not joined again, and do not end the sharing of those that follow', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const leaver = new AbortController()
    const left = failure(get(transport, '/x', { ...a, signal: leaver.signal }))
    await until(() => site.requests.length === 1)
    leaver.abort()
    const after = get(transport, '/x', a)
    await left
    await until(() => site.requests.length === 2)
    const joined = get(transport, '/x', a)
    answer()
    expect((await after).body).toEqual(['held'])
    expect(await joined).toBe(await after)
    expect(site.requests).toHaveLength(2)
  })

  it('are not sent at all when everybody left while they waited for their turn', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 1 })
    const first = get(transport, '/first')
    const leaver = new AbortController()
    const left = failure(get(transport, '/second', { signal: leaver.signal }))
    const third = get(transport, '/third')
    await until(() => site.requests.length === 1)
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    answer()
    await first
    await until(() => site.requests.length === 2)
    answer()
    await third
    expect(site.paths).toEqual(['/first', '/third'])
    expect(calls.map(({ path }) => path)).toEqual(['/first', '/third'])
  })

  it('are not asked for by who has left already', async () => {
    expect(await failure(get(transportTo(), '/x', { signal: AbortSignal.abort() }))).toBeInstanceOf(errors.CancelledError)
    expect([site.requests.length, calls.length]).toEqual([0, 0])
  })
})

describe('writes', () => {
  const post = (transport: Transport, path = '/x', more: Asker = {}) => transport.write('POST', 'v1/list', path, '{"a":1}', session(more))

  it('are sent with their body as JSON, each by itself', async () => {
    const bodies: string[] = []
    site.handler = (request, response) => {
      request.on('data', (chunk) => bodies.push(`${request.method} ${request.headers['content-type']} ${chunk}`))
      request.on('end', () => json(response, { id: bodies.length }))
    }
    const transport = transportTo()
    const answers = await Promise.all([post(transport), post(transport)])
    expect(answers.map(({ body }) => body)).toEqual([{ id: expect.any(Number) }, { id: expect.any(Number) }])
    expect(bodies).toEqual(['POST application/json {"a":1}', 'POST application/json {"a":1}'])
    expect(calls.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it('make later reads new: none joins a read that began before the write had ended', async () => {
    const { answer } = hold(['old'])
    const transport = transportTo()
    const old = get(transport, '/read')
    await until(() => site.requests.length === 1)
    raw('{"id":1}')
    const writing = post(transport)
    const joined = get(transport, '/read')
    await writing
    raw('["new"]')
    const fresh = get(transport, '/read')
    const third = get(transport, '/read')
    expect([(await fresh).body, (await third).body]).toEqual([['new'], ['new']])
    answer()
    expect([(await old).body, (await joined).body]).toEqual([['old'], ['old']])
    expect(site.paths).toEqual(['/read', '/x', '/read'])
    // The old read has ended by now, and must not have taken the new one's place away.
    const held = hold(['newer'])
    const [one, two] = [get(transport, '/read'), get(transport, '/read')]
    await until(() => site.requests.length === 4)
    held.answer()
    await Promise.all([one, two])
    expect(site.requests).toHaveLength(4)
  })

  it('are seen through once they are on their way, though the client leaves', async () => {
    const { answer } = hold({ id: 1 } as never)
    const transport = transportTo()
    const leaver = new AbortController()
    const left = failure(post(transport, '/x', { signal: leaver.signal }))
    await until(() => site.open === 1)
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    expect(site.open).toBe(1)
    answer()
    await until(() => calls.length === 1)
    expect(calls).toMatchObject([{ method: 'POST', status: 200 }])
  })

  it('may have been done where the time of the operation was up, but not where they were never sent', async () => {
    const { answer } = hold({ id: 1 } as never)
    const transport = transportTo({ maxInFlight: 1 })
    const message = async (asked: Promise<unknown>): Promise<unknown> => {
      const error = await failure(asked)
      return [error.code, error.message]
    }
    const hurried = () => ({ deadline: new Deadline(40) })
    const said = 'The operation was given up after 40 milliseconds.'
    const asked = [message(post(transport, '/sent', hurried())), message(post(transport, '/waits', hurried()))]
    expect(await Promise.all(asked)).toEqual([
      ['UPSTREAM_TIMEOUT', `${said} It is not known whether the change was made: look before you try again.`],
      ['UPSTREAM_TIMEOUT', said],
    ])
    answer()
    expect(await message(get(transport, '/read', hurried()))).toEqual(['UPSTREAM_TIMEOUT', said])
    expect(site.paths).toEqual(['/sent', '/read'])
  })

  it('without a body say nothing of its type', async () => {
    await transportTo().write('DELETE', 'v1/list', '/x', undefined, session())
    expect([site.requests[0]?.method, site.requests[0]?.headers['content-type']]).toEqual(['DELETE', undefined])
  })

  it('are not sent when the client leaves while they wait for their turn, nor when it has left before', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 1 })
    const busy = get(transport, '/busy')
    const leaver = new AbortController()
    const left = failure(post(transport, '/x', { signal: leaver.signal }))
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    expect(await failure(post(transport, '/y', { signal: leaver.signal }))).toBeInstanceOf(errors.CancelledError)
    await until(() => site.requests.length === 1)
    answer()
    await busy
    raw('["well"]')
    await get(transport, '/last')
    expect(site.paths).toEqual(['/busy', '/last'])
  })

  it.each<[string, () => void]>([
    ['a reset', () => (site.handler = (request) => request.socket.destroy())],
    ['502', () => raw('{}', 'application/json', 502)],
    ['503', () => raw('{}', 'application/json', 503)],
    ['429', () => raw('{}', 'application/json', 429)],
  ])('are not sent again after %s', async (_, how) => {
    how()
    await failure(post(transportTo()))
    expect(site.requests).toHaveLength(1)
  })
})
