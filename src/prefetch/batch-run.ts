import { readLists, showsAll } from '../load/listing.js'
import { PlannedLoader } from '../load/loaders.js'
import { readRecords } from '../load/loading.js'
import { lookUp } from '../load/lookups.js'
import type { ListState } from '../model/connection.js'
import type { ListArgs } from '../model/edge.js'
import type { BatchEnds, BatchFunction, KeyRead, ListRead, ReadContext, SlugRead } from '../model/reads.js'
import type { RecordState } from '../model/records.js'
import type { Batch } from '../plan/layout.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import { Gate } from './gate.js'
import type { WaveSpan } from './wave-spans.js'

/** What the batches of each kind run. */
const BATCH_FUNCTIONS = { records: readRecords, slugs: lookUp, lists: readLists }

type AnyRead = KeyRead | SlugRead | ListRead

/** One batch of a layout in one operation: its DataLoader, and the lists that it reads. */
export class BatchRun {
  /** Its lists, by the names of their scopes. */
  readonly lists = new Map<string, ListState>()
  private readonly loader: PlannedLoader<AnyRead>
  /** Runs that may show records of this one. */
  private readonly before: BatchRun[] = []
  /** Opens when its reads have ended; for runs that come after it. */
  private ended: Gate | undefined

  constructor(
    readonly batch: Batch,
    private readonly context: ReadContext,
    private readonly span: WaveSpan | undefined,
  ) {
    this.loader = new PlannedLoader(batch.loads, (reads) => this.read(reads))
  }

  /** Lets it run after another one. */
  follow(run: BatchRun): void {
    run.ended ??= new Gate()
    this.before.push(run)
  }

  /** Loads what one step needs on one level. */
  load(read: AnyRead): Promise<unknown> {
    return this.loader.load(read)
  }

  private read(reads: readonly AnyRead[]): BatchEnds {
    if (this.before.length === 0) return this.run(reads)
    return this.missThoseNotShown(reads as readonly KeyRead[]).then(() => this.run(reads))
  }

  private run(reads: readonly AnyRead[]): BatchEnds {
    const { ended, span } = this
    span?.batchBegins()
    const ends = (BATCH_FUNCTIONS[this.batch.reads.kind] as BatchFunction<AnyRead>)(reads, this.context)
    if (span || ended)
      Promise.allSettled([ends].flat()).then(() => {
        span?.batchEnds()
        ended?.open()
      })
    return ends
  }

  /** Waits for lists that may show the records. A record that a list of all records does not show is missing. */
  private async missThoseNotShown(reads: readonly KeyRead[]): Promise<void> {
    for (const run of this.before) await run.ended?.opened
    for (const { states } of reads)
      for (const state of states) if (state.status === 'mentioned' && this.before.some((run) => run.lacks(state))) state.miss(NO_COLUMNS)
  }

  /** Whether its lists show all records with the scope of a record, but not this one. */
  private lacks({ key, store }: RecordState): boolean {
    const { reads } = this.batch
    const scope = store.entity.byKey?.many?.scope
    return scope !== undefined && reads.kind === 'lists' && showsAll(this.lists, reads.args.value as ListArgs, scope(key))
  }
}
