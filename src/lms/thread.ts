import { Worker } from 'node:worker_threads'
import type { LmsCall } from './app.js'
import { DataFileError } from './errors.js'
import type { LmsOptions, RunningLms } from './listen.js'

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

/** Megabytes for short-lived objects, which most objects of a request are. */
const YOUNG_GENERATION = 64

/** The entry file of the thread: that of the build, or from source `worker.ts` behind the TypeScript loader. */
function entry(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./worker.js', import.meta.url)
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
    const ended = new Promise<void>((done) => worker.once('exit', () => done()))
    worker.once('error', reject)
    worker.on('message', (message: WorkerMessage) => {
      // The open port keeps the thread alive, and Deno cannot close it in the thread.
      if (message.kind === 'closed' || message.kind === 'failed') void worker.terminate()
      if (message.kind === 'call') onCall?.(message.call)
      else if (message.kind === 'failed') reject(message.ofDataFile ? new DataFileError(message.message) : new Error(message.message))
      else if (message.kind === 'ready') {
        worker.off('error', reject)
        resolve({ url: message.url, port: message.port, warnings: message.warnings, close: () => closeWorker(worker, ended) })
      }
    })
    void ended.then(() => reject(new Error('The thread of the LMS ended before it was ready.')))
  })
}

function closeWorker(worker: Worker, ended: Promise<void>): Promise<void> {
  worker.postMessage('close')
  return ended
}
