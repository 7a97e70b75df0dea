import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Outcome, Sequence } from './run.js'

/** A sequence to run, with its number. */
export interface Task {
  readonly number: number
  readonly sequence: Sequence
}

/** The outcomes of its operations. */
export interface Answered {
  readonly number: number
  readonly outcomes: readonly Outcome[]
}

const MOST_PROCESSES = 4

/** Runs sequences in one process for each core, and hands over the outcomes as they come. */
export async function runAll(
  sequences: Iterable<Sequence>,
  { folder = '', options = '{}' }: { readonly folder?: string | undefined; readonly options?: string | undefined },
  onOutcomes: (task: Task, outcomes: readonly Outcome[]) => void,
): Promise<void> {
  const tasks = numbered(sequences)
  const count = Math.min(availableParallelism(), MOST_PROCESSES)
  const execArgv = [...process.execArgv, '--disable-warning=ExperimentalWarning']
  const workers = Array.from({ length: count }, () =>
    fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [folder, options], { execArgv }),
  )
  try {
    await Promise.all(workers.map((worker) => feed(worker, tasks, onOutcomes)))
  } finally {
    for (const worker of workers) worker.kill()
  }
}

function* numbered(sequences: Iterable<Sequence>): Generator<Task, void> {
  let number = 0
  for (const sequence of sequences) yield { number: number++, sequence }
}

/** Gives a process one task after the other. */
function feed(
  worker: ChildProcess,
  tasks: Iterator<Task, void>,
  onOutcomes: (task: Task, outcomes: readonly Outcome[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let task: Task | undefined
    const next = (): void => {
      const { value } = tasks.next()
      task = value || undefined
      if (task) worker.send(task)
      else resolve()
    }
    worker.on('message', ({ outcomes }: Answered) => {
      onOutcomes(task as Task, outcomes)
      next()
    })
    worker.once('exit', (code) => reject(new Error(`A process ended with the exit code ${code}.`)))
    next()
  })
}
