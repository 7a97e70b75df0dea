import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call, OperationEvent } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import type { TunedOptions } from '../support/merged.js'
import { BEHIND_PROXY, type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const exporter = new InMemorySpanExporter()

/** Sets up an SDK that records a share of all traces. */
function setUp(share: number): void {
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors, sampler: new TraceIdRatioBasedSampler(share) }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
}

function tearDown(): void {
  trace.disable()
  context.disable()
  propagation.disable()
  exporter.reset()
}

const QUERY = `query Home {
  groups(first: 2) { nodes { title courses(first: 3) { nodes { title prerequisites { title } priceType { name } lessons(first: 2) { nodes { title } } } } } }
}`

/** The one span whose name begins like this. */
function spanOf(name: string): ReadableSpan {
  const found = exporter.getFinishedSpans().filter((span) => span.name === name)
  expect([name, found.length]).toEqual([name, 1])
  return found[0] as ReadableSpan
}

const spansOf = (kind: SpanKind): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.kind === kind)
const parentOf = (span: ReadableSpan): ReadableSpan | undefined =>
  exporter.getFinishedSpans().find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)
const startOf = ({ startTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e3 + nanos / 1e6
const endOf = ({ endTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e3 + nanos / 1e6

/** Requests arrive by the path for JSON posts, or by Yoga. */
const WAYS = [
  ['the path for JSON posts', true],
  ['Yoga', false],
] as const

describe.each(WAYS)('by %s, a trace', (_, shortPath) => {
  let site: FakeSite
  let gateway: Served
  /** Without trusted proxies. */
  let direct: Served
  let truth: Awaited<ReturnType<typeof startLms>>
  const calls: Call[] = []
  const events: OperationEvent[] = []
  const received: (string | undefined)[] = []
  beforeAll(async () => {
    truth = await startLms({ port: 0 })
    site = await FakeSite.start()
    site.handler = async (request, response) => {
      received.push(request.headers.traceparent as string | undefined)
      const answer = await fetch(truth.url + request.url)
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    }
    const options: TunedOptions = {
      site: { url: site.url },
      tuning: { shortPath, protection: { maxRetryDelay: 1 } },
      protection: { retries: 1 },
      on: {
        call: (call) => calls.push(call),
        operation: (event) => events.push(event),
      },
    }
    gateway = await serve({ ...options, ...BEHIND_PROXY })
    direct = await serve(options)
  })
  afterAll(async () => {
    await gateway.close()
    await direct.close()
    await site.close()
    await truth.close()
  })
  beforeEach(() => {
    calls.length = events.length = received.length = 0
  })
  afterEach(tearDown)
  const ask = async (query: string, headers: Record<string, string> = {}, { url } = gateway) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    })
    const body = (await response.json()) as { data: unknown }
    await expect.poll(() => events.length).toBeGreaterThan(0)
    return body
  }

  it('has a span for the operation, preparing, each wave, each REST call, and responding', async () => {
    setUp(1)
    const { data } = await ask(QUERY)
    expect(data).toHaveProperty('groups.nodes')
    const [root] = spansOf(SpanKind.SERVER) as [ReadableSpan]
    expect(root.name).toBe('query')
    expect(root.attributes).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Home',
      'http.response.status_code': 200,
      'lms.outcome': 'ok',
      'lms.rest_calls': calls.length,
      'lms.request_id': events[0]?.requestId,
    })
    const internal = spansOf(SpanKind.INTERNAL).map(({ name }) => name)
    expect(internal.sort()).toEqual(['prepare', 'respond', 'wave 1', 'wave 2', 'wave 3'])
    const [prepare, respond, ...waves] = ['prepare', 'respond', 'wave 1', 'wave 2', 'wave 3'].map(spanOf) as [
      ReadableSpan,
      ReadableSpan,
      ...ReadableSpan[],
    ]
    for (const span of [prepare, respond, ...waves]) expect(parentOf(span)).toBe(root)
    // In order, and within the operation.
    const times = [prepare, ...waves, respond].flatMap((span) => [startOf(span), endOf(span)])
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(startOf(root)).toBeLessThanOrEqual(times[0] as number)
    expect(endOf(root)).toBeGreaterThanOrEqual(times.at(-1) as number)

    const clients = spansOf(SpanKind.CLIENT)
    expect(clients.length).toBe(calls.length)
    const byWave = waves.map((wave) => clients.filter((span) => parentOf(span) === wave))
    expect(byWave.map((spans) => [...new Set(spans.map(({ name }) => name))].sort())).toEqual([
      ['GET v1/groups'],
      ['GET v2/groups/:id/courses'],
      ['GET v1/sfwd-courses', 'GET v2/price-types', 'GET v2/sfwd-lessons'].filter((name) => clients.some((span) => span.name === name)),
    ])
    expect(byWave.flat().length).toBe(clients.length)
    for (const [index, wave] of waves.entries())
      for (const span of byWave[index] as ReadableSpan[]) {
        expect(startOf(span)).toBeGreaterThanOrEqual(startOf(wave))
        expect(endOf(span)).toBeLessThanOrEqual(endOf(wave))
      }
    const [call] = byWave[0] as [ReadableSpan]
    const { port } = new URL(site.url)
    expect(call.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': 'v1/groups',
      'url.full': `http://127.0.0.1:${port}${calls[0]?.path}`,
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'lms.queue.wait': expect.any(Number),
      'http.response.status_code': 200,
      'http.response.body.size': calls[0]?.bytes,
    })
  })

  it('continues that of a trusted proxy, and goes on at the site; log and calls have its id', async () => {
    setUp(1)
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await ask(QUERY, { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'vendor=1' })
    const [root] = spansOf(SpanKind.SERVER) as [ReadableSpan]
    expect(root.parentSpanContext).toMatchObject({ traceId, spanId: 'b7ad6b7169203331', isRemote: true })
    expect(new Set(exporter.getFinishedSpans().map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]))
    const clients = spansOf(SpanKind.CLIENT)
    expect([...received].sort()).toEqual(clients.map((span) => `00-${traceId}-${span.spanContext().spanId}-01`).sort())
    expect(events[0]).toMatchObject({ traceId, spanId: root.spanContext().spanId })
    expect(calls.map((call) => call.traceId)).toEqual(calls.map(() => traceId))
  })

  it('that is not sampled costs no spans, and goes on at the site unsampled', async () => {
    setUp(0)
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await ask(QUERY, { traceparent: `00-${traceId}-b7ad6b7169203331-00` })
    expect(exporter.getFinishedSpans()).toEqual([])
    expect(received.length).toBe(calls.length)
    expect(new Set(received).size).toBe(1)
    expect(received[0]).toMatch(new RegExp(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-00$`))
    expect(events[0]?.traceId).toBe(traceId)
    expect(events[0]).not.toHaveProperty('spanId')
  })

  it('is a new one for other clients, with a link to theirs: they do not choose whether it is recorded', async () => {
    const theirs = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${theirs}-b7ad6b7169203331-01`, tracestate: 'vendor=1' }
    setUp(1)
    await ask(QUERY, headers, direct)
    const [root] = spansOf(SpanKind.SERVER) as [ReadableSpan]
    const { traceId } = root.spanContext()
    expect(root.parentSpanContext).toBeUndefined()
    expect(root.links.map(({ context }) => [context.traceId, context.spanId, context.traceState?.serialize()])).toEqual([
      [theirs, 'b7ad6b7169203331', 'vendor=1'],
    ])
    expect(traceId).not.toBe(theirs)
    expect(new Set(received.map((each) => each?.slice(3, 35)))).toEqual(new Set([traceId]))
    expect(events[0]?.traceId).toBe(traceId)
    tearDown()

    const spanProcessors = [new SimpleSpanProcessor(exporter)]
    const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0) })
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors, sampler }))
    events.length = 0
    await ask(QUERY, headers, direct)
    expect(exporter.getFinishedSpans()).toEqual([])
    events.length = 0
    await ask(QUERY, headers)
    expect(exporter.getFinishedSpans()).not.toEqual([])
  })

  it('of other clients than trusted proxies does not go to the site without an SDK', async () => {
    await ask(QUERY, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }, direct)
    expect([new Set(received), events[0]?.traceId]).toEqual([new Set([undefined]), undefined])
  })

  it('without an SDK goes from a trusted proxy to the site as it is', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await ask(QUERY, { traceparent })
    expect(new Set(received)).toEqual(new Set([traceparent]))
    expect(events[0]?.traceId).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(events[0]).not.toHaveProperty('spanId')
    for (const wrong of [
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
      `ff${traceparent.slice(2)}`,
    ]) {
      received.length = events.length = 0
      await ask('{ groups(first: 1) { nodes { id } } }', { traceparent: wrong })
      expect([new Set(received), events[0]?.traceId]).toEqual([new Set([undefined]), undefined])
    }
  })

  it('shows failed attempts, retries, errors, refused documents and mutations', async () => {
    setUp(1)
    const { handler } = site
    let answers = 0
    site.handler = (_, response) => {
      if (++answers === 1) response.writeHead(503, { 'retry-after': '0' }).end()
      else json(response, { code: 'rest_forbidden', message: 'No.' }, { status: 403 })
    }
    await ask('{ course(id: 7, password: "hunter2") { title } }')
    const clients = spansOf(SpanKind.CLIENT)
    expect(
      clients.map(({ attributes, status }) => [
        attributes['http.response.status_code'],
        attributes['error.type'],
        attributes['http.request.resend_count'],
        status.code,
      ]),
    ).toEqual([
      [503, 'UPSTREAM_UNAVAILABLE', undefined, SpanStatusCode.ERROR],
      [403, 'FORBIDDEN', 1, SpanStatusCode.ERROR],
    ])
    expect(clients[0]?.attributes['url.full']).toMatch(/password=\[redacted\]/)
    expect(spansOf(SpanKind.SERVER)[0]).toMatchObject({
      attributes: { 'lms.outcome': 'failed', 'error.type': 'FORBIDDEN', 'lms.rest_calls': 2 },
      status: { code: SpanStatusCode.ERROR },
    })
    exporter.reset()
    events.length = 0
    await ask('{ nothing }')
    expect(exporter.getFinishedSpans().map(({ name, attributes, status }) => [name, attributes['lms.outcome'], status.code])).toEqual([
      ['prepare', undefined, SpanStatusCode.UNSET],
      ['query', 'refused', SpanStatusCode.UNSET],
    ])
    exporter.reset()
    events.length = 0
    site.handler = (_, response) => json(response, { id: 5, title: { rendered: 'x', raw: 'x' } }, { status: 201 })
    await ask('mutation { createCourse(input: { title: "x" }) { __typename } }')
    const [write] = spansOf(SpanKind.CLIENT) as [ReadableSpan]
    const [root] = spansOf(SpanKind.SERVER) as [ReadableSpan]
    expect([write.name, parentOf(write), root.name]).toEqual(['POST v1/sfwd-courses', root, 'mutation'])
    expect(startOf(spanOf('respond'))).toBeGreaterThanOrEqual(endOf(write))
    site.handler = handler
  })

  it('shows a read that shares the call of another operation', async () => {
    setUp(1)
    const { handler } = site
    // With a cache, reads share calls that were sent before.
    const cached = await serve({
      site: { url: site.url },
      tuning: { shortPath },
      cache: { maxAge: 60 },
      on: { operation: (event) => events.push(event) },
    })
    site.handler = (request, response) => void setTimeout(() => handler(request, response), 100)
    await Promise.all([1, 2].map(() => ask('{ groups(first: 3) { nodes { title } } }', {}, cached)))
    await expect.poll(() => spansOf(SpanKind.SERVER).length).toBe(2)
    const shared = spanOf('shared GET v1/groups')
    const call = spanOf('GET v1/groups')
    expect(parentOf(shared)?.name).toBe('wave 1')
    expect(shared.spanContext().traceId).not.toBe(call.spanContext().traceId)
    expect(endOf(shared)).toBeGreaterThanOrEqual(endOf(call))
    site.handler = handler
    await cached.close()
  })
})
