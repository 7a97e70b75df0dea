import { createRequire } from 'node:module'
import type Driver from 'libsql'

/** An open database of SQLite. */
export type Database = Driver.Database

export type PreparedStatement = Driver.Statement

/** The version of the driver this package is tested with. */
const DRIVER = 'libsql@0.5.29'

let driver: typeof Driver | undefined

/**
 * Opens a file, a URI, or `:memory:`. The driver is an optional dependency, and is loaded by the first call: programs that use the gateway
 * only need neither the package nor the binary for their platform.
 */
export const openDatabase = (name: string): Database => new (loadDriver())(name)

/** Loads the driver. Throws an `Error` for operators. */
export function loadDriver(): typeof Driver {
  try {
    driver ??= createRequire(import.meta.url)('libsql') as typeof Driver
    return driver
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'MODULE_NOT_FOUND' ? 'is not installed, or not for this platform' : `cannot be loaded (${message})`
    throw new Error(`The embedded LMS needs the optional package libsql, which ${reason}. Install it with: npm install ${DRIVER}`, {
      cause,
    })
  }
}
