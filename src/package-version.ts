import { readFileSync } from 'node:fs'
import { PACKAGE_FOLDER } from './package-folder.js'

/** The version of this package; `unknown` in a program that contains the package without its `package.json`. */
export function packageVersion(): string {
  try {
    return (JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8')) as { version: string }).version
  } catch {
    return 'unknown'
  }
}
