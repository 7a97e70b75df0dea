import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openSchool } from '../../src/lms/school.js'
import { seedSchool } from '../../src/lms/seed.js'
import { Store, type StoreFile } from '../../src/lms/store.js'

it('the file of the build is decompressed for the time of the copy', () => {
  const school = openSchool()!
  expect(readFileSync(school.path).subarray(0, 15).toString()).toBe('SQLite format 3')
  school.remove()
  expect(existsSync(dirname(school.path))).toBe(false)
  let used: StoreFile | undefined
  const store = new Store(
    undefined,
    () => {},
    () => {
      used = openSchool()
      return used
    },
  )
  expect(store.row('SELECT count(*) > 0 FROM courses')).toEqual([1])
  expect(existsSync(dirname(used!.path))).toBe(false)
  store.close()
})

it('the school is made where the file cannot be decompressed', () => {
  vi.stubEnv('TMPDIR', '/nowhere')
  try {
    expect(openSchool()).toBeUndefined()
    const store = new Store(undefined, (empty) => seedSchool(empty, 1), openSchool)
    expect(store.row('SELECT count(*) > 0 FROM courses')).toEqual([1])
    store.close()
  } finally {
    vi.unstubAllEnvs()
  }
})

it('the file of the build has the rows that the code makes', () => {
  const notCopied = () => {
    throw new Error('The file of the build was not used.')
  }
  const [copied, made] = [new Store(undefined, notCopied, openSchool), new Store(undefined, (empty) => seedSchool(empty, 1))]
  const schema = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name'
  expect(copied.rows(schema)).toEqual(made.rows(schema))
  const tables = made.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map(([name]) => name)
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
  copied.close()
  made.close()
})
