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

/** An undici handler that collects one answer. */
export class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined
  private aborted: Error | undefined
  private status = 0
  private headers: Answered['headers'] = {}
  private chunks: Buffer[] = []
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
    this.controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.aborted) controller.abort(this.aborted)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Answered['headers']): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.receiver.answering()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length
    this.chunks.push(chunk)
    const { memory } = this
    if (memory) memory.used += chunk.length
    const isTooLarge = this.bytes > this.maxBytes
    if (!isTooLarge && (!memory || memory.used <= memory.limit)) return
    this.tooLarge = isTooLarge
    // Stryker disable next-line ArrayDeclaration: The chunks are not read again.
    this.chunks = []
    this.abort(memory && this.bytes > memory.limit ? new OperationTooLargeError() : new ServerBusyError())
  }

  onResponseEnd(): void {
    this.releaseMemory()
    const body = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks)
    this.receiver.answered({ status: this.status, headers: this.headers, body })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { status, bytes, tooLarge } = this
    this.releaseMemory()
    this.receiver.failed({ error: this.aborted ?? error, status, bytes, isTooLarge: tooLarge })
  }

  private releaseMemory(): void {
    if (this.memory) this.memory.used -= this.bytes
  }
}
