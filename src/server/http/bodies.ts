import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { MemoryBudget, RequestMemory } from '../../upstream/transport/memory.js'
import { badRequest, bodyTooLarge, type PlainAnswer, SERVER_BUSY, timedOut, withHeaders } from './responses.js'

/** Share of the memory budget for bodies that are being received. */
const SHARE = 1 / 4
/** Bytes per second that a client has to send, and the milliseconds after which that is demanded. */
const LEAST_SPEED = 2_000
const GRACE = 5_000
/** Milliseconds between checks of the speed. */
const SWEEP = 1_000

const closing = (answer: PlainAnswer): PlainAnswer => withHeaders(answer, { connection: 'close' })
const TOO_SLOW = closing(timedOut)
const NO_ROOM = closing(SERVER_BUSY)
/** Not sent: the client has disconnected. */
const INCOMPLETE = badRequest(400, 'The body is incomplete.')

/**
 * The bodies of requests that are being received. Each takes its announced length from the memory budget before it is read, or the largest one if
 * it has none. When they need more than their share of the budget, bodies of the owner that has reserved most are given up, the oldest first.
 */
export class Bodies {
  /** In the order in which they began. */
  private readonly unfinished = new Set<IncomingBody>()
  private reserved = 0
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly budget: MemoryBudget) {}

  /** Begins a body of `most` bytes or less; `length` is its `Content-Length`. */
  begin(memory: RequestMemory, length: string | null | undefined, most: number): IncomingBody {
    const given = Number(length ?? most)
    const isTooLong = given > most
    // Hosts that call `fetch` may pass any text on.
    const announced = given >= 0 && given <= most ? given : most
    const body = new IncomingBody(this, memory, announced, most)
    if (isTooLong) {
      body.end(closing(bodyTooLarge(most)))
      return body
    }
    const share = Math.max(this.budget.limit * SHARE, most)
    while (this.reserved + announced > share) this.oldestOfLargest()?.end(NO_ROOM)
    this.unfinished.add(body)
    this.reserved += announced
    memory.add(announced)
    this.timer ??= setInterval(() => this.sweep(), SWEEP).unref()
    return body
  }

  /** Called by a body at its end. */
  ended(body: IncomingBody, memory: RequestMemory, reserved: number, held: number): void {
    if (!this.unfinished.delete(body)) return
    this.reserved -= reserved
    memory.add(held - reserved)
  }

  /** The oldest body of the owner that has reserved most. */
  private oldestOfLargest(): IncomingBody | undefined {
    const byOwner = new Map<string, number>()
    for (const { owner, reserved } of this.unfinished) byOwner.set(owner, (byOwner.get(owner) ?? 0) + reserved)
    const most = Math.max(...byOwner.values())
    for (const body of this.unfinished) if (byOwner.get(body.owner) === most) return body
    return undefined
  }

  /** Gives up the bodies that are received too slowly. */
  private sweep(): void {
    const now = performance.now()
    for (const body of this.unfinished) {
      const age = now - body.since
      // Later bodies are younger.
      if (age < GRACE) break
      if (body.size < (age / 1_000) * LEAST_SPEED) body.end(TOO_SLOW)
    }
    if (this.unfinished.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}

/** The body of one request. */
class IncomingBody {
  readonly since = performance.now()
  size = 0
  /** Who sends it. */
  readonly owner: string
  /** The bytes, or the answer to a request whose body is given up. */
  readonly received: Promise<Buffer | PlainAnswer>
  private readonly chunks: Uint8Array[] = []
  private resolve: ((body: Buffer | PlainAnswer) => void) | undefined

  constructor(
    private readonly bodies: Bodies,
    private readonly memory: RequestMemory,
    readonly reserved: number,
    private readonly most: number,
  ) {
    this.owner = memory.ownerName
    this.received = new Promise((resolve) => {
      this.resolve = resolve
    })
  }

  /** Adds bytes. False when no more are needed. */
  add(chunk: Uint8Array): boolean {
    if (!this.resolve) return false
    this.size += chunk.length
    if (this.size > this.most) this.end(closing(bodyTooLarge(this.most)))
    else this.chunks.push(chunk)
    return this.resolve !== undefined
  }

  /** Ends the body: with the bytes that were received, or an answer. */
  end(answer?: PlainAnswer): void {
    const { resolve, chunks } = this
    if (!resolve) return
    const [only] = chunks
    const bytes = chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks)
    this.resolve = undefined
    chunks.length = 0
    this.bodies.ended(this, this.memory, this.reserved, answer ? 0 : this.size)
    resolve(answer ?? bytes)
  }

  /** Ends the body of a client that has disconnected. */
  abandon(): void {
    this.end(INCOMPLETE)
  }
}

/** Whether a `Content-Length` is over a limit. */
export const isLonger = (length: string, most: number): boolean => Number(length) > most

/** Where a body comes from: a stream, or the bytes that a framework has read before. */
export type BodySource = IncomingMessage | ReadableStream<Uint8Array> | Buffer | null

/** Receives a body. A stream is not cancelled: that would close the connection before the answer is sent. */
export function receiveFrom(source: BodySource, body: IncomingBody): Promise<Buffer | PlainAnswer> {
  if (source === null || Buffer.isBuffer(source)) {
    if (source) body.add(source)
    body.end()
  } else if (isStream(source)) pump(source, body).catch(() => body.end(INCOMPLETE))
  else {
    source.on('data', (chunk: Buffer) => body.add(chunk))
    source.on('end', () => body.end())
  }
  return body.received
}

/** Whether a source is a stream of the fetch API. Not by `in` or `instanceof`: Yoga passes a proxy of the stream of Node.js. */
const isStream = (source: IncomingMessage | ReadableStream<Uint8Array>): source is ReadableStream<Uint8Array> =>
  typeof (source as Partial<ReadableStream>).getReader === 'function'

async function pump(source: ReadableStream<Uint8Array>, body: IncomingBody): Promise<void> {
  for (const reader = source.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return body.end()
    if (!body.add(value)) return
  }
}
