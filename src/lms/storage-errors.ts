import { RestError } from './errors.js'

/** Whether SQLite has found no room for what it was to write. */
export const isDiskFull = (error: unknown): boolean => /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(String((error as { code?: unknown }).code))

/** What the interface answers when SQLite cannot do what was asked; undefined for other errors. */
export function storageError(error: unknown): RestError | undefined {
  const code = String((error as { code?: unknown } | null)?.code)
  if (isDiskFull(error)) return new RestError(507, 'rest_insufficient_storage', 'The disk of the site is full. Nothing was changed.')
  if (code.startsWith('SQLITE_READONLY'))
    return new RestError(500, 'rest_read_only', 'The data of the site are read-only. Nothing was changed.')
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new RestError(503, 'rest_busy', 'Another process is writing to the data of the site. Nothing was changed.')
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new RestError(500, 'rest_data_damaged', 'The data of the site are damaged.')
  if (/^SQLITE_(IOERR|CANTOPEN)/.test(code))
    return new RestError(500, 'rest_data_unavailable', 'The disk of the site cannot be read or written.')
  return undefined
}
