import type { LmsError } from '../rest/errors.js'
import type { ListRoute } from '../rest/routes.js'
import { PartReader } from './part-reader.js'
import { type Entry, WHOLE } from './store.js'

/** Reads records from a table that is read whole. What it does not show does not exist, and need not be asked for again. */
export class TableReader extends PartReader {
  override load(): Promise<unknown> {
    const { table } = this.byKey
    const { entries, columns } = this.part
    const whole = this.store.entry(WHOLE)
    if (whole.state === 'present' && whole.settles(columns)) return Promise.resolve(entries.map((entry) => entry.miss(columns)))
    // One row alone is the smaller answer.
    return table && (entries.length > 1 || entries[0] === whole) ? this.table(table, whole) : super.load()
  }

  private async table(route: ListRoute, whole: Entry): Promise<void> {
    const { client, session } = this.context
    const { columns, entries } = this.part
    try {
      const { rows } = await client.list(route, {}, this.selection(route), session)
      const all = new Map<unknown, Entry>()
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
