import { parentPort, workerData } from 'node:worker_threads'
import { DataFileError } from './errors.js'
import { startLms } from './listen.js'
import type { WorkerMessage, WorkerOptions } from './thread.js'

// Entry of the LMS's own thread.
const port = parentPort!
const tell = (message: WorkerMessage): void => port.postMessage(message)
const { report, ...options } = workerData as WorkerOptions

try {
  const lms = await startLms({ ...options, onCall: report ? (call) => tell({ kind: 'call', call }) : undefined })
  port.once('message', async () => {
    await lms.close()
    // The port keeps the thread alive; messages already posted still arrive.
    port.close()
  })
  tell({ kind: 'ready', url: lms.url, port: lms.port, warnings: lms.warnings })
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error), ofDataFile: error instanceof DataFileError })
  port.close()
}
