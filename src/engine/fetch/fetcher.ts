import type { LmsRecord } from '../edges.js'
import type { PlannedEdge, Selection } from '../plan.js'
import type { Operation } from './operation.js'
import type { RecordState } from './records.js'
import { Schedule } from './schedule.js'
import { type FetchRun, Level, type Step } from './steps.js'

/**
 * Fetches what selections want, wave by wave, before their fields are resolved. Every edge reports once per level, even without
 * parents, to the group it shares its calls with; a group fires when all have reported. So there is no timer and no promise per
 * record, and a child that needs only an id already known starts at once.
 */
export class Fetcher {
  private readonly fetchRun: FetchRun
  private readonly texts: Map<RecordState, string>[] = []

  constructor(operation: Operation, variables: Readonly<Record<string, unknown>>) {
    this.fetchRun = { schedule: new Schedule(operation, variables), steps: new Map() }
  }

  /** Resolves when nothing more can be fetched ahead. Rejects only for an exception of the gateway itself; resolvers then read what is missing. */
  run(selections: readonly Selection[], parents: readonly LmsRecord[]): Promise<void> {
    new Level(this.fetchRun, selections, { key: 1, rows: 1 }).arrive(parents)
    return new Promise((resolve, reject) => {
      this.fetchRun.schedule.whenDone((fault) => (fault === undefined ? resolve() : reject(fault)))
    })
  }

  /** What a place of a compiled operation has written already, by record. */
  textsIn(place: number): Map<RecordState, string> {
    let texts = this.texts[place]
    if (!texts) {
      texts = new Map()
      this.texts[place] = texts
    }
    return texts
  }

  /** What has been fetched for a field. */
  stepOf(planned: PlannedEdge): Step | undefined {
    return this.fetchRun.steps.get(planned)
  }
}
