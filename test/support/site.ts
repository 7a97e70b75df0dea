import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A site of a test's own: a real HTTP server with a handler, which records its requests. */
export class FakeSite {
  readonly requests: IncomingMessage[] = []
  /** Requests that are neither answered nor closed. */
  open = 0
  /** Most requests at a time. */
  most = 0
  handler: Handler = (_, response) => json(response, [])
  private readonly sockets = new Set<Socket>()

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(handler?: Handler, host = '127.0.0.1', port = 0): Promise<FakeSite> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
    const site = new FakeSite(server, `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`)
    if (handler) site.handler = handler
    server.on('connection', (socket) => {
      site.sockets.add(socket)
      socket.once('close', () => site.sockets.delete(socket))
    })
    server.on('request', (request, response) => {
      site.requests.push(request)
      site.most = Math.max(site.most, ++site.open)
      response.once('close', () => site.open--)
      site.handler(request, response)
    })
    return site
  }

  /** Paths of the requests, in order. */
  get paths(): string[] {
    return this.requests.map(({ url }) => url as string)
  }

  /** Stops listening on its port until `resume`. */
  pause(): Promise<void> {
    return this.close()
  }

  resume(): Promise<void> {
    const port = Number(new URL(this.url).port)
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve))
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
