import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { merged, type TunedOptions } from '../support/merged.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { type Handler, json } from '../support/site.js'
import { PATIENCE } from '../support/world.js'
import { Recorded } from './asking.js'
import { AUDIENCE, ISSUER, KeySetServer, makeSigner, sign } from './issuer.js'

// What a client sees of it when the site is spared, an operation is given up, or an old answer stands in.

let recorded: Recorded
afterEach(() => recorded.close())

const start = async (options: TunedOptions, handler: Handler): Promise<void> => {
  recorded = await Recorded.start(merged({ protection: { retries: 0 } }, options))
  recorded.site.handler = handler
}

const MEDIA_TYPES = ['application/json', 'application/graphql-response+json']
const silence: Handler = () => {}
const fails: Handler = (_, response) => json(response, {}, { status: 500 })
const titled: Handler = (request, response) => {
  const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1] ?? 1)
  json(response, { id, title: { rendered: `Title ${id}` } })
}
const course = (id: number): string => `course(id: ${id}) { title }`

/** Has the only place of the site taken. */
async function occupy(): Promise<{ done: Promise<unknown> }> {
  const { open } = recorded.site
  const done = recorded.ask({}, `{ ${course(1)} }`)
  await expect.poll(() => recorded.site.open).toBe(open + 1)
  return { done }
}

describe('an operation that is refused as a whole', () => {
  const busy = { protection: { maxInFlight: 1, maxQueue: 0, operationTimeout: 1_500 } }

  it.each(MEDIA_TYPES)('is answered with 503 and Retry-After, as %s', async (accept) => {
    await start(busy, silence)
    const { done } = await occupy()
    const { status, headers, text } = await recorded.ask({ accept }, `{ ${course(2)} other: ${course(3)} }`)
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([503, '1', `${accept}; charset=utf-8`])
    expect(JSON.parse(text)).toEqual({
      errors: [{ message: 'Too many REST calls are queued for the site.', extensions: { code: 'UPSTREAM_BUSY', retryAfter: 1 } }],
    })
    await done
  })

  it('is also refused while the circuit breaker is open', async () => {
    await start({ tuning: { protection: { breakerCalls: 1, breakerCooldown: 3_500 } } }, fails)
    await recorded.ask({}, `{ ${course(1)} }`)
    const { status, headers, data, errors } = await recorded.ask({}, `{ ${course(2)} }`)
    expect([status, headers.get('retry-after'), data, recorded.site.requests.length]).toEqual([503, '4', undefined, 1])
    expect(errors).toEqual([
      {
        message: 'The site failed too often: no REST calls are made for a short time.',
        extensions: { code: 'UPSTREAM_UNAVAILABLE', retryAfter: 4 },
      },
    ])
  })

  it('is not refused when it has data, or an error of its own', async () => {
    await start(busy, silence)
    const { done } = await occupy()
    const some = await recorded.ask({}, `{ ${course(2)} viewer { id } __typename }`)
    expect([some.status, some.headers.get('retry-after'), some.data]).toEqual([
      200,
      null,
      { course: null, viewer: null, __typename: 'Query' },
    ])
    const bad = await recorded.ask({}, `{ ${course(2)} lesson(id: "x") { id } }`)
    expect([bad.status, bad.errors.map(({ extensions }) => extensions.code).sort()]).toEqual([200, ['BAD_USER_INPUT', 'UPSTREAM_BUSY']])
    await done
    const failed = await recorded.ask({}, `{ ${course(4)} }`)
    expect([failed.status, failed.data, failed.errors[0]?.extensions]).toEqual([200, { course: null }, { code: 'UPSTREAM_TIMEOUT' }])
  })

  it('is never a mutation: its union has the error, and that nothing was sent', async () => {
    await start(busy, silence)
    const { done } = await occupy()
    const { status, data } = await recorded.ask(
      {},
      'mutation { updateCourse(input: { id: 1, title: "x" }) { __typename ... on LmsError { code message } } }',
    )
    expect([status, data.updateCourse]).toEqual([
      200,
      { __typename: 'UpstreamError', code: 'UPSTREAM_BUSY', message: 'Too many REST calls are queued for the site.' },
    ])
    expect(recorded.site.requests).toHaveLength(1)
    await done
  })
})

