import { parentPort, workerData } from 'node:worker_threads'
import { DataFileError } from './errors.js'
import { type RunningLms, startLms } from './listen.js'
import type { WorkerMessage, WorkerOptions, WorkerOrder } from './thread.js'

// Entry of the thread of the LMS.
const port = parentPort!
const send = (message: WorkerMessage): void => port.postMessage(message)
const { report, ...options } = workerData as WorkerOptions

/** Carries out an order. Returns why it was refused, if it was. */
async function refusalOf(lms: RunningLms, order: Exclude<WorkerOrder, { kind: 'close' }>): Promise<{ message?: string }> {
  try {
    await (order.kind === 'set' ? lms.set(order.switches) : lms.reset())
    return {}
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}

try {
  const lms = await startLms({ ...options, onCall: report ? (call) => send({ kind: 'call', call }) : undefined })
  port.on('message', async (order: WorkerOrder) => {
    if (order.kind !== 'close') return send({ kind: 'done', number: order.number, ...(await refusalOf(lms, order)) })
    await lms.close()
    send({ kind: 'closed' })
  })
  send({ kind: 'ready', url: lms.url, port: lms.port, warnings: lms.warnings })
} catch (error) {
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error), ofDataFile: error instanceof DataFileError })
}
