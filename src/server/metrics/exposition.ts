import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promClient } from './prom-client.js'

/** The text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The values of all metrics of one process, as JSON. */
export type Snapshot = readonly { readonly type: unknown }[]

const sumOf = (all: readonly Snapshot[]) => promClient().AggregatorRegistry.aggregate(all as object[])

/** The metrics of several processes, added up, in the text format of Prometheus. */
export const textOf = (all: readonly Snapshot[]): Promise<string> => sumOf(all).metrics()

/** Snapshots, added up to one. */
export const joined = (all: readonly Snapshot[]): Promise<Snapshot> => sumOf(all).getMetricsAsJSON() as Promise<Snapshot>

/** The counters and histograms of a process that has ended. Gauges describe processes that run. */
export const totalsIn = (snapshot: Snapshot): Snapshot => snapshot.filter(({ type }) => type === 'counter' || type === 'histogram')

export interface MetricsServer {
  /** Address of the metrics, such as `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/** Serves the metrics on a port of their own, where clients of the gateway do not see them. Rejects when it cannot listen there. */
export function serveMetrics(text: () => Promise<string>, { host, port }: { host: string; port: number }): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 }, (request, response) => {
    answer(text, request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is already in use' : error.message
      reject(new Error(`The metrics cannot be served on ${host}:${port}: ${why}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      const { port } = server.address() as AddressInfo
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`, close })
    })
  })
}

/** Scrapers need few. */
const MAX_CONNECTIONS = 50

async function answer(text: () => Promise<string>, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = (status: number, message: string, headers = {}): void =>
    void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${message}\n`)
  if (url !== '/metrics' && !url?.startsWith('/metrics?')) return refuse(404, 'The metrics are at /metrics.')
  if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'Use GET.', { allow: 'GET, HEAD' })
  const body = await text()
  response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(method === 'HEAD' ? undefined : body)
}
