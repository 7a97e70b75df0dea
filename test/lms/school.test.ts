import { expect, it } from 'vitest'
import { SEARCHED } from '../../src/lms/search-index.js'
import { SCHOOL, seedSchool } from '../../src/lms/seed.js'
import { Store } from '../../src/lms/store.js'

it('the file of the build has the rows that the code makes', () => {
  const [copied, made] = [new Store(undefined, SCHOOL), new Store(undefined, (empty) => seedSchool(empty, 1))]
  const schema = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name'
  expect(copied.rows(schema)).toEqual(made.rows(schema))
  // The layout of full-text indexes may differ; the rows they find may not.
  const tables = made
    .rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%!_search%' ESCAPE '!'")
    .map(([name]) => name)
  expect(tables.length).toBeGreaterThan(10)
  for (const table of tables) {
    const rows = `SELECT * FROM ${table} `
    const sorted = (store: Store): string[] =>
      store
        .rows(rows)
        .map((row) => JSON.stringify(row))
        .sort()
    expect([table, sorted(copied)]).toEqual([table, sorted(made)])
  }
  for (const table of SEARCHED) {
    for (const gram of ['equ', 'the', 'lea', '<p>', 'zzz']) {
      const found = (store: Store) =>
        store.rows(`SELECT rowid FROM ${table}_search WHERE ${table}_search MATCH ? ORDER BY rowid`, `"${gram}"`)
      expect([table, gram, found(copied)]).toEqual([table, gram, found(made)])
    }
    const [[indexed], [all]] = [copied.row(`SELECT count(*) FROM ${table}_search_docsize`)!, copied.row(`SELECT count(*) FROM ${table}`)!]
    expect(indexed).toBe(all)
  }
  copied.close()
  made.close()
})
