import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { OperationTooLargeError, ServerBusyError } from '../errors.js'
import type { MemoryBudget } from './memory.js'

const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  identity: (body) => body as Buffer<ArrayBuffer>,
}

/**
 * Decodes a body by its `Content-Encoding`, which some sites send although the gateway does not request it. Returns `too large` for more than
 * `maxBytes`, and undefined when the body does not match the header.
 */
export function unpack(body: Buffer, encoding: string, maxBytes: number): Buffer | 'too large' | undefined {
  const name = encoding.trim().toLowerCase()
  if (!Object.hasOwn(UNPACK, name)) return undefined
  try {
    return UNPACK[name]?.(body, { maxOutputLength: maxBytes })
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : undefined
  }
}

/** A complete answer. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A call without a complete answer. */
export interface Failed {
  readonly error: Error
  /** 0 when no headers were received. */
  readonly status: number
  readonly bytes: number
  readonly isTooLarge: boolean
}

/** Receives the answer or the failure, once. */
export interface Receiver {
  /** The headers of the answer have been received. */
  answering(): void
  answered(answer: Answered): void
  failed(failure: Failed): void
}

/**
 * An undici handler that collects one answer. It has the older form of handlers, which receive the headers as they were sent: for the newer
 * form, undici makes an object of all of them, and three objects more for each call.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private abortCall: ((reason: Error) => void) | undefined = undefined
  private aborted: Error | undefined = undefined
  private status = 0
  private headers = NO_HEADERS
  private body: Buffer | undefined = undefined
  /** All chunks of a body that has several. */
  private chunks: Buffer[] | undefined = undefined
  private bytes = 0
  private tooLarge = false

  constructor(
    private readonly maxBytes: number,
    private readonly receiver: Receiver,
    /** Counts the bytes of the body while it is received. The exchange fails when the budget is spent. */
    private readonly memory?: MemoryBudget | undefined,
  ) {}

  abort(reason: Error): void {
    this.aborted = reason
    this.abortCall?.(reason)
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.abortCall = abort
    if (this.aborted) abort(this.aborted)
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    if (status < 200) return true
    this.status = status
    this.headers = usedHeaders(headers)
    this.receiver.answering()
    return true
  }

  onData(chunk: Buffer): boolean {
    this.bytes += chunk.length
    if (this.chunks) this.chunks.push(chunk)
    else if (this.body) this.chunks = [this.body, chunk]
    else this.body = chunk
    const { memory } = this
    if (memory) memory.used += chunk.length
    const isTooLarge = this.bytes > this.maxBytes
    if (!isTooLarge && (!memory || memory.used <= memory.limit)) return true
    this.tooLarge = isTooLarge
    this.body = undefined
    this.chunks = undefined
    this.abort(memory && this.bytes > memory.limit ? new OperationTooLargeError() : new ServerBusyError())
    return true
  }

  onComplete(): void {
    this.releaseMemory()
    const { status, headers, chunks, body = EMPTY } = this
    this.receiver.answered({ status, headers, body: chunks ? Buffer.concat(chunks) : body })
  }

  onError(error: Error): void {
    const { status, bytes, tooLarge } = this
    this.releaseMemory()
    this.receiver.failed({ error: this.aborted ?? error, status, bytes, isTooLarge: tooLarge })
  }

  private releaseMemory(): void {
    if (this.memory) this.memory.used -= this.bytes
  }
}

const NO_HEADERS: Answered['headers'] = Object.freeze({})
const EMPTY = Buffer.alloc(0)

/** Header of answers of the proxy in `deploy/haproxy/egress.cfg` to calls that it did not send, because too many were queued. */
export const EGRESS_HEADER = 'x-lms-egress'

/** Headers of answers that the gateway reads. Strings are made of these only. */
const USED = ['content-encoding', 'location', 'retry-after', 'set-cookie', EGRESS_HEADER, 'x-wp-total', 'x-wp-totalpages']

/** The used ones of the headers of an answer, which are given as names and values in turn. A header that was sent twice has an array. */
function usedHeaders(sent: readonly Buffer[]): Answered['headers'] {
  let used: Record<string, string | string[]> | undefined
  for (let at = 0; at < sent.length; at += 2) {
    const name = usedName(sent[at] as Buffer)
    if (name === undefined) continue
    const value = (sent[at + 1] as Buffer).toString('latin1')
    used ??= {}
    const before = used[name]
    used[name] = before === undefined ? value : [before, value].flat()
  }
  return used ?? NO_HEADERS
}

function usedName(sent: Buffer): string | undefined {
  for (const name of USED) if (name.length === sent.length && isNamed(sent, name)) return name
  return undefined
}

/** Whether the name of a header is `name`, in any case. */
function isNamed(sent: Buffer, name: string): boolean {
  for (let at = 0; at < name.length; at++) if (((sent[at] as number) | LOWER_CASE) !== name.charCodeAt(at)) return false
  return true
}

/** The bit by which lower-case letters differ. Hyphens have it too. */
const LOWER_CASE = 0x20
