import { connect } from 'node:net'

/** An HTTP request to the letter. */
export interface Raw {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent with its length, or in several chunks of an unknown one. */
  readonly body?: string | Buffer | readonly (string | Buffer)[]
  readonly version?: '1.0' | '1.1'
}

/** What came back, without what no two answers have in common. */
export interface Reply {
  readonly status: string
  /** Names in lower case, sorted. */
  readonly headers: readonly string[]
  readonly body: string
}

const bytesOf = (part: string | Buffer): Buffer => (typeof part === 'string' ? Buffer.from(part) : part)

function* lines({ method = 'POST', path = '/graphql', headers = {}, body, version = '1.1' }: Raw): Iterable<string> {
  yield `${method} ${path} HTTP/${version}`
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  if (!names.includes('host')) yield 'Host: gateway.test'
  if (!names.includes('connection')) yield 'Connection: close'
  for (const [name, values] of Object.entries(headers)) for (const value of [values].flat()) yield `${name}: ${value}`
  if (names.includes('content-length') || names.includes('transfer-encoding') || body === undefined) return
  yield typeof body === 'string' || Buffer.isBuffer(body) ? `Content-Length: ${bytesOf(body).length}` : 'Transfer-Encoding: chunked'
}

/** The bytes of a request, in the pieces in which they are sent. */
export function piecesOf(raw: Raw): Buffer[] {
  const head = Buffer.from(`${[...lines(raw)].join('\r\n')}\r\n\r\n`)
  const { body } = raw
  if (body === undefined) return [head]
  if (typeof body === 'string' || Buffer.isBuffer(body)) return [Buffer.concat([head, bytesOf(body)])]
  const chunks = body.map(bytesOf).map((each) => Buffer.concat([Buffer.from(`${each.length.toString(16)}\r\n`), each, Buffer.from('\r\n')]))
  return [head, ...chunks, Buffer.from('0\r\n\r\n')]
}

/** Sends pieces one after the other on a connection of their own, and reads until it is closed, or a stream of chunks has ended. */
export async function exchange(url: string, pieces: readonly Buffer[]): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const received: Buffer[] = []
  let last = ''
  socket.on('data', (data) => {
    received.push(data)
    last = (last + data.toString('latin1')).slice(-7)
    if (last === '\r\n0\r\n\r\n') socket.end()
  })
  // What is not read of a body that is too large breaks the connection, after the answer.
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (const piece of pieces) {
    if (socket.destroyed) break
    await new Promise((resolve) => socket.write(piece, resolve))
    if (pieces.length > 1) await new Promise(setImmediate)
  }
  await closed
  return Buffer.concat(received)
}

/** The answers in some bytes; several where requests came in one connection. A body in chunks is all that follows. */
export function repliesIn(bytes: Buffer): Reply[] {
  const text = bytes.toString('latin1')
  const replies: Reply[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at)
    const [status = '', ...headers] = text.slice(at, end).split('\r\n')
    const length = / (100|204|304) /.test(status) ? 0 : Number(/^content-length: (\d+)$/im.exec(headers.join('\n'))?.[1] ?? text.length)
    const body = Buffer.from(text.slice(end + 4, end + 4 + length), 'latin1').toString('utf8')
    const told = headers.map((each) => each.replace(/^[^:]+/, (name) => name.toLowerCase())).filter((each) => !each.startsWith('date:'))
    replies.push({ status, headers: told.sort(), body })
    at = end + 4 + length
  }
  return replies
}
