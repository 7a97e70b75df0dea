import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Dispatcher, Pool } from 'undici'

/** The response of the site. */
export interface Truth {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Answers a request in place of the site. */
export type Strike = (response: ServerResponse, request: IncomingMessage, truth: () => Promise<Truth>) => unknown

/** A real HTTP server in front of a site. It forwards requests, except those it is told to answer; it can also stop listening. */
export class TroubledProxy {
  /** Its requests, as `METHOD /path?query`, in order. */
  readonly requests: string[] = []
  /** Chooses the strike for a request; undefined forwards the request. */
  strikes: (asked: string) => Strike | undefined = () => undefined
  /** Requests that are neither answered nor closed, and the most at a time. */
  open = 0
  most = 0
  private readonly sockets = new Set<Socket>()

  private constructor(
    private readonly server: Server,
    private readonly pool: Pool,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<TroubledProxy> {
    const server = createServer()
    server.keepAliveTimeout = 65_000
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const proxy = new TroubledProxy(server, new Pool(target, { connections: 16 }), url)
    server.on('connection', (socket) => {
      proxy.sockets.add(socket)
      socket.once('close', () => proxy.sockets.delete(socket))
    })
    server.on('request', (request, response) => proxy.handle(request, response))
    return proxy
  }

  /** Ends all connections. */
  hangUp(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  /** Stops listening. */
  stop(): Promise<void> {
    this.hangUp()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  /** Listens again. */
  resume(): Promise<void> {
    const port = Number(new URL(this.url).port)
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    await this.stop()
    await this.pool.destroy()
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const asked = `${request.method} ${request.url}`
    this.requests.push(asked)
    this.most = Math.max(this.most, ++this.open)
    response.once('close', () => this.open--)
    const truth = (): Promise<Truth> => this.truth(request)
    const strike = this.strikes(asked)
    if (strike) strike(response, request, truth)
    else
      truth().then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        () => response.destroy(),
      )
  }

  private async truth(request: IncomingMessage): Promise<Truth> {
    const { connection: _, host: __, ...headers } = request.headers
    const body = request.method === 'GET' ? null : request
    const method = request.method as Dispatcher.HttpMethod
    const answer = await this.pool.request({ method, path: request.url as string, headers, body })
    const sent = Object.entries(answer.headers).filter(([name]) => !/^(connection|keep-alive|transfer-encoding|content-length)$/.test(name))
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
      body: Buffer.from(await answer.body.arrayBuffer()),
    }
  }
}
