import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { works } from '../maps.js'
import { codeOf, DataFileError, isDiskFull } from './errors.js'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.js'
import { type Database, loadDriver, openDatabase } from './sqlite.js'

/** An open data file. */
export interface DataFile {
  readonly db: Database
  /** Whether the file cannot be written to. */
  readonly readOnly: boolean
  readonly isEmpty: boolean
}

/** Milliseconds to wait at startup while another process writes. That process may be writing the initial data. */
const STARTUP_BUSY_TIMEOUT = 30_000

/** Milliseconds after which no further table is checked. */
const CHECK_TIME = 2000

const cannotOpen = (file: string, why: string): DataFileError => new DataFileError(`The data file ${file} cannot be opened: ${why}.`)

/** The first column of the rows of a query. The types of the driver do not know rows as arrays. */
const firstColumn = (db: Database, sql: string): unknown[] =>
  (db.prepare(sql).raw().all([]) as unknown as unknown[][]).map(([cell]) => cell)

const firstCell = (db: Database, sql: string): unknown => firstColumn(db, sql)[0]

/** The message of an error, without the full stop at its end. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

const isAllowed = (path: string, mode: number): boolean => works(() => accessSync(path, mode))

/** Throws when the path cannot be opened as a database. Returns whether it is read-only. */
function checkPath(file: string): { readonly readOnly: boolean } {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) throw cannotOpen(file, 'its folder does not exist')
  if (!statSync(folder).isDirectory()) throw cannotOpen(file, `${folder} is not a folder`)
  if (!existsSync(file)) {
    if (!isAllowed(folder, constants.W_OK | constants.X_OK)) throw cannotOpen(file, 'there is no permission to write to its folder')
    return { readOnly: false }
  }
  const stats = statSync(file)
  if (stats.isDirectory()) throw cannotOpen(file, 'it is a folder')
  if (!stats.isFile()) throw cannotOpen(file, 'it is not a regular file')
  if (!isAllowed(file, constants.R_OK)) throw cannotOpen(file, 'there is no permission to read it')
  return { readOnly: !isAllowed(file, constants.W_OK) || !isAllowed(folder, constants.W_OK) }
}

/** Opens a path or URI, and reads from it to find errors early. */
function connect(name: string): Database {
  const db = openDatabase(name)
  try {
    db.exec(`PRAGMA busy_timeout = ${STARTUP_BUSY_TIMEOUT}`)
    db.exec('SELECT count(*) FROM sqlite_schema')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a read-only file. Where SQLite cannot create its `-wal` and `-shm` files, the file is opened as immutable, unless its last
 * writes are in a `-wal` file.
 */
function connectReadOnly(file: string): Database {
  try {
    return connect(file)
  } catch (error) {
    const log = `${file}-wal`
    if (existsSync(log) && statSync(log).size > 0)
      throw cannotOpen(file, `its last writes are in ${log}, which can only be read with the permission to write to the folder`)
    try {
      return connect(`${pathToFileURL(file).href}?mode=ro&immutable=1`)
    } catch {
      throw error
    }
  }
}

/** Opens a data file, or creates an empty one. Throws a `DataFileError` when the file cannot be used. */
export function openDataFile(file: string): DataFile {
  const { readOnly } = checkPath(file)
  // Its error is not about the file.
  loadDriver()
  let db: Database | undefined
  try {
    db = readOnly ? connectReadOnly(file) : connect(file)
    const isEmpty = hasNoTables(db, file)
    if (!isEmpty) checkPages(db, file)
    else if (readOnly)
      throw new DataFileError(`The data file ${file} is empty, but it is read-only: make the file and its folder writable.`)
    return { db, readOnly, isEmpty }
  } catch (error) {
    db?.close()
    throw error instanceof DataFileError ? error : toDataFileError(file, error)
  }
}

function toDataFileError(file: string, error: unknown): DataFileError {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_CORRUPT')) return damaged(file, reasonOf(error))
  if (code.startsWith('SQLITE_NOTADB')) return cannotOpen(file, 'it is not a SQLite database')
  if (code.startsWith('SQLITE_BUSY')) return cannotOpen(file, 'another program has locked it')
  if (isDiskFull(error)) return cannotOpen(file, 'the disk is full')
  return cannotOpen(file, reasonOf(error))
}

const damaged = (file: string, where: string): DataFileError =>
  new DataFileError(`The data file ${file} is damaged: restore it from a backup. SQLite reports: ${where}.`)

/** Whether a file is empty. Throws for files of other programs, and of other versions of this one. */
export function hasNoTables(db: Database, file: string): boolean {
  if (firstCell(db, 'SELECT count(*) FROM sqlite_schema') === 0) return true
  if (firstCell(db, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new DataFileError(`The data file ${file} is a SQLite file of another program.`)
  const version = firstCell(db, 'PRAGMA user_version')
  if (version === SCHEMA_VERSION) return false
  throw new DataFileError(
    `The data file ${file} has schema version ${version}, this program reads version ${SCHEMA_VERSION}: use the version of this program that wrote it, or name another file.`,
  )
}

/** Throws when pages are damaged. Tables are checked one by one until `CHECK_TIME` has passed, so that large files also start fast. */
function checkPages(db: Database, file: string): void {
  const end = performance.now() + CHECK_TIME
  const tables = firstColumn(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")
  for (const table of tables) {
    const found = firstCell(db, `PRAGMA quick_check('${table}')`)
    if (found !== 'ok') throw damaged(file, String(found).trim().split('\n').at(-1)!.replace(/\.$/, ''))
    if (performance.now() > end) return
  }
}

/** Copies a data file to a new file. An LMS may be running on it. */
export function copyDataFile(file: string, copy: string): void {
  if (!existsSync(file)) throw cannotOpen(file, 'it does not exist')
  if (existsSync(copy)) throw new DataFileError(`The data file ${file} was not copied: ${copy} exists already.`)
  if (!existsSync(dirname(resolve(copy))))
    throw new DataFileError(`The data file ${file} was not copied: the folder of ${copy} does not exist.`)
  const { db, isEmpty } = openDataFile(file)
  try {
    if (isEmpty) throw new DataFileError(`The data file ${file} was not copied: it is empty.`)
    db.prepare('VACUUM INTO ?').run([copy])
  } catch (error) {
    rmSync(copy, { force: true })
    if (error instanceof DataFileError) throw error
    const why = isDiskFull(error) ? 'the disk is full' : reasonOf(error)
    throw new DataFileError(`The data file ${file} was not copied to ${copy}: ${why}.`)
  } finally {
    db.close()
  }
}
