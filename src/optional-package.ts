import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PACKAGE_FOLDER } from './package-folder.js'

/**
 * Loads an optional dependency, on its first use. Throws an `Error` for operators that says how to install it. `needs` is the start of the
 * message, such as `Redis needs`.
 */
export function optionalPackage(name: 'ioredis' | 'libsql' | 'prom-client', needs: string): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const isMissing = code === 'MODULE_NOT_FOUND'
    const reason = isMissing ? 'is not installed, or not for this platform' : `cannot be loaded (${message})`
    const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'))
    throw new Error(
      `${needs} the optional package ${name}, which ${reason}. Install it with: npm install ${name}@${optionalDependencies[name]}`,
      { cause },
    )
  }
}
