import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { marksIn } from './marks.js'
import { roleOf, SECRET } from './private-callers.js'
import { type Asked, answerOf, type Reply } from './private-interface.js'
import { Random } from './random.js'

/** Headers with credentials. */
const CREDENTIALS = ['authorization', 'cookie', 'x-wp-nonce'] as const

/**
 * A site, over real HTTP, on which everything is private: all callers find the same ids below the same paths, but every text, number and
 * date carries the mark of the caller whose credentials came with the request. It holds requests against that mark as well.
 */
export class PrivateSite {
  /** Short descriptions of requests with marks of another caller than their credentials. */
  readonly foreign: string[] = []
  arrived = 0
  writes = 0
  /** Most requests at a time. */
  most = 0
  /** Reads that arrived during a read of the same path for the same caller, and for another one. */
  twice = 0
  alike = 0
  private open = 0
  private readonly reading = new Map<string, number[]>()
  private readonly callersOf = new Map<Socket, Set<number>>()
  private readonly random = new Random(20_261_121)

  private constructor(
    private readonly server: Server,
    readonly url: string,
    /** Longest response time in milliseconds. */
    private readonly latency: number,
  ) {}

  static async start(latency = 5): Promise<PrivateSite> {
    const server = createServer({ keepAliveTimeout: 65_000 })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const site = new PrivateSite(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/wp-json`, latency)
    // Clients that disconnect get no response.
    server.on('request', (request, response) => site.serve(request, response).catch(() => response.destroy()))
    return site
  }

  /** Connections that served several callers. */
  get sharedConnections(): number {
    return [...this.callersOf.values()].filter((callers) => callers.size > 1).length
  }

  close(): Promise<void> {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await textOf(request)
    const caller = this.callerOf(request, sent)
    const leave = this.enter(request, caller)
    response.once('close', leave)
    await sleep(this.random.int(0, this.latency))
    const { pathname, searchParams } = new URL(request.url as string, this.url)
    const path = pathname.replace(/^\/wp-json/, '')
    const { method = 'GET' } = request
    const asked: Asked = {
      caller: { number: caller, role: roleOf(caller) },
      method,
      path,
      query: searchParams,
      body: sent === '' ? {} : JSON.parse(sent),
    }
    await this.send(response, answerOf(asked))
  }

  /** The caller of the credentials; all other marks of the request must be of the same caller. */
  private callerOf({ headers, method, url }: IncomingMessage, sent: string): number {
    const shown = CREDENTIALS.map((name) => headers[name] ?? '').join('\n')
    const [caller = 0] = marksIn(shown).keys()
    const others = [...marksIn(`${url}\n${JSON.stringify(headers)}\n${sent}`).keys()].filter((each) => each !== caller)
    if (others.length > 0 || (caller === 0 && shown.includes(SECRET))) this.foreign.push(`${caller}: ${method} ${url} with ${others}`)
    return caller
  }

  private enter({ method, url, socket }: IncomingMessage, caller: number): () => void {
    this.arrived++
    this.most = Math.max(this.most, ++this.open)
    const callers = this.callersOf.get(socket) ?? new Set()
    this.callersOf.set(socket, callers.add(caller))
    if (method !== 'GET') this.writes++
    const path = `${method} ${url}`
    const readers = this.reading.get(path) ?? []
    if (method === 'GET' && readers.includes(caller)) this.twice++
    else if (method === 'GET' && readers.length > 0) this.alike++
    this.reading.set(path, [...readers, caller])
    return () => {
      this.open--
      const left = [...(this.reading.get(path) as number[])]
      left.splice(left.indexOf(caller), 1)
      if (left.length > 0) this.reading.set(path, left)
      else this.reading.delete(path)
    }
  }

  /** Sometimes in two chunks. */
  private async send(response: ServerResponse, { status, headers, body, broken }: Reply): Promise<void> {
    const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    if (response.destroyed) return
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length, ...headers })
    if (!broken && this.random.chance(0.8)) {
      response.end(text)
      return
    }
    response.write(text.subarray(0, text.length / 2))
    await sleep(this.random.int(0, 2))
    if (broken) response.destroy()
    else response.end(text.subarray(text.length / 2))
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
