import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A secret of the webhook. */
export const SECRET = 'site-secret-0123456789-0123456789'

export const now = (): number => Math.floor(Date.now() / 1000)

/** The headers of a delivery, by the words of the contract. */
export const signed = (
  body: string | Buffer,
  { secret = SECRET, timestamp = now() }: { readonly secret?: string; readonly timestamp?: number | string } = {},
): Record<string, string> => ({
  'content-type': 'application/json',
  'x-lms-timestamp': String(timestamp),
  'x-lms-signature': `sha256=${createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)]))
    .digest('hex')}`,
})

interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body. */
  readonly changes: readonly { readonly type: string; readonly id?: number; readonly kind: string }[]
  readonly tags: readonly string[]
}

/** A real server that receives forwarded changes. */
export class Receiver {
  readonly deliveries: Delivery[] = []
  answer: (response: ServerResponse, count: number) => void = (response) => response.writeHead(204).end()

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(port = 0): Promise<Receiver> {
    const server = createServer()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.on('request', (request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      request.on('end', () => {
        receiver.deliveries.push({ path: request.url as string, headers: request.headers, text, ...JSON.parse(text) })
        receiver.answer(response, receiver.deliveries.length)
      })
    })
    return receiver
  }

  /** Ids of the changes of each delivery. */
  get ids(): (number | undefined)[][] {
    return this.deliveries.map(({ changes }) => changes.map(({ id }) => id))
  }

  async close(): Promise<void> {
    this.server.close()
    this.server.closeAllConnections()
  }
}

/** A log that keeps its lines. */
export class KeptLog {
  readonly lines: (Record<string, unknown> & { readonly level: string; readonly msg: string })[] = []
  readonly debug = this.keep('debug')
  readonly info = this.keep('info')
  readonly warn = this.keep('warn')
  readonly error = this.keep('error')

  private keep(level: string) {
    return (fields: object, msg = ''): void => void this.lines.push({ ...fields, level, msg })
  }
}
