import { accessSync, closeSync, constants, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { DataFileError } from './errors.js'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.js'
import { isDiskFull } from './storage-errors.js'

/** An open data file. */
export interface DataFile {
  readonly db: Database.Database
  /** Whether nothing can be written to it. */
  readonly readOnly: boolean
  /** Version of its tables; 0 when it has none yet. */
  readonly version: number
}

/** How long the write of another process is waited for at the start, in milliseconds; it may be one that fills the file. */
const WAIT_AT_START = 30_000

/** No further table is checked after this time, in milliseconds. */
const CHECK_TIME = 2000

const MAGIC = 'SQLite format 3\0'

const cannotOpen = (file: string, why: string): DataFileError => new DataFileError(`The data file ${file} cannot be opened: ${why}.`)

const firstCell = (db: Database.Database, sql: string): unknown => (db.prepare(sql).raw().all([]) as unknown as unknown[][])[0]?.[0]

/** What SQLite says, without the words that the driver puts around it. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** Refuses what is not a database that can be read; whether nothing can be written to it. */
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
  if (stats.size > 0 && !isDatabase(file)) throw cannotOpen(file, 'it is not a database of SQLite')
  return { readOnly: !isAllowed(file, constants.W_OK) || !isAllowed(folder, constants.W_OK) }
}

function isDatabase(file: string): boolean {
  const start = Buffer.alloc(MAGIC.length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, start, 0, start.length, 0)
  } finally {
    closeSync(descriptor)
  }
  return start.toString('latin1') === MAGIC
}

/** Opens a path or URI and reads from it; throws what SQLite says. */
function connect(name: string): Database.Database {
  const db = new Database(name)
  try {
    db.exec(`PRAGMA busy_timeout = ${WAIT_AT_START}`)
    db.exec('SELECT count(*) FROM sqlite_schema')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a file that cannot be written to. Where SQLite cannot make its files beside it, it reads the one file, as long as that holds all. */
function connectReadOnly(file: string): Database.Database {
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

/** Opens a data file, or makes an empty one; throws a `DataFileError` when it cannot be used. */
export function openDataFile(file: string): DataFile {
  const { readOnly } = checkPath(file)
  let db: Database.Database | undefined
  try {
    db = readOnly ? connectReadOnly(file) : connect(file)
    const version = versionOf(db, file)
    if (version > 0) checkPages(db, file)
    if (readOnly && version !== SCHEMA_VERSION) {
      const state = version === 0 ? 'is empty' : `has schema version ${version} and must be upgraded`
      throw new DataFileError(`The data file ${file} ${state}, but it is read-only: make the file and its folder writable.`)
    }
    return { db, readOnly, version }
  } catch (error) {
    db?.close()
    throw error instanceof DataFileError ? error : explained(file, error)
  }
}

function explained(file: string, error: unknown): DataFileError {
  const { code } = error as { code?: string }
  if (code?.startsWith('SQLITE_CORRUPT')) return damaged(file, reasonOf(error))
  if (code?.startsWith('SQLITE_BUSY')) return cannotOpen(file, 'another program has locked it')
  if (isDiskFull(error)) return cannotOpen(file, 'the disk is full')
  return cannotOpen(file, reasonOf(error))
}

const damaged = (file: string, where: string): DataFileError =>
  new DataFileError(`The data file ${file} is damaged: restore it from a copy. SQLite says: ${where}.`)

/** The version of the tables in a file, 0 when it has none; refuses files of other programs and of other versions. */
export function versionOf(db: Database.Database, file: string): number {
  if (firstCell(db, 'SELECT count(*) FROM sqlite_schema') === 0) return 0
  if (firstCell(db, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new DataFileError(`The data file ${file} is a SQLite file of another program.`)
  const version = Number(firstCell(db, 'PRAGMA user_version'))
  if (version >= 1 && version <= SCHEMA_VERSION) return version
  const remedy = version > SCHEMA_VERSION ? 'use the newer version of this program that wrote it' : 'name another file'
  throw new DataFileError(
    `The data file ${file} has schema version ${version}, this program reads versions 1 to ${SCHEMA_VERSION}: ${remedy}.`,
  )
}

/** Refuses a file with damaged pages. Tables are checked one after the other until the time is over: large files start fast, too. */
function checkPages(db: Database.Database, file: string): void {
  const end = performance.now() + CHECK_TIME
  // Tables without pages are those of the full-text indexes; what they hold is in tables of its own.
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").raw().all([]) as unknown as [string][]
  for (const [table] of tables) {
    const found = firstCell(db, `PRAGMA quick_check('${table}')`)
    if (found !== 'ok') throw damaged(file, String(found).trim().split('\n').at(-1)!.replace(/\.$/, ''))
    if (performance.now() > end) return
  }
}

/** Copies a data file to a new one, also while an LMS runs on it. */
export function copyDataFile(file: string, copy: string): void {
  if (!existsSync(file)) throw cannotOpen(file, 'it does not exist')
  if (existsSync(copy)) throw new DataFileError(`The data file ${file} is not copied: ${copy} exists already.`)
  if (!existsSync(dirname(resolve(copy))))
    throw new DataFileError(`The data file ${file} is not copied: the folder of ${copy} does not exist.`)
  const { readOnly } = checkPath(file)
  let db: Database.Database | undefined
  try {
    db = readOnly ? connectReadOnly(file) : connect(file)
    if (versionOf(db, file) === 0) throw new DataFileError(`The data file ${file} is not copied: it is empty.`)
    db.prepare('VACUUM INTO ?').run([copy])
  } catch (error) {
    rmSync(copy, { force: true })
    if (error instanceof DataFileError) throw error
    const why = isDiskFull(error) ? 'the disk is full' : reasonOf(error)
    throw new DataFileError(`The data file ${file} is not copied to ${copy}: ${why}.`)
  } finally {
    db?.close()
  }
}
