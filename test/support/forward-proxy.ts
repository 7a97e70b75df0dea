import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A request to the proxy: the method with its target, and its headers. */
interface Seen {
  readonly target: string
  readonly headers: IncomingMessage['headers']
}

export interface ProxyOptions {
  /** The user and password that it demands, as in an address. */
  readonly account?: string
  /** The certificate with which it speaks TLS itself. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A forward proxy, such as those of companies: CONNECT for https, and whole addresses for http. It knows where names lead. */
export class ForwardProxy {
  readonly seen: Seen[] = []
  /** The status with which it refuses everything. */
  refuses: number | undefined
  /** Whether it accepts connections, and answers nothing. */
  isSilent = false
  private readonly sockets = new Set<Socket>()

  private constructor(
    private readonly server: Server,
    /** Ports of this machine, by name and port. */
    readonly hosts: Readonly<Record<string, number>>,
    private readonly options: ProxyOptions,
  ) {}

  static async start(hosts: Readonly<Record<string, number>>, options: ProxyOptions = {}, port = 0): Promise<ForwardProxy> {
    const server = (options.tls ? createSecureServer(options.tls) : createServer()) as Server
    const proxy = new ForwardProxy(server, hosts, options)
    server.on('connection', (socket: Socket) => proxy.keep(socket))
    server.on('connect', (asked, socket: Socket, head: Buffer) => {
      proxy.keep(socket)
      if (proxy.isSilent) return
      const status = proxy.statusOf(asked)
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`)
      const onward = proxy.keep(connect(hosts[asked.url as string] as number, '127.0.0.1'))
      onward.once('connect', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        onward.write(head)
        onward.pipe(socket).pipe(onward)
      })
    })
    server.on('request', (asked, answer) => {
      const status = proxy.statusOf(asked)
      if (status !== 200) return void answer.writeHead(status).end('refused')
      const { host, pathname, search } = new URL(asked.url as string)
      const { 'proxy-authorization': _, ...headers } = asked.headers
      const path = pathname + search
      const onward = request({ host: '127.0.0.1', port: hosts[host], path, method: asked.method as string, headers }, (reply) => {
        answer.writeHead(reply.statusCode as number, reply.headers)
        reply.pipe(answer)
      })
      asked.pipe(onward)
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Its address, with a user and password if they are given. */
  url(account?: string): string {
    return `${this.options.tls ? 'https' : 'http'}://${account === undefined ? '' : `${account}@`}127.0.0.1:${this.port}`
  }

  /** What it was asked for, each target once. */
  get targets(): string[] {
    return [...new Set(this.seen.map(({ target }) => target))]
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket)
    return socket.on('error', () => socket.destroy()).once('close', () => this.sockets.delete(socket))
  }

  private statusOf({ method, url = '', headers }: IncomingMessage): number {
    this.seen.push({ target: `${method} ${url}`, headers })
    if (this.refuses !== undefined) return this.refuses
    const { account } = this.options
    const wanted = account === undefined ? undefined : `Basic ${Buffer.from(decodeURIComponent(account)).toString('base64')}`
    if (headers['proxy-authorization'] !== wanted) return 407
    const host = method === 'CONNECT' ? url : new URL(url).host
    return this.hosts[host] === undefined ? 502 : 200
  }
}
