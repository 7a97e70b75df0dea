import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/server/gateway.js'
import { type Handler, json } from '../support/site.js'
import { PATIENCE } from '../support/world.js'
import { Recorded } from './asking.js'

// What a client sees of it when the site is spared, an operation is given up, or an old answer stands in.

let recorded: Recorded
afterEach(() => recorded.close())

const start = async (options: Partial<GatewayOptions>, handler: Handler): Promise<void> => {
  recorded = await Recorded.start({ retries: 0, ...options })
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
  const busy = { maxInFlight: 1, maxQueue: 0, operationTimeout: 1_500 }

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
    await start({ breakerCalls: 1, breakerCooldown: 3_500 }, fails)
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
    await start({ operationTimeout: 300 }, (request, response) =>
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
    await start({ operationTimeout: 300 }, (request, response) => {
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
    await start({ operationTimeout: 600, shareInFlight: true }, (_, response) => held.push(response))
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
    await start({ operationTimeout: 200 }, (_, response) => held.push(response))
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
    await start({ staleIfError: 60 }, titled)
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
    await start({ staleIfError: 60 }, titled)
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
    await start({ staleIfError: 60, serviceAccount: { user: 'service', password: 'x' }, authentication: { open: true } }, titled)
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

describe('readiness', () => {
  const ready = async (): Promise<[number, string]> => {
    const response = await fetch(`${recorded.gateway.url}/health/ready`)
    return [response.status, ((await response.json()) as { status: string }).status]
  }
  const [READY, GONE] = [
    [200, 'ready'],
    [503, 'upstream unavailable'],
  ]
  /** Until the result of the last check is no longer used. */
  const nextCheck = () => new Promise((resolve) => setTimeout(resolve, 1_050))

  it('fails while the circuit breaker is open, and succeeds with the site', async () => {
    await start({ breakerCalls: 1, breakerCooldown: 500 }, fails)
    await recorded.ask({}, `{ ${course(1)} }`)
    const seen = recorded.site.requests.length
    expect([await ready(), recorded.site.requests.length]).toEqual([GONE, seen])
    recorded.site.handler = titled
    await nextCheck()
    expect(await ready()).toEqual(READY)
    expect((await recorded.ask({}, `{ ${course(1)} }`)).data).toEqual({ course: { title: 'Title 1' } })
  })

  it('is given while too much waits for the site, and never by an old answer', async () => {
    await start({ maxInFlight: 1, maxQueue: 0, staleIfError: 60, operationTimeout: 1_000 }, titled)
    expect(await ready()).toEqual(READY)
    await nextCheck()
    recorded.site.handler = silence
    const { done } = await occupy()
    expect(await ready()).toEqual(READY)
    await done
    recorded.site.handler = fails
    await nextCheck()
    expect(await ready()).toEqual(GONE)
  })

  it.each([
    ['well', titled, READY],
    ['in trouble', fails, GONE],
  ] as const)('asks a site that is %s at most once a second, however often it is asked', async (_, handler, answer) => {
    await start({ breakerThreshold: 100, retries: 0 }, (request, response) => void setTimeout(() => handler(request, response), 50))
    const began = performance.now()
    for (let round = 0; round < 3; round++)
      for (const each of await Promise.all(Array.from({ length: 20 }, ready))) expect(each).toEqual(answer)
    expect(recorded.site.requests.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000))
  })
})
