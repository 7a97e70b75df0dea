import { parentPort, workerData } from 'node:worker_threads'
import { DataFileError } from './errors.js'
import { startLms } from './listen.js'
import type { WorkerMessage, WorkerOptions } from './thread.js'

// Entry of the thread of the LMS.
const port = parentPort!
const send = (message: WorkerMessage): void => port.postMessage(message)
const { report, ...options } = workerData as WorkerOptions

try {
  const lms = await startLms({ ...options, onCall: report ? (call) => send({ kind: 'call', call }) : undefined })
  port.once('message', async () => {
    await lms.close()
    send({ kind: 'closed' })
  })
  send({ kind: 'ready', url: lms.url, port: lms.port, warnings: lms.warnings })
} catch (error) {
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error), ofDataFile: error instanceof DataFileError })
}
