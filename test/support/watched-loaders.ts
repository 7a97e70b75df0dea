import { AsyncLocalStorage } from 'node:async_hooks'
import DataLoader from 'dataloader'
import { Client } from '../../src/upstream/client.js'

/** Whose loads a batch serves: those of a layout, or those that resolvers make within one tick. */
export type Kind = 'prefetch' | 'resolvers'

/** One run of the batch function of a DataLoader. */
interface Batch {
  readonly kind: Kind
  readonly keys: number
}

/** What ran since the counts were taken last. */
export class LoaderCounts {
  readonly batches = { prefetch: 0, resolvers: 0 }
  readonly keys = { prefetch: 0, resolvers: 0 }
  /** Calls of `Client.list` and `Client.get` inside the batches of each kind. */
  readonly calls = { prefetch: 0, resolvers: 0 }
  readonly viewer: string[] = []
  readonly writes: string[] = []
  /** Reads outside of all batches. */
  readonly outside: string[] = []
  /** DataLoaders of prefetches whose batch function ran more than once. */
  repeated = 0
  /** DataLoaders of prefetches that were asked and have not run their batch function. */
  readonly waiting = new Set<object>()

  /** Adds the counts of several operations. */
  static sum(all: readonly LoaderCounts[]): LoaderCounts {
    const sum = new LoaderCounts()
    for (const { batches, keys, calls, viewer, writes } of all) {
      for (const kind of ['prefetch', 'resolvers'] as const) {
        sum.batches[kind] += batches[kind]
        sum.keys[kind] += keys[kind]
        sum.calls[kind] += calls[kind]
      }
      sum.viewer.push(...viewer)
      sum.writes.push(...writes)
    }
    return sum
  }

  toString(): string {
    const { batches, keys, calls, viewer, writes } = this
    const of = (kind: Kind): string => `${batches[kind]} batches with ${keys[kind]} keys and ${calls[kind]} calls`
    return `prefetch ${of('prefetch')}, resolvers ${of('resolvers')}; ${viewer.length} calls for the viewer, ${writes.length} writes`
  }
}

/** The members of a DataLoader that no type declares. */
interface Inner {
  _batchLoadFn: (keys: readonly unknown[]) => Promise<unknown>
  readonly _batchScheduleFn: unknown
}

const inner = (loader: unknown): Inner => loader as Inner

/** How a DataLoader without options schedules its batches. */
const TICK = inner(new DataLoader(async (keys) => keys))._batchScheduleFn

/**
 * Watches the DataLoaders and the clients of this process: whether each call of `Client.list` and `Client.get` is made inside the batch function of
 * a DataLoader, or by what one has started. Restore it afterwards: test files share their processes.
 */
export class WatchedLoaders {
  private counts = new LoaderCounts()
  private readonly running = new AsyncLocalStorage<Batch>()
  private readonly ordinary = {
    load: DataLoader.prototype.load,
    list: Client.prototype.list,
    get: Client.prototype.get,
    write: Client.prototype.write,
  }
  private readonly runs = new WeakMap<object, number>()

  constructor() {
    const watched = this
    const { load, list, get, write } = this.ordinary
    DataLoader.prototype.load = function (key) {
      if (!watched.runs.has(this)) watched.watch(this)
      return load.call(this, key)
    }
    Client.prototype.list = function (...args) {
      const [{ path }, , query] = args
      if (path === 'v1/groups' && query.context === 'edit' && query.per_page === 1) watched.counts.viewer.push(path)
      else watched.read(`list ${path}`)
      return list.apply(this, args)
    }
    Client.prototype.get = function (...args) {
      const [{ path }] = args
      if (path === 'wp/v2/users/me') watched.counts.viewer.push(path)
      else watched.read(`get ${path}`)
      return get.apply(this, args)
    }
    Client.prototype.write = function (...args) {
      watched.counts.writes.push(args[1].path)
      return write.apply(this, args)
    }
  }

  /** The counts since the last call. */
  take(): LoaderCounts {
    const { counts } = this
    this.counts = new LoaderCounts()
    return counts
  }

  restore(): void {
    const { load, list, get, write } = this.ordinary
    DataLoader.prototype.load = load
    Object.assign(Client.prototype, { list, get, write })
  }

  private watch(loader: object): void {
    const found = inner(loader)
    const kind: Kind = found._batchScheduleFn === TICK ? 'resolvers' : 'prefetch'
    const run = found._batchLoadFn
    this.runs.set(loader, 0)
    if (kind === 'prefetch') this.counts.waiting.add(loader)
    found._batchLoadFn = (keys) => {
      const { counts, runs } = this
      const times = (runs.get(loader) as number) + 1
      runs.set(loader, times)
      counts.waiting.delete(loader)
      if (kind === 'prefetch' && times > 1) counts.repeated++
      counts.batches[kind]++
      counts.keys[kind] += keys.length
      return this.running.run({ kind, keys: keys.length }, () => run.call(loader, keys))
    }
  }

  private read(what: string): void {
    const batch = this.running.getStore()
    if (batch) this.counts.calls[batch.kind]++
    else this.counts.outside.push(what)
  }
}
