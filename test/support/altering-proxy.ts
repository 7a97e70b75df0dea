import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/** A JSON response of the site in the proxy. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, shared between requests: must not be changed. A Buffer is sent unchanged. */
  readonly body: unknown
}

export interface AlteringProxy {
  readonly url: string
  /** The response of the site without changes of the proxy. */
  honest(path: string, authorization?: string): Promise<Reply>
  close(): Promise<void>
}

export interface ProxyOptions {
  /** Changes the request's path and query before the site sees it. */
  readonly ask?: (path: string) => string
  /** Changes the answer. */
  readonly answer: (path: string, reply: Reply) => Reply
}

const PASSED = ['content-type', 'x-wp-total', 'x-wp-totalpages']

/** A real HTTP server in front of a site that never changes; each response is read once. */
export async function startAlteringProxy(upstream: string, { ask = (path) => path, answer }: ProxyOptions): Promise<AlteringProxy> {
  const pool = new Pool(upstream, { connections: 8 })
  const said = new Map<string, Promise<Reply>>()

  const fetchReply = async (path: string, authorization: string | undefined): Promise<Reply> => {
    const response = await pool.request({ path, method: 'GET', headers: authorization ? { authorization } : {} })
    const headers = Object.fromEntries(PASSED.flatMap((name) => (response.headers[name] ? [[name, String(response.headers[name])]] : [])))
    return { status: response.statusCode, headers, body: await response.body.json() }
  }
  const honest = (path: string, authorization?: string): Promise<Reply> => {
    const key = `${authorization ?? ''} ${path}`
    let reply = said.get(key)
    if (!reply) {
      if (said.size >= 20_000) said.clear()
      reply = fetchReply(path, authorization)
      said.set(key, reply)
    }
    return reply
  }
  const send = (response: ServerResponse, { status, headers, body }: Reply): void => {
    response.writeHead(status, headers).end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    const path = request.url as string
    honest(ask(path), request.headers.authorization).then(
      (reply) => send(response, answer(path, reply)),
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    honest,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await pool.close()
    },
  }
}
