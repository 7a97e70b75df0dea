import type { LmsRecord } from '../model/entity.js'
import type { Arguments } from '../plan/arguments.js'
import type { PlannedEdge, Selection } from '../plan/plan.js'
import type { Viewer } from '../upstream/site/viewers.js'
import type { Operation } from './operation.js'
import { Schedule } from './schedule.js'
import { type FetchRun, Level, type Step } from './steps.js'
import { unbatchedCalls } from './unbatched.js'

/**
 * Fetches the records of a plan, wave by wave. Every step reports once per level to its batch, even without parents, and a batch runs when
 * all its steps have reported. So there is no timer and no promise per record, and a step that needs only a known key starts at once.
 */
export class Fetcher {
  /** The most characters that the response may have. */
  mostCharacters = Number.POSITIVE_INFINITY
  private readonly fetchRun: FetchRun

  constructor(
    readonly operation: Operation,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.fetchRun = { schedule: new Schedule(operation, variables), steps: new Map() }
  }

  /** Resolves when all batches have ended. Rejects only for an exception of the gateway itself; resolvers then read the missing records. */
  run(selections: readonly Selection[], parents: readonly LmsRecord[]): Promise<void> {
    const { recorder } = this.fetchRun.schedule.operation
    new Level(this.fetchRun, selections, { key: 1, rows: 1 }).arrive(parents)
    const done = new Promise<void>((resolve, reject) => {
      this.fetchRun.schedule.whenDone((fault) => (fault === undefined ? resolve() : reject(fault)))
    })
    if (!recorder) return done
    return done.then(() => {
      recorder.unbatched += unbatchedCalls(this.fetchRun, recorder.paths, selections, parents)
    })
  }

  /** The caller, when that is known. Throws the `LmsError` that kept the gateway from learning it. */
  get viewer(): Viewer | null {
    return this.operation.knownViewer
  }

  /** The checked arguments of the fields of the operation. */
  get arguments(): Arguments {
    return this.fetchRun.schedule.arguments
  }

  /** The step that was run for a field. */
  stepOf(planned: PlannedEdge): Step | undefined {
    return this.fetchRun.steps.get(planned)
  }
}
