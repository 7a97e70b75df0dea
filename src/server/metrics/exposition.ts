import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOn } from '../../listening.js'

/** The text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsServer {
  /** Address of the metrics, such as `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/** Serves the metrics on a port of their own, where clients of the gateway do not see them. Rejects when it cannot listen there. */
export async function serveMetrics(text: () => Promise<string>, address: { host: string; port: number }): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 }, (request, response) => {
    answer(text, request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  const { url } = await listenOn(server, address, 'The metrics cannot be served')
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { url: `${url}/metrics`, close }
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
