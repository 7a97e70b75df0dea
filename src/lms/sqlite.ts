import type Driver from 'libsql'
import { optionalPackage } from '../optional-package.js'

/** An open database of SQLite. */
export type Database = Driver.Database

export type PreparedStatement = Driver.Statement

/** Opens a file, a URI, or `:memory:`. Programs that use the gateway only need neither the driver nor its binary for their platform. */
export const openDatabase = (name: string): Database => new (loadDriver())(name)

/** Loads the driver. Throws an `Error` for operators. */
export const loadDriver = (): typeof Driver => optionalPackage('libsql', 'The embedded LMS needs') as typeof Driver
