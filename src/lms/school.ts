import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { PACKAGE_FOLDER } from '../package-folder.js'
import type { StoreFile } from './store.js'

/** The sample school as a file that the build creates, compressed. Copying it is ten times faster than making the records. */
export const SCHOOL = fileURLToPath(new URL('dist/lms/school.sqlite.gz', PACKAGE_FOLDER))

/** Decompresses the sample school into a temporary file, because SQLite reads only files. Undefined when it does not exist or there is no place for it. */
export function openSchool(): StoreFile | undefined {
  let folder: string | undefined
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const bytes = gunzipSync(readFileSync(SCHOOL))
    folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
    const path = join(folder, 'school.sqlite')
    writeFileSync(path, bytes)
    return { path, remove }
  } catch (error) {
    remove()
    // Only errors of the file system: the records can be made without files.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return undefined
  }
}
