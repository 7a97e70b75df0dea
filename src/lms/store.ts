import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.js'

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

/** How long another process's write is waited for, in milliseconds; at the start it may be one that fills the file. */
const WAIT = 2000
const WAIT_AT_START = 30_000

const toCell = (value: Cell | boolean | undefined): Cell => (typeof value === 'boolean' ? Number(value) : (value ?? null))

function insertSql(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

/** The LMS's data in SQLite: in memory, or in a file that outlives the process. */
export class Store {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Statement>()
  static readonly #kept = 500

  /** Opens the data; `contents` fills it once, in the transaction that makes the tables: a file of another store, or what adds rows. */
  constructor(file: string | undefined, contents: string | ((store: Store) => void)) {
    this.#db = open(file)
    try {
      this.#prepareTables(file, contents)
      this.#db.exec(`PRAGMA busy_timeout = ${WAIT}`)
    } catch (error) {
      this.#db.close()
      throw error
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
    this.#statement(sql).run(cells)
  }

  /** Adds a row to a table, or changes these columns of the row that has its id. */
  save(table: string, row: Cells): void {
    const columns = Object.keys(row)
    const changes = columns.map((column) => `${column} = excluded.${column}`)
    this.run(`${insertSql(table, columns, 1)} ON CONFLICT (id) DO UPDATE SET ${changes.join(', ')}`, ...Object.values(row))
  }

  /** Does all of the work or nothing of it; no other process writes meanwhile. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work).immediate()
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

  close(): void {
    this.#statements.clear()
    this.#db.close()
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

  #prepareTables(file: string | undefined, contents: string | ((store: Store) => void)): void {
    if (file !== undefined) {
      if (this.#hasTables(file)) return
      this.#db.exec('PRAGMA journal_mode = WAL')
    }
    // Read without locks: others may start from the same file at the same time, and it may lie where nothing can be written.
    if (typeof contents === 'string') this.#db.prepare('ATTACH ? AS source').run(`${pathToFileURL(contents).href}?mode=ro&immutable=1`)
    this.transaction(() => {
      // Another process that opened the same empty file may have been faster.
      if (file !== undefined && this.#hasTables(file)) return
      this.#db.exec(SCHEMA)
      if (typeof contents === 'string') this.#copyRows()
      else contents(this)
      this.#db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
    if (typeof contents === 'string') this.#db.exec('DETACH source')
    this.#db.exec('ANALYZE')
  }

  #copyRows(): void {
    const tables = this.rows("SELECT name FROM source.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (const [name] of tables) this.#db.exec(`INSERT INTO main.${name} SELECT * FROM source.${name}`)
    this.#statements.clear()
  }

  /** Whether the file already holds an LMS of this version; any other content is an error. */
  #hasTables(file: string): boolean {
    const number = (sql: string): number => Number(this.row(sql)![0])
    if (number('SELECT count(*) FROM sqlite_schema') === 0) return false
    const version = number('PRAGMA user_version')
    if (number('PRAGMA application_id') !== APPLICATION_ID) throw new Error(`The data file ${file} is a SQLite file of another program.`)
    if (version === SCHEMA_VERSION) return true
    throw new Error(`The data file ${file} has schema version ${version}, this program reads version ${SCHEMA_VERSION}: name another file.`)
  }
}

function open(file: string | undefined): Database.Database {
  if (file === undefined) return new Database(':memory:')
  if (!existsSync(dirname(file))) throw new Error(`The data file ${file} cannot be opened: its folder does not exist.`)
  try {
    const db = new Database(file)
    db.exec(`PRAGMA busy_timeout = ${WAIT_AT_START}; SELECT count(*) FROM sqlite_schema`)
    return db
  } catch (error) {
    throw new Error(`The data file ${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
