import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { openDataFile, versionOf } from './data-file.js'
import { DataFileError } from './errors.js'
import { ResultCache } from './result-cache.js'
import { APPLICATION_ID, FROM_VERSION_1, SCHEMA, SCHEMA_VERSION } from './schema.js'
import { updateSearchIndex } from './search-index.js'
import { isDiskFull } from './storage-errors.js'

/** A value as SQLite keeps it. */
export type Cell = string | number | null

/** A row as the cells of the selected columns, in their order. */
export type Row = readonly Cell[]

/** Cells by column. */
export type Cells = Readonly<Record<string, Cell>>

interface Statement {
  all(cells: readonly Cell[]): Row[]
  run(cells: readonly Cell[]): unknown
}

/** Cells bound at once when many rows are added: fewer, larger statements are faster, up to about here. */
const CELLS_PER_INSERT = 900

/** How long another process's write is waited for, in milliseconds. */
const WAIT = 2000

const toCell = (value: Cell | boolean | undefined): Cell => (typeof value === 'boolean' ? Number(value) : (value ?? null))

function insertSql(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

/** The LMS's data in SQLite: in memory, or in a file that outlives the process. */
export class Store {
  readonly #db: Database.Database
  readonly #file: string | undefined
  readonly #statements = new Map<string, Statement>()
  static readonly #kept = 500
  readonly #results = new ResultCache()
  #writes = 0
  /** Whether nothing can be written. */
  readonly readOnly: boolean
  /** What the operator should know about the file. */
  readonly warnings: readonly string[]

  /** Opens the data; `contents` fills it once, in the transaction that makes the tables: a file of another store, or what adds rows. */
  constructor(file: string | undefined, contents: string | ((store: Store) => void)) {
    const { db, readOnly, version } =
      file === undefined ? { db: new Database(':memory:'), readOnly: false, version: 0 } : openDataFile(file)
    this.#db = db
    this.#file = file
    this.readOnly = readOnly
    const warnings: string[] = []
    this.warnings = warnings
    try {
      if (readOnly) warnings.push(`The data file ${file} is read-only: everything can be read, and nothing changed.`)
      else if (version === 0) this.#prepareTables(contents)
      else this.#prepareFile(version, warnings)
      this.#db.exec(`PRAGMA busy_timeout = ${WAIT}`)
    } catch (error) {
      this.#db.close()
      if (file === undefined || !isDiskFull(error)) throw error
      throw new DataFileError(`The data file ${file} cannot be filled: the disk is full.`, { cause: error })
    }
  }

  /** All rows of a query, as arrays of cells; its statement is kept for the next time. */
  rows(sql: string, ...cells: readonly Cell[]): Row[] {
    return this.#statement(sql).all(cells)
  }

  /** The first row of a query. */
  row(sql: string, ...cells: readonly Cell[]): Row | undefined {
    return this.#statement(sql).all(cells)[0]
  }

  /** Runs a statement that changes rows. */
  run(sql: string, ...cells: readonly Cell[]): void {
    this.#writes++
    this.#statement(sql).run(cells)
  }

  /** Adds a row to a table, or changes these columns of the row that has its id. */
  save(table: string, row: Cells): void {
    const columns = Object.keys(row)
    const changes = columns.map((column) => `${column} = excluded.${column}`)
    this.run(`${insertSql(table, columns, 1)} ON CONFLICT (id) DO UPDATE SET ${changes.join(', ')}`, ...Object.values(row))
  }

  /** Does all of the work or nothing of it, and keeps the search index up to date; no other process writes meanwhile. */
  transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      updateSearchIndex(this)
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    } finally {
      this.#writes++
    }
  }

  /** Numbers read from the data, which are kept under a key until the data change. */
  cached(key: string, read: () => readonly number[]): readonly number[] {
    // Of own writes SQLite tells nothing, of those of other processes nobody else.
    const others = this.#file === undefined ? '' : this.row('PRAGMA data_version')![0]
    return this.#results.get(key, `${this.#writes} ${others}`, read)
  }

  /** Adds many rows to a table; every row has the keys of the first. */
  insert(table: string, rows: readonly Readonly<Record<string, Cell | boolean>>[]): void {
    const columns = Object.keys(rows[0] ?? {})
    const most = Math.floor(CELLS_PER_INSERT / columns.length)
    const statements = new Map<number, Database.Statement>()
    for (let start = 0; start < rows.length; start += most) {
      const some = rows.slice(start, start + most)
      const statement = statements.get(some.length) ?? this.#db.prepare(insertSql(table, columns, some.length))
      statements.set(some.length, statement)
      statement.run(some.flatMap((row) => columns.map((column) => toCell(row[column]))))
    }
  }

  /** Keeps all in the one file, so that it can be read where nothing can be written. */
  seal(): void {
    this.#db.exec('PRAGMA journal_mode = DELETE')
  }

  /** Closes the data. A file then holds everything by itself, unless another process has it open or the disk is full. */
  close(): void {
    if (this.#file !== undefined && !this.readOnly && this.#db.open) this.#writeBack(this.#file)
    this.#statements.clear()
    this.#db.close()
  }

  #writeBack(file: string): void {
    try {
      // Where another process has the file open, that one does it when it closes.
      this.row('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      console.error(`The last writes stay in ${file}-wal, which belongs to ${file}: ${(error as Error).message}`)
    }
  }

  #rollBack(): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself; the error that made it do so is the one to report.
    }
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) {
      // Moved to the end: the first of the map is the one unused for longest.
      this.#statements.delete(sql)
      this.#statements.set(sql, known)
      return known
    }
    const prepared = this.#db.prepare(sql)
    const made = (prepared.reader ? prepared.raw() : prepared) as unknown as Statement
    this.#statements.set(sql, made)
    if (this.#statements.size > Store.#kept) this.#statements.delete(this.#statements.keys().next().value!)
    return made
  }

  /** Makes the tables of new data and fills them. */
  #prepareTables(contents: string | ((store: Store) => void)): void {
    const file = this.#file
    if (file !== undefined) this.#db.exec('PRAGMA journal_mode = WAL')
    // Read without locks: others may start from the same file at the same time, and it may lie where nothing can be written.
    if (typeof contents === 'string') this.#db.prepare('ATTACH ? AS source').run(`${pathToFileURL(contents).href}?mode=ro&immutable=1`)
    this.transaction(() => {
      // Another process that opened the same empty file may have been faster.
      if (file !== undefined && versionOf(this.#db, file) > 0) return
      this.#db.exec(SCHEMA)
      if (typeof contents === 'string') this.#copyRows()
      else contents(this)
      this.#db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
    if (typeof contents === 'string') this.#db.exec('DETACH source')
    this.#db.exec('ANALYZE')
  }

  /** Upgrades a filled file, and indexes what other programs have changed in it. */
  #prepareFile(version: number, warnings: string[]): void {
    this.#db.exec('PRAGMA journal_mode = WAL')
    if (version === SCHEMA_VERSION) {
      if (this.row('SELECT 1 FROM unindexed LIMIT 1')) this.transaction(() => {})
      return
    }
    this.transaction(() => {
      // Another process that opened the same file may have been faster.
      if (versionOf(this.#db, this.#file!) === SCHEMA_VERSION) return
      this.#db.exec(FROM_VERSION_1)
      this.#db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
    this.#db.exec('ANALYZE')
    warnings.push(
      `The data file ${this.#file} was upgraded from schema version ${version} to ${SCHEMA_VERSION}: older versions of this program cannot read it any more.`,
    )
  }

  #copyRows(): void {
    // The rows of virtual tables are in ordinary tables beside them.
    const tables = this.rows("SELECT name FROM source.sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%'")
    // New indexes have rows of their own already, by which they say that they are empty.
    for (const [name] of tables) this.#db.exec(`INSERT OR REPLACE INTO main.${name} SELECT * FROM source.${name}`)
    // Their index has come with them.
    this.#db.exec('DELETE FROM unindexed')
    this.#statements.clear()
  }
}
