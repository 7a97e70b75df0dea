import { covers } from '../../upstream/codec/records.js'
import type { LmsError } from '../../upstream/errors.js'
import type { ListRoute } from '../../upstream/routes.js'
import { PartReader } from './part-reader.js'
import { type RecordState, WHOLE } from './records.js'

/** Reads records from a table that is read whole. What it does not show does not exist, and need not be asked for again. */
export class TableReader extends PartReader {
  override async load(): Promise<unknown> {
    const { table } = this.byKey
    const { columns } = this.part
    const before = this.store.tableRead
    if (before && covers(before.columns, columns)) await before.done
    const whole = this.store.entry(WHOLE)
    const entries = this.part.entries.filter((entry) => !entry.settles(columns))
    if (whole.state === 'present' && whole.settles(columns)) return entries.map((entry) => entry.miss(columns))
    // One row alone is the smaller answer.
    if (!table || (entries.length < 2 && entries[0] !== whole)) return Promise.all(entries.map((entry) => this.single(entry)))
    const done = this.table(table, whole)
    this.store.tableRead = { columns, done }
    return done
  }

  private async table(route: ListRoute, whole: RecordState): Promise<void> {
    const { client, session } = this.context
    const { columns, entries } = this.part
    try {
      const { rows } = await client.list(route, {}, this.selection(route), session)
      const all = new Map<unknown, RecordState>()
      for (const row of rows) {
        const key = this.byKey.keyOf(row, {})
        if (key !== null) all.set(key, this.store.entry(key))
      }
      whole.fillWhole([...all.values()], columns)
      this.accept(rows, {}, all)
      for (const entry of entries) if (!entry.settles(columns)) entry.miss(columns)
    } catch (error) {
      for (const entry of entries) this.fail(entry, error as LmsError)
    }
  }
}
