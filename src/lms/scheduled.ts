import { storageError } from './storage-errors.js'
import type { Store } from './store.js'
import { gmtText } from './time.js'

/** Milliseconds between two looks. */
const EVERY = 1000

const TABLES = ['groups', 'courses', 'lessons', 'quizzes']
/** Few records wait, many have a date that has come: the plus keeps SQLite from looking by date. */
const DUE = "status = 'future' AND +date_gmt <= ?1"
const IS_DUE = TABLES.map((table) => `SELECT 1 FROM ${table} WHERE ${DUE}`).join(' UNION ALL ')

/** Publishes waiting records whose date has come; to be called before each request, as it has no clock of its own. */
export function scheduler(store: Store): () => void {
  let next = 0
  return () => {
    const now = Date.now()
    if (now < next) return
    next = now + EVERY
    const date = gmtText(now)
    if (store.readOnly || !store.row(`${IS_DUE} LIMIT 1`, date)) return
    try {
      store.transaction(() => {
        for (const table of TABLES) store.run(`UPDATE ${table} SET status = 'publish' WHERE ${DUE}`, date)
      })
    } catch (error) {
      // The request may be a read, which needs no disk. They are published as soon as they can be.
      if (!storageError(error)) throw error
    }
  }
}
