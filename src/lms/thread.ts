import { Worker } from 'node:worker_threads'
import { PACKAGE_FOLDER } from '../package-folder.js'
import type { LmsCall } from './app.js'
import { DataFileError } from './errors.js'
import type { LmsOptions, RunningLms } from './listen.js'
import type { GivenSwitches } from './profile/switches.js'

/** Options of the worker: those that can be sent to another thread. */
export interface WorkerOptions extends Omit<LmsOptions, 'onCall'> {
  /** Whether to report each call. */
  readonly report: boolean
}

/** Messages of the worker. */
export type WorkerMessage =
  | { readonly kind: 'ready'; readonly url: string; readonly port: number; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string; readonly ofDataFile: boolean }
  | { readonly kind: 'call'; readonly call: LmsCall }
  | { readonly kind: 'closed' }
  /** The answer to the order of the same number. Without a message it was carried out. */
  | { readonly kind: 'done'; readonly number: number; readonly message?: string }

/** Messages to the worker. */
export type WorkerOrder =
  | { readonly kind: 'close' }
  | { readonly kind: 'reset'; readonly number: number }
  | { readonly kind: 'set'; readonly number: number; readonly switches: GivenSwitches }

/** Megabytes for short-lived objects, which most objects of a request are. */
const YOUNG_GENERATION = 64

/** The entry file of the thread: that of the build, or from source `worker.ts` behind the TypeScript loader. */
function entry(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('dist/lms/worker.js', PACKAGE_FOLDER)
  const loader = import.meta.resolve('tsx/esm/api')
  const source = new URL('./worker.ts', import.meta.url).href
  return new URL(`data:text/javascript,import { register } from '${loader}'; register(); await import('${source}')`)
}

function startWorker(workerData: WorkerOptions): Worker {
  return new Worker(entry(), { workerData, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION } })
}

/** Starts the LMS in a thread of its own, so that it does not block this thread. Options, result and errors are those of `startLms`. */
export function startLmsThread({ onCall, ...options }: LmsOptions = {}): Promise<RunningLms> {
  return new Promise((resolve, reject) => {
    const worker = startWorker({ ...options, report: onCall !== undefined })
    const orders = new Orders(worker)
    const ended = new Promise<void>((done) => worker.once('exit', () => done()))
    worker.once('error', reject)
    worker.on('message', (message: WorkerMessage) => {
      // The open port keeps the thread alive, and Deno cannot close it in the thread.
      if (message.kind === 'closed' || message.kind === 'failed') void worker.terminate()
      if (message.kind === 'call') onCall?.(message.call)
      else if (message.kind === 'failed') reject(message.ofDataFile ? new DataFileError(message.message) : new Error(message.message))
      else if (message.kind === 'done') orders.settle(message)
      else if (message.kind === 'ready') {
        worker.off('error', reject)
        const { url, port, warnings } = message
        resolve({
          url,
          port,
          warnings,
          set: (switches) => orders.give((number) => ({ kind: 'set', number, switches })),
          reset: () => orders.give((number) => ({ kind: 'reset', number })),
          close: () => closeWorker(worker, ended),
        })
      }
    })
    void ended.then(() => {
      orders.end()
      reject(new Error('The thread of the LMS ended before it was ready.'))
    })
  })
}

function closeWorker(worker: Worker, ended: Promise<void>): Promise<void> {
  worker.postMessage({ kind: 'close' } satisfies WorkerOrder)
  return ended
}

/** Orders to a worker that wait for their answers. */
class Orders {
  readonly #waiting = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>()
  #last = 0
  #hasEnded = false

  constructor(private readonly worker: Worker) {}

  give(order: (number: number) => WorkerOrder): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(closed())
      const number = ++this.#last
      this.#waiting.set(number, { resolve, reject })
      this.worker.postMessage(order(number))
    })
  }

  settle({ number, message }: { readonly number: number; readonly message?: string }): void {
    const order = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (message === undefined) order?.resolve()
    else order?.reject(new RangeError(message))
  }

  end(): void {
    this.#hasEnded = true
    for (const { reject } of this.#waiting.values()) reject(closed())
    this.#waiting.clear()
  }
}

const closed = (): Error => new Error('The LMS is closed.')
