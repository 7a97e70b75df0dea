import { expect, it } from 'vitest'
import { SCHOOL } from '../../src/lms/school.js'
import { seedSchool } from '../../src/lms/seed.js'
import { Store } from '../../src/lms/store.js'

it('the school the build leaves is the one the code makes, row by row', () => {
  const [copied, made] = [new Store(undefined, SCHOOL), new Store(undefined, (empty) => seedSchool(empty, 1))]
  const schema = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name'
  expect(copied.rows(schema)).toEqual(made.rows(schema))
  const tables = made.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map(([name]) => name)
  expect(tables.length).toBeGreaterThan(10)
  for (const table of tables) {
    const rows = `SELECT * FROM ${table} ORDER BY 1, 2`
    expect([table, copied.rows(rows)]).toEqual([table, made.rows(rows)])
  }
  copied.close()
  made.close()
})
