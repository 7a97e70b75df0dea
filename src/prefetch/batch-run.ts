import { readLists, showsAll } from '../load/listing.js'
import { PlannedLoader } from '../load/loaders.js'
import { readRecords } from '../load/loading.js'
import { lookUp } from '../load/lookups.js'
import type { ListState } from '../model/connection.js'
import type { ListArgs } from '../model/edge.js'
import type { BatchFunction, KeyRead, ListRead, ReadContext, SlugRead } from '../model/reads.js'
import type { RecordState } from '../model/records.js'
import type { Batch } from '../plan/layout.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import type { WaveSpan } from './wave-spans.js'

/** What the batches of each kind run. */
const BATCH_FUNCTIONS = { records: readRecords, slugs: lookUp, lists: readLists }

type AnyRead = KeyRead | SlugRead | ListRead

/** One batch of a layout in one operation: its DataLoader, and the lists that it reads. */
export class BatchRun {
  /** Its lists, by the names of their scopes. */
  readonly lists = new Map<string, ListState>()
  /** Batches that may show records of this one. */
  readonly after: BatchRun[] = []
  private readonly loader: PlannedLoader<AnyRead>
  private end: () => void = () => {}
  private readonly ended = new Promise<void>((resolve) => {
    this.end = resolve
  })

  constructor(
    readonly batch: Batch,
    private readonly context: ReadContext,
    private readonly span: WaveSpan | undefined,
  ) {
    this.loader = new PlannedLoader(batch.loads, (reads) => this.read(reads))
  }

  /** Loads what one step needs on one level. */
  load(read: AnyRead): Promise<unknown> {
    return this.loader.load(read)
  }

  private async read(reads: readonly AnyRead[]): Promise<readonly Promise<unknown>[]> {
    if (this.after.length > 0) await this.missThoseNotShown(reads as readonly KeyRead[])
    const run = BATCH_FUNCTIONS[this.batch.reads.kind] as BatchFunction<AnyRead>
    this.span?.batchBegins()
    const ends = run(reads, this.context)
    Promise.allSettled(ends).then(() => {
      this.span?.batchEnds()
      this.end()
    })
    return ends
  }

  /** Waits for lists that may show the records. A record that a list of all records does not show is missing. */
  private async missThoseNotShown(reads: readonly KeyRead[]): Promise<void> {
    for (const run of this.after) await run.ended
    for (const { states } of reads)
      for (const state of states) if (state.status === 'mentioned' && this.after.some((run) => run.lacks(state))) state.miss(NO_COLUMNS)
  }

  /** Whether its lists show all records with the scope of a record, and so would show it. */
  private lacks({ key, store }: RecordState): boolean {
    const { reads } = this.batch
    const scope = store.entity.byKey?.many?.scope
    return scope !== undefined && reads.kind === 'lists' && showsAll(this.lists, reads.args.value as ListArgs, scope(key))
  }
}