describe('an operation after its timeout', () => {
  it('keeps its data, and its calls are ended', async () => {
    await start({ protection: { operationTimeout: 300 } }, (request, response) =>
      request.url?.includes('/2') ? silence(request, response) : titled(request, response),
    )
    const since = performance.now()
    const { status, data, errors } = await recorded.ask({}, `{ well: ${course(1)} slow: lesson(id: 2) { title } }`)
    expect(performance.now() - since).toBeLessThan(1_300 * PATIENCE)
    expect([status, data]).toEqual([200, { well: { title: 'Title 1' }, slow: null }])
    expect(errors).toMatchObject([
      { path: ['slow'], message: 'The operation timed out after 300 milliseconds.', extensions: { code: 'UPSTREAM_TIMEOUT' } },
    ])
    await expect.poll(() => recorded.site.open).toBe(0)
  })

  it('makes no more calls', async () => {
    await start({ protection: { operationTimeout: 300 } }, (request, response) => {
      if (request.url?.includes('sfwd-courses/1')) json(response, { id: 1, course_prerequisite: [2, 3], title: { rendered: 'First' } })
      else silence(request, response)
    })
    const query = '{ course(id: 1) { title prerequisites { title prerequisites { title } } } }'
    const { data, errors } = await recorded.ask({}, query)
    expect(data).toEqual({ course: { title: 'First', prerequisites: [null, null] } })
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['UPSTREAM_TIMEOUT']))
    expect(recorded.site.requests).toHaveLength(2)
  })

  it('does not end a call that others share', async () => {
    const held: ServerResponse[] = []
    await start({ protection: { operationTimeout: 600 }, cache: { maxAge: 60 } }, (_, response) => held.push(response))
    const early = recorded.ask({}, `{ ${course(1)} }`)
    await expect.poll(() => held.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const late = recorded.ask({}, `{ ${course(1)} }`)
    expect((await early).errors[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT')
    json(held[0] as ServerResponse, { id: 1, title: { rendered: 'Late' } })
    expect((await late).data).toEqual({ course: { title: 'Late' } })
    expect(recorded.site.requests).toHaveLength(1)
  })

  it('does not end a write, and reports that it may have been done', async () => {
    const held: ServerResponse[] = []
    await start({ protection: { operationTimeout: 200 } }, (_, response) => held.push(response))
    const { data } = await recorded.ask(
      {},
      'mutation { updateCourse(input: { id: 1, title: "x" }) { __typename ... on LmsError { code message } } }',
    )
    expect(data.updateCourse).toEqual({
      __typename: 'UpstreamError',
      code: 'UPSTREAM_TIMEOUT',
      message: 'The operation timed out after 200 milliseconds. The change may have been made: check before you try again.',
    })
    expect(recorded.site.open).toBe(1)
    json(held[0] as ServerResponse, { id: 1 })
  })
})

describe('a stale answer', () => {
  it('is marked with its age and its routes', async () => {
    await start({ cache: { staleIfError: 60 } }, titled)
    const query = `{ ${course(1)} lesson(id: 2) { title } viewer { id } }`
    const fresh = await recorded.ask({}, query)
    expect(JSON.parse(fresh.text)).toEqual({
      data: { course: { title: 'Title 1' }, lesson: { title: 'Title 2' }, viewer: null },
    })
    recorded.site.handler = fails
    const { data, status, text } = await recorded.ask({}, query)
    expect([status, data]).toEqual([200, fresh.data])
    expect(JSON.parse(text).extensions).toEqual({
      stale: { age: expect.any(Number), routes: ['v1/sfwd-courses/:id', 'v2/sfwd-lessons/:id'] },
    })
    expect(JSON.parse(text).errors).toBeUndefined()
    const page = readFileSync(new URL('../../docs/protection.md', import.meta.url), 'utf8')
    const [, shown = ''] = /```json\n("extensions": .*)\n```/.exec(page) ?? []
    expect(JSON.parse(`{${shown}}`)).toEqual({ extensions: { stale: { age: 12, routes: ['v1/sfwd-courses/:id'] } } })
  })

  it('is given together with errors, and never to callers with credentials', async () => {
    await start({ cache: { staleIfError: 60 } }, titled)
    await recorded.ask({}, `{ ${course(1)} }`)
    recorded.site.handler = fails
    const { data, errors, text } = await recorded.ask({}, `{ ${course(1)} lesson(id: 2) { title } }`)
    expect([data, errors.length, JSON.parse(text).extensions.stale.routes]).toEqual([
      { course: { title: 'Title 1' }, lesson: null },
      1,
      ['v1/sfwd-courses/:id'],
    ])
    const other = await recorded.ask({ authorization: 'Basic YTpi' }, `{ ${course(1)} }`)
    expect([other.data, JSON.parse(other.text).extensions]).toEqual([{ course: null }, undefined])
  })

  it('is not given with a service account', async () => {
    await start({ cache: { staleIfError: 60 }, site: { user: 'service', password: 'x' }, access: { open: true } }, titled)
    await recorded.ask({}, `{ ${course(1)} }`)
    recorded.site.handler = fails
    expect((await recorded.ask({}, `{ ${course(1)} }`)).data).toEqual({ course: null })
  })

  it('is not given by default', async () => {
    await start({}, titled)
    await recorded.ask({}, `{ ${course(1)} }`)
    recorded.site.handler = fails
    expect((await recorded.ask({}, `{ ${course(1)} }`)).data).toEqual({ course: null })
  })
})

describe('an operation that fails as a whole because the site is down', () => {
  it.each(MEDIA_TYPES)('has Retry-After before the circuit breaker opens, as %s', async (accept) => {
    await start({}, fails)
    const { status, headers, data, errors } = await recorded.ask({ accept }, `{ ${course(1)} }`)
    expect([status, headers.get('retry-after'), data, errors.map(({ extensions }) => extensions.code)]).toEqual([
      200,
      '2',
      { course: null },
      ['UPSTREAM_UNAVAILABLE'],
    ])
    recorded.site.handler = (_, response) => json(response, {}, { status: 503, headers: { 'retry-after': '7' } })
    expect((await recorded.ask({ accept }, `{ ${course(2)} }`)).headers.get('retry-after')).toBe('7')
    const some = await recorded.ask({ accept }, `{ ${course(3)} __typename }`)
    expect([some.status, some.headers.get('retry-after')]).toEqual([200, null])
    recorded.site.handler = (_, response) => json(response, { code: 'rest_forbidden', message: 'No.' }, { status: 403 })
    expect((await recorded.ask({ accept }, `{ ${course(4)} }`)).headers.get('retry-after')).toBeNull()
  })
})

type Health = { readonly status: string; readonly checks?: Record<string, { readonly status: string; readonly reason?: string }> }

const health = async (name: 'ready' | 'site', { url } = recorded.gateway): Promise<{ http: number; headers: Headers } & Health> => {
  const response = await fetch(`${url}/health/${name}`)
  return { http: response.status, headers: response.headers, ...((await response.json()) as Health) }
}

/** The checks that are not well, or not configured. */
const unwell = ({ checks = {} }: Health): Record<string, string> =>
  Object.fromEntries(Object.entries(checks).flatMap(([name, { status, reason }]) => (status === 'ok' ? [] : [[name, reason ?? status]])))

/** Until the result of the last check is no longer used. */
const nextCheck = () => new Promise((resolve) => setTimeout(resolve, 1_050))

const OFF = { account: 'off', redis: 'off', keySet: 'off' }

describe('readiness', () => {
  it('does not depend on the site, which it does not ask', async () => {
    await start({ tuning: { protection: { breakerCalls: 1 } } }, fails)
    await recorded.ask({}, `{ ${course(1)} }`)
    const before = recorded.site.requests.length
    for (let times = 0; times < 5; times++) expect(await health('ready')).toMatchObject({ http: 200, status: 'ready' })
    expect(recorded.site.requests).toHaveLength(before)
    let isLeaving = false
    const leaving = await Recorded.start({ tuning: { isLeaving: () => isLeaving } })
    try {
      expect(await health('ready', leaving.gateway)).toMatchObject({ http: 200, status: 'ready' })
      isLeaving = true
      expect(await health('ready', leaving.gateway)).toMatchObject({ http: 503, status: 'leaving' })
      expect(leaving.site.requests).toHaveLength(0)
    } finally {
      await leaving.close()
    }
  })
})

describe('the health of the site', () => {
  it('fails while the circuit breaker is open, and is well again with the site', async () => {
    await start({ tuning: { protection: { breakerCalls: 1, breakerCooldown: 500 } } }, fails)
    await recorded.ask({}, `{ ${course(1)} }`)
    const seen = recorded.site.requests.length
    const failing = await health('site')
    expect([failing.http, failing.status, failing.headers.get('cache-control'), recorded.site.requests.length]).toEqual([
      503,
      'failing',
      'no-store',
      seen,
    ])
    expect(unwell(failing)).toEqual({ ...OFF, site: 'UPSTREAM_UNAVAILABLE', breaker: 'reads_open' })
    const page = readFileSync(new URL('../../docs/observing.md', import.meta.url), 'utf8')
    const { http: _, headers: __, ...body } = failing
    expect(JSON.parse(/^\{"status":"failing".*$/m.exec(page)?.[0] ?? '')).toEqual(body)
    recorded.site.handler = titled
    await nextCheck()
    const well = await health('site')
    expect([well.http, well.status, unwell(well)]).toEqual([200, 'ok', OFF])
    expect((await recorded.ask({}, `{ ${course(1)} }`)).data).toEqual({ course: { title: 'Title 1' } })
  })

  it('fails while writes are not made, although reads are', async () => {
    await start({ tuning: { protection: { breakerCalls: 1 } } }, (request, response) =>
      (request.method === 'GET' ? titled : fails)(request, response),
    )
    await recorded.ask({}, 'mutation { updateCourse(input: { id: 1, title: "x" }) { __typename } }')
    expect(unwell(await health('site'))).toEqual({ ...OFF, breaker: 'writes_open' })
  })

  it('is well while too much waits for the site, and never by an old answer', async () => {
    await start({ protection: { maxInFlight: 1, maxQueue: 0, operationTimeout: 1_000 }, cache: { staleIfError: 60 } }, titled)
    expect((await health('site')).http).toBe(200)
    await nextCheck()
    recorded.site.handler = silence
    const { done } = await occupy()
    expect((await health('site')).http).toBe(200)
    await done
    recorded.site.handler = fails
    await nextCheck()
    expect(unwell(await health('site'))).toEqual({ ...OFF, site: 'UPSTREAM_UNAVAILABLE' })
  })

  it.each([
    ['well', titled, 200],
    ['in trouble', fails, 503],
  ] as const)('asks a site that is %s at most once a second, however often it is asked', async (_, handler, http) => {
    await start(
      { protection: { breakerThreshold: 100, retries: 0 } },
      (request, response) => void setTimeout(() => handler(request, response), 50),
    )
    const began = performance.now()
    for (let round = 0; round < 3; round++)
      for (const each of await Promise.all(Array.from({ length: 20 }, () => health('site')))) expect(each.http).toBe(http)
    expect(recorded.site.requests.length).toBeGreaterThan(0)
    expect(recorded.site.requests.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000))
  })

  it('says that the site refuses the account, and names neither the account nor an address', async () => {
    const account = { site: { user: 'hush-user', password: 'hush-password' }, access: { open: true } }
    await start(account, titled)
    expect(unwell(await health('site'))).toEqual({ redis: 'off', keySet: 'off' })
    recorded.site.handler = (_, response) => json(response, { code: 'incorrect_password', message: 'hush-text' }, { status: 401 })
    await nextCheck()
    const failing = await health('site')
    expect([failing.http, unwell(failing)]).toEqual([503, { redis: 'off', keySet: 'off', account: 'UNAUTHENTICATED' }])
    expect(JSON.stringify(failing)).not.toMatch(/hush|127\.0\.0\.1|localhost/)
  })

  it('says that the key set of tokens cannot be loaded, and when it can again', async () => {
    const signer = await makeSigner('one')
    const keySet = await KeySetServer.start([signer])
    try {
      keySet.broken = { status: 500, body: 'no' }
      const jwt = { jwtIssuer: ISSUER, jwtAudience: AUDIENCE, jwtJwksUrl: keySet.url }
      await start({ site: { user: 'service', password: 'x' }, access: { ...jwt } }, titled)
      const asked = { authorization: `Bearer ${await sign(signer)}` }
      expect((await recorded.ask(asked, '{ __typename }')).status).toBe(503)
      expect(unwell(await health('site'))).toEqual({ redis: 'off', keySet: 'not_loaded' })
      keySet.broken = undefined
      await expect.poll(async () => (await recorded.ask(asked, '{ __typename }')).status, { timeout: 45_000, interval: 500 }).toBe(200)
      await nextCheck()
      expect(unwell(await health('site'))).toEqual({ redis: 'off' })
    } finally {
      await keySet.close()
    }
  })

  it.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')(
    `says that Redis does not answer${WITHOUT_REDIS ? ` (skipped: ${WITHOUT_REDIS})` : ''}`,
    async () => {
      const redis = await RedisServer.start()
      try {
        await start({ redis: { url: redis.url } }, titled)
        await expect.poll(async () => unwell(await health('site'))).toEqual({ account: 'off', keySet: 'off' })
        await redis.kill()
        await nextCheck()
        const failing = await health('site')
        expect([failing.http, unwell(failing)]).toEqual([503, { account: 'off', keySet: 'off', redis: 'unreachable' }])
        expect(await health('ready')).toMatchObject({ http: 200 })
      } finally {
        await redis.close()
      }
    },
  )
})
