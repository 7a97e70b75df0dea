import { pathToFileURL } from 'node:url'
import { LRUCache } from 'lru-cache'
import { hasNoTables, openDataFile, reasonOf } from './data-file.js'
import { DataFileError, isDiskFull } from './errors.js'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.js'
import { type Database, openDatabase, type PreparedStatement } from './sqlite.js'

/** A value in SQLite. */
export type Cell = string | number | null

/** A row: the cells of the selected columns, in order. */
export type Row = readonly Cell[]

/** Cells by column. */
export type Cells = Readonly<Record<string, Cell>>

/** The file of a store, for as long as it is needed. */
export interface StoreFile {
  readonly path: string
  remove(): void
}

interface Statement {
  all(cells: readonly Cell[]): Row[]
  run(cells: readonly Cell[]): unknown
}

/** Cells per statement when many rows are added. Larger statements are not faster. */
const CELLS_PER_INSERT = 900

/** Milliseconds to wait while another process writes. */
const BUSY_TIMEOUT = 2000

/** Prepared statements that are kept. */
const MAX_STATEMENTS = 500

const toCell = (value: Cell | boolean | undefined): Cell => (typeof value === 'boolean' ? Number(value) : (value ?? null))

function insertSql(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

/** The data of the LMS in SQLite, in memory or in a file. */
export class Store {
  #db: Database
  readonly #file: string | undefined
  readonly #statements = new LRUCache<string, Statement>({ max: MAX_STATEMENTS })
  #isClosed = false
  /** Whether the data cannot be changed. */
  readonly readOnly: boolean
  /** Warnings about the file, for the operator. */
  readonly warnings: readonly string[]

  /**
   * Opens the data. New tables are filled in the transaction that creates them: `addRows` adds rows, unless `openSource` opens the file of
   * another store whose rows can be copied.
   */
  constructor(file: string | undefined, addRows: (store: Store) => void, openSource: () => StoreFile | undefined = () => undefined) {
    const { db, readOnly, isEmpty } =
      file === undefined ? { db: openDatabase(':memory:'), readOnly: false, isEmpty: true } : openDataFile(file)
    this.#db = db
    this.#file = file
    this.readOnly = readOnly
    this.warnings = readOnly ? [`The data file ${file} is read-only: the data can be read, but not changed.`] : []
    try {
      if (isEmpty) this.#prepareTables(addRows, openSource())
      else if (!readOnly) this.#db.exec('PRAGMA journal_mode = WAL')
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
    } catch (error) {
      this.#db.close()
      if (file === undefined || !isDiskFull(error)) throw error
      throw new DataFileError(`The data file ${file} cannot be filled: the disk is full.`, { cause: error })
    }
  }

  /** Replaces all data by new contents, as in the constructor. Only for data in memory. */
  refill(addRows: (store: Store) => void, openSource: () => StoreFile | undefined = () => undefined): void {
    const before = this.#db
    this.#db = openDatabase(':memory:')
    this.#statements.clear()
    try {
      this.#prepareTables(addRows, openSource())
      before.close()
    } catch (error) {
      this.#statements.clear()
      this.#db.close()
      this.#db = before
      throw error
    }
  }

  /** All rows of a query. Its prepared statement is cached. */
  rows(sql: string, ...cells: readonly Cell[]): Row[] {
    return this.#statement(sql).all(cells)
  }

  /** The first row of a query. */
  row(sql: string, ...cells: readonly Cell[]): Row | undefined {
    return this.#statement(sql).all(cells)[0]
  }

  /** Runs a statement that changes rows. */
  run(sql: string, ...cells: readonly Cell[]): void {
    this.#statement(sql).run(cells)
  }

  /** Adds a row, or changes these columns of the row with the same id. */
  save(table: string, row: Cells): void {
    const columns = Object.keys(row)
    const changes = columns.map((column) => `${column} = excluded.${column}`)
    this.run(`${insertSql(table, columns, 1)} ON CONFLICT (id) DO UPDATE SET ${changes.join(', ')}`, ...Object.values(row))
  }

  /** Runs `work` in a transaction. Other processes cannot write meanwhile. */
  transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** Adds many rows to a table. Every row has the keys of the first. */
  insert(table: string, rows: readonly Readonly<Record<string, Cell | boolean>>[]): void {
    const columns = Object.keys(rows[0] ?? {})
    const most = Math.floor(CELLS_PER_INSERT / columns.length)
    const statements = new Map<number, PreparedStatement>()
    for (let start = 0; start < rows.length; start += most) {
      const some = rows.slice(start, start + most)
      const statement = statements.get(some.length) ?? this.#db.prepare(insertSql(table, columns, some.length))
      statements.set(some.length, statement)
      statement.run(some.flatMap((row) => columns.map((column) => toCell(row[column]))))
    }
  }

  /** Stores everything in one file without a `-wal` file, so that the file can be read from a read-only folder. */
  seal(): void {
    this.#db.exec('PRAGMA journal_mode = DELETE')
  }

  /** Whether the data were closed. Requests that a switch delays can outlive them. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Closes the data, and moves the last writes from the `-wal` file into the data file where that is possible. */
  close(): void {
    this.#isClosed = true
    if (this.#file !== undefined && !this.readOnly && this.#db.open) this.#writeBack(this.#file)
    this.#statements.clear()
    this.#db.close()
  }

  #writeBack(file: string): void {
    try {
      // When another process has the file open, it does this when it closes.
      this.row('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      console.error(`The last writes remain in ${file}-wal; keep it next to ${file}: ${reasonOf(error)}.`)
    }
  }

  #rollBack(): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // SQLite has already rolled back. The error that caused it is reported by the caller.
    }
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const prepared = this.#db.prepare(sql)
    // The cast: the types of the driver do not know rows as arrays.
    const made = (prepared.reader ? prepared.raw() : prepared) as unknown as Statement
    this.#statements.set(sql, made)
    return made
  }

  /** Creates and fills the tables of new data. */
  #prepareTables(addRows: (store: Store) => void, source: StoreFile | undefined): void {
    try {
      const file = this.#file
      if (file !== undefined) this.#db.exec('PRAGMA journal_mode = WAL')
      // Opened without locks: nobody writes to it.
      if (source) this.#db.prepare('ATTACH ? AS source').run(`${pathToFileURL(source.path).href}?mode=ro&immutable=1`)
      this.transaction(() => {
        // Another process may have filled the same empty file meanwhile.
        if (file !== undefined && !hasNoTables(this.#db, file)) return
        this.#db.exec(SCHEMA)
        if (source) this.#copyRows()
        else addRows(this)
        this.#db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
      })
      if (source) this.#db.exec('DETACH source')
      this.#db.exec('ANALYZE')
    } finally {
      source?.remove()
    }
  }

  #copyRows(): void {
    const tables = this.rows("SELECT name FROM source.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (const [name] of tables) this.#db.exec(`INSERT INTO main.${name} SELECT * FROM source.${name}`)
    this.#statements.clear()
  }
}
