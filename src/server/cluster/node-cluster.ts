import cluster, { type Worker } from 'node:cluster'

// Two gaps of `node:cluster` that need its internals, as they are in Node 20 to 24. `test/cluster/workers.test.ts` fails when they change:
// 'leaves no client waiting whose connection it did not accept', and 'ends with the primary, after running requests'.

/**
 * Closes the connection that a worker was given but did not accept before it exited. Node keeps it open in the primary, so its client would
 * wait forever. The primary gives one connection at a time, and a worker confirms each with an internal message.
 */
export function closeUntaken(worker: Worker): void {
  const { process: child } = worker
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean
  let given: { close?(): void } | undefined
  child.send = (message: unknown, handle?: unknown, ...rest: readonly unknown[]) => {
    if (handle) given = handle as typeof given
    return send(message, handle, ...rest)
  }
  // Before Node handles the confirmation, and gives the next connection.
  child.prependListener('internalMessage' as 'message', (message) => {
    if ((message as { ack?: number }).ack !== undefined) given = undefined
  })
  worker.once('exit', () => given?.close?.())
}

/** Calls back in a worker when the primary has gone, and keeps Node from exiting at once: running requests can be answered. */
export function onPrimaryGone(gone: () => void): void {
  cluster.worker?.on('disconnect', () => {
    Object.assign(cluster.worker as object, { exitedAfterDisconnect: true })
    gone()
  })
}
