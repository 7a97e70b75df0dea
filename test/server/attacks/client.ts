import { connect, type Socket } from 'node:net'

/** An answer as it came over the wire. */
export interface Answer {
  /** 0 when there was none. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Milliseconds from the first byte sent to the last received, or to the end of the connection where there was none. */
  readonly took: number
}

export interface Head {
  readonly method?: string
  readonly path?: string
  readonly version?: string
  /** Lines of the head besides `Host` and `Connection`; a `Host` of its own takes the place of that. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[]
  readonly host?: string | null
  readonly body?: string | Buffer | undefined
}

/** The bytes of a request, right or wrong, after which the connection is to be closed. */
export function requestOf({ method = 'GET', path = '/graphql', version = '1.1', headers = {}, host = 'gateway.test', body }: Head): Buffer {
  const lines = Array.isArray(headers) ? headers : Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const head = [
    `${method} ${path} HTTP/${version}`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...lines,
    ...length,
    'Connection: close',
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), Buffer.from(body ?? '')])
}

/** A GraphQL request; it takes whatever is answered, and wants statuses to tell. */
export const post = (params: unknown, headers: Readonly<Record<string, string>> = {}): Buffer =>
  requestOf({
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    body: typeof params === 'string' ? params : JSON.stringify(params),
  })

/** A GraphQL request by GET. */
export const get = (params: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Buffer =>
  requestOf({ path: `/graphql?${new URLSearchParams(params)}`, headers: { accept: 'application/graphql-response+json', ...headers } })

/** What is written to a connection: bytes at once, or by a function that does so over time. */
export type Sent = Buffer | ((socket: Socket) => void)

/** Sends bytes to a port of this machine and collects what comes until the connection ends. */
export function exchange(port: number, sent: Sent): Promise<Answer> {
  const started = performance.now()
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    let last: number | undefined
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      last = performance.now()
    })
    // The end may come before all has been sent.
    socket.on('error', () => {})
    socket.on('close', () => resolve({ ...answerIn(Buffer.concat(chunks)), took: (last ?? performance.now()) - started }))
    if (typeof sent === 'function') sent(socket)
    else socket.write(sent)
  })
}

/** The first answer in what has come, after what only asks to go on. */
function answerIn(given: Buffer): Omit<Answer, 'took'> {
  const bytes = given.toString('latin1', 0, CONTINUE.length) === CONTINUE ? given.subarray(CONTINUE.length) : given
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0)
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = bytes.subarray(end + 4)
  const whole =
    headers['transfer-encoding'] === 'chunked' ? dechunked(body) : body.subarray(0, Number(headers['content-length'] ?? body.length))
  return { status, headers, text: whole.toString('utf8') }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

function dechunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!(size > 0)) break
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
  return Buffer.concat(parts)
}
