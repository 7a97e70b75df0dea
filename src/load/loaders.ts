import DataLoader from 'dataloader'
import { getOrMake } from '../maps.js'
import type { Entity, LmsRecord } from '../model/entity.js'
import type { BatchEnds, BatchFunction, ReadContext } from '../model/reads.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import type { LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
import { readRecords } from './loading.js'

/** DataLoaders only batch: what was read is kept in the states of records and lists. */
const NO_CACHE = { cache: false }

/** The DataLoaders of the resolvers of one operation. Each reads together what one tick asks for. */
export class Loaders {
  private readonly byWhat = new Map<unknown, DataLoader<any, unknown>>()
  private readonly byId = new Map<Entity, DataLoader<Key, LmsRecord | null>>()

  constructor(private readonly context: ReadContext) {}

  /** The DataLoader that runs a batch function. `what` stands for what it reads: a type, or lists with equal arguments. */
  of<Read>(what: unknown, run: BatchFunction<Read>): DataLoader<Read, unknown> {
    return getOrMake(this.byWhat, what, () => new DataLoader<Read, unknown>((reads) => eachEnd(reads, run(reads, this.context)), NO_CACHE))
  }

  /** The DataLoader of a type by id. It reads all columns that `context=view` sends. Rejects with the error of a record that could not be read. */
  byIdOf(entity: Entity): DataLoader<Key, LmsRecord | null> {
    return getOrMake(this.byId, entity, () => new DataLoader<Key, LmsRecord | null>((keys) => this.readByIds(entity, keys), NO_CACHE))
  }

  private async readByIds(entity: Entity, keys: readonly Key[]): Promise<(LmsRecord | null | LmsError)[]> {
    const { shape } = entity
    const columns = shape.set(shape.names) & ~shape.editOnly
    const store = this.context.records.store({ entity })
    // Another batch may be reading some of these records.
    store.isReadAhead = true
    const states = keys.map((key) => store.stateOf(key))
    await readRecords([{ states: [...new Set(states)], columns, ahead: NO_COLUMNS }], this.context)
    return states.map(({ value }) => value as LmsRecord | null | LmsError)
  }
}

const known = new WeakMap<ReadContext, Loaders>()

/** The DataLoaders for records that a batch function reads itself, such as a record that a filter names. */
export const loadersOf = (context: ReadContext): Loaders => getOrMake(known, context, () => new Loaders(context))

/** The end of each read, as a DataLoader expects it. A value that is a promise ends its read when it is resolved. */
const eachEnd = <Read>(reads: readonly Read[], ends: BatchEnds): Promise<readonly unknown[]> =>
  ends instanceof Promise ? ends.then(() => reads) : Promise.resolve(ends)

/**
 * The DataLoader of one batch of a layout. It is dispatched with the last of its loads, not at the end of the tick. It is made for this batch only:
 * a DataLoader has one open batch, so that the reads of another wave would join it, and a later load would wait for ever.
 */
export class PlannedLoader<Read> {
  private readonly loader: DataLoader<Read, unknown>
  private dispatch: () => void = () => {}

  constructor(
    /** The number of loads that it waits for. */
    private left: number,
    run: (reads: readonly Read[]) => BatchEnds,
  ) {
    const batchScheduleFn = (dispatch: () => void): void => {
      this.dispatch = dispatch
    }
    this.loader = new DataLoader<Read, unknown>((reads) => eachEnd(reads, run(reads)), { cache: false, batchScheduleFn })
  }

  /** Resolves when the read has ended. */
  load(read: Read): Promise<unknown> {
    const done = this.loader.load(read)
    if (--this.left === 0) this.dispatch()
    return done
  }
}
