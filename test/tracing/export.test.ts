import { copyFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Command } from '../support/command.js'
import { FakeSite } from '../support/site.js'

// The file and the commands of `docs/observing.md`: the file that operators copy, with the Node.js SDK of OpenTelemetry, the real command, and a collector of OTLP over HTTP.

/** A span in the JSON of OTLP. */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string }
      readonly spans: readonly OtlpSpan[]
    }[]
  }[]
}

/** A copy of the file that operators copy, beside the packages of the SDK. */
const TRACING = fileURLToPath(new URL('node_modules/.tracing.mjs', import.meta.url))
const NESTED = `query Catalogue {
  groups(first: 2) { nodes { title courses(first: 3) { nodes { title prerequisites { title } priceType { name } lessons(first: 2) { nodes { title } } } } } }
}`

let lms: RunningLms
let site: FakeSite
let collector: Server
const exported: Export[] = []
const received: string[] = []
beforeAll(async () => {
  copyFileSync(new URL('../../deploy/opentelemetry/tracing.mjs', import.meta.url), TRACING)
  lms = await startLms()
  site = await FakeSite.start(async (request, response) => {
    received.push(String(request.headers.traceparent))
    const answer = await fetch(lms.url + request.url)
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  collector = createServer(async (request, response) => {
    const chunks = await request.toArray()
    exported.push(JSON.parse(Buffer.concat(chunks).toString()) as Export)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await site.close()
  await lms.close()
  collector.close()
})

const scopes = () => exported.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
const spans = (): OtlpSpan[] => scopes().flatMap((each) => each.spans)

/** A trace as text: the spans below a span, in the order of their starts, with their times in milliseconds. */
function lines(all: readonly OtlpSpan[], of: OtlpSpan, origin: bigint, depth = 0): string[] {
  const at = (nanos: string): string => (Number(BigInt(nanos) - origin) / 1e6).toFixed(1)
  const values = of.attributes.map(({ key, value }) => `${key}=${Object.values(value)[0]}`)
  const below = all
    .filter(({ parentSpanId }) => parentSpanId === of.spanId)
    .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
  return [
    `${'  '.repeat(depth)}${of.name} ${of.spanId} ${at(of.startTimeUnixNano)}-${at(of.endTimeUnixNano)} ms ${values.join(' ')}`,
    ...below.flatMap((each) => lines(all, each, origin, depth + 1)),
  ]
}

it('exports the spans, also the last ones before the end, and has their ids in the log', async () => {
  exported.length = received.length = 0
  const { port } = collector.address() as AddressInfo
  const command = new Command(['--upstream', site.url, '--port', '0', '--log-format', 'json', '--trusted-proxies', '127.0.0.1'], {
    NODE_OPTIONS: `--import ${TRACING}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const ask = async (url: string, flags: string) =>
    (
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` },
        body: JSON.stringify({ query: NESTED }),
      })
    ).json()
  let stdout = ''
  try {
    const url = await command.address()
    // Not recorded: neither by the sampler, nor by the client.
    await ask(url, '00')
    expect(await ask(url, '01')).toHaveProperty('data.groups.nodes')
  } finally {
    // The batches of the SDK are sent every five seconds; the end sends the last one.
    ;({ stdout } = await command.stop('SIGTERM'))
  }
  const all = spans()
  const root = all.find(({ kind }) => kind === 2) as OtlpSpan
  const text = lines(all, root, BigInt(root.startTimeUnixNano))
  console.log(text.join('\n'))
  expect(text.length).toBe(all.length)
  expect(new Set(all.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(root.parentSpanId).toBe('b7ad6b7169203331')
  expect(text.map((line) => line.trim().split(' ')[0])).toEqual(expect.arrayContaining(['query', 'prepare', 'wave', 'GET', 'respond']))
  expect(new Set(scopes().map(({ scope }) => scope.name))).toEqual(new Set(['lms-graphql']))
  const resources = exported.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ resource }) => resource.attributes))
  expect(resources.find(({ key }) => key === 'service.name')?.value).toEqual({ stringValue: 'lms-graphql' })
  // The site has received the ids of the spans of its calls, and others of the operation that is not recorded.
  const clients = all.filter(({ kind }) => kind === 3)
  expect(received.filter((each) => each.endsWith('-01')).sort()).toEqual(clients.map(({ spanId }) => `00-${traceId}-${spanId}-01`).sort())
  expect(received.length).toBe(clients.length * 2)
  const logged = stdout
    .split('\n')
    .filter((line) => line.includes('"msg":"operation"'))
    .map((line) => JSON.parse(line))
  expect(logged.map((line) => line.traceId)).toEqual([traceId, traceId])
  expect(logged[1].spanId).toBe(root.spanId)
})
